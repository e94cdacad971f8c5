// The stored cells of a sparse table row by row, for whoever wants all of few rows.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/data/entry.hpp"
#include "bough/data/sparse_presort.hpp"
#include "bough/machine/buffer.hpp"

namespace bough {

struct SparseCells {
  SparseCells(const SparseSorted& sorted, std::int64_t n_rows) : start(n_rows + 1, 0) {
    const std::int64_t n = sorted.n_entries();
    for (std::int64_t i = 0; i < n; ++i) ++start[index_of(sorted.entries[i]) + 1];
    for (std::int64_t row = 0; row < n_rows; ++row) start[row + 1] += start[row];
    column = make_buffer<std::uint32_t>(static_cast<std::size_t>(n) + 1);
    code = make_buffer<std::uint32_t>(static_cast<std::size_t>(n) + 1);
    std::vector<std::int64_t> next(start.begin(), start.end() - 1);
    for (int c = 0; c < sorted.n_columns(); ++c)
      for (std::int64_t i = sorted.start[c]; i < sorted.start[c + 1]; ++i) {
        const std::int64_t at = next[index_of(sorted.entries[i])]++;
        column[at] = static_cast<std::uint32_t>(c);
        code[at] = code_of(sorted.entries[i]);
      }
  }

  std::vector<std::int64_t> start;  // of each row, and the end
  Buffer<std::uint32_t> column, code;
};

// A sparse table as all trees of a forest read it.
struct SparseTable {
  SparseSorted sorted;
  SparseCells cells;
};

}  // namespace bough
