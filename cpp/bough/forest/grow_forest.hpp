// Grows a forest: one tree a thread at a time, each from its own sample of the rows.
#pragma once

#include <cstdint>

#include "bough/forest/packed.hpp"
#include "bough/forest/plan.hpp"
#include "bough/machine/watch.hpp"

namespace bough {

// Trees first_tree, first_tree + 1, … of the forest that the seed stands for.
PackedForest grow_forest(const Data& data, const ForestRecipe& recipe, const SampleDesign& design,
                         std::uint64_t seed, int first_tree, int n_trees, int n_threads,
                         const Monitor& monitor);

}  // namespace bough
