// An entry stands for one row in the sorted list of one column: a code that grows with the value, the row's
// index, and in the lowest bit the label where there are two classes. Long lists hold 64-bit entries; the
// lists of a small subtree are packed anew into 32 bits, so that all of them fit in the cache.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace bough {

template <class E>
struct EntryTraits;

template <>
struct EntryTraits<std::uint64_t> {
  static constexpr int kCodeShift = 32;
  static constexpr std::uint32_t kMissing = 0xffffffffu;
};

template <>
struct EntryTraits<std::uint32_t> {
  static constexpr int kCodeShift = 16;
  static constexpr std::uint32_t kMissing = 0xffffu;
};

// Tables are sorted by entries of 64 bits, whose code of a missing value is the greatest there is.
inline constexpr std::uint32_t kMissingCode = EntryTraits<std::uint64_t>::kMissing;

// Lists of entries are longer by this, because scans read whole vectors.
inline constexpr int kListPadding = 16;

template <class E>
constexpr std::uint32_t code_of(E entry) {
  return static_cast<std::uint32_t>(entry >> EntryTraits<E>::kCodeShift);
}

template <class E>
constexpr std::uint32_t index_of(E entry) {
  if constexpr (sizeof(E) == 8) return static_cast<std::uint32_t>(entry) >> 1;
  return (entry & 0xffffu) >> 1;
}

template <class E>
constexpr std::uint32_t label_bit(E entry) {
  return static_cast<std::uint32_t>(entry & 1);
}

template <class E>
constexpr E make_entry(std::uint32_t code, std::uint32_t index, std::uint32_t label) {
  return static_cast<E>(code) << EntryTraits<E>::kCodeShift | static_cast<E>(index << 1) | label;
}

// The most rows a list of 32-bit entries can hold: an index has 15 bits, and codes stay below the missing
// one.
constexpr int kMaxPackedRows = 1 << 15;

// A number that orders as the float does; -0 equals 0; NaN comes last.
inline std::uint32_t ordered_bits(float x) {
  if (x != x) return EntryTraits<std::uint64_t>::kMissing;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x == 0 ? 0.0f : x);
  return bits ^ (static_cast<std::uint32_t>(static_cast<std::int32_t>(bits) >> 31) | 0x80000000u);
}

// The float that is so ordered.
inline float float_of(std::uint32_t ordered) {
  if (ordered == EntryTraits<std::uint64_t>::kMissing) return std::numeric_limits<float>::quiet_NaN();
  return std::bit_cast<float>(ordered & 0x80000000u ? ordered ^ 0x80000000u : ~ordered);
}

// The greatest float that is not above the number.
inline float rounded_down(double x) {
  const auto f = static_cast<float>(x);
  return static_cast<double>(f) > x ? std::nextafterf(f, -std::numeric_limits<float>::infinity()) : f;
}

}  // namespace bough
