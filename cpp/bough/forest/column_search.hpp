// Finds the best split of one column among the rows of a node, given in the column's order: where two classes
// are counted, of columns that are searched for sets of levels only.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bough/data/entry.hpp"
#include "bough/forest/deviation_search.hpp"
#include "bough/forest/forest_split.hpp"
#include "bough/forest/level_set_search.hpp"
#include "bough/forest/plan.hpp"
#include "bough/forest/view.hpp"
#include "bough/search/bounded_scan.hpp"
#include "bough/search/present_classes.hpp"
#include "bough/search/sets_of_targets.hpp"

namespace bough {

class ColumnSearch {
 public:
  // n_indices: the most rows of a view.
  ColumnSearch(const ForestPlan& plan, std::size_t n_indices);

  // To be called for each node, before its columns are searched.
  void start(const std::uint32_t* index, int n, const RowView& view) {
    if (present_) present_->start(n, [index](int i) { return index[i]; }, view.rows);
    if (deviations_) deviations_->start(index, n, view);
    node_rows_ = n;
    sets_due_ = n <= TargetSets::kMostRows;
    use_sets_ = false;
  }

  void set_min_weight(double weight) { limits_.min_weight = weight; }
  // What the answers of both sides of a split of the next column must keep to.
  void set_answers(const AnswerRule& rule) { limits_.answers = rule; }
  void set_origin(double origin) { levels_.set_origin(origin); }
  const LeafLimits& limits() const { return limits_; }

  // Whether the levels of a column are searched for the best set, not cut in the order of their codes.
  bool by_sets(int column) const;

  // list: n entries, ascending; those of code `missing` come last. Betters `best` if it can.
  template <class E>
  void search(int column, const E* list, int n, std::uint32_t missing, const RowView& view,
              const NodeSums& sums, ForestSplit& best);

  // The same for a nominal column where draws are counted by code.
  void search(int column, const CountedCodes& codes, const NodeSums& sums, ForestSplit& best);

  // Under absolute error.
  std::optional<DeviationSearch>& deviations() { return deviations_; }

 private:
  template <class E>
  Cut cut(const E* list, int n, int stay_right, const RowView& view, const NodeSums& sums, double floor);
  template <class E>
  void search_level_medians(int column, const E* list, int n, std::uint32_t missing, const RowView& view,
                            const NodeSums& sums, ForestSplit& best);
  template <class E>
  void search_threshold(int column, const E* list, int n, std::uint32_t missing, const RowView& view,
                        const NodeSums& sums, ForestSplit& best);
  template <class E>
  NodeSums without(const E* list, int n, const RowView& view, const NodeSums& sums);

  template <class E>
  std::vector<E>& turned_list() {
    if constexpr (sizeof(E) == 8)
      return turned_long_;
    else
      return turned_;
  }

  const ForestPlan& plan_;
  LeafLimits limits_;
  LevelSetSearch levels_;
  std::optional<PresentClasses> present_;  // where classes are many
  std::optional<DeviationSearch> deviations_;
  std::optional<TargetSets> sets_;  // of few rows, where targets are several
  int node_rows_ = 0;
  bool sets_due_ = false;  // they are to be told of this node
  bool use_sets_ = false;  // they can search it
  std::vector<double> left_, right_, known_;
  // A list with its missing entries first, or with levels in another order.
  std::vector<std::uint64_t> turned_long_;
  std::vector<std::uint32_t> turned_;
};

}  // namespace bough
