// Kernels that fill histograms: each adds what the rows of some entries bring to the cells of their codes.
// codes: a block of narrow columns, row by row, a row every `stride` bytes; the cells of column j begin at
// code 256 j.
#pragma once

#include <cstdint>

#include "bough/histogram/layout.hpp"
#include "bough/histogram/row_list.hpp"

namespace bough {

// Two sums in one number: that of the upper half, which may be negative, and that of the lower half, which
// may not. They stay apart as long as the lower one is below 2^32.
using PairOfSums = std::uint64_t;

inline PairOfSums pair_of_sums(std::int32_t upper, std::uint32_t lower) {
  return (static_cast<std::uint64_t>(static_cast<std::int64_t>(upper)) << 32) + lower;
}
inline std::int32_t upper_sum(PairOfSums sums) { return static_cast<std::int32_t>(sums >> 32); }
inline std::uint32_t lower_sum(PairOfSums sums) { return static_cast<std::uint32_t>(sums); }

// The upper half of an entry: 16 bits, which may be negative, then 16 that may not.
inline RowEntry entry_with_pair(std::uint32_t row, std::int32_t upper, std::uint32_t lower) {
  return static_cast<RowEntry>((static_cast<std::uint32_t>(upper) << 16) + lower) << 32 | row;
}
inline PairOfSums pair_of_entry(RowEntry entry) {
  const auto both = static_cast<std::int32_t>(entry >> 32);
  return pair_of_sums(both >> 16, static_cast<std::uint32_t>(both & 0xffff));
}

// Adds the pairs that entries carry. The codes may be read up to 32 bytes beyond the beginning of a row.
void add_pairs(const std::uint8_t* codes, int n_columns, std::size_t stride, const RowEntry* entries,
               std::int64_t count, PairOfSums* cells);

// Writes the sums over all cells up to each of n, the upper ones and the lower ones apart.
void cumulate_pairs(const PairOfSums* cells, int n, std::int32_t* upper, std::int32_t* lower);

inline void add_pairs_wide(const std::uint16_t* codes, const RowEntry* entries, std::int64_t count,
                           PairOfSums* cells) {
  for (std::int64_t i = 0; i < count; ++i) cells[codes[row_of(entries[i])]] += pair_of_entry(entries[i]);
}

// Calls add(row, cell) for every row and column; a cell has `width` numbers.
template <class Number, class Add>
void add_rows(const std::uint8_t* codes, int n_columns, std::size_t stride, const RowEntry* entries,
              std::int64_t count, int width, Number* cells, const Add& add) {
  const std::ptrdiff_t next = static_cast<std::ptrdiff_t>(HistogramLayout::kNarrowCodes) * width;
  for (std::int64_t i = 0; i < count; ++i) {
    __builtin_prefetch(codes + row_ahead(entries, i, count) * stride);
    const std::uint32_t row = row_of(entries[i]);
    const std::uint8_t* code = codes + row * stride;
    const auto terms = add.terms(row);
    Number* cell = cells;
    for (int j = 0; j < n_columns; ++j, cell += next)
      add(terms, cell + static_cast<std::ptrdiff_t>(code[j]) * width);
  }
}

template <class Code, class Number, class Add>
void add_rows_wide(const Code* codes, const RowEntry* entries, std::int64_t count, int width, Number* cells,
                   const Add& add) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t row = row_of(entries[i]);
    add(add.terms(row), cells + static_cast<std::ptrdiff_t>(codes[row]) * width);
  }
}

// Cells of width() numbers, to which a row adds its terms(row) by a call of Own.
template <class Own, class T>
struct CellsOfRows {
  using Number = T;

  void fill(const std::uint8_t* codes, int n_columns, std::size_t stride, const RowEntry* entries,
            std::int64_t count, Number* cells) const {
    add_rows(codes, n_columns, stride, entries, count, own().width(), cells, own());
  }
  void fill_wide(const std::uint16_t* codes, const RowEntry* entries, std::int64_t count,
                 Number* cells) const {
    add_rows_wide(codes, entries, count, own().width(), cells, own());
  }

 private:
  const Own& own() const { return static_cast<const Own&>(*this); }
};

}  // namespace bough
