// A sample of the rows, drawn as C5.0 draws it.
#pragma once

#include "bough/c50/problem.hpp"

namespace bough::c50 {

// The rows of a sample of `share` of them, in their order. The same seed draws the same rows as C5.0's.
std::vector<Row> sample_rows(Row n_rows, float share, int seed);

}  // namespace bough::c50
