// Bounds the value of all cuts of a column under squared error or Poisson where the rows of the node lie in
// the order of the column, as a block keeps them (see block.hpp).
//
// A cut with the weights l and r on its sides and the sum s on its left, taken from the node's mean, has the
// value s^2 / (l r). Weights are whole, and sums are rounded to whole numbers of a small unit, so that one
// addition of 64 bits serves both. The bound is the value but for what rounding does, so that only columns
// which have the best cut, or nearly so, need to be scanned in full. Poisson's value is bounded from both
// sides (see divergence.hpp).
#pragma once

#include <cstdint>
#include <vector>

namespace bough {

// The weight of each row of a block in the upper bits, and its sum in units below.
class PackedRows {
 public:
  static constexpr int kSumBits = 44;

  explicit PackedRows(int most_rows) : row_(most_rows) {}

  // Takes the rows of a block; weights must be whole.
  void load(const double* weight, const double* sum, int n);
  const std::uint64_t* rows() const { return row_.data(); }
  // Units of sums in 1; 0 where rows cannot be packed.
  double scale() const { return scale_; }

 private:
  std::vector<std::uint64_t> row_;
  double scale_ = 0;
};

struct ListedNode {
  const std::uint64_t* rows = nullptr;  // packed, of the block by index
  double weight = 0, mean = 0;          // the mean in units
  double tilt = 0;                      // of Poisson: 1 / mean; 0: squared error
  double slack = 0;                     // how far rounding may move what events are multiplied to
};

// Of the cuts of a column, in units but for rounding: none has a value above the highest, which is -inf where
// there is no cut, and one has at least the least, unless that is negative.
struct PeakOfCuts {
  double highest, least;
};

// Columns of at most so many codes have no list.
inline constexpr int kMostSummedCodes = 32;

struct ListedPeaks {
  // Between unlike codes in a list of n entries whose labels are 0. ties: whether two entries of the list may
  // have one code.
  PeakOfCuts (*of_list)(const std::uint32_t* list, int n, bool ties, const ListedNode& node);
  // Between the codes of n rows, which are summed by code; there are at most kMostSummedCodes.
  PeakOfCuts (*of_codes)(const std::uint8_t* code, int n_codes, const std::uint32_t* index, int n,
                         const ListedNode& node);
};

// Every pair of functions that this processor can run, the fastest last.
std::vector<ListedPeaks> runnable_listed_peaks();

const ListedPeaks& listed_peaks();

}  // namespace bough
