// Squared error: the fall in the variance of y.
#pragma once

#include <algorithm>

#include "bough/criteria/criterion.hpp"

namespace bough {

struct SquaredError : CriterionOf<"squared_error", Moments> {
  static constexpr int kPowerOfY = 2;

  // From the weights and sums of two children.
  static double value(double wl, double sl, double wr, double sr, double node_weight) {
    const double d = sl * wr - sr * wl;
    return d * d / (wl * wr) / ((wl + wr) * node_weight);
  }
  static double value_of_two(const Evaluator&, Summed left, Summed right, double node_weight) {
    return value(left[0], left[1], right[0], right[1], node_weight);
  }
  static double value_of_many(const Evaluator& evaluator, Summed children, int n_children,
                              double node_weight) {
    return rise_in_score<Moments>(evaluator, children, n_children, node_weight,
                                  [](const double* s, double weight) { return s[1] * s[1] / weight; });
  }
  static double impurity(const Evaluator&, Summed s) {
    return std::max(0.0, s[2] / s[0] - (s[1] / s[0]) * (s[1] / s[0]));
  }
  static double rounding(const NodeTotals& node) {
    return 1e-13 * 1e-13 * (node.risk + node.sum * node.sum / node.weight) / node.weight;
  }

  // d^2 / (left * right) with d the imbalance of sums and weights: the value times `unit`.
  struct Bound {
    double unit;

    Bound(const double* total, double node_weight) : unit(total[0] * node_weight) {}
    static double of_sides(const double* left, const double* right) {
      const double d = left[1] * right[0] - right[1] * left[0];
      return d * d / (left[0] * right[0]);
    }
  };
};

}  // namespace bough
