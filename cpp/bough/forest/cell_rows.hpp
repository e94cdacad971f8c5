// Rows whose cells are read side by side, and what is summed below the cuts of their columns.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bough {

// The rows of a node in a table that lies by rows.
struct CellRows {
  const float* cells = nullptr;
  std::size_t width = 0;  // columns; cells may be read up to the next multiple of kLanes
  const std::uint32_t* index = nullptr;
  int n = 0;
  const std::uint32_t* place = nullptr;  // of the cells of each row; its targets are found by index

  const float* cells_of(int i) const { return cells + place[i] * width; }
};

// Sums over the classes, for each column: of what lies below the cut, of its squares, and of its products
// with the node's class weights.
struct SquaresBelow {
  std::int32_t *weight, *squares, *products;
};

}  // namespace bough
