// What the nodes of all growing trees have in common.
#pragma once

#include <cstdint>

namespace bough {

struct NodeRecord {
  std::int32_t first_child = -1;  // -1: a leaf; the children of a node are next to each other
  std::int32_t column = -1;
  std::int32_t default_branch = -1;  // where missing values and unknown levels go
  std::int32_t n_levels = 0;         // that the split lists
  std::int64_t first_level = 0;
  double gain = 0;  // the criterion's value of the split
  double weight = 0;
  double cases = 0;
};

}  // namespace bough
