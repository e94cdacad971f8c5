// The two hottest scans: the best cut of a sorted list under Gini with two classes, and under squared error,
// where all weights are one. They find what ThresholdScan finds, to the last bit: a fast pass bounds the
// value of every block of cuts from above, up to rounding, and only blocks that may hold the best are judged
// exactly.
#pragma once

#include <vector>

#include "bough/criterion.hpp"

namespace bough {

struct Cut {
  double value;
  int left;  // entries on the left; 0: no cut is better than the floor
};

// What a scan needs besides its list; one for each thread.
struct ScanSpace {
  std::vector<double> peak;        // highest value in each block
  std::vector<double> start;       // what lies left of each block: ones, or the sum
  std::vector<double> reciprocal;  // 1 / (left * right) by left, for lists of this length:
  int reciprocals_of = 0;

  // All columns of a node are of one length, so the divisions are made once for all of them.
  const double* reciprocals(int n);
};

// The list holds n known entries, n_ones of them with label 1; each side must keep min_cases. Only a cut
// whose value exceeds the floor counts; the lowest of equals is taken.
template <class E>
Cut best_gini_cut(const E* list, int n, int n_ones, int min_cases, double node_weight, const Judge& judge,
                  double floor, ScanSpace& space);

// The same for squared error: y[index] are whole numbers whose sums are exact; sum is that of the list.
template <class E>
Cut best_squares_cut(const E* list, int n, const double* y, double sum, int min_cases, double node_weight,
                     double floor, ScanSpace& space);

}  // namespace bough
