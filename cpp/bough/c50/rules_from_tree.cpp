// Rules from a tree that some other learner grew: its nodes are filled with the cases given, and its cuts put
// on values that occur, as C5.0's own are.
#include "bough/c50/learn.hpp"
#include "bough/c50/parting.hpp"
#include "bough/c50/thresholds.hpp"

namespace bough::c50 {

namespace {

void fill(Workshop& shop, Node& node, std::int64_t first, std::int64_t last) {
  std::vector<double> sums(shop.n_classes());
  shop.class_weights(first, last, sums);
  node.dist.assign(sums.begin(), sums.end());
  node.cases = 0;
  for (int c = 0; c < shop.n_classes(); ++c) {
    node.cases = static_cast<Count>(node.cases + sums[c]);
    if (sums[c] > sums[node.label]) node.label = c;
  }
  node.errors = node.cases - node.dist[node.label];
  if (node.is_leaf()) return;
  Parting parting(shop, node, first, last);
  const Count known = node.cases - parting.missing_weight();
  node.errors = 0;
  for (int v = 0; v < node.n_branches(); ++v) {
    parting.take(v);
    const double share = parting.n_missing() == 0 || !(known > 0) ? 0 : parting.known_weight() / known;
    parting.enter(share > 0 ? share : 1e-30,
                  [&](std::int64_t from, std::int64_t to) { fill(shop, *node.branches[v], from, to); });
    node.errors += node.branches[v]->errors;
  }
}

Tree unflatten(const FlatTree& flat, const Problem& problem, int at) {
  auto node = std::make_unique<Node>();
  node->test = static_cast<Test>(flat.test[at]);
  if (node->is_leaf()) return node;
  node->column = flat.column[at];
  node->cut = node->lower = node->upper = flat.cut[at];
  if (node->test == Test::subset) {
    const int n_levels = problem.attributes[node->column].n_levels;
    node->subsets.assign(flat.n_children[at], LevelSet(n_levels, 0));
    for (std::int64_t p = flat.level_start[at]; p < flat.level_start[at + 1]; ++p)
      node->subsets[flat.level_branch[p]][flat.level_code[p]] = 1;
  }
  for (int v = 0; v < flat.n_children[at]; ++v)
    node->branches.push_back(unflatten(flat, problem, flat.first_child[at] + v));
  return node;
}

}  // namespace

RuleSet rules_from_tree(const Problem& problem, const Settings& settings, const FlatTree& flat,
                        const Monitor& monitor) {
  Workshop shop(problem, settings, monitor);
  shop.start_weights();
  const Tree tree = unflatten(flat, problem, 0);
  fill(shop, *tree, 0, shop.n_cases);
  shop.restore_order();
  shop.start_weights();
  settle_thresholds(shop, *tree);
  RuleSet set;
  if (problem.n_classes > 1) set = form_rules(shop, *tree);
  return set;
}

}  // namespace bough::c50
