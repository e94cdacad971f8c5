// Regression trees as R's gbm grows them: exact thresholds, the best leaf first, and missing values apart.
// Sums run over the rows in gbm's order, since rounding decides between splits of equal improvement.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bough/data/column.hpp"
#include "bough/grow/branching.hpp"
#include "bough/machine/team.hpp"
#include "bough/machine/watch.hpp"

namespace bough {

struct GbmSums {
  double sum = 0, weight = 0;  // of the weighted response
  std::int64_t cases = 0;
};

// A leaf, or a node that was one. Its value is a mean of the response until the loss fits another.
struct GbmLeaf {
  GbmSums sums;
  double value = 0;
  int node = 0;            // in the branching
  bool has_cases = false;  // for a value of a loss that needs the least number of them
};

struct GbmLimits {
  int n_splits = 1;
  std::int64_t min_cases = 10;  // of both sides of a split, without missing values
  std::vector<int> monotonic;   // of each column: 1, -1 or 0; empty: all are free
};

class GbmTreeGrower {
 public:
  GbmTreeGrower(const std::vector<Column>& columns, std::int64_t n_rows, const GbmLimits& limits, Team& team,
                Watch& watch);

  // response, weight, drawn: of each row; rows that are not drawn are routed, and count for nothing.
  void grow(const double* response, const double* weight, const std::uint8_t* drawn);

  std::vector<GbmLeaf>& leaves() { return leaves_; }
  const std::vector<int>& leaf_of_row() const { return leaf_of_row_; }

  // Gives inner nodes the means of their children, and leaves for few missing values that of the others;
  // returns the tree, its values multiplied by a factor.
  const Branching& finish(double factor);

 private:
  struct Split {
    double improvement = 0;
    int column = -1;
    std::uint32_t row_below = 0, row_above = 0;
    std::vector<std::uint8_t> goes_right;  // of the levels that rows have; empty: threshold
    GbmSums left, right, missing;
  };
  struct Response {
    const double *value, *weight;
    const std::uint8_t* drawn;
  };

  // Calls work(column) for all columns; throws if it was stopped meanwhile.
  void for_columns(const std::function<void(int)>& work);
  void list_levels(int column);
  // Searches the splits of leaves first to last.
  void search(const std::vector<int>& leaves, const Response& response);
  void search_threshold(int column, const Response& response, std::vector<Split>& found) const;
  void search_levels(int column, const Response& response, std::vector<Split>& found) const;
  std::vector<Split> started(int column, const Response& response, const std::vector<std::uint32_t>& missing,
                             std::vector<GbmSums>& right) const;
  bool take(Split& best, const GbmSums& left, const GbmSums& right) const;
  double cut_of(const Split& made) const;
  void split(int leaf);
  void record(int leaf, const Split& made, bool apart);
  void adjust(int node);
  // After the leaves are split.
  void count_cases();

  const std::vector<Column>& columns_;
  std::int64_t n_rows_;
  GbmLimits limits_;
  Team& team_;
  Watch& watch_;
  std::vector<std::vector<std::uint32_t>> known_, missing_;  // rows of each column; known ones ascending
  std::vector<std::vector<int>> levels_;                     // codes of each column that rows have, ascending
  std::vector<std::vector<int>> rank_;                       // of each code among them, -1: no row has it
  std::vector<GbmLeaf> leaves_;
  std::vector<Split> best_;       // of each leaf
  std::vector<int> leaf_of_row_;  // of each row
  std::vector<int> place_;        // of each leaf among those that are searched, -1: it is not
  std::vector<int> searched_;     // those leaves
  Branching tree_;
  std::vector<GbmLeaf> nodes_;          // of each node, once it is finished
  std::int64_t cases_of_old_leaf_ = 0;  // of the last leaf for missing values that was grown
};

}  // namespace bough
