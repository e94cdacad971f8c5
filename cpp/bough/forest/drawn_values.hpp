// The values of cuts that were drawn together, computed side by side from what lies below them.
//
// They are those that the criteria compute for one cut, to the bit: the same operations in the same order.
// Cuts that leave a side too little have no value: kNoSplit, or NaN where a side weighs nothing.
#pragma once

#include <cstdint>
#include <vector>

namespace bough {

// What a node's cuts divide.
struct DrawnTotals {
  double weight = 0, sum = 0;  // of numbers: as their statistics have it
  double node_weight = 0;      // of classes: their sum as well
  double second = 0;           // draws of the second of two classes
  double squares = 0;          // the sum of the squares of several classes
  double least = 0;            // that a side must weigh
};

// Of n cuts, a multiple of four, each with its value.
struct DrawnValueKernels {
  void (*of_moments)(const double* weight, const double* sum, int n, const DrawnTotals& node, double* value);
  // Brief counts.
  void (*of_counts)(const std::uint32_t* count, int n, const DrawnTotals& node, double* value);
  void (*of_squares)(const std::int32_t* weight, const std::int32_t* squares, const std::int32_t* products,
                     int n, const DrawnTotals& node, double* value);
};

// Every set of kernels that this processor can run, the fastest last.
std::vector<const DrawnValueKernels*> runnable_drawn_values();

}  // namespace bough
