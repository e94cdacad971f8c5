// The rows of a sparse table in the caller's memory: the stored numbers of each row with their columns; all
// others are 0.
#pragma once

#include <algorithm>
#include <cstdint>

namespace bough {

struct SparseRows {
  const std::int64_t* start = nullptr;   // of each row, and the end
  const std::int32_t* column = nullptr;  // ascending in each row
  const float* floats = nullptr;         // the numbers are either floats or doubles
  const double* doubles = nullptr;
  std::int64_t n_rows = 0;
  int n_columns = 0;

  double stored(std::int64_t position) const { return floats ? floats[position] : doubles[position]; }
  double value(std::int64_t row, int which) const {
    const std::int32_t *end = column + start[row + 1],
                       *found = std::lower_bound(column + start[row], end, which);
    return found != end && *found == which ? stored(found - column) : 0.0;
  }
};

}  // namespace bough
