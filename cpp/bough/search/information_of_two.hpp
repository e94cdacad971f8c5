// Bounds of the information that a cut of two classes saves, from the squares by which Gini evaluates it.
//
// Let a cut leave l and r of the n cases on its sides, where d = ones left * r - ones right * l, and let P
// and p be the shares of ones in the node and in a side. The information saved is the sum over the sides of
// their cases times the divergence of p from P, which is the integral of (p - t) f(t) from P to p with f(t) =
// 1 / (t (1 - t)). The side's cases times (p - P)^2 are d^2 / (n^2 l) on the left and d^2 / (n^2 r) on the
// right. Therefore, in nats:
// - It is at most f(P) times the sum of these, since a divergence is at most that of chi-square.
// - It is at least 2 times their sum, since f is at least 4.
// - f is convex and lies below its chord, so that the factor of a side is at most f(P) / 3 + f(p) / 6.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bough/criteria/list.hpp"

namespace bough {

class InformationOfTwo {
 public:
  // Of the weight of a list and of its second class; for entropy or deviance. n_rounded: of how many weights
  // sums are rounded.
  InformationOfTwo(double all, double ones, double node_weight, const Evaluator& evaluator, int n_rounded = 0)
      : all_(all),
        nats_(node_weight * (evaluator.criterion() == criterion_of<Deviance> ? 0.5 : std::numbers::ln2)),
        slack_((1e-13 + n_rounded * 1e-15) * (std::abs(evaluator.xlog2x()(all)) + 64 * all)) {
    // Without a second class nothing can be saved, whatever the factor is.
    if (ones > 0 && ones < all) factor_ = all * all / (ones * (all - ones));
  }

  // What d^2 / (l r) must be at least for the value to exceed a value.
  double least_squares(double value) const { return needed(value) * all_ / factor_; }

  // What it must be at least for the value to exceed that of a cut which has `squares`.
  double squares_of_as_good(double squares) const { return (2 * squares - slack_ * all_) / factor_; }

  // Whether the value of a cut may exceed a value.
  bool may_exceed(double value, double left, double left_ones, double right, double right_ones,
                  double d) const {
    const auto of_side = [this](double side, double ones) {
      // Rounding may leave a little less than none of a class.
      const double both = std::max(0.0, ones * (side - ones));
      return std::min(factor_ / side, factor_ / (3 * side) + side / (6 * both));
    };
    const double most = d / all_ * (d / all_) * (of_side(left, left_ones) + of_side(right, right_ones));
    return most >= needed(value);
  }

 private:
  double needed(double value) const { return value * nats_ * (1 - 1e-12) - slack_; }

  double all_, nats_;
  double slack_;  // what rounding may add to sums of x log2 x, and more than what counts as nothing
  double factor_ = 4;
};

}  // namespace bough
