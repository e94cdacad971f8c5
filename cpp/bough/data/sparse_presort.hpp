// Presorting of sparse columns: the stored numbers of each column that are not 0 as a list of entries in
// ascending order, rows of equal value in the order of their index, missing last. Equal codes mean equal
// values, and the code of 0 lies where 0 belongs among them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bough/data/column.hpp"
#include "bough/machine/buffer.hpp"
#include "bough/machine/team.hpp"

namespace bough {

struct SparseSorted {
  Buffer<std::uint64_t> entries;    // of all columns, one after the other
  std::vector<std::int64_t> start;  // of each column, and the end
  std::vector<std::uint32_t> zero;  // the code of 0 in each column
  std::vector<bool> has_missing;

  int n_columns() const { return static_cast<int>(zero.size()); }
  std::int64_t n_entries() const { return start.back(); }
};

// between: called by the calling thread between two pieces of work; it may throw. taken: which rows to take;
// null: all. bit: what the lowest bit of a row's entry shall be; null: zero. as_floats: values are floats,
// rounded down, and their codes are ordered as ordered_bits are.
SparseSorted presort_sparse(
    const std::vector<Column>& columns, const std::uint8_t* taken, const std::uint8_t* bit, Team& team,
    const std::function<void()>& between = [] {}, bool as_floats = false);

}  // namespace bough
