// Misclassification: the fall in the share of cases that the majority class gets wrong.
#pragma once

#include <algorithm>

#include "bough/criteria/criterion.hpp"

namespace bough {

struct Misclassification : CriterionDefaults {
  static constexpr std::string_view kName = "misclassification";
  using Statistics = ClassWeights;

  static double value_of_two(const Evaluator& evaluator, const double* left, const double* right,
                             double node_weight) {
    double l = 0, r = 0, both = 0;
    for (int c = 0; c < evaluator.width(); ++c) {
      l = std::max(l, left[c]);
      r = std::max(r, right[c]);
      both = std::max(both, left[c] + right[c]);
    }
    return (l + r - both) / node_weight;
  }

  static double value_of_many(const Evaluator& evaluator, const double* children, int n_children,
                              double node_weight) {
    const int k = evaluator.width();
    return rise_in_score<ClassWeights>(
        evaluator, children, n_children, node_weight,
        [k](const double* counts, double) { return *std::max_element(counts, counts + k); });
  }

  static double impurity(const Evaluator& evaluator, const double* counts) {
    const double weight = evaluator.weight(counts);
    return (weight - *std::max_element(counts, counts + evaluator.width())) / weight;
  }

  static double rounding(const NodeTotals&) { return 1e-13; }
};

}  // namespace bough
