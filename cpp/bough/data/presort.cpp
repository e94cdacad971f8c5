#include "bough/data/presort.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>

#include "bough/data/entry.hpp"
#include "bough/machine/radix_sort.hpp"

namespace bough {

namespace {

using Entry = std::uint64_t;

constexpr int kBlock = 4096;  // rows that a thread reads at a time
constexpr int kTile =
    256;  // of which so many by column, so that those of a row-major table stay in the cache

// Sorts by the code; returns where the sorted list is: in `list` or in `scratch`.
Entry* sort_by_code(Entry* list, Entry* scratch, std::int64_t n) {
  constexpr int kCodeBits = 32;
  return radix_sort(list, scratch, n, EntryTraits<Entry>::kCodeShift, kCodeBits);
}

// A number that orders as the double does; -0 equals 0.
std::uint64_t ordered_double(double x) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x);
  return bits ^ (static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> 63) | 0x8000000000000000u);
}

// Entries whose doubles round to the same float are put in order, and all codes become ranks.
void refine(const Column& column, Entry* list, std::int64_t n) {
  struct Exact {
    std::uint64_t bits;
    std::uint32_t rest;
  };
  std::vector<Exact> run;
  std::uint32_t rank = 0;
  for (std::int64_t begin = 0, end; begin < n && code_of(list[begin]) != kMissingCode; begin = end) {
    end = begin + 1;
    while (end < n && code_of(list[end]) == code_of(list[begin])) ++end;
    if (end - begin == 1) {
      list[begin] = static_cast<Entry>(rank++) << 32 | static_cast<std::uint32_t>(list[begin]);
      continue;
    }
    run.clear();
    for (std::int64_t i = begin; i < end; ++i)
      run.push_back(
          {ordered_double(column.at<double>(index_of(list[i]))), static_cast<std::uint32_t>(list[i])});
    if (!std::is_sorted(run.begin(), run.end(),
                        [](const Exact& x, const Exact& y) { return x.bits < y.bits; }))
      std::stable_sort(run.begin(), run.end(),
                       [](const Exact& x, const Exact& y) { return x.bits < y.bits; });
    for (std::size_t i = 0; i < run.size(); ++i) {
      rank += i > 0 && run[i].bits != run[i - 1].bits;
      list[begin + static_cast<std::int64_t>(i)] = static_cast<Entry>(rank) << 32 | run[i].rest;
    }
    ++rank;
  }
}

struct Found {
  bool missing = false;
  bool inexact = false;  // some double is not a float
};

// Writes the entries of some rows; code_at(row) returns the code of a value.
template <class CodeAt>
bool write_entries(const std::uint32_t* rows, std::int64_t begin, std::int64_t end, const std::uint8_t* bit,
                   Entry* list, const CodeAt& code_at) {
  bool missing = false;
  for (std::int64_t i = begin; i < end; ++i) {
    const std::uint32_t row = rows[i], code = code_at(row);
    missing |= code == kMissingCode;
    list[i] = make_entry<Entry>(code, row, bit ? bit[row] : 0);
  }
  return missing;
}

Found fill(const Column& column, const std::uint32_t* rows, std::int64_t begin, std::int64_t end,
           const std::uint8_t* bit, Entry* list) {
  Found found;
  const auto write = [&](const auto& code_at) {
    found.missing = write_entries(rows, begin, end, bit, list, code_at);
  };
  if (column.type == Column::Type::code)
    write([&](std::uint32_t row) { return static_cast<std::uint32_t>(column.code(row)); });  // -1 is missing
  else if (column.type == Column::Type::float32)
    write([&](std::uint32_t row) { return ordered_bits(column.at<float>(row)); });
  else
    write([&](std::uint32_t row) {
      const double x = column.at<double>(row);
      const float rounded = static_cast<float>(x);
      found.inexact |= rounded != x && x == x;
      return ordered_bits(rounded);
    });
  return found;
}

}  // namespace

SortedColumns presort(const std::vector<Column>& columns, const std::vector<std::uint32_t>& rows,
                      const std::uint8_t* bit, Team& team, const std::function<void()>& between) {
  const auto n = static_cast<std::int64_t>(rows.size());
  const int n_columns = static_cast<int>(columns.size());
  SortedColumns sorted;
  const std::size_t length = static_cast<std::size_t>(n) + kListPadding;
  const int n_rooms = std::min(team.size(), n_columns);
  sorted.memory = make_buffer<Entry>(length * (n_columns + n_rooms));
  for (int c = 0; c < n_columns; ++c) sorted.lists.push_back(sorted.memory.get() + length * c);
  for (int r = 0; r < n_rooms; ++r) sorted.rooms.push_back(sorted.memory.get() + length * (n_columns + r));

  std::vector<std::atomic<bool>> missing(n_columns), inexact(n_columns);
  const int n_blocks = static_cast<int>((n + kBlock - 1) / kBlock);
  team.run(n_blocks, [&](int block, int member) {
    if (member == 0) between();
    const std::int64_t begin = static_cast<std::int64_t>(block) * kBlock, end = std::min(n, begin + kBlock);
    for (std::int64_t from = begin; from < end; from += kTile)
      for (int c = 0; c < n_columns; ++c) {
        const Found found =
            fill(columns[c], rows.data(), from, std::min(end, from + kTile), bit, sorted.lists[c]);
        if (found.missing) missing[c].store(true, std::memory_order_relaxed);
        if (found.inexact) inexact[c].store(true, std::memory_order_relaxed);
      }
  });

  // A sorted list stays where it is; the place where it was is the room of the next one.
  std::atomic<int> n_used{0};
  std::vector<int> room_of(team.size(), -1);
  team.run(n_columns, [&](int c, int member) {
    if (room_of[member] < 0) room_of[member] = n_used.fetch_add(1);
    Entry *&list = sorted.lists[c], *&room = sorted.rooms[room_of[member]];
    if (sort_by_code(list, room, n) != list) std::swap(list, room);
    if (inexact[c]) refine(columns[c], list, n);
    std::fill_n(list + n, kListPadding, Entry{0});
    if (member == 0) between();
  });
  for (int c = 0; c < n_columns; ++c) sorted.has_missing.push_back(missing[c]);
  return sorted;
}

}  // namespace bough
