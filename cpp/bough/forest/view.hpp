// The rows a grower works on, by index: the whole table's, or a block's own copy.
#pragma once

#include <cstdint>

#include "bough/data/rows.hpp"

namespace bough {

struct RowView {
  Rows rows;
  // Where two classes are counted: draws of a row, and in the upper half those of the second class.
  const std::uint64_t* counted = nullptr;
  const std::uint32_t* row = nullptr;  // of the table; null: the index itself

  std::uint32_t row_at(std::uint32_t i) const { return row ? row[i] : i; }
  double weight_at(std::uint32_t i) const {
    return counted ? static_cast<double>(counted[i] & 0xffffffffu) : rows.weight_at(i);
  }
  double cases_at(std::uint32_t i) const {
    return counted ? static_cast<double>(counted[i] & 0xffffffffu) : rows.cases_at(i);
  }
  int label_at(std::uint32_t i) const { return counted ? counted[i] >> 32 != 0 : rows.label[i]; }
  double grid_at(std::uint32_t i) const { return rows.grid[i]; }
  int targets() const { return rows.n_targets; }
  const std::int32_t* labels_at(std::uint32_t i) const { return rows.labels_at(i); }
  const double* grids_at(std::uint32_t i) const { return rows.grids_at(i); }
};

constexpr std::uint64_t counted_draws(std::uint32_t draws, bool second) {
  return draws | (second ? static_cast<std::uint64_t>(draws) << 32 : 0);
}

}  // namespace bough
