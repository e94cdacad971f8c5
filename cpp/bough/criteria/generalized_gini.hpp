// Generalized Gini: the fall in the sum of loss(j | i) * p_i * p_j, the expected loss of answering at random
// by the class shares (Breiman et al. 1984, section 4.4). Without losses every error costs 1: it is Gini
// then.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "bough/criteria/gini.hpp"

namespace bough {

// With some losses of three classes or more the impurity is not concave, and the best children may be worse
// than the node: the value of such a split is 0.
struct GeneralizedGini : CriterionOf<"generalized_gini", ClassWeights> {
  static constexpr bool kReadsLosses = true;

  static double value_of_two(const Evaluator& evaluator, Summed left, Summed right, double node_weight) {
    const TwoChildren both(left, right, evaluator.width());
    const double products =
        sum_over_pairs(evaluator, both.n_classes, [&](int c) { return both.imbalance(c); });
    // The product of two imbalances is the same in the mirror image.
    return std::max(0.0, -both.per_unit(products, node_weight));
  }

  static double value_of_many(const Evaluator& evaluator, Summed children, int n_children,
                              double node_weight) {
    return rise_in_score<ClassWeights>(
        evaluator, children, n_children, node_weight, [&evaluator](const double* counts, double weight) {
          return -sum_over_pairs(evaluator, evaluator.width(), [&](int c) { return counts[c]; }) / weight;
        });
  }

  static double impurity(const Evaluator& evaluator, Summed counts) {
    const double weight = evaluator.weight(counts);
    return sum_over_pairs(evaluator, evaluator.width(), [&](int c) { return counts[c] / weight; });
  }

  static double rounding(const NodeTotals&) { return 1e-13 * 1e-13; }

  // That of Gini, where there are no losses; else every cut is evaluated.
  struct Bound : Gini::Bound {
    bool has_losses;
    double slip_of_pairs;  // the sum over pairs of classes rounds more than the sum of squares

    Bound(const Evaluator& evaluator, const double* total, int n)
        : Gini::Bound(evaluator, total, n),
          has_losses(!evaluator.loss().empty()),
          slip_of_pairs(evaluator.weight(total) * evaluator.width() * 0x1p-51) {}
    double of_sides(double wl, double wr) const {
      return has_losses ? std::numeric_limits<double>::infinity()
                        : Gini::Bound::of_sides(wl, wr) + slip_of_pairs;
    }
    bool is_exact(double weight) const { return !has_losses && Gini::Bound::is_exact(weight); }
  };

 private:
  // The sum of loss(j | i) * number(i) * number(j) over all pairs of classes.
  template <class Number>
  static double sum_over_pairs(const Evaluator& evaluator, int n_classes, const Number& number) {
    const std::vector<double>& loss = evaluator.loss();
    const auto of_pair = [&](int i, int j) {
      const auto at = [&](int row, int column) {
        return loss[static_cast<std::size_t>(row) * static_cast<std::size_t>(n_classes) + column];
      };
      return loss.empty() ? 2.0 : at(i, j) + at(j, i);
    };
    double sum = 0;
    for (int i = 0; i < n_classes; ++i) {
      const double first = number(i);
      if (first == 0) continue;
      double others = 0;
      for (int j = i + 1; j < n_classes; ++j) others += of_pair(i, j) * number(j);
      sum += first * others;
    }
    return sum;
  }
};

}  // namespace bough
