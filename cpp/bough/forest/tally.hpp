// A tally sums what the trees of a forest say of each row: over all trees, or over those whose bag the row
// was not in. Trees are taken in order, so sums do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bough/forest/sample.hpp"
#include "bough/forest/walk.hpp"
#include "bough/machine/watch.hpp"

namespace bough {

struct TallyTask {
  ForestTable table;
  std::int64_t n_rows = 0;
  const Sampler* sampler =
      nullptr;  // of the rows the forest was grown on: a row counts where it is out of bag
  std::uint64_t seed = 0;
  int first_tree = 0;   // the number, in the whole forest, of the first tree there is
  bool shares = true;   // sum the class shares (or means)
  bool votes = false;   // sum the classes of most weight
  bool decide = false;  // only the class of the greatest sum matters
  // Where the truth is known, the error after each tree; by votes or by shares, divided by the cutoff.
  const std::int32_t* label = nullptr;
  const double* y = nullptr;
  bool by_votes = false;
  std::vector<double> cutoff = {};
  int n_threads = 1;
};

struct Tally {
  RawVector<double> share;         // n_rows x classes, or n_rows
  RawVector<std::uint32_t> vote;   // n_rows x classes
  RawVector<std::uint32_t> trees;  // how many trees spoke of each row
  // After each tree: classes: rows seen and rows wrong, of all and of each class; numbers: rows and squares.
  std::vector<double> seen, wrong;
};

Tally tally(const ForestWalker& walker, const TallyTask& task, const Monitor& monitor);

// The leaf of each row in each tree: n_rows x n_trees.
RawVector<std::uint32_t> leaves(const ForestWalker& walker, const ForestTable& table, std::int64_t n_rows,
                                int n_threads, const Monitor& monitor);

}  // namespace bough
