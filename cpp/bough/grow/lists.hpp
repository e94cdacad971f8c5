// The sorted lists of all columns over the same rows, and their stable partition when a node is split.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "bough/data/entry.hpp"

namespace bough {

// Which side each row takes: bits for long lists, bytes for lists that fit in the cache.
template <class E>
class Sides;

template <>
class Sides<std::uint64_t> {
 public:
  explicit Sides(std::size_t n_rows) : bits_(n_rows / 64 + 1) {}
  void set(std::uint32_t row, bool left) {
    const std::uint64_t bit = std::uint64_t{1} << (row & 63);
    bits_[row >> 6] = left ? bits_[row >> 6] | bit : bits_[row >> 6] & ~bit;
  }
  std::uint32_t left(std::uint32_t row) const { return bits_[row >> 6] >> (row & 63) & 1; }
  const std::uint64_t* bits() const { return bits_.data(); }

  // A stretch of rows has its bits in a line of the cache.
  std::size_t n_stretches() const { return (bits_.size() + kWords - 1) / kWords; }
  // Sends all rows of some stretches, as far as there are any, the same way; returns the first and the end.
  std::pair<std::uint64_t, std::uint64_t> fill(std::size_t begin, std::size_t end, bool left) {
    const std::size_t from = std::min(begin * kWords, bits_.size()),
                      to = std::min(end * kWords, bits_.size());
    std::fill(bits_.begin() + from, bits_.begin() + to, left ? ~std::uint64_t{0} : 0);
    return {from * 64, to * 64};
  }

 private:
  static constexpr std::size_t kWords = 8;

  std::vector<std::uint64_t> bits_;
};

template <>
class Sides<std::uint32_t> {
 public:
  static constexpr std::size_t kMostInRegisters = 4096;

  // Four bytes are read at a time, or as many as a register holds.
  explicit Sides(std::size_t n_rows) : n_rows_(n_rows), bytes_(n_rows + 64) {}
  void set(std::uint32_t row, bool left) { bytes_[row] = left; }
  std::uint32_t left(std::uint32_t row) const { return bytes_[row]; }
  const std::uint8_t* bytes() const { return bytes_.data(); }
  // Whether the sides of all rows fit in vector registers, as bits.
  bool in_registers() const { return n_rows_ <= kMostInRegisters; }
  std::size_t n_rows() const { return n_rows_; }

 private:
  std::size_t n_rows_;
  std::vector<std::uint8_t> bytes_;
};

// Left rows first, both sides in their old order.
template <class E>
void part_in_two(E* __restrict list, int count, const Sides<E>& sides, E* __restrict scratch) {
  int left = 0, right = 0;
  for (int i = 0; i < count; ++i) {
    const E entry = list[i];
    const int goes_left = static_cast<int>(sides.left(index_of(entry)));
    list[left] = entry;
    scratch[right] = entry;
    left += goes_left;
    right += 1 - goes_left;
  }
  std::memcpy(list + left, scratch, static_cast<std::size_t>(right) * sizeof(E));
}

// Only the left rows are kept, at the front.
template <class E>
void keep_left(E* list, int count, const Sides<E>& sides) {
  int left = 0;
  for (int i = 0; i < count; ++i) {
    const E entry = list[i];
    list[left] = entry;
    left += static_cast<int>(sides.left(index_of(entry)));
  }
}

// Only the right rows are kept, at the back.
template <class E>
void keep_right(E* list, int count, const Sides<E>& sides) {
  int right = count - 1;
  for (int i = count - 1; i >= 0; --i) {
    const E entry = list[i];
    list[right] = entry;
    right -= 1 - static_cast<int>(sides.left(index_of(entry)));
  }
}

// The sides of a split that are needed; only their places in the list are written.
enum class Kept { both, left, right };

template <class E>
void part(E* list, int count, const Sides<E>& sides, Kept kept, E* scratch) {
  if (kept == Kept::both)
    part_in_two(list, count, sides, scratch);
  else if (kept == Kept::left)
    keep_left(list, count, sides);
  else
    keep_right(list, count, sides);
}

// Sides as bits, which stay the same while the lists of all columns are parted.
struct PackedSides {
  alignas(64) std::uint64_t of[Sides<std::uint32_t>::kMostInRegisters / 64];
};

// The same by vector registers, where the processor has those for it.
bool parts_by_vectors();
// bits: those of pack_sides if the sides fit in registers.
template <class E>
void part_by_vectors(E* list, int count, const Sides<E>& sides, const PackedSides& bits, Kept kept,
                     E* scratch);
template <class E>
void pack_sides(const Sides<E>& sides, PackedSides& bits);

// Rows in the order of their branch, each branch in its old order. first: where each branch begins.
template <class E>
void part_in_many(E* list, int count, const std::vector<std::uint32_t>& branch, const std::vector<int>& first,
                  E* scratch) {
  std::vector<int> start = first;
  for (int i = 0; i < count; ++i) scratch[start[branch[index_of(list[i])]]++] = list[i];
  std::memcpy(list, scratch, static_cast<std::size_t>(count) * sizeof(E));
}

template <class E>
bool is_missing(E entry) {
  return code_of(entry) == EntryTraits<E>::kMissing;
}

// The number of entries before the missing ones, which come last.
template <class E>
int known_entries(const E* list, int count) {
  int low = 0, high = count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (is_missing(list[middle]))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace bough
