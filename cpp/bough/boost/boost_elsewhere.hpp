// Gradient boosting of rows that are elsewhere, such as in the partitions of a table: gradients, sums by bin
// and scores are computed there, and trees are grown from the sums.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/boost/boost.hpp"
#include "bough/boost/gradient_grid.hpp"

namespace bough {

// A tree in terms of codes: where rows go on from each node, and what each node adds to their score.
struct CodedTree {
  std::vector<std::int32_t> column;  // -1: rows stay
  std::vector<std::int32_t> first_child;
  std::vector<std::int64_t> first_branch;  // of the codes of the column
  std::vector<std::uint8_t> branch;        // 0 or 1
  std::vector<double> value;
};

// A leaf to part. Leaves are numbered by request: the n-th one of a tree, from 0, makes 2n + 1 and 2n + 2.
struct PartRequest {
  int leaf = 0, column = 0;
  bool counts_left = true;  // whose histogram is wanted
  std::vector<std::uint8_t> branch;
};

struct PartReply {
  std::int64_t n_left = 0;
  DistantRows::Histogram histogram;
};

// The gradients of a tree, of all rows drawn.
struct DrawnRange {
  std::int64_t n_rows = 0;
  GradientRange range;
};

// Sums of all rows drawn on the grid of a tree, and their histogram.
struct RootReply {
  QuantizedSums sums;
  DistantRows::Histogram histogram;
};

class BoostedRows {
 public:
  virtual ~BoostedRows() = default;
  // Begins a round if it is the first of its trees.
  virtual DrawnRange range(int round, int which) = 0;
  virtual RootReply begin(int round, int which, const GradientGrid& grid) = 0;
  virtual std::vector<PartReply> part(const std::vector<PartRequest>& requests) = 0;
  // The residual of each of some leaves that at least this share of their weight does not exceed, for losses
  // whose leaves answer by it.
  virtual std::vector<double> quantiles(int which, const std::vector<int>& leaves, double share) = 0;
  // Adds the values of the leaves of a tree to the scores.
  virtual void add(int which, CodedTree tree) = 0;
};

// columns, bins: of a table that has a row for each code of a column, so that cuts lie between codes. loss:
// of no rows.
std::vector<GrownTree> boost_elsewhere(const std::vector<Column>& columns, const BinnedTable& bins,
                                       const Loss& loss, bool unit_weights, const BoostSettings& settings,
                                       BoostedRows& rows, int n_threads, const Monitor& monitor);

}  // namespace bough
