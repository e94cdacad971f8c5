// A histogram of a node holds, for every column and every code of a bin, the statistics of the rows of the
// node that have this code: `width` numbers each, which add and subtract exactly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bough/data/bins.hpp"

namespace bough {

// Where the statistics of each column's codes stand.
struct HistogramLayout {
  // A narrow column has room for all 256 codes, so that kernels compute addresses by shifts.
  static constexpr int kNarrowCodes = 256;

  HistogramLayout(const BinnedTable& table, int width_of_code) : width(width_of_code) {
    for (const BinBlock& block : table.blocks) {
      block_first.push_back(n_codes);
      for (const int c : block.columns) place(table, c, kNarrowCodes);
    }
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (table.columns[c].is_wide()) {
        wide_columns.push_back(static_cast<int>(c));
        place(table, static_cast<int>(c), table.columns[c].n_codes());
      }
  }

  std::size_t size() const { return static_cast<std::size_t>(n_codes) * width; }
  std::size_t start(int column) const { return static_cast<std::size_t>(first[column]) * width; }
  std::size_t length(int column) const { return static_cast<std::size_t>(used[column]) * width; }

  int width;
  std::int64_t n_codes = 0;
  std::vector<std::int64_t> first;  // place of code 0 of each column
  std::vector<int> used;            // codes that a column has
  std::vector<std::int64_t> block_first;
  std::vector<int> wide_columns;

 private:
  void place(const BinnedTable& table, int c, int room) {
    first.resize(table.columns.size());
    used.resize(table.columns.size());
    first[c] = n_codes;
    used[c] = table.columns[c].n_codes();
    n_codes += room;
  }
};

}  // namespace bough
