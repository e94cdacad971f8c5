// Misclassification: the fall in the share of cases that the majority class gets wrong.
#pragma once

#include <algorithm>

#include "bough/criteria/criterion.hpp"

namespace bough {

struct Misclassification : CriterionOf<"misclassification", ClassWeights> {
  static double value_of_two(const Evaluator& evaluator, Summed left, Summed right, double node_weight) {
    double l = 0, r = 0, both = 0;
    for (int c = 0; c < evaluator.width(); ++c) {
      l = std::max(l, left[c]);
      r = std::max(r, right[c]);
      both = std::max(both, left[c] + right[c]);
    }
    return (l + r - both) / node_weight;
  }

  static double value_of_many(const Evaluator& evaluator, Summed children, int n_children,
                              double node_weight) {
    const int k = evaluator.width();
    return rise_in_score<ClassWeights>(
        evaluator, children, n_children, node_weight,
        [k](const double* counts, double) { return *std::max_element(counts, counts + k); });
  }

  static double impurity(const Evaluator& evaluator, Summed counts) {
    const double weight = evaluator.weight(counts);
    return (weight - *std::max_element(counts, counts + evaluator.width())) / weight;
  }

  static double rounding(const NodeTotals&) { return 1e-13; }

  // The largest class weights of both sides: the value is (their sum - that of the unsplit node) / node
  // weight. The largest on the right is searched for again only when no class has it any more.
  struct Bound {
    static double unit(double node_weight) { return node_weight; }
    const double* right;  // moves with the cut
    int n_classes, n_most = 0;
    double most_left = 0, most_right = 0, most_of_both;

    Bound(const Evaluator& evaluator, const double* total, int) : right(total), n_classes(evaluator.width()) {
      find_most();
      most_of_both = most_right;
    }
    void move(double left, double of_right, double w) {
      most_left = std::max(most_left, left + w);
      n_most -= of_right == most_right;
    }
    double of_sides(double, double) {
      if (n_most == 0) find_most();
      return most_left + most_right;
    }
    double unsplit(double) const { return most_of_both; }
    static bool is_exact(double) { return true; }
    double value(double, double, double node_weight) const {
      return (most_left + most_right - most_of_both) / node_weight;
    }

   private:
    void find_most() {
      most_right = *std::max_element(right, right + n_classes);
      n_most = static_cast<int>(std::count(right, right + n_classes, most_right));
    }
  };
};

}  // namespace bough
