// The inner loops of the search among several counted classes, compiled for several kinds of processors.
//
// Under Gini, a cut that leaves the class weights l on its left, which sum to w of the node's W, has the
// value sum(d^2) / (w (W - w)), where d = l - w T / W and T are the class weights of the node. It is convex
// in l.
#pragma once

#include <cstdint>
#include <vector>

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

struct ClassKernels {
  // Returns the highest value.
  float (*cut_rows)(const ClassedRows& rows, const ClassedCuts& cuts);
  // Writes bounds of the value of the cut behind each bin, and of all cuts within it; returns the highest of
  // the first kind.
  float (*bound_bins)(const ClassedBins& bins, float* behind, float* within);
};

// All kernels that this processor can run, the plain ones first, the fastest last. They give the same results
// to the bit.
std::vector<const ClassKernels*> runnable_class_kernels();
// The fastest of them.
const ClassKernels& class_kernels();

}  // namespace bough
