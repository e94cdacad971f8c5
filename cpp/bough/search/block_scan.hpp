// Scans of weighted rows, and of several classes under Gini, that follow a bound over blocks of cuts: what
// lies left of each cut of a block is summed first, so that the bounds of all its cuts are computed together,
// and only cuts that may be the best are evaluated. The result is that of evaluating them all.
#pragma once

#include "bough/search/scan.hpp"
#include "bough/search/scan_task.hpp"

namespace bough {

// Squared error and Poisson, where sums are exact.
template <class E>
Cut best_cut_of_moments(const E* list, int n, const ScanTask& task, double floor);

// The same where they are rounded: both sides are summed in the order of the list.
template <class E>
Cut best_cut_of_rounded_moments(const E* list, int n, const ScanTask& task, double floor);

// Gini, entropy and deviance of two classes.
template <class E>
Cut best_cut_of_two_weighted(const E* list, int n, const ScanTask& task, double floor);

// Gini of several classes, if scans_squares_of_classes.
template <class E>
Cut best_gini_of_classes(const E* list, int n, const ScanTask& task, double floor);

// Whether classes are few, and the sum of their squared weights a whole number that a double holds.
bool scans_squares_of_classes(const ScanTask& task);

}  // namespace bough
