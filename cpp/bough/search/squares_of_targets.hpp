// The scans under squared error and Gini of several targets: the sums of all of them move along with the cut,
// four at a time, and only cuts that may be the best are evaluated. The result is that of evaluating them
// all.
//
// The Gini of a class is the squared error of a column that is 1 where a row has it and 0 elsewhere; the grid
// then holds these columns, times the weight.
#pragma once

#include "bough/search/scan.hpp"
#include "bough/search/scan_task.hpp"

namespace bough {

// Neither changes task.right; task.left has room for two widths.
template <class E>
Cut best_squares_of_targets(const E* list, int n, const ScanTask& task, double floor);
template <class E>
Cut best_gini_of_targets(const E* list, int n, const ScanTask& task, double floor);

// Whether best_gini_of_targets can be taken: columns of classes are there, and their products are exact.
inline bool scans_gini_columns(const ScanTask& task) {
  return task.rows.grid && task.whole && task.right_weight < 0x1p26;
}

}  // namespace bough
