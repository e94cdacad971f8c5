// The exact grower: the same tree as the plain loop over contingency tables, from columns sorted once.
#pragma once

#include <vector>

#include "bough/grow/branching.hpp"
#include "bough/grow/problem.hpp"
#include "bough/machine/watch.hpp"

namespace bough {

GrownTree grow(const Data& data, const Recipe& recipe, int n_threads, const Monitor& monitor);

// The tree of all rows, then for each fold that of the rows outside it. fold: the fold of each row, from 0;
// -1: in none. Columns are sorted once for all of them.
std::vector<GrownTree> grow_folds(const Data& data, const Recipe& recipe, const std::int32_t* fold,
                                  int n_folds, int n_threads, const Monitor& monitor);

}  // namespace bough
