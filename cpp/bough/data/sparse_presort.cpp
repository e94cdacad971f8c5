#include "bough/data/sparse_presort.hpp"

#include <algorithm>
#include <cstring>

#include "bough/data/entry.hpp"
#include "bough/machine/radix_sort.hpp"

namespace bough {

namespace {

using Entry = std::uint64_t;

constexpr int kCodeBits = 32;
constexpr int kSparseColumnsAtOnce = 16;

struct Cell {
  double value;
  Entry rest;  // an entry of code 0
};

// Calls visit(number, row) for every number of the column that is stored, taken and not 0.
template <class Visit>
void for_stored(const Column& column, const std::uint8_t* taken, const Visit& visit) {
  for (std::int64_t i = 0; i < column.n_stored; ++i) {
    const std::int32_t row = column.stored_row[i];
    const double x = column.stored(i);
    if (x != 0 && (!taken || taken[row])) visit(x, static_cast<std::uint32_t>(row));
  }
}

// Codes of doubles that are no floats are ranks among the values of the column and 0.
std::uint32_t rank_cells(std::vector<Cell>& cells, Entry* list) {
  const auto known_end =
      std::stable_partition(cells.begin(), cells.end(), [](const Cell& c) { return c.value == c.value; });
  std::stable_sort(cells.begin(), known_end, [](const Cell& a, const Cell& b) { return a.value < b.value; });
  std::uint32_t rank = 0, zero = 0;
  bool above = false;
  for (auto cell = cells.begin(); cell != known_end; ++cell) {
    if (cell != cells.begin() && cell->value != (cell - 1)->value) ++rank;
    if (cell->value > 0 && !above) {
      zero = cell == cells.begin() ? 0 : rank;
      rank = zero + 1;
      above = true;
    }
    *list++ = static_cast<Entry>(rank) << EntryTraits<Entry>::kCodeShift | cell->rest;
  }
  if (!above) zero = known_end == cells.begin() ? 0 : rank + 1;
  for (auto cell = known_end; cell != cells.end(); ++cell)
    *list++ = static_cast<Entry>(kMissingCode) << EntryTraits<Entry>::kCodeShift | cell->rest;
  return zero;
}

class ColumnSorter {
 public:
  // Fills and sorts the list of a column; returns the code of 0.
  std::uint32_t sort(const Column& column, const std::uint8_t* taken, const std::uint8_t* bit, bool as_floats,
                     Entry* list) {
    bool inexact = false;
    Entry* end = list;
    for_stored(column, taken, [&](double x, std::uint32_t row) {
      const float rounded = as_floats ? rounded_down(x) : static_cast<float>(x);
      inexact |= !as_floats && static_cast<double>(rounded) != x && x == x;
      *end++ = make_entry<Entry>(ordered_bits(rounded), row, bit ? bit[row] : 0);
    });
    if (inexact) {
      cells_.clear();
      for_stored(column, taken, [&](double x, std::uint32_t row) {
        cells_.push_back({x, make_entry<Entry>(0, row, bit ? bit[row] : 0)});
      });
      return rank_cells(cells_, list);
    }
    const std::int64_t n = end - list;
    if (scratch_.size() < static_cast<std::size_t>(n)) scratch_.resize(n);
    const Entry* sorted = radix_sort(list, scratch_.data(), n, EntryTraits<Entry>::kCodeShift, kCodeBits);
    if (sorted != list) std::memcpy(list, sorted, static_cast<std::size_t>(n) * sizeof(Entry));
    return ordered_bits(0.0f);
  }

 private:
  std::vector<Cell> cells_;
  std::vector<Entry> scratch_;
};

}  // namespace

SparseSorted presort_sparse(const std::vector<Column>& columns, const std::uint8_t* taken,
                            const std::uint8_t* bit, Team& team, const std::function<void()>& between,
                            bool as_floats) {
  const int n_columns = static_cast<int>(columns.size());
  SparseSorted sorted;
  sorted.start.assign(n_columns + 1, 0);
  sorted.zero.assign(n_columns, 0);
  const auto for_columns = [&](const auto& work) {
    team.run((n_columns + kSparseColumnsAtOnce - 1) / kSparseColumnsAtOnce, [&](int block, int member) {
      if (member == 0) between();
      const int end = std::min(n_columns, (block + 1) * kSparseColumnsAtOnce);
      for (int c = block * kSparseColumnsAtOnce; c < end; ++c) work(c, member);
    });
  };
  for_columns([&](int c, int) {
    for_stored(columns[c], taken, [&](double, std::uint32_t) { ++sorted.start[c + 1]; });
  });
  for (int c = 0; c < n_columns; ++c) sorted.start[c + 1] += sorted.start[c];
  sorted.entries = make_buffer<Entry>(static_cast<std::size_t>(sorted.n_entries()) + kListPadding);
  std::vector<ColumnSorter> sorters(team.size());
  for_columns([&](int c, int member) {
    sorted.zero[c] =
        sorters[member].sort(columns[c], taken, bit, as_floats, sorted.entries.get() + sorted.start[c]);
  });
  for (int c = 0; c < n_columns; ++c)
    sorted.has_missing.push_back(sorted.start[c] < sorted.start[c + 1] &&
                                 code_of(sorted.entries[sorted.start[c + 1] - 1]) == kMissingCode);
  return sorted;
}

}  // namespace bough
