// Gain ratio: information gain over the information of the branch itself (Quinlan 1986).
#pragma once

#include "bough/criteria/entropy.hpp"

namespace bough {

struct GainRatio : CriterionDefaults {
  static constexpr std::string_view kName = "gain_ratio";
  using Statistics = ClassWeights;
  static constexpr bool kConcave = false, kUsesLogarithms = true;

  static double value_of_two(const Evaluator& evaluator, const double* left, const double* right,
                             double node_weight) {
    const SavedInformation bits = saved_by_two(evaluator, left, right);
    return bits.saved / node_weight / (bits.of_split / bits.weight);
  }
  static double value_of_many(const Evaluator& evaluator, const double* children, int n_children,
                              double node_weight) {
    const SavedInformation bits = saved_by_many(evaluator, children, n_children);
    return bits.of_split > 0 ? bits.saved / node_weight / (bits.of_split / bits.weight) : kNoSplit;
  }
  static double impurity(const Evaluator& evaluator, const double* counts) {
    return Entropy::impurity(evaluator, counts);
  }
};

}  // namespace bough
