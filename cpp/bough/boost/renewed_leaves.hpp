// Values of leaves that were replaced after a tree was grown, within the limits that growth has kept.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "bough/grow/branching.hpp"

namespace bough {

// A value of a leaf, at most max_step in size; 0: any size.
inline double limited_step(double value, double max_step) {
  return max_step > 0 ? std::clamp(value, -max_step, max_step) : value;
}

// Moves the values of the leaves below a node into a range.
inline void clamp_leaves(Branching& tree, int top, double low, double high) {
  std::vector<int> below = {top};
  while (!below.empty()) {
    Node& node = tree.nodes[below.back()];
    below.pop_back();
    if (node.first_child < 0) {
      node.centre = std::clamp(node.centre, low, high);
      continue;
    }
    below.push_back(node.first_child);
    below.push_back(node.first_child + 1);
  }
}

// Restores the directions of columns: where leaves of the two sides of a split are in the wrong order, both
// sides are clamped at the middle between the outermost of them. From the last split to the first: a clamp
// keeps the order of the leaves below, so that splits that were mended stay so.
inline void restore_directions(Branching& tree, const std::vector<int>& monotonic) {
  if (std::all_of(monotonic.begin(), monotonic.end(), [](int each) { return each == 0; })) return;
  const auto n = static_cast<int>(tree.nodes.size());
  std::vector<double> least(n), most(n);
  for (int i = n - 1; i >= 0; --i) {
    const Node& node = tree.nodes[i];
    if (node.first_child < 0) {
      least[i] = most[i] = node.centre;
      continue;
    }
    const int direction = monotonic[node.column];
    const int low = direction < 0 ? node.first_child + 1 : node.first_child;
    const int high = 2 * node.first_child + 1 - low;
    if (direction != 0 && most[low] > least[high]) {
      const double middle = most[low] / 2 + least[high] / 2;
      clamp_leaves(tree, low, -HUGE_VAL, middle);
      clamp_leaves(tree, high, middle, HUGE_VAL);
      most[low] = std::min(most[low], middle), least[low] = std::min(least[low], middle);
      least[high] = std::max(least[high], middle), most[high] = std::max(most[high], middle);
    }
    least[i] = std::min(least[low], least[high]);
    most[i] = std::max(most[low], most[high]);
  }
}

}  // namespace bough
