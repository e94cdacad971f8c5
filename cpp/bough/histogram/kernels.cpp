#include "bough/histogram/kernels.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "bough/machine/processor.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bough {

namespace {

constexpr int kCodes = HistogramLayout::kNarrowCodes;

// The cells of so many columns fit into the first cache, which holds 32 kB on most processors.
constexpr int kColumnsAtOnce = 16;
constexpr int kMostColumns = 2 * kColumnsAtOnce;

// Rows that are copied together: their memory is asked for while the rows before them are added. It comes
// into the second cache, so that the cells stay in the first.
constexpr int kRowsAtOnce = 512;

struct CopiedRows {
  alignas(64) std::uint8_t codes[kRowsAtOnce * kMostColumns];
  PairOfSums pairs[kRowsAtOnce];
  int count;
};

// The codes of rows that are asked for.
struct RowsAhead {
  const std::uint8_t* codes;
  std::size_t stride;
  const RowEntry* entries;
  int count;

  void ask(int i) const { __builtin_prefetch(codes + row_of(entries[i]) * stride, 0, 2); }
};

// Eight codes are loaded at once, so that the addresses of cells follow by shifts.
template <int kColumns>
BOUGH_INLINE void add_row(const std::uint8_t* code, PairOfSums sums, PairOfSums* cells) {
  constexpr int kInEights = kColumns / 8 * 8;
  for (int j = 0; j < kInEights; j += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, code + j, 8);
    for (int k = 0; k < 8; ++k) cells[(j + k) * kCodes + (eight >> 8 * k & 255)] += sums;
  }
  for (int j = kInEights; j < kColumns; ++j) cells[j * kCodes + code[j]] += sums;
}

// Adds some columns of copied rows.
template <int kColumns>
void add_columns(const CopiedRows& rows, int first, int width, const RowsAhead& ahead, PairOfSums* cells) {
  const std::uint8_t* code = rows.codes + first;
  cells += static_cast<std::ptrdiff_t>(first) * kCodes;
  const int both = std::min(rows.count, ahead.count);
  int i = 0;
  for (; i < both; ++i, code += width) {
    ahead.ask(i);
    add_row<kColumns>(code, rows.pairs[i], cells);
  }
  for (; i < rows.count; ++i, code += width) add_row<kColumns>(code, rows.pairs[i], cells);
}

using AddColumns = void (*)(const CopiedRows&, int, int, const RowsAhead&, PairOfSums*);

template <int... kColumns>
constexpr std::array<AddColumns, sizeof...(kColumns)> by_number(std::integer_sequence<int, kColumns...>) {
  return {&add_columns<kColumns>...};
}
constexpr auto kAddColumns = by_number(std::make_integer_sequence<int, kColumnsAtOnce + 1>{});

template <int kWidth>
void copy(const std::uint8_t* codes, std::size_t stride, const RowEntry* entries, CopiedRows& to) {
  for (int i = 0; i < to.count; ++i) {
    std::memcpy(to.codes + i * kWidth, codes + row_of(entries[i]) * stride, kWidth);
    to.pairs[i] = pair_of_entry(entries[i]);
  }
}

// At most kMostColumns columns.
void add_block(const std::uint8_t* codes, int n_columns, std::size_t stride, const RowEntry* entries,
               std::int64_t count, PairOfSums* cells) {
  const bool at_once = n_columns <= kColumnsAtOnce;
  // About half of the columns, and those in multiples of 4 as far as possible.
  const int second = at_once ? 0 : (n_columns / 2 + 3) / 4 * 4, first = n_columns - second;
  const int width = at_once ? kColumnsAtOnce : kMostColumns;
  CopiedRows rows;
  const auto rows_from = [&](std::int64_t begin) {
    return static_cast<int>(std::clamp<std::int64_t>(count - begin, 0, kRowsAtOnce));
  };
  const RowsAhead beginning{codes, stride, entries, rows_from(0)};
  for (int i = 0; i < beginning.count; ++i) beginning.ask(i);
  for (std::int64_t begin = 0; begin < count; begin += kRowsAtOnce) {
    rows.count = rows_from(begin);
    if (at_once)
      copy<kColumnsAtOnce>(codes, stride, entries + begin, rows);
    else
      copy<kMostColumns>(codes, stride, entries + begin, rows);
    const std::int64_t next = begin + kRowsAtOnce;
    kAddColumns[first](rows, 0, width, {codes, stride, entries + next, rows_from(next)}, cells);
    if (second > 0) kAddColumns[second](rows, first, width, {}, cells);
  }
}

// The same as cumulate_pairs, from a sum and a cell on.
void cumulate_one_by_one(PairOfSums run, int first, const PairOfSums* cells, int n, std::int32_t* upper,
                         std::int32_t* lower) {
  for (int i = first; i < n; ++i) {
    run += cells[i];
    upper[i] = upper_sum(run);
    lower[i] = static_cast<std::int32_t>(run);
  }
}

#if defined(BOUGH_LONG_REGISTERS)
// Eight cells at a time: each takes over the sums one, two and four cells before it.
BOUGH_LONG_REGISTERS void cumulate_eights(const PairOfSums* cells, int n, std::int32_t* upper,
                                          std::int32_t* lower) {
  constexpr int kLanes = 8;
  const __m512i zero = _mm512_setzero_si512(), last = _mm512_set1_epi64(kLanes - 1);
  __m512i before = zero;
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    __m512i run = _mm512_loadu_si512(cells + i);
    run = _mm512_add_epi64(run, _mm512_maskz_alignr_epi64(0xff, run, zero, 7));
    run = _mm512_add_epi64(run, _mm512_maskz_alignr_epi64(0xff, run, zero, 6));
    run = _mm512_add_epi64(run, _mm512_maskz_alignr_epi64(0xff, run, zero, 4));
    run = _mm512_add_epi64(run, before);
    before = _mm512_maskz_permutexvar_epi64(0xff, last, run);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(lower + i), _mm512_maskz_cvtepi64_epi32(0xff, run));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(upper + i),
                        _mm512_maskz_cvtepi64_epi32(0xff, _mm512_maskz_srli_epi64(0xff, run, 32)));
  }
  PairOfSums sum[kLanes];
  _mm512_storeu_si512(sum, before);
  cumulate_one_by_one(sum[0], i, cells, n, upper, lower);
}
#endif

}  // namespace

void cumulate_pairs(const PairOfSums* cells, int n, std::int32_t* upper, std::int32_t* lower) {
#if defined(BOUGH_LONG_REGISTERS)
  if (has_avx2() && has_long_registers()) return cumulate_eights(cells, n, upper, lower);
#endif
  cumulate_one_by_one(0, 0, cells, n, upper, lower);
}

void add_pairs(const std::uint8_t* codes, int n_columns, std::size_t stride, const RowEntry* entries,
               std::int64_t count, PairOfSums* cells) {
  for (int first = 0; first < n_columns; first += kMostColumns)
    add_block(codes + first, std::min(kMostColumns, n_columns - first), stride, entries, count,
              cells + static_cast<std::ptrdiff_t>(first) * kCodes);
}

}  // namespace bough
