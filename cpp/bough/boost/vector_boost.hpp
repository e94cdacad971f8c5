// Gradient boosting of several numbers at once under squared error, with a value of each in every leaf.
#pragma once

#include "bough/boost/boost.hpp"

namespace bough {

struct VectorTarget {
  std::int64_t n_rows = 0;
  int n_targets = 0;
  const double* y = nullptr;       // of all rows for each target
  const double* weight = nullptr;  // null: one each
};

// The statistics of a node are the values of all targets. Settings of losses, draws of columns, constraints
// and of rows by gradient do not count.
BoostedTrees boost_vectors(const std::vector<Column>& columns, const BinnedTable& bins,
                           const VectorTarget& target, const std::uint8_t* validation,
                           const BoostSettings& settings, int n_threads, const Monitor& monitor);

}  // namespace bough
