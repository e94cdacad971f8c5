#include "bough/quinlan/tree_builder.hpp"

namespace bough::quinlan {

void TreeBuilder::add_children(std::int32_t node, std::int32_t n_children) {
  nodes[node].first_child = static_cast<std::int32_t>(nodes.size());
  nodes[node].n_children = n_children;
  nodes.resize(nodes.size() + n_children);
  statistics.resize(nodes.size() * width, 0.0);
  for (std::int32_t k = 0; k < n_children; ++k) nodes[nodes[node].first_child + k].parent = node;
}

void TreeBuilder::make_leaf(std::int32_t node) {
  Node& it = nodes[node];
  it.first_child = it.column = -1;
  it.n_children = it.n_levels = 0;
  it.kind = SplitKind::leaf;
  it.cut = it.cut_below = it.cut_above = it.gain = std::numeric_limits<double>::quiet_NaN();
}

void TreeBuilder::divide_shares() {
  for (const Node& node : nodes) {
    double sum = 0;
    for (std::int32_t k = 0; k < node.n_children; ++k) sum += nodes[node.first_child + k].share;
    for (std::int32_t k = 0; k < node.n_children; ++k) {
      double& share = nodes[node.first_child + k].share;
      share = sum > 0 ? share / sum : 1.0 / node.n_children;
    }
  }
}

namespace {

// The branch of the largest share, of equals the first: where a row goes that can follow one branch only.
std::int32_t largest_branch(const TreeBuilder& tree, const Node& node) {
  std::int32_t best = 0;
  for (std::int32_t k = 1; k < node.n_children; ++k)
    if (tree.nodes[node.first_child + k].share > tree.nodes[node.first_child + best].share) best = k;
  return best;
}

}  // namespace

FinishedTree finish(const TreeBuilder& tree) {
  std::vector<std::int32_t> order{0}, parent{-1};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node& node = tree.nodes[order[i]];
    for (std::int32_t k = 0; k < node.n_children; ++k) {
      order.push_back(node.first_child + k);
      parent.push_back(static_cast<std::int32_t>(i));
    }
  }
  FinishedTree finished;
  GrownTree& to = finished.arrays;
  to.level_start.push_back(0);
  std::int32_t next = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node& node = tree.nodes[order[i]];
    to.parent.push_back(parent[i]);
    to.first_child.push_back(node.n_children ? next : -1);
    next += node.n_children;
    to.n_children.push_back(node.n_children);
    to.column.push_back(node.column);
    to.kind.push_back(static_cast<std::uint8_t>(node.kind));
    to.cut.push_back(node.cut);
    to.cut_below.push_back(node.cut_below);
    to.cut_above.push_back(node.cut_above);
    to.gain.push_back(node.gain);
    to.weight.push_back(node.weight);
    to.cases.push_back(node.cases);
    to.risk.push_back(node.risk);
    const bool given = node.default_branch >= 0;
    to.default_branch.push_back(!node.n_children ? -1
                                : given          ? node.default_branch
                                                 : largest_branch(tree, node));
    for (std::int32_t p = 0; p < node.n_levels; ++p) {
      to.level_code.push_back(tree.level_code[node.first_level + p]);
      to.level_branch.push_back(tree.level_branch[node.first_level + p]);
    }
    to.level_start.push_back(static_cast<std::int64_t>(to.level_code.size()));
    const double* statistics = tree.statistics_of(order[i]);
    to.statistics.insert(to.statistics.end(), statistics, statistics + tree.width);
    finished.share.push_back(node.share);
  }
  return finished;
}

}  // namespace bough::quinlan
