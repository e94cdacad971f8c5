// Rules from a tree that some other learner grew: its nodes are filled with the cases given, and its cuts put
// on values that occur, as C5.0's own are.
#include "bough/c50/learn.hpp"
#include "bough/c50/partition.hpp"
#include "bough/c50/thresholds.hpp"

namespace bough::c50 {

namespace {

void fill(Training& training, Node& node, std::int64_t first, std::int64_t last) {
  std::vector<double> sums(training.n_classes());
  training.class_weights(first, last, sums);
  node.dist.assign(sums.begin(), sums.end());
  node.cases = 0;
  for (int c = 0; c < training.n_classes(); ++c) {
    node.cases = static_cast<Count>(node.cases + sums[c]);
    if (sums[c] > sums[node.label]) node.label = c;
  }
  node.errors = node.cases - node.dist[node.label];
  if (node.is_leaf()) return;
  Partition partition(training, node, first, last);
  const Count known = node.cases - partition.missing_weight();
  node.errors = 0;
  for (int v = 0; v < node.n_branches(); ++v) {
    partition.take(v);
    const double share = partition.n_missing() == 0 || !(known > 0) ? 0 : partition.known_weight() / known;
    partition.enter(share > 0 ? share : 1e-30,
                    [&](std::int64_t from, std::int64_t to) { fill(training, *node.branches[v], from, to); });
    node.errors += node.branches[v]->errors;
  }
}

Tree to_tree(const TreeArrays& arrays, int at) {
  auto node = std::make_unique<Node>();
  node->test = static_cast<Test>(arrays.test[at]);
  if (node->is_leaf()) return node;
  node->column = arrays.column[at];
  node->cut = node->lower = node->upper = arrays.cut[at];
  if (node->test == Test::subset) {
    node->subsets.assign(arrays.n_children[at], {});
    for (std::int64_t p = arrays.level_start[at]; p < arrays.level_start[at + 1]; ++p)
      node->subsets[arrays.level_branch[p]].push_back(arrays.level_code[p]);
    for (LevelList& levels : node->subsets) std::sort(levels.begin(), levels.end());
  }
  for (int v = 0; v < arrays.n_children[at]; ++v)
    node->branches.push_back(to_tree(arrays, arrays.first_child[at] + v));
  return node;
}

}  // namespace

RuleSet rules_from_tree(const Problem& problem, const Settings& settings, const TreeArrays& arrays,
                        const Monitor& monitor) {
  Training training(problem, settings, monitor);
  training.start_weights();
  const Tree tree = to_tree(arrays, 0);
  fill(training, *tree, 0, training.n_cases);
  training.restore_order();
  training.start_weights();
  snap_thresholds(training, *tree);
  RuleSet set;
  if (problem.n_classes > 1) set = form_rules(training, *tree);
  return set;
}

}  // namespace bough::c50
