// What criteria of classes compute from the class weights of two children.
#pragma once

#include <cmath>

#include "bough/criteria/statistics.hpp"

namespace bough {

// The weights of both children, and how far their class shares are apart.
struct TwoChildren {
  const double *left, *right;
  int n_classes;
  double left_weight, right_weight;

  TwoChildren(const double* l, const double* r, int k)
      : left(l),
        right(r),
        n_classes(k),
        left_weight(ClassWeights::weight(l, k)),
        right_weight(ClassWeights::weight(r, k)) {}

  // left_c * weight_right - right_c * weight_left: zero where the child shares agree; in the mirror image
  // only its sign changes.
  double imbalance(int c) const { return left[c] * right_weight - right[c] * left_weight; }

  // A sum over imbalances to a value per unit of the node's weight.
  double per_unit(double sum, double node_weight) const {
    return sum / (left_weight * right_weight) / ((left_weight + right_weight) * node_weight);
  }
};

}  // namespace bough
