// Gini: the fall in 1 - sum of squared class shares (Breiman et al. 1984).
#pragma once

#include "bough/criteria/criterion.hpp"
#include "bough/criteria/two_children.hpp"

namespace bough {

struct Gini : CriterionOf<"gini", ClassWeights> {
  static constexpr bool kPureIsBest = true, kBoundAdds = true;

  static double value_of_two(const Evaluator& evaluator, Summed left, Summed right, double node_weight) {
    const TwoChildren both(left, right, evaluator.width());
    double squares = 0;
    for (int c = 0; c < both.n_classes; ++c) squares += both.imbalance(c) * both.imbalance(c);
    return both.per_unit(squares, node_weight);
  }

  static double value_of_many(const Evaluator& evaluator, Summed children, int n_children,
                              double node_weight) {
    const int k = evaluator.width();
    return rise_in_score<ClassWeights>(evaluator, children, n_children, node_weight,
                                       [k](const double* counts, double weight) {
                                         double squares = 0;
                                         for (int c = 0; c < k; ++c) squares += counts[c] * counts[c];
                                         return squares / weight;
                                       });
  }

  static double impurity(const Evaluator& evaluator, Summed counts) {
    const double weight = evaluator.weight(counts);
    double squares = 0;
    for (int c = 0; c < evaluator.width(); ++c) squares += (counts[c] / weight) * (counts[c] / weight);
    return 1 - squares;
  }

  static double rounding(const NodeTotals&) { return 1e-13 * 1e-13; }

  // Sums of squared class weights: the value is (bound - that of the unsplit node) / node weight.
  struct Bound {
    static double unit(double node_weight) { return node_weight; }
    double squares_left = 0, squares_right = 0, squares_of_both;
    double slip;  // what rounding may have taken; 0 where all squares are whole numbers below 2^53

    Bound(const Evaluator& evaluator, const double* total, int n) {
      for (int c = 0; c < evaluator.width(); ++c) squares_right += total[c] * total[c];
      squares_of_both = squares_right;
      slip = squares_right < 0x1p53 ? 0 : squares_right * n * 0x1p-51;
    }
    // A row of weight w crosses to the left, where its class weighs `left`, from where it weighs `right`.
    void move(double left, double right, double w) {
      squares_left += w * (2 * left + w);
      squares_right -= w * (2 * right - w);
    }
    double of_sides(double wl, double wr) const {
      return (squares_left + slip) / wl + (squares_right + slip) / wr;
    }
    double unsplit(double weight) const { return squares_right / weight; }
    // Whether value_of_two sums whole numbers below 2^53 for whole weights of this sum.
    static bool is_exact(double weight) { return weight * weight * weight * weight < 0x1p53; }
    // The same number as value_of_two, where that is exact: the sum of (l wr - r wl)^2 over the classes, with
    // 2 sum of l r = sum of (l + r)^2 - sum of l^2 - sum of r^2.
    double value(double wl, double wr, double node_weight) const {
      return value_of_squares(squares_left, squares_right, squares_of_both, wl, wr, node_weight);
    }
    static double value_of_squares(double left, double right, double both, double wl, double wr,
                                   double node_weight) {
      const double products = both - left - right;
      const double squares = wr * wr * left + wl * wl * right - wl * wr * products;
      return squares / (wl * wr) / ((wl + wr) * node_weight);
    }
  };
};

// Of two classes counted by whole numbers, the value times all^2 / 2: the same order of splits with fewer
// operations. left, all: rows on the left and of both sides; left_second, second: those of the second class.
inline double gini_of_counts(double left, double left_second, double all, double second) {
  const double d = left_second * all - second * left;
  return d * d / (left * (all - left));
}

}  // namespace bough
