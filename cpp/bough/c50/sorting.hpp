// Values sorted by radix: three passes over the bits of single precision, which beat comparisons on the many
// values that a node sorts for each attribute.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace bough::c50 {

// The value's bits, changed so that keys order as the values do, above an index of 32 bits.
inline std::uint64_t sort_key(float value, std::uint32_t place) {
  const auto bits = std::bit_cast<std::uint32_t>(value + 0.0f);  // -0 is 0
  const std::uint32_t ordered = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  return std::uint64_t{ordered} << 32 | place;
}

inline float sorted_value(std::uint64_t key) {
  const auto ordered = static_cast<std::uint32_t>(key >> 32);
  return std::bit_cast<float>(ordered & 0x80000000u ? ordered & 0x7fffffffu : ~ordered);
}

inline void sort_keys(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& spare) {
  constexpr std::size_t kFew = 1024;
  constexpr int kBits = 11, kBuckets = 1 << kBits;
  if (keys.size() < kFew) {
    std::sort(keys.begin(), keys.end());
    return;
  }
  spare.resize(keys.size());
  for (int shift = 32; shift < 64; shift += kBits) {
    std::array<std::uint32_t, kBuckets> start{};
    for (const std::uint64_t key : keys) ++start[key >> shift & (kBuckets - 1)];
    std::uint32_t sum = 0;
    for (std::uint32_t& s : start) sum += std::exchange(s, sum);
    for (const std::uint64_t key : keys) spare[start[key >> shift & (kBuckets - 1)]++] = key;
    keys.swap(spare);
  }
}

}  // namespace bough::c50
