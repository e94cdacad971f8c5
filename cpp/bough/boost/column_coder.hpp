// Codes of a column for a sum of trees: the code of a value is the number of cuts of the trees that it
// reaches. Values fall into cells of equal width, and only the cuts within its cell are compared with a
// value; with long registers, rounded cuts are searched instead.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/boost/rounded_cuts.hpp"
#include "bough/machine/processor.hpp"

namespace bough {

class ColumnCoder {
 public:
  static constexpr int kRows = 512;      // of a block
  static constexpr int kMostCuts = 254;  // so that codes have 8 bits

  int column = 0;
  std::vector<double> cuts;  // ascending, then NaN: a search may look past the last one
  int n_cuts = 0;
  int n_levels = 0;  // where the column is split by levels
  std::size_t place_of_levels = 0;
  RoundedCuts rounded;

  // Sorts the cuts and prepares the search among them.
  void place_cuts();

  // Writes the codes of kRows values, kMissingLast where one is missing; returns whether one is.
  BOUGH_INLINE bool code(const double* values, std::int8_t* codes) const;

 private:
  static constexpr int kCells = 1024;

  int cell(double x) const;

  double least_ = 0, scale_ = 0;
  std::vector<std::uint8_t> before_;  // the number of cuts in the cells before each
  int step_ = 0;                      // of a search within a cell: half of the cuts there, as a power of two
};

// Keeps a loop of loads from anywhere as it is: made of vectors, such loads are taken apart and put together.
BOUGH_INLINE void keep_scalar() {
#if defined(__GNUC__)
  asm volatile("");
#endif
}

// The number of cuts that each value reaches: those in the cells before its own, and within it those that
// a search by halves finds, whose first step is given.
template <int first_step>
BOUGH_INLINE void count_reached(const double* values, const std::int32_t* cell, const std::uint8_t* before,
                                const double* cuts, std::int32_t* __restrict reached) {
  for (int i = 0; i < ColumnCoder::kRows; ++i) {
    keep_scalar();
    const double x = values[i];
    std::int64_t n = before[cell[i]];
    for (int step = first_step; step > 0; step >>= 1)
      n += static_cast<std::int64_t>(x >= cuts[n + step - 1]) * step;
    reached[i] = static_cast<std::int32_t>(n);
  }
}

BOUGH_INLINE int ColumnCoder::cell(double x) const {
  // Every step keeps the order of values, so that values in a later cell are greater.
  double at = (x - least_) * scale_;
  at = at > 0 ? at : 0;
  at = at < kCells - 1 ? at : kCells - 1;
  return static_cast<int>(at);
}

BOUGH_INLINE bool ColumnCoder::code(const double* values, std::int8_t* codes) const {
  std::int32_t cells[kRows], reached[kRows];
  for (int i = 0; i < kRows; ++i) cells[i] = cell(values[i]);
  const auto count = [&]<int first_step>() {
    count_reached<first_step>(values, cells, before_.data(), cuts.data(), reached);
  };
  if (step_ <= 1)
    count.template operator()<1>();
  else if (step_ == 2)
    count.template operator()<2>();
  else
    count.template operator()<kMostCuts / 2 + 1>();
  int missing = 0;
  for (int i = 0; i < kRows; ++i) {
    const bool known = values[i] == values[i];
    missing += !known;
    codes[i] = static_cast<std::int8_t>(known ? kLeastCode + reached[i] : kMissingLast);
  }
  return missing > 0;
}

}  // namespace bough
