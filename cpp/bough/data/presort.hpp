// Presorting: every column as a list of entries in ascending order, rows of equal value in the order of their
// index, missing last. Equal codes mean equal values.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bough/data/column.hpp"
#include "bough/machine/buffer.hpp"
#include "bough/machine/team.hpp"

namespace bough {

struct SortedColumns {
  Buffer<std::uint64_t> memory;
  std::vector<std::uint64_t*> lists;
  std::vector<std::uint64_t*> rooms;  // as long as the lists and free: scratch of the sort
  std::vector<bool> has_missing;
};

// between: called by the calling thread between two pieces of work; it may throw. rows: the rows to take,
// ascending. bit: what the lowest bit of a row's entry shall be; null: zero.
SortedColumns presort(
    const std::vector<Column>& columns, const std::vector<std::uint32_t>& rows, const std::uint8_t* bit,
    Team& team, const std::function<void()>& between = [] {});

}  // namespace bough
