// What the trees of gradient boosting are limited by.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

namespace bough {

struct BoostLimits {
  int max_depth = std::numeric_limits<int>::max();
  int max_leaves = 31;  // 0: no bound
  double min_samples_leaf = 20;
  double min_hessian = 1e-3;
  double min_gain = 0;
  double l1 = 0, l2 = 0;
  double path_smoothing = 0;    // the cases at which a leaf's value is halfway to that of its parent
  double max_step = 0;          // of a leaf's value before shrinkage; 0: no bound
  double level_smoothing = 10;  // levels are ordered by gradient / (hessian + this)
  double level_l2 = 10;         // added to l2 where levels are split
  double level_penalty = 0;     // times the gain by chance that a split of levels must exceed
  // Levels of fewer cases in a node are ordered as one.
  double least_of_level() const { return std::min(min_samples_leaf, 1.5 * level_smoothing); }
  std::vector<int> monotonic;                  // of each column: 1, -1 or 0; empty: all are free
  std::vector<std::vector<int>> interactions;  // sets of columns that may meet on a path; empty: all may
  int most_on_path = 0;                        // columns that may meet on a path; 0: no bound
  double columns_by_level = 1, columns_by_node = 1;  // shares of columns that are searched
};

}  // namespace bough
