// The grids of several targets of numbers. Each target has a grid of its own, as in measure.hpp, whose sums
// are exact. The grids are then brought to the unit of the coarsest by powers of two, so that the gains of
// the targets add up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "bough/grow/measure.hpp"

namespace bough {

// The grids of the targets of a node: a number of each target in each list.
class TargetGrids {
  int n_targets_;
  std::vector<double> numbers_;
  double* list(int i) { return numbers_.data() + static_cast<std::ptrdiff_t>(i) * n_targets_; }

 public:
  explicit TargetGrids(int n_targets)
      : n_targets_(n_targets), numbers_(7 * static_cast<std::size_t>(n_targets)) {}

  double *low = list(0), *high = list(1), *origin = list(2), *scale = list(3), *to_unit = list(4),
         *sum = list(5), *squares = list(6);
  std::vector<int> exponent = std::vector<int>(n_targets_);

  // Lays out the grids of targets that vary; returns the exponent of the coarsest. Each has a bit less than
  // that of a single target, so that numbers are rounded by a sum.
  int lay_out(double weight, bool from_zero) {
    int coarsest = std::numeric_limits<int>::max();
    const auto radius = [&](int t) { return from_zero ? high[t] : high[t] / 2 - low[t] / 2; };
    for (int t = 0; t < n_targets_; ++t) {
      if (radius(t) == 0) continue;
      origin[t] = from_zero ? 0 : low[t] / 2 + high[t] / 2;
      exponent[t] = grid_exponent(weight, radius(t)) - 1;
      coarsest = std::min(coarsest, exponent[t]);
    }
    for (int t = 0; t < n_targets_; ++t) {
      if (radius(t) == 0) continue;
      scale[t] = power_of_two(exponent[t]);
      to_unit[t] = power_of_two(coarsest - exponent[t]);
    }
    return coarsest;
  }
};

// Finds the lowest and the highest y of each target.
template <class E>
void bound_targets(const E* list, int count, const Rows& rows, TargetGrids& grids);

// Writes the entries of the grid, and sums them and the squares of the distances from the origin.
template <class E>
void lay_on_grids(const E* list, int count, const Rows& rows, TargetGrids& grids);

// The sums of the entries of the grid, grid_width of them.
template <class E>
void sum_grids(const E* list, int count, const Rows& rows, double* sums);

}  // namespace bough
