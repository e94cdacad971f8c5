#include "bough/model_trees/model_node.hpp"

namespace bough::model_trees {

std::vector<int> level_by_level(const std::vector<ModelNode>& nodes) {
  std::vector<int> order{0};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const ModelNode& node = nodes[order[i]];
    if (node.column >= 0) order.insert(order.end(), {node.left, node.right});
  }
  return order;
}

}  // namespace bough::model_trees
