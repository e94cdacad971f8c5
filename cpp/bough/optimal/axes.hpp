// The axes of a table.
#pragma once

#include <vector>

#include "bough/data/column.hpp"
#include "bough/optimal/problem.hpp"

namespace bough::optimal {

// Numeric and ordinal columns: every threshold. Nominal columns: every set of levels, or above so many levels
// each level against the rest.
std::vector<Axis> make_axes(const std::vector<Column>& columns, std::int64_t n_rows, int max_exhaustive);

}  // namespace bough::optimal
