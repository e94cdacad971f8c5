// The cuts of few rows in the order of a column: the sums on the left of each are taken row by row.
#pragma once

#include <cstdint>

#include "bough/boost/cut_screen.hpp"
#include "bough/boost/gain_scan.hpp"
#include "bough/boost/gradient_cells.hpp"
#include "bough/boost/sorted_rows.hpp"

namespace bough {

// The first of the best cuts of n rows within a range, at most SortedRows::kMostRows, if its gain is greater
// than `bound`, or any if this is negative; `at` is the place of the last row on the left. l1 is 0, and the
// size is the number of rows. terms: of all rows of the table.
FoundCut best_sorted_cut(const GainScan& scan, const SortedRow* rows, std::int64_t n,
                         const WideGradients::Terms* terms, const CutRange& range, double bound = -1);

}  // namespace bough
