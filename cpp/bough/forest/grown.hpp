// A tree of a forest as it is grown: binary, nodes in the order they were made, the children of a node next
// to each other.
#pragma once

#include <cstdint>
#include <vector>

namespace bough {

struct ForestNode {
  std::int32_t first_child = -1;  // -1: a leaf
  std::int32_t column = -1;
  double cut = 0;                   // of a threshold
  std::int32_t default_branch = 0;  // where missing values and unknown levels go
  std::int32_t n_levels = -1;       // -1: a threshold; else how many levels go to the other branch
  std::int64_t first_level = 0;
  double gain = 0;  // the criterion's value of the split
  double weight = 0;
  double cases = 0;
};

struct ForestTree {
  std::vector<ForestNode> nodes;
  std::vector<double> statistics;     // classes: their weights; numbers: mean and risk
  std::vector<std::uint32_t> levels;  // ascending within a node
};

}  // namespace bough
