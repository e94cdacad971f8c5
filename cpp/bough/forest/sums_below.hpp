// The sums of several targets over the rows of a node whose value lies below a cut, without a branch a row.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/data/rows.hpp"

namespace bough {

struct SumsBelow {
  std::vector<double> grid;  // of each entry of the grid
  double weight = 0, cases = 0;
};

// values: of the rows at index[0..n).
void sum_below(const float* values, float cut, const std::uint32_t* index, int n, const Rows& rows,
               SumsBelow& sums);

}  // namespace bough
