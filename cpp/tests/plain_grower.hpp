// The plain grower: growth as it is defined, by a contingency table of every column in every node. It sorts
// nothing once, packs nothing, and is slow.
#pragma once

#include "bough/grow/branching.hpp"
#include "bough/grow/problem.hpp"

namespace bough::tests {

GrownTree grow_plainly(const Data& data, const Recipe& recipe);

}  // namespace bough::tests
