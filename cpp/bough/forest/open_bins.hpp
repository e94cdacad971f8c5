// Lists the rows of the bins of a column that are looked into.
#pragma once

#include <cstdint>

#include "bough/forest/count_kernels.hpp"

namespace bough {

// Bins of neighbouring codes: bin (code - low) >> shift; open: of each, whether it is looked into.
struct OpenBins {
  const std::uint8_t* open;
  int n;
  std::int32_t low;
  int shift;
};

// Lists code << 32 | place of the rows in open bins if these are few ranges of codes; returns how many they
// are, or -1 where the ranges are too many.
inline int list_open_ranges(const CountKernels& kernels, const OpenBins& bins, const std::int32_t* code,
                            int n_rows, std::uint64_t* keys) {
  constexpr int kMostRanges = 4;
  std::int32_t first[kMostRanges], last[kMostRanges];
  int n_ranges = 0;
  for (int b = 0; b < bins.n; ++b) {
    if (!bins.open[b]) continue;
    if (n_ranges == kMostRanges) return -1;
    first[n_ranges] = bins.low + (b << bins.shift);
    while (b + 1 < bins.n && bins.open[b + 1]) ++b;
    last[n_ranges++] = bins.low + ((b + 1) << bins.shift) - 1;
  }
  return kernels.list_within(code, n_rows, first, last, n_ranges, keys);
}

}  // namespace bough
