// Poisson: the fall in half the mean Poisson deviance of the rates, events per exposure.
#pragma once

#include <algorithm>
#include <cmath>

#include "bough/criteria/squared_error.hpp"

namespace bough {

// Log-likelihood of the events at their own rate, up to what no split changes: s ln(s / w), 0 where s is 0.
inline double rate_likelihood(double weight, double sum) {
  return sum > 0 ? sum * std::log(sum / weight) : 0.0;
}

struct Poisson : CriterionOf<"poisson", Rates> {
  static constexpr int kPowerOfY = 1;

  static double value_of_two(const Evaluator& evaluator, Summed left, Summed right, double node_weight) {
    // A rate of zero would call any event impossible.
    if (!evaluator.zero_rates() && (left[1] <= 0 || right[1] <= 0)) return kNoSplit;
    const double all = rate_likelihood(left[0] + right[0], left[1] + right[1]);
    return std::max(0.0, rate_likelihood(left[0], left[1]) + rate_likelihood(right[0], right[1]) - all) /
           node_weight;
  }
  static double value_of_many(const Evaluator& evaluator, Summed children, int n_children,
                              double node_weight) {
    for (int j = 0; j < n_children && !evaluator.zero_rates(); ++j) {
      const double* child = children + static_cast<std::ptrdiff_t>(j) * evaluator.width();
      if (child[0] != 0 && child[1] <= 0) return kNoSplit;
    }
    return rise_in_score<Rates>(evaluator, children, n_children, node_weight,
                                [](const double* s, double weight) { return rate_likelihood(weight, s[1]); });
  }
  // Half the mean deviance, up to the part that no split changes.
  static double impurity(const Evaluator&, Summed s) { return -rate_likelihood(s[0], s[1]) / s[0]; }

  static double rounding(const NodeTotals& node) {
    const double rate = node.sum / node.weight;
    return rate > 0 ? 1e-13 * rate * (1 + std::abs(std::log(rate))) : 0;
  }

  // The divergence is at most chi-square's, which is squared error's bound in another unit.
  struct Bound {
    double unit;

    Bound(const double* total, double node_weight) : unit(total[1] * node_weight) {}
    static double of_sides(const double* left, const double* right) {
      return SquaredError::Bound::of_sides(left, right);
    }
  };
};

}  // namespace bough
