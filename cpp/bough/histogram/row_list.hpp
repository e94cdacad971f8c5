// The rows of all leaves of a growing tree, those of a leaf next to each other. An entry holds a row in its
// lower half and in its upper half what the statistics of a fit want to have with it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "bough/data/bins.hpp"
#include "bough/machine/buffer.hpp"
#include "bough/machine/team.hpp"

namespace bough {

using RowEntry = std::uint64_t;

inline std::uint32_t row_of(RowEntry entry) { return static_cast<std::uint32_t>(entry); }

// Kernels ask for the memory of rows this many entries ahead.
constexpr int kEntriesAhead = 16;

inline std::uint32_t row_ahead(const RowEntry* entries, std::int64_t i, std::int64_t count) {
  return row_of(entries[std::min(i + kEntriesAhead, count - 1)]);
}

// A node with fewer rows than this is filled and parted by one thread.
constexpr std::int64_t kRowsForTeam = 4096;

class RowList {
 public:
  explicit RowList(std::int64_t capacity)
      : entries_(make_buffer<RowEntry>(capacity)), scratch_(make_buffer<RowEntry>(capacity)) {}

  RowEntry* entries() { return entries_.get(); }
  const RowEntry* entries() const { return entries_.get(); }

  // Puts the rows whose code has branch 0 first and the others behind them, both in their order; returns how
  // many have branch 0. branch: of each code of the column, 0 or 1.
  std::int64_t part(const BinnedTable& table, int column, const std::uint8_t* branch, std::int64_t begin,
                    std::int64_t count, Team& team);

 private:
  template <class Code>
  std::int64_t part(const Code* code, const std::uint8_t* branch, std::int64_t begin, std::int64_t count,
                    Team& team);

  Buffer<RowEntry> entries_, scratch_;
};

}  // namespace bough
