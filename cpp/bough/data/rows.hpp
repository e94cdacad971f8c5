// What criteria read of rows, by index: targets and weights of the whole table, or of a small subtree's own
// copy.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bough {

class RowSequence;

struct Rows {
  const std::int32_t* label = nullptr;
  const double* y = nullptr;
  const double* weight = nullptr;  // whole numbers in units of weight_unit; null: one each
  const double* own = nullptr;     // whole numbers in units of own_unit; null: the weight
  const double* cases = nullptr;   // null: one each
  double* grid = nullptr;  // numbers: weight times y on the node's grid; written by measure(). Of several
                           // targets with classes: weight times their columns of 0 and 1, or null
  bool whole_weights = true;
  double weight_unit = 1;
  double own_unit = 1;
  double prior_exposure = 0;  // Poisson: in which the recipe's prior events come
  RowSequence* sequence = nullptr;  // the rows in order, where those that are alike are grown as one
  // Of several targets a row has so many labels or y, next to each other, and grid_width entries of the grid.
  int n_targets = 1, grid_width = 1;

  std::int32_t label_at(std::uint32_t i) const { return label[i]; }
  double grid_at(std::uint32_t i) const { return grid[i]; }
  double weight_at(std::uint32_t i) const { return weight ? weight[i] : 1.0; }
  double own_at(std::uint32_t i) const { return own ? own[i] : weight_at(i); }
  int targets() const { return n_targets; }
  const std::int32_t* labels_at(std::uint32_t i) const {
    return label + static_cast<std::size_t>(i) * static_cast<std::size_t>(n_targets);
  }
  const double* ys_at(std::uint32_t i) const {
    return y + static_cast<std::size_t>(i) * static_cast<std::size_t>(n_targets);
  }
  double* grids_at(std::uint32_t i) const {
    return grid + static_cast<std::size_t>(i) * static_cast<std::size_t>(grid_width);
  }
  double cases_at(std::uint32_t i) const { return cases ? cases[i] : 1.0; }
};

}  // namespace bough
