// A screen of the columns of a node of two weighted classes under Gini or entropy: it bounds the value of all
// cuts of a column from above, so that only columns that may have the best cut are put in order.
//
// The weights of both classes are summed in bins of neighbouring codes. The value of a cut is a convex
// function of the two class weights on its left. Those of the cuts within a bin lie in a rectangle between
// the sums before and after the bin, so that none of their values exceeds the highest of its four corners:
// two of them are the cuts beside the bin, the other two would have all rows of one class first.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/criteria/criterion.hpp"
#include "bough/forest/cells.hpp"
#include "bough/forest/forest_split.hpp"
#include "bough/forest/view.hpp"

namespace bough {

// Of bounds beside each other: the shares of a node's weight that both classes have on both sides, in single
// precision, up to a whole number of vectors behind the last.
struct ClassShares {
  float *left[2], *right[2];
  float* terms[2];  // room for what the corners of the bins share
};

struct BinPeaks {
  float cut, corner;
};

struct TwoClassKernels {
  static constexpr int kLanes = 8;

  // What the highest cut beside a bin and the highest corner of the bins between n + 1 bounds are worth;
  // exact: a bin holds one code each.
  BinPeaks (*gini)(const ClassShares& shares, int n, bool exact);
  // The same in bits, plus a number that depends on the node alone: the sum of p log2 p over its classes.
  BinPeaks (*entropy)(const ClassShares& shares, int n, bool exact);
};

// Every set of kernels that this processor can run, the fastest last.
std::vector<const TwoClassKernels*> runnable_two_class_kernels();

class TwoClassScreen {
 public:
  // How far rounding may move a bound.
  static constexpr double kSlack = 4e-6;

  TwoClassScreen(bool entropy, std::size_t most_rows,
                 const TwoClassKernels& kernels = *runnable_two_class_kernels().back());

  // Takes the rows of a node.
  void start(const std::uint32_t* index, int n, const RowView& view, const NodeSums& sums);

  // The values of the cuts of a column. Codes must not be missing.
  ValueRange range(const Cells<std::uint32_t>& codes, const std::uint32_t* index);

 private:
  // The weights of both classes, of a row or a bin.
  struct alignas(16) Weights {
    double of_class[2] = {0, 0};
  };

  void write_shares(int n_bins);

  const bool entropy_;
  const TwoClassKernels& kernels_;
  int n_ = 0;
  double per_weight_ = 1, unsplit_ = 0;
  double total_[2] = {0, 0};
  std::vector<std::int32_t> code_;
  std::vector<Weights> row_, bin_;
  std::vector<float> numbers_;
  ClassShares shares_{};
};

}  // namespace bough
