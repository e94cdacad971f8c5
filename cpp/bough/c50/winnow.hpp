// Winnowing: attributes that a tree of half the cases does not use, or that make it worse on the other half,
// are left out.
#pragma once

#include "bough/c50/training.hpp"

namespace bough::c50 {

// Marks the attributes left out in training.skipped. Returns of each attribute how many times as many errors
// are made without it: 0 if it is left out, 1 if nothing changes.
std::vector<float> winnow(Training& training);

}  // namespace bough::c50
