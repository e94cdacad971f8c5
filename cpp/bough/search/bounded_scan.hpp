// The scan for every criterion, number of classes and weight. Where the criterion has a bound, it is followed
// along the moving cut with a few operations a row, and only cuts that may be the best are evaluated. The
// result is that of evaluating them all.
#pragma once

#include "bough/search/scan.hpp"
#include "bough/search/scan_task.hpp"

namespace bough {

// The best cut of a sorted list whose value exceeds the floor; the lowest of equals is taken.
template <class E>
Cut best_cut(const E* list, int n, const ScanTask& task, double floor);

}  // namespace bough
