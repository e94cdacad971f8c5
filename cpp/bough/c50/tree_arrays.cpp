#include "bough/c50/tree_arrays.hpp"

namespace bough::c50 {

namespace {

// Follows tests whose branches were all merged into one: such a test separates nothing.
const Node* skip_single_branches(const Node* node) {
  while (node->n_branches() == 1) node = node->branches[0].get();
  return node;
}

}  // namespace

TreeArrays to_arrays(const Node& tree, int n_classes) {
  TreeArrays arrays;
  arrays.n_classes = n_classes;
  std::vector<const Node*> queue{skip_single_branches(&tree)};
  arrays.parent.push_back(-1);
  arrays.level_start.push_back(0);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Node& node = *queue[i];
    arrays.first_child.push_back(node.is_leaf() ? -1 : static_cast<std::int32_t>(queue.size()));
    arrays.n_children.push_back(node.n_branches());
    arrays.column.push_back(node.is_leaf() ? -1 : node.column);
    arrays.label.push_back(node.label);
    arrays.test.push_back(static_cast<std::uint8_t>(node.test));
    arrays.cut.push_back(node.cut);
    arrays.lower.push_back(node.lower);
    // Prediction asks for the middle only between bounds that differ.
    arrays.mid.push_back(node.lower < node.upper ? node.mid : node.cut);
    arrays.upper.push_back(node.upper);
    arrays.cases.push_back(node.cases);
    arrays.gain.push_back(node.gain);
    arrays.dist.insert(arrays.dist.end(), node.dist.begin(), node.dist.end());
    for (int v = 0; v < node.n_branches(); ++v) {
      queue.push_back(skip_single_branches(node.branches[v].get()));
      arrays.parent.push_back(static_cast<std::int32_t>(i));
      if (node.test == Test::discrete) {
        arrays.level_code.push_back(v);
        arrays.level_branch.push_back(v);
      } else if (node.test == Test::subset) {
        for (const std::int32_t level : node.subsets[v]) {
          arrays.level_code.push_back(level);
          arrays.level_branch.push_back(v);
        }
      }
    }
    arrays.level_start.push_back(static_cast<std::int64_t>(arrays.level_code.size()));
  }
  return arrays;
}

}  // namespace bough::c50
