#include "bough/data/counted_bins.hpp"

#include <algorithm>

#include "bough/data/entry.hpp"

namespace bough {

namespace {

constexpr int kCellBits = 18;
constexpr std::uint32_t kPlain = 0xffffffffu;  // a cell in which no bin ends

// A value as its key and its row.
using Value = std::uint64_t;

std::uint32_t row_of(Value value) { return static_cast<std::uint32_t>(value); }
std::uint32_t key_of(Value value) { return static_cast<std::uint32_t>(value >> 32); }

// Cells of equal width between the least and the greatest key.
struct Cells {
  std::uint32_t least = 0;
  int shift = 0;
  std::vector<std::uint32_t> count;

  std::uint32_t of(std::uint32_t key) const { return (key - least) >> shift; }
};

struct Counted {
  Cells cells;
  std::int64_t known = 0;
  std::size_t occupied = 0;  // cells with any value
};

Counted count_keys(const std::uint32_t* key, const std::vector<std::uint32_t>& rows) {
  Counted counted;
  std::uint32_t least = kMissingCode, greatest = 0;
  for (const std::uint32_t row : rows) {
    const std::uint32_t k = key[row];
    least = std::min(least, k);
    greatest = std::max(greatest, k == kMissingCode ? 0 : k);
  }
  if (least == kMissingCode) return counted;
  Cells& cells = counted.cells;
  cells.least = least;
  while ((greatest - least) >> cells.shift >= (1u << kCellBits)) ++cells.shift;
  // Missing values are counted in a cell of their own, past the others.
  const std::uint32_t n_cells = cells.of(greatest) + 1;
  cells.count.assign(n_cells + 1, 0);
  for (const std::uint32_t row : rows) ++cells.count[std::min(cells.of(key[row]), n_cells)];
  cells.count.pop_back();
  for (const std::uint32_t n : cells.count) {
    counted.known += n;
    counted.occupied += n > 0;
  }
  return counted;
}

class CountedBins {
 public:
  CountedBins(const Column& column, const ColumnKeys& keys, Counted counted)
      : column_(column), keys_(keys), known_(counted.known), cells_(std::move(counted.cells)) {}

  // Finds where bins end, from the ranks that the rule asks for.
  void find_ends(const std::vector<std::uint32_t>& rows, int max_bins, ColumnBins& bins) {
    mark_cells(max_bins);
    collect(rows);
    std::int64_t before = 0, done = 0;
    int k = 1;
    bool begins = true;  // the next value begins a bin
    const auto rank = [&](std::int64_t i) {
      return i * (known_ / max_bins) + (i * (known_ % max_bins) + max_bins - 1) / max_bins;
    };
    for (std::size_t cell = 0; cell < cells_.count.size(); ++cell) {
      const std::int64_t n = cells_.count[cell];
      first_code_.push_back(static_cast<std::uint32_t>(bins.highest.size()));
      if (list_of_[cell] == kPlain) {
        before += n;
        continue;
      }
      const std::vector<Value>& values = lists_[list_of_[cell]];
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (begins) {
          bins.lowest_row.push_back(row_of(values[i]));
          bins.lowest.push_back(column_.value(row_of(values[i])));
          begins = false;
        }
        if (i + 1 < values.size() && is_same(values[i], values[i + 1])) continue;
        done = before + static_cast<std::int64_t>(i) + 1;
        if (k > max_bins || rank(k) > done) continue;
        while (k <= max_bins && rank(k) <= done) ++k;
        bins.highest_row.push_back(row_of(values[i]));
        bins.highest.push_back(column_.value(row_of(values[i])));
        begins = true;
      }
      before += n;
    }
    bins.n_bins = static_cast<int>(bins.highest.size());
    for (const double value : bins.highest) highest_key_.push_back(ordered_bits(static_cast<float>(value)));
  }

  template <class Code>
  void write_codes(const ColumnBins& bins, std::int64_t n_rows, Code* code) const {
    const auto last = static_cast<std::uint32_t>(bins.n_bins - 1);
    const std::uint64_t end =
        cells_.least + (static_cast<std::uint64_t>(cells_.count.size()) << cells_.shift);
    const std::uint32_t least = cells_.least,
                        greatest = static_cast<std::uint32_t>(std::min<std::uint64_t>(end, kMissingCode) - 1);
    for (std::int64_t i = 0; i < n_rows; ++i) {
      const std::uint32_t key = keys_.key[i];
      if (key == kMissingCode) {
        code[i] = static_cast<Code>(bins.n_bins);
        continue;
      }
      // Rows that did not count for the bins may lie outside.
      const std::uint32_t inside = std::clamp(key, least, greatest);
      const std::uint32_t cell = cells_.of(inside);
      std::uint32_t at = first_code_[cell];
      if (list_of_[cell] != kPlain)
        while (at < last && (highest_key_[at] < key || (highest_key_[at] == key && keys_.inexact &&
                                                        bins.highest[at] < column_.value(i))))
          ++at;
      code[i] = static_cast<Code>(std::min(at, last));
    }
  }

