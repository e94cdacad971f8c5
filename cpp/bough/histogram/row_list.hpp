// The rows of all leaves of a growing tree, those of a leaf next to each other. An entry holds a row in its
// lower half and in its upper half what the statistics of a fit want to have with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

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
                    std::int64_t count, Team& team) {
    if (table.columns[column].is_wide()) return part(table.wide[column].get(), branch, begin, count, team);
    return part(table.narrow[column].get(), branch, begin, count, team);
  }

 private:
  template <class Code>
  std::int64_t part(const Code* code, const std::uint8_t* branch, std::int64_t begin, std::int64_t count,
                    Team& team) {
    const int n_chunks = count < kRowsForTeam ? 1 : team.size();
    std::vector<std::int64_t> left(n_chunks);
    const auto start = [&](int chunk) { return begin + count * chunk / n_chunks; };
    RowEntry *list = entries_.get(), *right = scratch_.get();
    team.run(n_chunks, [&](int chunk, int) {
      const std::int64_t first = start(chunk), last = start(chunk + 1);
      std::int64_t l = first, r = first;
      for (std::int64_t i = first; i < last; ++i) {
        const RowEntry entry = list[i];
        const std::int64_t goes_right = branch[code[row_of(entry)]];
        list[l] = entry;
        right[r] = entry;
        l += 1 - goes_right;
        r += goes_right;
      }
      left[chunk] = l - first;
    });
    std::int64_t n_left = 0;
    std::vector<std::int64_t> right_to(n_chunks);
    for (int chunk = 0; chunk < n_chunks; ++chunk) {
      if (start(chunk) != begin + n_left)
        std::memmove(list + begin + n_left, list + start(chunk), left[chunk] * sizeof(RowEntry));
      n_left += left[chunk];
    }
    std::int64_t to = begin + n_left;
    for (int chunk = 0; chunk < n_chunks; ++chunk) {
      right_to[chunk] = to;
      to += start(chunk + 1) - start(chunk) - left[chunk];
    }
    team.run(n_chunks, [&](int chunk, int) {
      const std::int64_t n = start(chunk + 1) - start(chunk) - left[chunk];
      std::memcpy(list + right_to[chunk], right + start(chunk), n * sizeof(RowEntry));
    });
    return n_left;
  }

  Buffer<RowEntry> entries_, scratch_;
};

}  // namespace bough
