// Deviance: the fall in -2 log-likelihood of the class shares; 2 ln 2 times the information gain in bits.
#pragma once

#include <algorithm>
#include <numbers>

#include "bough/criteria/entropy.hpp"

namespace bough {

struct Deviance : CriterionOf<"deviance", ClassWeights> {
  static constexpr bool kPureIsBest = true, kUsesLogarithms = true, kBoundAdds = true;
  static constexpr double kPerBit = 2 * std::numbers::ln2;

  static double value_of_two(const Evaluator& evaluator, Summed left, Summed right, double node_weight) {
    return kPerBit * Entropy::value_of_two(evaluator, left, right, node_weight);
  }
  static double value_of_many(const Evaluator& evaluator, Summed children, int n_children,
                              double node_weight) {
    return kPerBit * Entropy::value_of_many(evaluator, children, n_children, node_weight);
  }
  static double impurity(const Evaluator& evaluator, Summed counts) {
    double weight;
    return std::max(0.0, kPerBit * class_information(evaluator, counts, weight) / evaluator.weight(counts));
  }

  struct Bound : InformationBound {
    static double unit(double node_weight) { return node_weight / kPerBit; }
    using InformationBound::InformationBound;
  };
};

}  // namespace bough
