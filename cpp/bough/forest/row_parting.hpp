// Parts the rows of a node by their codes in a column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bough/machine/processor.hpp"

namespace bough {

// Puts the rows first of which goes_right(row, i) is false, from row `begin` on: so many are on the left and
// on the right already. Both sides stay in their old order; returns how many rows are on the left.
template <class Right>
BOUGH_INLINE int part_rows_from(int begin, std::uint32_t* index, int n, const Right& goes_right,
                                std::uint32_t* spare, int left, int right) {
  for (int i = begin; i < n; ++i) {
    const std::uint32_t row = index[i];
    const bool over = goes_right(row, i);
    index[left] = row;
    spare[right] = row;
    left += !over;
    right += over;
  }
  std::copy_n(spare, right, index + left);
  return left;
}

// Puts the rows first whose codes are at most `last`, both sides in their old order; returns how many they
// are. spare: room for n.
using PartRows = int (*)(std::uint32_t* index, const std::int32_t* code, int n, std::int32_t last,
                         std::uint32_t* spare);

// Every function that this processor can run, the fastest last.
std::vector<PartRows> runnable_row_partings();

PartRows row_parting();

}  // namespace bough
