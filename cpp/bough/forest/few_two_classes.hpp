// The best cut of several columns among the few rows of a node of two classes, by Gini of any weights or by
// entropy: the columns are searched side by side, as those of numbers are in few_cuts.hpp.
//
// The class weights of both sides are summed in the order of each column, as a scan sums them. The value of
// every cut follows from them in single precision, and those that may be the best are evaluated by the
// criterion itself, so that the values are those of a scan to the bit.
#pragma once

#include <vector>

#include "bough/criteria/criterion.hpp"
#include "bough/forest/few_keys.hpp"
#include "bough/machine/kernel_sets.hpp"

namespace bough {

struct FewTwoClassRows {
  static constexpr int kMost = 64;

  int n = 0;  // at least 2
  bool entropy = false;
  const Evaluator* evaluator = nullptr;
  // The weight of each row in its class; in the other it is 0.
  alignas(64) double of_class[2][kMost] = {};
  double total[2] = {0, 0};  // of each class in the node
  double node_weight = 0;

  void set(int place, int label, double weight) {
    of_class[label][place] = weight;
    of_class[1 - label][place] = 0;
  }
};

using FewTwoClassesKernel = FewClassSearch<FewTwoClassRows>;

// Every kernel that this processor can run, the fastest last.
std::vector<FewTwoClassesKernel> runnable_few_two_classes();

inline const FewTwoClassesKernel& few_two_classes_kernel() { return fastest<runnable_few_two_classes>(); }

}  // namespace bough
