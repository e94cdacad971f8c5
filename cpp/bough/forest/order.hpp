// Puts some rows of a block in the order of a column, given the rank of every row of the block: few rows by
// comparing ranks, many by marking the ranks that occur.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace bough {

// Rows of a block up to this many are ordered by counting, for each, how many come before it.
constexpr int kFewRows = 48;

// Puts keys in order, most often few.
inline void sort_keys(std::uint64_t* keys, int n) {
  if (n > 32) return std::sort(keys, keys + n);
  for (int i = 1; i < n; ++i) {
    const std::uint64_t own = keys[i];
    int j = i;
    for (; j > 0 && keys[j - 1] > own; --j) keys[j] = keys[j - 1];
    keys[j] = own;
  }
}

// rank: of each row of the block in the order of the column; entry: the entries of the block in that order.
inline void order_few(const std::uint16_t* rank, const std::uint32_t* index, int n,
                      const std::uint32_t* entry, std::uint32_t* out) {
  alignas(64) std::int16_t key[kFewRows + 16], before[kFewRows + 16];
  const int padded = (n + 7) & ~7;
  for (int i = 0; i < n; ++i) key[i] = static_cast<std::int16_t>(rank[index[i]]);
  for (int i = n; i < padded; ++i) key[i] = 0x7fff;
  for (int i = 0; i < padded; i += 8) {
    std::int16_t count[8] = {};
    for (int j = 0; j < n; ++j)
      for (int lane = 0; lane < 8; ++lane)
        count[lane] = static_cast<std::int16_t>(count[lane] + (key[j] < key[i + lane]));
    std::copy_n(count, 8, before + i);
  }
  for (int i = 0; i < n; ++i) out[before[i]] = entry[key[i]];
}

// The same by marks in a bit set of the ranks, cleared again as they are read.
inline void order_marked(const std::uint16_t* rank, const std::uint32_t* index, int n, int n_ranks,
                         const std::uint32_t* entry, std::uint64_t* marks, std::uint32_t* out) {
  for (int i = 0; i < n; ++i) {
    const unsigned p = rank[index[i]];
    marks[p >> 6] |= std::uint64_t{1} << (p & 63);
  }
  const int words = (n_ranks + 63) >> 6;
  for (int w = 0; w < words; ++w) {
    std::uint64_t left = std::exchange(marks[w], 0);
    const std::uint32_t* here = entry + (w << 6);
    while (left) {
      *out++ = here[std::countr_zero(left)];
      left &= left - 1;
    }
  }
}

}  // namespace bough
