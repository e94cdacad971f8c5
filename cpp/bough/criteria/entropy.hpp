// Entropy: information gain in bits.
#pragma once

#include <algorithm>

#include "bough/criteria/information.hpp"

namespace bough {

struct Entropy : CriterionDefaults {
  static constexpr std::string_view kName = "entropy";
  using Statistics = ClassWeights;
  static constexpr bool kPureIsBest = true, kUsesLogarithms = true, kBoundAdds = true;

  static double value_of_two(const Evaluator& evaluator, const double* left, const double* right,
                             double node_weight) {
    return saved_by_two(evaluator, left, right).saved / node_weight;
  }
  static double value_of_many(const Evaluator& evaluator, const double* children, int n_children,
                              double node_weight) {
    return saved_by_many(evaluator, children, n_children).saved / node_weight;
  }
  static double impurity(const Evaluator& evaluator, const double* counts) {
    return std::max(0.0, class_entropy(evaluator, counts));
  }

  struct Bound : InformationBound {
    static double unit(double node_weight) { return node_weight; }
    using InformationBound::InformationBound;
  };
};

}  // namespace bough
