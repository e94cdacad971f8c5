// A tree while it is grown or pruned. Nodes stand in the order they were made, the children of a
// node next to each other, so a parent's number is less than its children's.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bough/grow/branching.hpp"
#include "bough/grow/node.hpp"

namespace bough::quinlan {

struct Node : NodeRecord {  // default_branch: -1: a row whose value is missing goes down all branches
  Node() { gain = std::numeric_limits<double>::quiet_NaN(); }

  std::int32_t parent = -1;
  std::int32_t n_children = 0;
  SplitKind kind = SplitKind::leaf;
  double cut = std::numeric_limits<double>::quiet_NaN();
  // The greatest value of a case that takes the first branch of a threshold, and the least that takes the
  // second.
  double cut_below = std::numeric_limits<double>::quiet_NaN();
  double cut_above = std::numeric_limits<double>::quiet_NaN();
  double risk = 0;
  double share = 1;  // of the rows at the parent whose value is missing, what comes here

  // Takes note of the value of a case that takes a branch of a threshold.
  void note_value(std::int32_t branch, double x) {
    if (branch == 0 && !(cut_below >= x)) cut_below = x;
    if (branch == 1 && !(cut_above <= x)) cut_above = x;
  }
};

struct TreeBuilder {
  int width = 1;  // statistics a node
  std::vector<Node> nodes;
  std::vector<double> statistics;
  std::vector<std::int32_t> level_code, level_branch;

  double* statistics_of(std::int32_t node) {
    return statistics.data() + static_cast<std::size_t>(node) * width;
  }
  const double* statistics_of(std::int32_t node) const {
    return statistics.data() + static_cast<std::size_t>(node) * width;
  }
  // Adds children to a node; the pointers that statistics_of() gave are void from then on.
  void add_children(std::int32_t node, std::int32_t n_children);
  void make_leaf(std::int32_t node);
  // Makes the shares of each node's children sum to 1; where all are 0, they become equal.
  void divide_shares();
};

// A finished tree: one array a field, nodes numbered breadth first.
struct FinishedTree {
  GrownTree arrays;
  RawVector<double> share;
};

// Numbers the nodes that can be reached from the root.
FinishedTree finish(const TreeBuilder& tree);

}  // namespace bough::quinlan
