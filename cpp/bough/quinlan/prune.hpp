// Error-based pruning (Quinlan 1993, chapter 4): a node becomes a leaf, or its largest branch takes its
// place, if no more errors are to be expected of it then.
#pragma once

#include "bough/grow/problem.hpp"
#include "bough/machine/watch.hpp"
#include "bough/predict/router.hpp"
#include "bough/quinlan/trunk.hpp"

namespace bough::quinlan {

enum class Estimate { release8, weka };

struct PruneOptions {
  Estimate estimate = Estimate::release8;
  double confidence = 0.25;
  double deviate = 0.6744897501960817;  // of the normal distribution, at 1 - confidence
  bool raising = true;                  // a branch may take the place of its parent
  bool spread = false;  // a row whose value is missing goes down all branches; else down the default branch
};

// gain: of each node's split; the tree must be sound.
FinishedTree prune(const TreeView& tree, const std::int32_t* n_children, const double* gain, const Data& data,
                   const PruneOptions& options, const Monitor& monitor);

}  // namespace bough::quinlan
