// A coded table: every value replaced by its rank among the distinct values of its column, once for all trees
// of a forest. A missing value's code follows all others.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bough/data/column.hpp"
#include "bough/data/entry.hpp"
#include "bough/data/sparse_presort.hpp"
#include "bough/machine/buffer.hpp"
#include "bough/machine/team.hpp"

namespace bough {

struct CodedColumn {
  const std::uint32_t* code = nullptr;  // of each row
  std::uint32_t n_codes = 0;            // of known values; this is also the code of a missing one
  int bits = 1;                         // that hold any code
  bool has_missing = false;
};

struct CodedTable {
  Buffer<std::uint32_t> memory;
  Buffer<std::uint32_t> rows;  // the same codes row by row, for whoever wants all of few rows
  // Instead of codes, of columns of numbers where cuts are drawn at random: the values, as floats rounded
  // down, column by column. Cuts are floats, and a value is below one exactly if its float is.
  Buffer<float> values, value_rows;
  std::vector<CodedColumn> columns;
};

// as_values: columns of numbers are kept as values. between: called by the calling thread between two pieces
// of work; it may throw.
CodedTable code_table(const std::vector<Column>& columns, std::int64_t n_rows, bool as_values, Team& team,
                      const std::function<void()>& between);

// Sparse columns, whose codes are those of their entries; no codes of rows are kept.
CodedTable code_sparse(const SparseSorted& sorted);

}  // namespace bough
