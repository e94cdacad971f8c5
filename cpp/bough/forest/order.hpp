// Putting the rows of a node in the order of a column, on demand: by radix for many rows, and within a block,
// where the place of each row among the block's rows is known, by marking the places taken.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace bough {

// Sorts 64-bit keys by `bits` bits from `low` on, stably; returns where the sorted keys are: a or spare.
inline std::uint64_t* sort_keys(std::uint64_t* a, std::uint64_t* spare, int n, int low, int bits) {
  if (n < 96) {
    std::sort(a, a + n);  // what lies below `low` ascends already, so this is the stable order
    return a;
  }
  constexpr int kMostBits = 11, kMostPasses = 3;
  const int passes = (bits + kMostBits - 1) / kMostBits, width = (bits + passes - 1) / passes;
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  std::uint32_t starts[kMostPasses << kMostBits];
  std::fill_n(starts, passes << width, 0u);
  for (int i = 0; i < n; ++i)
    for (int p = 0; p < passes; ++p) ++starts[(p << width) + (a[i] >> (low + p * width) & mask)];
  for (int p = 0; p < passes; ++p) {
    const int shift = low + p * width;
    std::uint32_t* start = starts + (p << width);
    std::uint32_t sum = 0;
    for (std::uint64_t b = 0; b <= mask; ++b) sum += std::exchange(start[b], sum);
    for (int i = 0; i < n; ++i) spare[start[a[i] >> shift & mask]++] = a[i];
    std::swap(a, spare);
  }
  return a;
}

// Rows of a block up to this many are ordered by counting, for each, how many come before it.
constexpr int kFewRows = 48;

// place: the place of each of n rows in the block's order; entry: the entries of the block in that order.
inline void order_few(const std::uint16_t* place, const std::uint32_t* index, int n,
                      const std::uint32_t* entry, std::uint32_t* out) {
  alignas(64) std::int16_t key[kFewRows + 16], before[kFewRows + 16];
  const int padded = (n + 7) & ~7;
  for (int i = 0; i < n; ++i) key[i] = static_cast<std::int16_t>(place[index[i]]);
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

// Marks in a bit set of the block's places, cleared again as they are read.
inline void order_marked(const std::uint16_t* place, const std::uint32_t* index, int n, int n_places,
                         const std::uint32_t* entry, std::uint64_t* marks, std::uint32_t* out) {
  for (int i = 0; i < n; ++i) {
    const unsigned p = place[index[i]];
    marks[p >> 6] |= std::uint64_t{1} << (p & 63);
  }
  const int words = (n_places + 63) >> 6;
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
