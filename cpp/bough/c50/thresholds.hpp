// Thresholds of a pruned tree: put on values that occur, and if asked for made soft.
#pragma once

#include "bough/c50/training.hpp"

namespace bough::c50 {

// Lowers each cut to the greatest value of its attribute, among all cases, that is not above it.
void snap_thresholds(Training& training, Node& tree);

// Gives each threshold a lower and an upper bound between which both branches have a say.
void soften_thresholds(Training& training, Node& tree);

}  // namespace bough::c50