 private:
  // Marks the cells where a rank of the rule lies, and the next occupied one after each: a bin may begin
  // there.
  void mark_cells(int max_bins) {
    list_of_.assign(cells_.count.size(), kPlain);
    std::int64_t before = 0;
    int k = 1;
    bool next = true;
    for (std::size_t cell = 0; cell < cells_.count.size(); ++cell) {
      const std::int64_t n = cells_.count[cell];
      if (n == 0) continue;
      bool ends = false;
      while (k <= max_bins &&
             k * (known_ / max_bins) + (k * (known_ % max_bins) + max_bins - 1) / max_bins <= before + n) {
        ends = true;
        ++k;
      }
      if (ends || next) {
        list_of_[cell] = static_cast<std::uint32_t>(lists_.size());
        lists_.emplace_back().reserve(n);
      }
      next = ends;
      before += n;
    }
  }

  void collect(const std::vector<std::uint32_t>& rows) {
    for (const std::uint32_t row : rows) {
      const std::uint32_t key = keys_.key[row];
      if (key == kMissingCode) continue;
      const std::uint32_t list = list_of_[cells_.of(key)];
      if (list != kPlain) lists_[list].push_back(static_cast<Value>(key) << 32 | row);
    }
    for (std::vector<Value>& list : lists_) {
      std::sort(list.begin(), list.end());
      if (keys_.inexact) refine(list);
    }
  }

  bool is_same(Value a, Value b) const {
    return key_of(a) == key_of(b) && (!keys_.inexact || column_.value(row_of(a)) == column_.value(row_of(b)));
  }

  // Puts values of equal keys in order.
  void refine(std::vector<Value>& list) const {
    for (std::size_t begin = 0, end; begin < list.size(); begin = end) {
      end = begin + 1;
      while (end < list.size() && key_of(list[end]) == key_of(list[begin])) ++end;
      if (end - begin > 1)
        std::stable_sort(list.begin() + static_cast<std::ptrdiff_t>(begin),
                         list.begin() + static_cast<std::ptrdiff_t>(end), [&](Value a, Value b) {
                           return column_.value(row_of(a)) < column_.value(row_of(b));
                         });
    }
  }

  const Column& column_;
  const ColumnKeys& keys_;
  std::int64_t known_;
  Cells cells_;
  std::vector<std::uint32_t> list_of_;  // of each cell: its list of values, or kPlain
  std::vector<std::vector<Value>> lists_;
  std::vector<std::uint32_t> first_code_;   // of the values of each cell
  std::vector<std::uint32_t> highest_key_;  // of each bin
};

// Bins of which each is a cell whose values are all equal; keys must be exact.
class SingleValues {
 public:
  SingleValues(const Column& column, const std::uint32_t* key, const Cells& cells)
      : column_(column), key_(key), cells_(cells), row_of_cell_(cells.count.size(), kNone) {}

  // Returns false if a cell has different values.
  bool find(const std::vector<std::uint32_t>& rows, ColumnBins& bins) {
    for (const std::uint32_t row : rows) {
      if (key_[row] == kMissingCode) continue;
      std::uint32_t& first = row_of_cell_[cells_.of(key_[row])];
      if (first == kNone) first = row;
      if (key_[first] != key_[row]) return false;
    }
    code_of_cell_.assign(row_of_cell_.size(), 0);
    for (std::size_t cell = 0; cell < row_of_cell_.size(); ++cell) {
      const std::uint32_t row = row_of_cell_[cell];
      if (row == kNone) continue;
      code_of_cell_[cell] = static_cast<std::uint32_t>(bins.highest.size());
      for (auto* held : {&bins.lowest_row, &bins.highest_row}) held->push_back(row);
      for (auto* held : {&bins.lowest, &bins.highest}) held->push_back(column_.value(row));
    }
    bins.n_bins = static_cast<int>(bins.highest.size());
    return true;
  }

  template <class Code>
  void write_codes(const ColumnBins& bins, std::int64_t n_rows, Code* code) const {
    for (std::int64_t i = 0; i < n_rows; ++i) {
      const std::uint32_t cell = cells_.of(key_[i]);
      const bool counted =
          cell < row_of_cell_.size() && row_of_cell_[cell] != kNone && key_[row_of_cell_[cell]] == key_[i];
      code[i] = static_cast<Code>(counted ? code_of_cell_[cell] : bins.code(column_.value(i)));
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  const Column& column_;
  const std::uint32_t* key_;
  const Cells& cells_;
  std::vector<std::uint32_t> row_of_cell_, code_of_cell_;
};

template <class Bins>
void write_codes(const Bins& found, BinnedTable& table, int c) {
  make_room(table, c);
  if (table.columns[c].is_wide())
    found.write_codes(table.columns[c], table.n_rows, table.wide[c].get());
  else
    found.write_codes(table.columns[c], table.n_rows, table.narrow[c].get());
}

}  // namespace

bool bin_by_counting(const Column& column, const ColumnKeys& keys, const std::vector<std::uint32_t>& rows,
                     int max_bins, BinnedTable& table, int c) {
  Counted counted = count_keys(keys.key, rows);
  ColumnBins& bins = table.columns[c];
  bins.has_missing = counted.known < static_cast<std::int64_t>(rows.size());
  if (counted.occupied <= static_cast<std::size_t>(max_bins)) {
    SingleValues single(column, keys.key, counted.cells);
    if (keys.inexact || !single.find(rows, bins)) return false;
    write_codes(single, table, c);
    return true;
  }
  CountedBins by_count(column, keys, std::move(counted));
  by_count.find_ends(rows, max_bins, bins);
  write_codes(by_count, table, c);
  return true;
}

}  // namespace bough
