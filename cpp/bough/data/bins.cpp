#include "bough/data/bins.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "bough/data/counted_bins.hpp"
#include "bough/data/entry.hpp"
#include "bough/data/presort.hpp"

namespace bough {

namespace {

// Columns sorted or counted at a time: sorted lists take eight times the memory of the codes, buckets twice.
constexpr std::size_t kColumnsToSort = 16, kColumnsToCount = 32;
constexpr std::size_t kColumnsOfBlock = 32;
constexpr std::int64_t kRowsToCount = 1 << 15;  // below, sorting a column is faster than counting it

// ceil(k N / B) in whole numbers that do not overflow.
std::int64_t rank_of(std::int64_t k, std::int64_t n, std::int64_t b) {
  return k * (n / b) + (k * (n % b) + b - 1) / b;
}

bool ends_group(const std::uint64_t* list, std::int64_t n, std::int64_t i) {
  return i + 1 == n || code_of(list[i]) != code_of(list[i + 1]);
}

// Where each bin ends in the sorted list of a column's n known values. Each distinct value is a bin if there
// are at most max_bins of them; else bins end with the values of the cases of rank ceil(k N / max_bins).
std::vector<std::int64_t> bin_ends(const std::uint64_t* list, std::int64_t n, const double* cases,
                                   int max_bins) {
  std::vector<std::int64_t> ends;
  for (std::int64_t i = 0; i < n && ends.size() <= static_cast<std::size_t>(max_bins); ++i)
    if (ends_group(list, n, i)) ends.push_back(i + 1);
  if (ends.size() <= static_cast<std::size_t>(max_bins)) return ends;
  ends.clear();
  double total = static_cast<double>(n), before = 0;
  if (cases) {
    total = 0;
    for (std::int64_t i = 0; i < n; ++i) total += cases[index_of(list[i])];
  }
  std::int64_t i = -1;  // the last entry that counts in `before`
  for (std::int64_t k = 1; k <= max_bins; ++k) {
    const std::int64_t rank = rank_of(k, static_cast<std::int64_t>(total), max_bins);
    if (!ends.empty() && static_cast<double>(rank) <= before) continue;
    if (!cases) i = rank - 1;
    while (cases && before < static_cast<double>(rank)) before += cases[index_of(list[++i])];
    while (!ends_group(list, n, i)) {
      ++i;
      if (cases) before += cases[index_of(list[i])];
    }
    if (!cases) before = static_cast<double>(i + 1);
    ends.push_back(i + 1);
  }
  return ends;
}

// Divides the sorted list of a column of numbers into bins, and writes the codes of its rows.
template <class Code>
void code_numbers(const Column& column, const std::uint64_t* list, std::int64_t n,
                  const std::vector<std::int64_t>& bin_end, ColumnBins& bins, Code* code) {
  std::int64_t begin = 0;
  for (std::size_t b = 0; b < bin_end.size(); ++b) {
    bins.lowest_row.push_back(index_of(list[begin]));
    bins.highest_row.push_back(index_of(list[bin_end[b] - 1]));
    bins.lowest.push_back(column.value(bins.lowest_row.back()));
    bins.highest.push_back(column.value(bins.highest_row.back()));
    for (; begin < bin_end[b]; ++begin) code[index_of(list[begin])] = static_cast<Code>(b);
  }
  for (; begin < n; ++begin) code[index_of(list[begin])] = static_cast<Code>(bins.n_bins);
}

void bin_numbers(const Column& column, const std::uint64_t* list, std::int64_t n, const double* cases,
                 int max_bins, BinnedTable& table, int c) {
  std::int64_t known = n;
  while (known > 0 && code_of(list[known - 1]) == kMissingCode) --known;
  ColumnBins& bins = table.columns[c];
  bins.has_missing = known < n;
  const std::vector<std::int64_t> bin_end = bin_ends(list, known, cases, max_bins);
  bins.n_bins = static_cast<int>(bin_end.size());
  make_room(table, c);
  if (bins.is_wide())
    code_numbers(column, list, n, bin_end, bins, table.wide[c].get());
  else
    code_numbers(column, list, n, bin_end, bins, table.narrow[c].get());
}

template <class Code>
void code_levels(const Column& column, std::int64_t n, ColumnBins& bins, Code* code) {
  for (std::int64_t i = n - 1; i >= 0; --i) {
    const int level = column.code(i);
    bins.has_missing |= level < 0;
    code[i] = static_cast<Code>(level < 0 ? bins.n_bins : level);
    if (level >= 0) bins.lowest_row[level] = bins.highest_row[level] = static_cast<std::uint32_t>(i);
  }
}

void bin_levels(const Column& column, BinnedTable& table, int c) {
  if (column.n_levels > kMostBins)
    throw std::invalid_argument("a column has " + std::to_string(column.n_levels) +
                                " levels; bins hold at most " + std::to_string(kMostBins));
  ColumnBins& bins = table.columns[c];
  bins.n_bins = column.n_levels;
  bins.lowest_row.assign(bins.n_bins, ColumnBins::kNoRow);
  bins.highest_row.assign(bins.n_bins, ColumnBins::kNoRow);
  for (int level = 0; level < bins.n_bins; ++level) bins.lowest.push_back(level);
  bins.highest = bins.lowest;
  make_room(table, c);
  if (bins.is_wide())
    code_levels(column, table.n_rows, bins, table.wide[c].get());
  else
    code_levels(column, table.n_rows, bins, table.narrow[c].get());
}

// Codes the rows that did not count for the bins of a column of numbers.
void code_others(const Column& column, const std::uint8_t* in_rule, BinnedTable& table, int c) {
  const ColumnBins& bins = table.columns[c];
  for (std::int64_t i = 0; i < table.n_rows; ++i) {
    if (in_rule[i]) continue;
    const int code = bins.code(column.value(i));
    if (bins.is_wide())
      table.wide[c][i] = static_cast<std::uint16_t>(code);
    else
      table.narrow[c][i] = static_cast<std::uint8_t>(code);
  }
}

// The bytes of a row: a power of two if that is little more, so that no row lies in two lines of the cache.
std::size_t stride_of(std::size_t n_columns) {
  const std::size_t power = std::bit_ceil(n_columns);
  return 4 * power <= 5 * n_columns ? power : n_columns;
}

// The narrow codes row by row, in blocks of about equally many columns.
void make_blocks(BinnedTable& table, Team& team, const std::function<void()>& between) {
  constexpr std::int64_t kRowsAtOnce = 1024;
  std::vector<int> narrow;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (!table.columns[c].is_wide()) narrow.push_back(static_cast<int>(c));
  const std::size_t n_blocks = (narrow.size() + kColumnsOfBlock - 1) / kColumnsOfBlock;
  table.blocks.resize(n_blocks);
  for (std::size_t b = 0; b < n_blocks; ++b) {
    BinBlock& block = table.blocks[b];
    block.columns.assign(narrow.begin() + static_cast<std::ptrdiff_t>(narrow.size() * b / n_blocks),
                         narrow.begin() + static_cast<std::ptrdiff_t>(narrow.size() * (b + 1) / n_blocks));
    block.stride = stride_of(block.columns.size());
    block.codes = make_buffer<std::uint8_t>(static_cast<std::size_t>(table.n_rows) * block.stride + 64);
  }
  const auto chunks = static_cast<int>((table.n_rows + kRowsAtOnce - 1) / kRowsAtOnce);
  team.run(chunks, [&](int chunk, int member) {
    if (member == 0) between();
    const std::int64_t begin = chunk * kRowsAtOnce, end = std::min(table.n_rows, begin + kRowsAtOnce);
    for (BinBlock& block : table.blocks) {
      const auto stride = static_cast<std::int64_t>(block.stride);
      for (std::size_t j = 0; j < block.columns.size(); ++j) {
        const std::uint8_t* from = table.narrow[block.columns[j]].get();
        std::uint8_t* to = block.codes.get() + j;
        for (std::int64_t i = begin; i < end; ++i) to[i * stride] = from[i];
      }
    }
  });
}

}  // namespace

void make_room(BinnedTable& table, int c) {
  const auto n = static_cast<std::size_t>(table.n_rows) + 16;
  if (table.columns[c].is_wide())
    table.wide[c] = make_buffer<std::uint16_t>(n);
  else
    table.narrow[c] = make_buffer<std::uint8_t>(n);
}

int ColumnBins::code(double value) const {
  if (value != value) return n_bins;
  const auto found = std::lower_bound(highest.begin(), highest.end(), value) - highest.begin();
  const int at = std::min(static_cast<int>(found), std::max(n_bins - 1, 0));
  return at > 0 && value < cut_between(highest[at - 1], lowest[at], scale) ? at - 1 : at;
}

BinnedTable bin_table(const std::vector<Column>& columns, std::int64_t n_rows, const double* cases,
                      const std::uint8_t* in_rule, int max_bins, Team& team,
                      const std::function<void()>& between) {
  BinnedTable table;
  table.n_rows = n_rows;
  table.columns.resize(columns.size());
  table.narrow.resize(columns.size());
  table.wide.resize(columns.size());
  std::vector<std::uint32_t> rows;
  rows.reserve(n_rows);
  for (std::int64_t i = 0; i < n_rows; ++i)
    if (!in_rule || in_rule[i]) rows.push_back(static_cast<std::uint32_t>(i));
  const auto n = static_cast<std::int64_t>(rows.size());
  std::vector<int> numeric, levels;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    table.columns[c].scale = columns[c].scale;
    (columns[c].type == Column::Type::code ? levels : numeric).push_back(static_cast<int>(c));
  }
  team.run(static_cast<int>(levels.size()), [&](int i, int member) {
    if (member == 0) between();
    bin_levels(columns[levels[i]], table, levels[i]);
  });
  const auto code_rest = [&](const Column& column, int c) {
    if (in_rule) code_others(column, in_rule, table, c);
  };
  const bool counts = !cases && n >= kRowsToCount && max_bins <= kMostBinsToCount;
  const std::size_t at_once = counts ? kColumnsToCount : kColumnsToSort;
  for (std::size_t first = 0; first < numeric.size(); first += at_once) {
    const std::size_t many = std::min(at_once, numeric.size() - first);
    std::vector<Column> some;
    for (std::size_t i = 0; i < many; ++i) some.push_back(columns[numeric[first + i]]);
    if (counts) {
      const BucketedColumns buckets = bucket_columns(some, n_rows, in_rule, max_bins, team, between);
      team.run(static_cast<int>(many), [&](int i, int member) {
        if (member == 0) between();
        bin_by_counting(some[i], buckets.columns[i], max_bins, table, numeric[first + i]);
        code_rest(some[i], numeric[first + i]);
      });
      continue;
    }
    const SortedColumns sorted = presort(some, rows, nullptr, team, between);
    team.run(static_cast<int>(many), [&](int i, int member) {
      if (member == 0) between();
      bin_numbers(some[i], sorted.lists[i], n, cases, max_bins, table, numeric[first + i]);
      code_rest(some[i], numeric[first + i]);
    });
  }
  make_blocks(table, team, between);
  return table;
}

}  // namespace bough
