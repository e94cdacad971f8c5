// Chi-square: Pearson's statistic of the table of children and classes.
#pragma once

#include <cmath>

#include "bough/criteria/criterion.hpp"
#include "bough/criteria/pearson.hpp"
#include "bough/criteria/two_children.hpp"

namespace bough {

struct ChiSquare : CriterionOf<"chi_square", ClassWeights> {
  static constexpr bool kGrowsWithWeight = true;

  static double value_of_two(const Evaluator& evaluator, Summed left, Summed right, double) {
    const TwoChildren both(left, right, evaluator.width());
    double total = 0;
    for (int c = 0; c < both.n_classes; ++c) {
      const double n = left[c] + right[c];
      if (n == 0) continue;
      total += both.imbalance(c) * both.imbalance(c) / n;
    }
    return total / (both.left_weight * both.right_weight);
  }
  static double value_of_many(const Evaluator& evaluator, Summed children, int n_children, double) {
    return pearson(children, n_children, evaluator.width()).statistic;
  }
  static double rounding(const NodeTotals& node) { return 1e-13 * 1e-13 * node.weight; }

  // The sum of l^2 / n, of classes that weigh l on the left and n on both sides, from which the value
  // follows: the sum of (l wr - r wl)^2 / n is W (W sum of l^2 / n - wl^2), W being the weight of both sides.
  struct Bound {
    static double unit(double) { return 1; }
    double shares = 0;
    double slip;                // what rounding may have taken
    bool powers_of_two = true;  // all weights of classes are: then they divide without rounding

    Bound(const Evaluator& evaluator, const double* total, int n) {
      int exponent;
      for (int c = 0; c < evaluator.width(); ++c)
        powers_of_two &= total[c] == 0 || (total[c] >= 1 && std::frexp(total[c], &exponent) == 0.5);
      slip = evaluator.weight(total) * n * 0x1p-51;
    }
    void move(double left, double right, double w) { shares += w * (2 * left + w) / (left + right); }
    double of_sides(double wl, double wr) const { return of_shares(shares + slip, wl, wr); }
    double unsplit(double) const { return 0; }
    // Whether value_of_two sums multiples of a power of two that doubles hold, for whole weights of this sum.
    bool is_exact(double weight) const { return powers_of_two && weight * weight * weight * weight < 0x1p53; }
    double value(double wl, double wr, double) const { return of_shares(shares, wl, wr); }

   private:
    static double of_shares(double sum, double wl, double wr) {
      const double both = wl + wr;
      return both * (both * sum - wl * wl) / (wl * wr);
    }
  };
};

}  // namespace bough
