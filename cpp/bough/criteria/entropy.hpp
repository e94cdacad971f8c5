// Entropy: information gain in bits.
#pragma once

#include <algorithm>

#include "bough/criteria/information.hpp"

namespace bough {

struct Entropy : CriterionOf<"entropy", ClassWeights> {
  static constexpr bool kPureIsBest = true, kUsesLogarithms = true, kBoundAdds = true;

  static double value_of_two(const Evaluator& evaluator, Summed left, Summed right, double node_weight) {
    return saved_by_two(evaluator, left, right).saved / node_weight;
  }
  static double value_of_many(const Evaluator& evaluator, Summed children, int n_children,
                              double node_weight) {
    return saved_by_many(evaluator, children, n_children).saved / node_weight;
  }
  static double impurity(const Evaluator& evaluator, Summed counts) {
    return std::max(0.0, class_entropy(evaluator, counts));
  }

  struct Bound : InformationBound {
    static double unit(double node_weight) { return node_weight; }
    using InformationBound::InformationBound;
  };
};

}  // namespace bough
