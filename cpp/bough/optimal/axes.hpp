// The axes of a table.
#pragma once

#include <vector>

#include "bough/data/column.hpp"
#include "bough/optimal/problem.hpp"

namespace bough::optimal {

// Numeric and ordinal columns: every threshold. Nominal columns: every set of levels, or above so many levels
// each level against the rest.
// merge: axes of two groups may share one axis, which then has cuts of several columns.
std::vector<Axis> make_axes(const std::vector<Column>& columns, std::int64_t n_rows, int max_exhaustive,
                            bool merge);

}  // namespace bough::optimal
