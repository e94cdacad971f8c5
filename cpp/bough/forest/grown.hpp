// A tree of a forest as it is grown: binary, nodes in the order they were made, the children of a node next
// to each other.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/grow/node.hpp"

namespace bough {

// Nodes split by levels list those that do not take the default branch; n_levels is -1 at a threshold.
struct ForestNode : NodeRecord {
  ForestNode() {
    default_branch = 0;
    n_levels = -1;
  }

  double cut = 0;  // of a threshold
};

struct ForestTree {
  std::vector<ForestNode> nodes;
  std::vector<double> statistics;     // classes: their weights; numbers: mean and risk
  std::vector<std::uint32_t> levels;  // ascending within a node
};

}  // namespace bough
