// Finds the best split of one column among the rows of a node, given in the column's order.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "bough/entry.hpp"
#include "bough/forest/plan.hpp"
#include "bough/forest/view.hpp"
#include "bough/scan_any.hpp"

namespace bough {

// What a node's rows sum to. Statistics are those of the judge: class weights, or weight and sum.
struct NodeSums {
  double weight = 0, cases = 0;
  const double* statistics = nullptr;
  std::uint64_t counted = 0;
};

// The rows of a node that share a code, with how often they were drawn, in the order of the codes.
struct CountedCodes {
  const std::uint32_t* code;
  const std::uint64_t* counted;
  int n;
};

// A split found. Rows stand for their values: they are indexes of the view it was found in.
struct ForestSplit {
  double value = 0;  // a split without any gain is none; of counts, see count_kernels.hpp
  int column = -1;
  enum class Kind { codes, value, levels } kind = Kind::codes;
  bool missing_seen = false;
  int default_branch = -1;         // of missing values; -1: that of most weight
  bool apart = false;              // missing values on the left, known ones on the right
  std::uint32_t last_left = 0;     // codes up to this go left
  std::uint64_t left_counted = 0;  // of counts: what goes left, if all rows have values
  bool has_rows = false;           // that hold the values the cut lies between:
  std::uint32_t row_below = 0, row_above = 0;
  double cut = 0;                          // by value: what is below goes left
  std::vector<std::uint32_t> left, right;  // levels of the two sides
};

class ColumnSearch {
 public:
  explicit ColumnSearch(const ForestPlan& plan);

  void set_min_weight(double weight) { limits_.min_weight = weight; }
  // The order of the levels of each nominal column that is drawn for a tree.
  void set_ranks(const std::vector<std::vector<std::uint32_t>>& ranks) { ranks_ = &ranks; }
  const LeafLimits& limits() const { return limits_; }

  // list: n entries, ascending; those of code `missing` come last. Betters `best` if it can.
  template <class E>
  void judge(int column, const E* list, int n, std::uint32_t missing, const RowView& view,
             const NodeSums& sums, ForestSplit& best);

  // The same for a nominal column where draws are counted by code.
  void judge(int column, const CountedCodes& codes, const NodeSums& sums, ForestSplit& best);

 private:
  template <class E>
  Cut cut(const E* list, int n, const RowView& view, const NodeSums& sums, double floor);
  template <class E>
  void judge_threshold(int column, const E* list, int n, std::uint32_t missing, const RowView& view,
                       const NodeSums& sums, ForestSplit& best);
  // What is gained for the known cases counts in proportion to their share of the node. Counted values are
  // in units of the square of the cases they are about.
  double part_of_node(double share) const { return plan_.counts ? 1 / share : share; }
  template <class E>
  NodeSums without(const E* list, int n, const RowView& view, const NodeSums& sums);
  template <class E>
  void tabulate(const std::uint32_t* levels, const E* list, int n, const RowView& view);
  void judge_groups(int column, std::uint32_t missing, const NodeSums& sums, ForestSplit& best);
  template <class E>
  void judge_drawn(int column, const E* list, int n, std::uint32_t missing, const RowView& view,
                   const NodeSums& sums, ForestSplit& best);
  void order_groups(int column, int n_groups, double cases);
  void judge_ordered(int n_groups, const NodeSums& sums, Found& found);
  void judge_two_classes(int n_groups, const NodeSums& sums, double floor, Found& found);

  const ForestPlan& plan_;
  LeafLimits limits_;
  const std::vector<std::vector<std::uint32_t>>* ranks_ = nullptr;
  std::vector<double> left_, right_, known_;
  // The groups of a nominal column: rows that share a level, ascending.
  std::vector<std::uint32_t> group_code_, group_level_;
  std::vector<double> statistics_, cases_, share_;
  std::vector<std::uint64_t> counted_;
  std::vector<int> order_;
  bool drawn_ = false;  // whether that order is the tree's own
  // A list with its missing entries first.
  std::vector<std::uint64_t> turned_long_;
  std::vector<std::uint32_t> turned_;
};

}  // namespace bough
