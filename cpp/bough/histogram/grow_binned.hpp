// Grows single trees on bins, by any criterion that reads class weights or moments of y.
#pragma once

#include <vector>

#include "bough/data/bins.hpp"
#include "bough/grow/branching.hpp"
#include "bough/grow/problem.hpp"
#include "bough/machine/watch.hpp"

namespace bough {

// The tree of all rows, then for each fold that of the rows outside it; see grow_folds in grow/grow.hpp. Bins
// and grid are those of all rows.
std::vector<GrownTree> grow_binned(const Data& data, const BinnedTable& bins, const Recipe& recipe,
                                   const std::int32_t* fold, int n_folds, int n_threads,
                                   const Monitor& monitor);

}  // namespace bough
