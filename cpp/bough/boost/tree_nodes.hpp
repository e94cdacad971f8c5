// The nodes of a sum of trees as predictors read them, those of all trees in one array.
#pragma once

#include <cstdint>
#include <vector>

namespace bough {

struct TreeNodes {
  // Rows whose value is at least the cut take the second child, and those where it is missing that of a
  // number; where these stop, a third child has the value of the node. A leaf is its own child.
  struct Node {
    double cut;
    std::int32_t place;  // of the column among those used
    std::int32_t child;
    std::int32_t missing_branch;
    std::int32_t first_branch;  // levels: of the branches of its codes; -1: threshold
  };
  struct Tree {
    std::size_t root;
    int depth;
    bool has_levels;
  };

  int n_scores = 1, width = 1;  // scores of a row, and values of a node
  std::vector<Node> nodes;      // children after their parents
  std::vector<double> value;
  std::vector<std::uint8_t> branch;  // of the codes of nodes that split levels, then of missing ones
  std::vector<Tree> trees;
  std::vector<int> used;  // columns

  bool is_leaf(std::size_t node) const { return nodes[node].child == static_cast<std::int32_t>(node); }
  // The first node of a tree; that after the last one is the number of nodes.
  std::size_t first_node(std::size_t tree) const {
    return tree < trees.size() ? trees[tree].root : nodes.size();
  }
};

}  // namespace bough
