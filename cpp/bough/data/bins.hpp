// Bins: the values of every column as small codes, with the values that each code stands for. Numbers are
// grouped by the ranks of their distinct values, exactly where a column has few of them; a level is its own
// bin. The code of a missing value follows all others.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bough/data/column.hpp"
#include "bough/machine/buffer.hpp"
#include "bough/machine/team.hpp"

namespace bough {

struct ColumnBins {
  Scale scale = Scale::numeric;
  int n_bins = 0;  // this is also the code of a missing value
  bool has_missing = false;
  std::vector<double> lowest, highest;                 // values of each bin
  std::vector<std::uint32_t> lowest_row, highest_row;  // rows that hold them, or kNoRow

  static constexpr std::uint32_t kNoRow = 0xffffffff;  // of a level that no row has
  bool is_held(int bin) const { return lowest_row[bin] != kNoRow; }
  // The first bin that a row has, and the one after the last such bin; only levels may have no row.
  int first_held() const {
    int bin = 0;
    while (bin < n_bins && !is_held(bin)) ++bin;
    return bin;
  }
  int end_held() const {
    int end = n_bins;
    while (end > 0 && !is_held(end - 1)) --end;
    return end;
  }

  int n_codes() const { return n_bins + 1; }
  bool is_wide() const { return n_codes() > 256; }  // its codes have 16 bits

  // The code of a number that may not be among those the bins were made of: between two bins, the cut that
  // trees have there decides.
  int code(double value) const;
};

// Some columns of 8-bit codes, all of a row together.
struct BinBlock {
  std::vector<int> columns;
  std::size_t stride = 0;      // bytes from a row to the next
  Buffer<std::uint8_t> codes;  // n_rows x stride
};

struct BinnedTable {
  BinnedTable() = default;
  BinnedTable(BinnedTable&&) = default;
  BinnedTable& operator=(BinnedTable&&) = default;
  BinnedTable(const BinnedTable&) = delete;  // it is large, and shared instead
  BinnedTable& operator=(const BinnedTable&) = delete;

  std::int64_t n_rows = 0;
  std::vector<ColumnBins> columns;
  std::vector<Buffer<std::uint8_t>> narrow;  // codes of each column; null where it is wide
  std::vector<Buffer<std::uint16_t>> wide;
  std::vector<BinBlock> blocks;  // of all narrow columns

  int code(int column, std::int64_t row) const {
    return columns[column].is_wide() ? wide[column][row] : narrow[column][row];
  }
};

constexpr int kMostBins = 65534;

// Makes room for the codes of a column whose number of bins is known.
void make_room(BinnedTable& table, int column);

// cases: of each row; null: one each. in_rule: whether each row counts for the bins; null: all do; the others
// are only coded. between: called by the calling thread between two pieces of work; it may throw.
BinnedTable bin_table(const std::vector<Column>& columns, std::int64_t n_rows, const double* cases,
                      const std::uint8_t* in_rule, int max_bins, Team& team,
                      const std::function<void()>& between);

}  // namespace bough
