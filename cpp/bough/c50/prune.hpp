// Pruning: first each subtree against its leaf and its largest branch by a pessimistic estimate of errors,
// then, within one standard error of the whole tree, the subtrees that save the fewest errors per leaf.
#pragma once

#include "bough/c50/grow.hpp"

namespace bough::c50 {

// The errors to add to those seen among some cases.
Count extra_errors(const Training& training, Count cases, Count errors, int label);

void prune(Training& training, Grower& grower, Node& tree);

// Steps of it, each in its own file.
void prune_globally(Training& training, Node& tree);
void simplify_subsets(const Training& training, Node& tree);
void merge_branches(const Training& training, Node& node);

}  // namespace bough::c50
