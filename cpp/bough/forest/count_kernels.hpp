// The inner loops of the search among two counted classes, compiled for several kinds of processors.
//
// A count holds in its lower 16 bits how many draws there are, in its upper 16 bits how many of them are of
// the second class. The value of a cut is d^2 / (left * right), with d = second_left * all - second * left:
// Gini's fall in impurity times all^2 / 2.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "bough/forest/cells.hpp"
#include "bough/machine/kernel_sets.hpp"

namespace bough {

// What a column's cuts divide, at most kMostBrief draws, and the least draws a side may have.
struct CountedNode {
  std::int32_t all, second;
  double least;
};

// Values are rough: the true ones are within kRough of them, relatively. Arrays can be read and written up to
// the next multiple of kLanes; entries that are no cuts hold 0.
struct CountKernels {
  // Of each row, what has at most its code, and the value of the cut after it; returns the highest. Codes are
  // below 2^31; there is no cut after the highest. base: what lies before all rows.
  float (*cut_rows)(const std::int32_t* code, const std::uint32_t* count, int n, std::int32_t highest,
                    std::uint32_t base, const CountedNode& node, std::uint32_t* left, float* value);
  // The value of the cut that has so much on its left, -1 where a side has too little; returns the highest.
  float (*values)(const std::uint32_t* left, int n, const CountedNode& node, float* value);
  // Whether a cut within a bin may be worth more than `floor`; returns whether one of any bin may.
  bool (*may_beat)(const std::uint32_t* before, const std::uint32_t* content, int n, const CountedNode& node,
                   double floor, std::uint8_t* open);
  // Lists code << 32 | place of each row whose code is at least first[r] and at most last[r] for some r;
  // returns how many. `key` has room for n.
  int (*list_within)(const std::int32_t* code, int n, const std::int32_t* first, const std::int32_t* last,
                     int n_ranges, std::uint64_t* key);
  // Copies the codes of some rows; returns the least and the greatest.
  std::pair<std::int32_t, std::int32_t> (*fetch_codes)(const Cells<std::uint32_t>& code,
                                                       const std::uint32_t* index, int n, std::int32_t* to);
  // The greatest code up to `last` and the least above it; both are there.
  std::pair<std::int32_t, std::int32_t> (*around)(const std::int32_t* code, int n, std::int32_t last);
  // The same as fetch_codes of values; NaN are neither.
  std::pair<float, float> (*fetch_values)(const Cells<float>& value, const std::uint32_t* index, int n,
                                          float* to);
  // The count of the rows whose value is below the cut.
  std::uint32_t (*below)(const float* value, const std::uint32_t* count, int n, float cut);
};

// Counts as they are kept for nodes of more draws: the second class in the upper of two halves of 32 bits.
constexpr std::uint32_t brief_count(std::uint64_t count) {
  return static_cast<std::uint32_t>(count | count >> 16);
}
constexpr std::uint64_t long_count(std::uint32_t count) {
  return (count & 0xffffu) | static_cast<std::uint64_t>(count >> 16) << 32;
}

constexpr std::uint64_t kMostBrief = (1 << 15) - 1;  // draws of a node whose counts are brief
constexpr int kLanes = 8;
constexpr float kRough = 1e-6f;

// All kernels that this processor can run, the plain ones first, the fastest last. They give the same results
// to the bit.
std::vector<const CountKernels*> runnable_kernels();
// The fastest of them.
inline const CountKernels& count_kernels() { return *fastest<runnable_kernels>(); }

}  // namespace bough
