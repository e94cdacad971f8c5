// The best cut of several columns among the few rows of a node of several classes that are counted, under
// Gini: the columns are searched side by side, as those of numbers are in few_cuts.hpp. Sums of counts are
// exact, so that the values are those of any other search to the bit.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/forest/few_keys.hpp"
#include "bough/machine/kernel_sets.hpp"

namespace bough {

// The class weights on the left of a cut are the bytes of a word.
struct FewClassRows {
  static constexpr int kMost = 32, kMostClasses = 8;
  static constexpr double kMostWeight = 255;

  int n = 0;  // at least 2
  // Of each row: where the byte of its class begins; its weight, and above 32 bits its product with that of
  // its class in the node.
  alignas(64) std::uint64_t shift[kMost] = {}, unit[kMost] = {};
  double weight = 0, squares = 0;  // of the node: all weight, and the sum of squared class weights
  double least = 1;                // weight of a side

  // Takes the class and the weight of the row at a place; slot: of its class among those that occur, each
  // with its weight in the node.
  void set(int place, int slot, double own, double of_class) {
    shift[place] = static_cast<std::uint64_t>(8 * slot);
    unit[place] = static_cast<std::uint64_t>(own * of_class) << 32 | static_cast<std::uint64_t>(own);
  }
};

using FewClassesKernel = FewClassSearch<FewClassRows>;

// Every kernel that this processor can run, the fastest last.
std::vector<FewClassesKernel> runnable_few_classes();

inline const FewClassesKernel& few_classes_kernel() { return fastest<runnable_few_classes>(); }

}  // namespace bough
