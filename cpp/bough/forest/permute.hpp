// Permutation importance: how much worse a tree answers about the rows out of its bag when the values of one
// column are shuffled among them (Breiman 2001).
#pragma once

#include <cstdint>
#include <vector>

#include "bough/forest/sample.hpp"
#include "bough/forest/walk.hpp"
#include "bough/machine/watch.hpp"

namespace bough {

struct PermuteTask {
  const std::vector<Column>& columns;
  std::int64_t n_rows = 0;
  const Sampler& sampler;
  std::uint64_t seed = 0;          // of the forest
  std::uint64_t shuffle_seed = 0;  // of the shuffles
  const std::int32_t* label = nullptr;
  const double* y = nullptr;
  bool by_case = false;
  int n_threads = 1;
};

struct Permuted {
  // Of each tree and column: classes: fall in the share of right answers, of all rows and of each class (NaN
  // where a class has no row); numbers: rise in mean squared error.
  RawVector<double> drop;     // n_trees x n_columns x (n_classes + 1, or 1)
  RawVector<double> by_case;  // n_rows x n_columns: the sum over the trees whose bag the row was not in
  std::vector<std::uint32_t> times;
};

Permuted permute(const ForestWalker& walker, const PermuteTask& task, const Monitor& monitor);

}  // namespace bough
