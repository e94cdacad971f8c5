// The inner loops of the search among several counted classes, compiled for several kinds of processors.
//
// Under Gini, a cut that leaves the class weights l on its left, which sum to w of the node's W, has the
// value sum(d^2) / (w (W - w)), where d = l - w T / W and T are the class weights of the node. It is convex
// in l.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/machine/kernel_sets.hpp"
#include "bough/machine/processor.hpp"

namespace bough {

constexpr int kMostCountedClasses = 16;

// Rows grouped by class: those of the class c end before end[c].
struct ClassedRows {
  const std::int32_t* code;  // and highest up to a multiple of kClassLanes
  const std::int32_t* count;
  int n;
  const std::int32_t *end, *total;  // of each class
  int n_classes;
  std::int32_t highest, all, squares;  // of codes; of weights; of the squares of class weights
  std::int32_t least;                  // weight of a side
};

// Of each row: the weight that has at most its code, the sum of squared class weights and of their products
// with those of the node, and about the value of the cut behind it: what the squares over the weights of both
// sides add up to. Where there is no cut that is -1.
struct ClassedCuts {
  std::int32_t *left, *squares, *products;
  float* value;
};

constexpr int kClassLanes = 16;

// Of bins, the content of each of `width` classes: 8 or 16 numbers.
struct ClassedBins {
  const std::uint32_t* content;
  int n, width;
  const float *share, *slack;  // of classes in the node's weight; how far rounding may move their d
  float all, least;            // weight of the node; the least of a side
};

// Bins of neighbouring codes, bin (code - low) >> shift, of which some are open: those whose bit is set.
struct OpenClassBins {
  static constexpr int kMost = 1024;

  alignas(64) std::uint32_t open[kMost / 32] = {};
  std::int32_t low = 0;
  int shift = 0;

  void set(int bin, bool is_open) {
    open[bin >> 5] = (open[bin >> 5] & ~(1u << (bin & 31))) | static_cast<std::uint32_t>(is_open)
                                                                  << (bin & 31);
  }
  BOUGH_INLINE int bin_of(std::int32_t code) const {
    return static_cast<int>(static_cast<std::uint32_t>(code - low) >> shift);
  }
  BOUGH_INLINE bool has(std::int32_t code) const {
    return open[bin_of(code) >> 5] >> (bin_of(code) & 31) & 1;
  }
};

struct ClassKernels {
  // Returns the highest value.
  float (*cut_rows)(const ClassedRows& rows, const ClassedCuts& cuts);
  // Writes bounds of the value of the cut behind each bin, and of all cuts within it; returns the highest of
  // the first kind.
  float (*bound_bins)(const ClassedBins& bins, float* behind, float* within);
  // Lists code << 32 | place of the rows in open bins, by place; returns how many. `key` has room for n and
  // kClassLanes more.
  int (*list_open)(const OpenClassBins& bins, const std::int32_t* code, int n, std::uint64_t* key);
};

// All kernels that this processor can run, the plain ones first, the fastest last. They give the same results
// to the bit.
std::vector<const ClassKernels*> runnable_class_kernels();
// The fastest of them.
inline const ClassKernels& class_kernels() { return *fastest<runnable_class_kernels>(); }

}  // namespace bough
