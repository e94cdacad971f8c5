// The same as few_cuts.hpp under Poisson. Values need logarithms, so that the bounds of all cuts are computed
// side by side (see divergence.hpp): the highest lower one is what the upper one of a cut must reach for the
// cut to be evaluated.
#pragma once

#include <vector>

#include "bough/forest/few_cuts.hpp"
#include "bough/machine/kernel_sets.hpp"

namespace bough {

// Every kernel that this processor can run, the fastest last; the first takes no rows at all.
std::vector<FewCutsKernel> runnable_few_rates();

inline const FewCutsKernel& few_rates_kernel() { return fastest<runnable_few_rates>(); }

}  // namespace bough
