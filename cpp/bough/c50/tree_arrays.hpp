// A finished tree as arrays, nodes numbered breadth first.
#pragma once

#include <vector>

#include "bough/c50/node.hpp"

namespace bough::c50 {

struct TreeArrays {
  int n_classes = 0;
  std::vector<std::int32_t> parent, first_child, n_children, column, label;
  std::vector<std::uint8_t> test;
  std::vector<float> cut, lower, mid, upper, cases, gain, dist;
  std::vector<std::int64_t> level_start;
  std::vector<std::int32_t> level_code, level_branch;

  std::size_t n_nodes() const { return parent.size(); }
};

TreeArrays to_arrays(const Node& tree, int n_classes);

}  // namespace bough::c50
