// Finds the best set of a nominal column's levels among the rows of a node, as CART and randomForest do.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/data/entry.hpp"
#include "bough/forest/forest_split.hpp"
#include "bough/forest/plan.hpp"
#include "bough/forest/view.hpp"
#include "bough/search/present_classes.hpp"
#include "bough/search/search.hpp"

namespace bough {

class LevelSetSearch {
 public:
  explicit LevelSetSearch(const ForestPlan& plan);

  // The origin of y in the statistics of the tree.
  void set_origin(double origin) { origin_ = origin; }

  // list: n entries, ascending; those of code `missing` come last. present: null where classes are few.
  // Betters `best` if it can.
  template <class E>
  void search(int column, const E* list, int n, std::uint32_t missing, const RowView& view,
              const NodeSums& sums, const LeafLimits& limits, const PresentClasses* present,
              ForestSplit& best);

  // The same where draws are counted by code.
  void search(int column, const CountedCodes& codes, std::uint32_t missing, const NodeSums& sums,
              const LeafLimits& limits, ForestSplit& best);

 private:
  double counted_value(const Found& found, int n_groups, const NodeSums& sums) const;
  void search_groups(int column, bool seen, const NodeSums& sums, const LeafLimits& limits,
                     const PresentClasses* present, ForestSplit& best);

  int absent_side(int n_levels, const Found& found) const;

  const ForestPlan& plan_;
  double mean_ = 0, origin_ = 0;  // of y in all rows of the fit, and of the tree's statistics
  // Rows that share a level, in the order of the levels; missing ones last.
  std::vector<std::uint32_t> level_;
  std::vector<double> statistics_, cases_;
};

}  // namespace bough
