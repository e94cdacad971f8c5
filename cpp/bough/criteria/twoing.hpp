// Twoing: p q / 4 times the squared sum of the distances between the class shares of two children (Breiman et
// al. 1984).
#pragma once

#include "bough/criteria/criterion.hpp"
#include "bough/criteria/two_children.hpp"

namespace bough {

struct Twoing : CriterionOf<"twoing", ClassWeights> {
  static double value_of_two(const Evaluator& evaluator, Summed left, Summed right, double node_weight) {
    const TwoChildren both(left, right, evaluator.width());
    double total = 0;
    for (int c = 0; c < both.n_classes; ++c) total += std::abs(both.imbalance(c));
    return both.per_unit(total * total / 4, node_weight);
  }
  static double rounding(const NodeTotals&) { return 1e-13 * 1e-13; }
};

}  // namespace bough
