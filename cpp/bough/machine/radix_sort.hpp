// The stable radix sort of keys of 32 or 64 bits, least significant digit first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace bough {

namespace radix {

constexpr int kMostDigitBits = 11, kMostDigits = 5;
constexpr int kFewKeys = 40;  // below it, counting digits costs more than comparing keys

// Sorts by kDigits digits of `width` bits each; the digits are counted in one pass over the keys.
template <int kDigits, class Key>
Key* sort_digits(Key* keys, Key* scratch, std::int64_t n, int low, int width) {
  const Key mask = (Key{1} << width) - 1;
  std::uint32_t starts[kDigits << kMostDigitBits];
  std::fill_n(starts, kDigits << width, 0u);
  for (std::int64_t i = 0; i < n; ++i)
    for (int d = 0; d < kDigits; ++d) ++starts[(d << width) + (keys[i] >> (low + d * width) & mask)];
  for (int d = 0; d < kDigits; ++d) {
    const int shift = low + d * width;
    std::uint32_t* start = starts + (d << width);
    if (start[keys[0] >> shift & mask] == static_cast<std::uint32_t>(n)) continue;  // all alike
    std::uint32_t sum = 0;
    for (Key b = 0; b <= mask; ++b) sum += std::exchange(start[b], sum);
    for (std::int64_t i = 0; i < n; ++i) scratch[start[keys[i] >> shift & mask]++] = keys[i];
    std::swap(keys, scratch);
  }
  return keys;
}

// How many digits sort n keys fastest: each takes a pass over the keys and one over its counters. Many keys
// want few wide digits, and few keys more of them that are narrow.
inline int best_digits(std::int64_t n, int bits) {
  constexpr double kCounter = 0.45;  // time of a counter, in that of a key
  int best = 0;
  double least = 0;
  for (int digits = std::max(1, (bits + kMostDigitBits - 1) / kMostDigitBits); digits <= kMostDigits;
       ++digits) {
    const int width = (bits + digits - 1) / digits;
    const double cost = digits * (static_cast<double>(n) + kCounter * (1 << width));
    if (best > 0 && cost >= least) break;
    best = digits;
    least = cost;
  }
  return best;
}

}  // namespace radix

// Sorts n < 2^32 keys by `bits` <= 33 bits from bit `low` on. What lies below `low` must ascend already.
// Returns where the sorted keys are: in `keys` or in `scratch`, which has room for n.
template <class Key>
Key* radix_sort(Key* keys, Key* scratch, std::int64_t n, int low, int bits) {
  if (n < radix::kFewKeys) {
    std::sort(keys, keys + n);  // the stable order, since what lies below `low` ascends
    return keys;
  }
  const int digits = radix::best_digits(n, bits), width = (bits + digits - 1) / digits;
  switch (digits) {
    case 1:
      return radix::sort_digits<1>(keys, scratch, n, low, width);
    case 2:
      return radix::sort_digits<2>(keys, scratch, n, low, width);
    case 3:
      return radix::sort_digits<3>(keys, scratch, n, low, width);
    case 4:
      return radix::sort_digits<4>(keys, scratch, n, low, width);
    default:
      return radix::sort_digits<5>(keys, scratch, n, low, width);
  }
}

}  // namespace bough
