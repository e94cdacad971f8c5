// Thresholds of a pruned tree: moved to values that occur in the table, and made soft if wanted.
#pragma once

#include "bough/c50/training.hpp"

namespace bough::c50 {

// Lowers each cut to the greatest value of its attribute, among all cases, that is not above it.
void snap_thresholds(Training& training, Node& tree);

// Gives each threshold a lower and an upper bound between which both branches answer.
void soften_thresholds(Training& training, Node& tree);

}  // namespace bough::c50
