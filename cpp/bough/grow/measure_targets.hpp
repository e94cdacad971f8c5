// Measuring a node of several targets. Its risk is the mean of their risks.
//
// Each target of numbers has a grid of its own, as in measure.hpp, whose sums are exact. The grids are then
// brought to the unit of the coarsest by powers of two, so that the gains of the targets add up.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "bough/grow/measure.hpp"

namespace bough {

// counts: the weights of the classes of all targets. Returns whether every target is pure enough.
template <class E>
bool measure_several_classes(const E* list, Range& range, const Rows& rows, const Data& data,
                             const Limits& limits, Node& node, double* counts) {
  weigh_node(list, range, rows, node);
  for (int i = 0; i < range.count; ++i) SeveralClassWeights::add_row(counts, rows, index_of(list[i]));
  double risk = 0;
  bool pure = true;
  for (const int k : data.targets) {
    for (int c = 0; c < k; ++c) counts[c] *= rows.weight_unit;
    risk += risk_of_classes(counts, k, node.weight, nullptr);
    pure &= pure_enough(counts, k, node.weight, limits);
    counts += k;
  }
  node.risk = risk / data.n_targets();
  return pure;
}

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

// The nearest whole number of less than 2^51.
inline double rounded(double x) {
  constexpr double kWhole = 0x1.8p52;
  return (x + kWhole) - kWhole;
}

// Writes the entries of the grid and sums them.
template <class E>
void lay_on_grids(const E* list, const Range& range, const Rows& rows, TargetGrids& grids) {
  const double *__restrict origin = grids.origin, *__restrict scale = grids.scale,
               *__restrict to_unit = grids.to_unit;
  double* __restrict sum = grids.sum, * __restrict squares = grids.squares;
  for (int i = 0; i < range.count; ++i) {
    const std::uint32_t row = index_of(list[i]);
    const double* __restrict y = rows.ys_at(row);
    const double w = rows.weight_at(row), before = rows.whole_weights ? 1 : w,
                 after = rows.whole_weights ? w : 1;
    double* __restrict to = rows.grids_at(row);
    for (int t = 0; t < rows.n_targets; ++t) {
      const double off = y[t] - origin[t], g = after * rounded(before * (off * scale[t]));
      squares[t] += w * (off * off);
      sum[t] += g;
      to[t] = g * to_unit[t];
    }
  }
}

// The sum of the losses of one target: Poisson deviances from its rate, or distances from its median.
template <class E>
double risk_of_target(const E* list, const Range& range, const Rows& rows, Criterion criterion, int target,
                      double centre) {
  double risk = 0;
  for (int i = 0; i < range.count; ++i) {
    const std::uint32_t row = index_of(list[i]);
    risk += rows.weight_at(row) * loss_of(criterion, rows.ys_at(row)[target], centre);
  }
  return std::max(0.0, risk * rows.weight_unit);
}

// Finds the range of each target.
template <class E>
void bound_targets(const E* list, int count, const Rows& rows, TargetGrids& grids) {
  const double* first = rows.ys_at(index_of(list[0]));
  std::copy_n(first, rows.n_targets, grids.low);
  std::copy_n(first, rows.n_targets, grids.high);
  for (int i = 1; i < count; ++i) {
    const double* __restrict y = rows.ys_at(index_of(list[i]));
    double* __restrict low = grids.low, * __restrict high = grids.high;
    for (int t = 0; t < rows.n_targets; ++t) {
      low[t] = std::min(low[t], y[t]);
      high[t] = std::max(high[t], y[t]);
    }
  }
}

// The weight that the sums of a grid may reach, in units of a single y.
inline double weight_on_grid(const Rows& rows, Criterion criterion, double weight) {
  return criterion.reads_values() && !rows.whole_weights ? 1.0 : weight;
}

// centres: of all targets, their means, rates or medians, followed by their risks. Returns whether no target
// varies.
template <class E>
bool measure_several_numbers(const E* list, Range& range, const Rows& rows, Criterion criterion, Node& node,
                             double* centres) {
  const int k = rows.n_targets;
  const double weight = weigh_node(list, range, rows, node);
  if (range.count == 1) {
    std::copy_n(rows.ys_at(index_of(list[0])), k, centres);
    std::fill_n(centres + k, k, 0.0);
    node.risk = 0;
    return true;
  }
  const bool rates = criterion.reads_rates(), medians = criterion.reads_values();
  TargetGrids grids(k);
  bound_targets(list, range.count, rows, grids);
  const bool varies = !std::equal(grids.low, grids.low + k, grids.high);
  if (varies) {
    range.exponent = grids.lay_out(weight_on_grid(rows, criterion, weight), rates);
    if (!medians) lay_on_grids(list, range, rows, grids);
  }
  node.risk = 0;
  for (int t = 0; t < k; ++t) {
    centres[t] = grids.low[t];
    centres[k + t] = 0;
    if (grids.low[t] == grids.high[t]) continue;
    const double off = unscaled(grids.sum[t] / weight, grids.exponent[t]);
    centres[t] = medians ? median_of(list, range.count, rows, t) : grids.origin[t] + off;
    centres[k + t] = rates || medians
                         ? risk_of_target(list, range, rows, criterion, t, centres[t])
                         : std::max(0.0, grids.squares[t] - weight * off * off) * rows.weight_unit;
    node.risk += centres[k + t] / k;
  }
  return !varies;
}

// Returns whether the targets leave nothing to split.
template <class E>
bool measure_targets(const E* list, Range& range, const Rows& rows, const Data& data, const Recipe& recipe,
                     Node& node, double* statistics) {
  if (rows.label) return measure_several_classes(list, range, rows, data, recipe.limits, node, statistics);
  return measure_several_numbers(list, range, rows, recipe.criterion, node, statistics) ||
         node.risk / node.weight < recipe.limits.min_variance;
}

}  // namespace bough
