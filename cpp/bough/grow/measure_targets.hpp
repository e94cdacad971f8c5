// Measuring a node of several targets. Its risk is the mean of their risks.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "bough/grow/measure.hpp"
#include "bough/grow/target_grids.hpp"

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
    if (!medians) lay_on_grids(list, range.count, rows, grids);
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
                         : squares_about_mean(list, range.count, rows, t, weight, grids.squares[t], off,
                                              grids.exponent[t], centres[t]) *
                               rows.weight_unit;
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
