// Gain ratio: information gain over the information of the branch itself (Quinlan 1986).
#pragma once

#include "bough/criteria/entropy.hpp"

namespace bough {

struct GainRatio : CriterionOf<"gain_ratio", ClassWeights> {
  static constexpr bool kConcave = false, kUsesLogarithms = true;

  static double value_of_two(const Evaluator& evaluator, Summed left, Summed right, double node_weight) {
    return ratio(saved_by_two(evaluator, left, right), node_weight);
  }
  static double value_of_many(const Evaluator& evaluator, Summed children, int n_children,
                              double node_weight) {
    const SavedInformation bits = saved_by_many(evaluator, children, n_children);
    return bits.of_split > 0 ? ratio(bits, node_weight) : kNoSplit;
  }
  static double impurity(const Evaluator& evaluator, Summed counts) {
    return Entropy::impurity(evaluator, counts);
  }

  struct Bound : InformationBound {
    static double unit(double node_weight) { return node_weight; }
    double terms_of_both, information_of_both;
    bool pairs_at_most = true;  // no class weighs more than 2: then all c log2 c are whole

    Bound(const Evaluator& evaluator, const double* total, int n)
        : InformationBound(evaluator, total, n),
          terms_of_both(terms_right),
          information_of_both(InformationBound::unsplit(evaluator.weight(total))) {
      for (int c = 0; c < evaluator.width(); ++c) pairs_at_most &= total[c] <= 2;
    }
    double of_sides(double wl, double wr) const {
      const double least = information_of_split(xlog2x, wl, wr) - slip;
      return least > 0 ? (slip + InformationBound::of_sides(wl, wr) - information_of_both) / least * (wl + wr)
                       : std::numeric_limits<double>::infinity();
    }
    double unsplit(double) const { return 0; }
    bool is_exact(double) const { return pairs_at_most; }
    double value(double wl, double wr, double node_weight) const {
      const double within = (xlog2x(wl) - terms_left) + (xlog2x(wr) - terms_right);
      return ratio(saved_by_two(xlog2x, wl, wr, within, terms_of_both), node_weight);
    }
  };

 private:
  static double ratio(const SavedInformation& bits, double node_weight) {
    return bits.saved / node_weight / (bits.of_split / bits.weight);
  }
};

}  // namespace bough
