// Chi-square: Pearson's statistic of the table of children and classes.
#pragma once

#include "bough/criteria/criterion.hpp"
#include "bough/criteria/pearson.hpp"
#include "bough/criteria/two_children.hpp"

namespace bough {

struct ChiSquare : CriterionDefaults {
  static constexpr std::string_view kName = "chi_square";
  using Statistics = ClassWeights;
  static constexpr bool kGrowsWithWeight = true;

  static double value_of_two(const Evaluator& evaluator, const double* left, const double* right, double) {
    const TwoChildren both(left, right, evaluator.width());
    double total = 0;
    for (int c = 0; c < both.n_classes; ++c) {
      const double n = left[c] + right[c];
      if (n == 0) continue;
      total += both.imbalance(c) * both.imbalance(c) / n;
    }
    return total / (both.left_weight * both.right_weight);
  }
  static double value_of_many(const Evaluator& evaluator, const double* children, int n_children, double) {
    return pearson(children, n_children, evaluator.width()).statistic;
  }
  static double rounding(const NodeTotals& node) { return 1e-13 * 1e-13 * node.weight; }
};

}  // namespace bough
