// The cells of one column, of a table that lies by columns or by rows.
#pragma once

#include <cstddef>

namespace bough {

template <class T>
struct Cells {
  const T* first = nullptr;
  std::size_t stride = 1;  // from a row to the next

  const T& operator[](std::size_t row) const { return first[row * stride]; }
};

}  // namespace bough
