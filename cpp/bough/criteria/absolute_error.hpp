// Absolute error: the fall in the mean distance of y from its median.
#pragma once

#include <algorithm>
#include <cmath>

#include "bough/criteria/criterion.hpp"
#include "bough/criteria/median.hpp"

namespace bough {

// The index of the lower weighted median: the first at which half of the weight is reached.
inline int lower_median(const double* weights, int n) {
  const double total = ValueWeights::weight(weights, n);
  double below = weights[0];
  int median = 0;
  while (median + 1 < n && 2 * below < total) below += weights[++median];
  return median;
}

// Sum of the distances of the values from their (lower) weighted median; the weights must not all be zero.
inline double absolute_deviation(const double* weights, const std::vector<double>& values) {
  const int k = static_cast<int>(values.size());
  const double median = values[lower_median(weights, k)];
  // Whole numbers, as growth has them, are summed exactly; others, which a caller may give, as they are.
  const auto whole = [](double x) { return x == std::floor(x) && std::abs(x) < 0x1p53; };
  if (std::all_of(values.begin(), values.end(), whole) && std::all_of(weights, weights + k, whole)) {
    Wide exact = 0;
    for (int i = 0; i < k; ++i) exact += wide(weights[i]) * wide(std::abs(values[i] - median));
    return static_cast<double>(exact);
  }
  double deviation = 0;
  for (int i = 0; i < k; ++i) deviation += weights[i] * std::abs(values[i] - median);
  return deviation;
}

struct AbsoluteError : CriterionOf<"absolute_error", ValueWeights> {
  static constexpr int kPowerOfY = 1;

  static double value_of_two(const Evaluator& evaluator, Summed left, Summed right, double node_weight) {
    const std::vector<double>& values = evaluator.values();
    std::vector<double> both(left, left + evaluator.width());
    ValueWeights::add(both.data(), right, evaluator.width());
    const double within = absolute_deviation(left, values) + absolute_deviation(right, values);
    return (absolute_deviation(both.data(), values) - within) / node_weight;
  }
  static double value_of_many(const Evaluator& evaluator, Summed children, int n_children,
                              double node_weight) {
    return rise_in_score<ValueWeights>(
        evaluator, children, n_children, node_weight,
        [&](const double* weights, double) { return -absolute_deviation(weights, evaluator.values()); });
  }
  static double rounding(const NodeTotals& node) { return 1e-12 * node.risk / node.weight; }
  static double impurity(const Evaluator& evaluator, Summed weights) {
    return absolute_deviation(weights, evaluator.values()) / evaluator.weight(weights);
  }
};

}  // namespace bough
