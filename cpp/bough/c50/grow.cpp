#include "bough/c50/grow.hpp"

#include "bough/c50/partition.hpp"
#include "bough/quinlan/information.hpp"

namespace bough::c50 {

namespace {

Tree empty_leaf(const Node& parent) {
  auto leaf = std::make_unique<Node>();
  leaf->label = parent.label;
  leaf->dist.assign(parent.dist.size(), 0);
  return leaf;
}

}  // namespace

Tree Grower::grow(std::int64_t first, std::int64_t last, int depth) {
  if (depth > kMostDepth) throw std::length_error("the tree is deeper than 4000 splits");
  training_.watch.poll_or_throw();
  auto node = std::make_unique<Node>();
  std::vector<double> sums(training_.n_classes());
  training_.class_weights(first, last, sums);
  int most = 0;
  Count cases = 0;
  for (int c = 0; c < training_.n_classes(); ++c) {
    if (sums[c] > sums[most]) most = c;
    cases = static_cast<Count>(cases + sums[c]);
  }
  node->label = most;
  node->cases = cases;
  node->dist.assign(sums.begin(), sums.end());
  node->errors = static_cast<Count>(cases - sums[most]);
  training_.max_leaves =
      training_.leaf_ratio > 0 ? static_cast<int>(std::rint(training_.leaf_ratio * cases)) : 1000000;
  if (sums[most] >= 0.999 * cases || cases < 2 * training_.min_cases || training_.max_leaves < 2) return node;

  training_.base_info = quinlan::total_info<double>(sums.data(), training_.n_classes()) / cases;
  const int column = search_.choose(first, last, cases);
  if (column < 0) return node;
  set_test(*node, column);
  ++training_.tested[column];
  divide(*node, first, last, depth);
  --training_.tested[column];

  Count errors = 0;
  for (const Tree& branch : node->branches) errors += branch->errors;
  if (errors >= 0.999 * node->errors)
    node->make_leaf();
  else
    node->errors = errors;
  return node;
}

void Grower::set_test(Node& node, int column) const {
  const Attribute& attribute = training_.attribute(column);
  const Proposal& proposal = search_.proposal(column);
  node.column = column;
  node.gain = proposal.gain;
  if (attribute.numeric()) {
    node.test = Test::threshold;
    node.cut = node.lower = node.upper = proposal.cut;
    node.branches.resize(2);
  } else if (attribute.ordered()) {
    node.test = Test::subset;
    node.cut = proposal.cut;
    const int below = static_cast<int>(proposal.cut);
    node.subsets.assign(2, {});
    for (int v = 0; v < attribute.n_levels; ++v) node.subsets[v < below ? 0 : 1].push_back(v);
    node.branches.resize(2);
  } else if (attribute.groups_levels(training_.settings)) {
    node.test = Test::subset;
    node.subsets.assign(proposal.n_groups, {});
    for (int v = 0; v < attribute.n_levels; ++v) node.subsets[proposal.group_of[v]].push_back(v);
    node.branches.resize(node.subsets.size());
  } else {
    node.test = Test::discrete;
    node.branches.resize(attribute.n_levels);
  }
}

void Grower::divide(Node& node, std::int64_t first, std::int64_t last, int depth) {
  Partition partition(training_, node, first, last);
  Count missing = partition.missing_weight(), known = node.cases - missing;
  if (partition.n_missing() > 0) {
    if (training_.cost_weights) known = training_.sum_plain_weights(partition.first_known(), last);
    const std::int64_t n = last - first;
    // One branch more than ours: C5.0 counts that of "not applicable".
    if (n > 1000 && partition.n_missing() > 0.5 * static_cast<double>(n) && node.n_branches() + 1 >= 10)
      missing = static_cast<Count>(missing - partition.leave_out_light(0.1));
  }
  for (int v = 0; v < node.n_branches(); ++v) {
    partition.take(v);
    const Count cases = partition.known_weight();
    const double share = partition.n_missing() == 0 ? 0
                         : training_.cost_weights
                             ? static_cast<double>(partition.known_plain_weight() / known)
                             : static_cast<double>(cases / known);
    if (cases + share * missing >= kMinLeaf)
      partition.enter(
          share, [&](std::int64_t from, std::int64_t to) { node.branches[v] = grow(from, to, depth + 1); });
    else
      node.branches[v] = empty_leaf(node);
  }
}

}  // namespace bough::c50
