// All cuts of a few rows in all columns at once: every row is compared with every other, the columns side by
// side in vector registers, so that no column need be in order. The values of the cuts are rounded; whoever
// asks evaluates those near the highest again.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/machine/kernel_sets.hpp"

namespace bough {

// Rows that are compared at most: their numbers are bits of a word.
constexpr int kMostPaired = 32;
// Columns are filled up to a multiple of this by columns whose codes are all the same.
constexpr int kPairLanes = 16;
// Classes whose numbers of rows share a word.
constexpr int kClassesOfWord = 4;

// The rows of a node. Row i has the code code[i][c] in column c.
struct PairedRows {
  const std::int32_t* const* code;
  const std::uint32_t* bit;  // of each row, in sets
  int n;
  int stride;  // columns, with those that fill up
  // Of squared error: y less its mean, rounded to a whole number, times 64, and 1. The sum over some rows
  // tells their sum of y and their number. Sums of absolute y are at most 2^24. Of classes: the bytes of a
  // word are the numbers of rows of four classes; a row is 1 in the byte of its own.
  const std::int32_t* term = nullptr;
  // Of weights: the share of the weight, and y less its mean, times the weight.
  const float *weight = nullptr, *excess = nullptr;
  // Of classes: rows are in the order of their words; where those of each end, and the terms of all of them.
  const int* word_end = nullptr;
  const std::int32_t* of_all = nullptr;
  int n_words = 0;
};

// What is told of the cuts above the codes of the rows; the value is -1 where no row lies above.
struct PairedCuts {
  float* value;        // of row i and column c at i * stride + c
  float* highest;      // value in each column
  std::uint32_t* set;  // the rows left of that cut
  float* second;       // value in each column; the highest again where two rows have its code
};

using CutsOfPairs = void (*)(const PairedRows& rows, const PairedCuts& cuts);

struct PairKernels {
  CutsOfPairs squares;  // d^2 / (left * right), with d the sum of y on the left
  CutsOfPairs weights;  // the same with weights in place of numbers of rows
  CutsOfPairs classes;  // the sum over both sides of squared numbers of rows by class, by the number of rows
  int most;             // rows up to which comparing all pairs pays
};

// Those that this processor can run, the plainest first.
std::vector<const PairKernels*> runnable_pair_kernels();
inline const PairKernels& pair_kernels() { return *fastest<runnable_pair_kernels>(); }

}  // namespace bough
