// Parts the lists of a block as a node was parted: entries of 32 bits, whose rows are at most kMostRows.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/grow/lists.hpp"

namespace bough {

// Which rows of a block go left, one bit each.
class SideBits {
 public:
  static constexpr int kMostRows = 4096;

  void clear() {
    for (std::uint32_t& word : bits_) word = 0;
  }
  void set_left(std::uint32_t row) { bits_[row >> 5] |= 1u << (row & 31); }
  bool left(std::uint32_t row) const { return bits_[row >> 5] >> (row & 31) & 1; }
  const std::uint32_t* bits() const { return bits_; }

 private:
  alignas(64) std::uint32_t bits_[kMostRows / 32] = {};
};

// Left rows first, both sides in their old order; only the sides that are kept need be written. scratch: room
// for the list and kListPadding more.
using PartList = void (*)(std::uint32_t* list, int count, const SideBits& sides, Kept kept,
                          std::uint32_t* scratch);

// Every function that this processor can run, the fastest last.
std::vector<PartList> runnable_list_partings();

PartList list_parting();
// Whether it takes several entries at a time.
bool parts_lists_by_vectors();

}  // namespace bough
