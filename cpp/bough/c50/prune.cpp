#include "bough/c50/prune.hpp"

#include "bough/c50/classify.hpp"
#include "bough/c50/parting.hpp"

namespace bough::c50 {

namespace {

float raw_extra_errors(const Workshop& shop, Count n, Count e) {
  const double log_confidence = std::log(static_cast<double>(shop.settings.confidence));
  const float coefficient = shop.error_deviation;
  if (e < 1e-6) return static_cast<float>(n * (1 - std::exp(log_confidence / n)));
  if (n > 1 && e < 0.9999) {
    const float none = static_cast<float>(n * (1 - std::exp(log_confidence / n)));
    return none + e * (raw_extra_errors(shop, n, 1.0f) - none);
  }
  if (e + 0.5 >= n) return static_cast<float>(0.67 * (n - e));
  const float rate =
      static_cast<float>((e + 0.5 + coefficient / 2 +
                          std::sqrt(coefficient * ((e + 0.5) * (1 - (e + 0.5) / n) + coefficient / 4))) /
                         (n + coefficient));
  return n * rate - e;
}

class LocalPruning {
 public:
  LocalPruning(Workshop& shop, Grower& grower) : shop_(shop), grower_(grower) {}

  // Estimates the errors of the cases in a subtree; with `update` the subtree becomes what errs least, and
  // with `regrow` a branch that takes its parent's place is grown anew for all the cases.
  void estimate(Node& node, std::int64_t first, std::int64_t last, bool update, bool regrow);

 private:
  struct LeafView {
    Count cases = 0, errors = 0, extra = 0;
    int label = 0;
    Count total() const { return errors + extra; }
  };
  LeafView as_leaf(Node& node, std::int64_t first, std::int64_t last, bool update);
  Count branch_errors(Node& node, Count cases, std::int64_t first, std::int64_t last, bool update,
                      bool regrow);
  int candidate(const Node& node) const;
  void replace_by(Node& node, int branch, Count cases, std::int64_t first, std::int64_t last, bool regrow);

  Workshop& shop_;
  Grower& grower_;
};

LocalPruning::LeafView LocalPruning::as_leaf(Node& node, std::int64_t first, std::int64_t last, bool update) {
  std::vector<double> sums(shop_.n_classes());
  shop_.class_weights(first, last, sums);
  LeafView leaf;
  for (int c = 0; c < shop_.n_classes(); ++c) {
    if (update) node.dist[c] = static_cast<Count>(sums[c]);
    leaf.cases = static_cast<Count>(leaf.cases + sums[c]);
    if (sums[c] > sums[leaf.label]) leaf.label = c;
  }
  leaf.errors = static_cast<Count>(leaf.cases - sums[leaf.label]);
  leaf.extra = extra_errors(shop_, leaf.cases, leaf.errors, leaf.label);
  if (update) {
    node.cases = leaf.cases;
    node.label = leaf.label;
  }
  return leaf;
}

void LocalPruning::estimate(Node& node, std::int64_t first, std::int64_t last, bool update, bool regrow) {
  if (first >= last) return;
  shop_.watch.poll_or_throw();
  const LeafView leaf = as_leaf(node, first, last, update);
  if (node.is_leaf()) {
    node.errors = leaf.total();
    return;
  }
  const Count tree_errors = branch_errors(node, leaf.cases, first, last, update, regrow);
  if (!update) {
    node.errors = tree_errors;
    return;
  }
  const int best = candidate(node);
  Count best_errors = static_cast<Count>(shop_.n_cases);
  if (best >= 0) {
    Node& branch = *node.branches[best];
    const Count before = branch.errors;
    estimate(branch, first, last, false, false);
    best_errors = branch.errors;
    branch.errors = before;
  }
  if (leaf.total() <= best_errors + 0.1 && leaf.total() <= tree_errors + 0.1) {
    node.make_leaf();
    node.errors = leaf.total();
  } else if (best_errors <= tree_errors + 0.1) {
    replace_by(node, best, leaf.cases, first, last, regrow);
  } else {
    node.errors = tree_errors;
  }
}

Count LocalPruning::branch_errors(Node& node, Count cases, std::int64_t first, std::int64_t last, bool update,
                                  bool regrow) {
  Parting parting(shop_, node, first, last);
  const std::int64_t n_missing = parting.n_missing(), known_from = parting.first_known();
  const Count missing =
      shop_.cost_weights ? shop_.sum_plain_weights(first, known_from) : shop_.sum_weights(first, known_from);
  const Count known = shop_.cost_weights ? shop_.sum_plain_weights(known_from, last) : cases - missing;
  Count errors = 0, small_cases = 0;
  std::vector<Count> small(shop_.n_classes(), 0);
  for (int v = 0; v < node.n_branches(); ++v) {
    parting.take(v);
    Count branch_cases = parting.known_weight();
    const double share = n_missing == 0       ? 0
                         : shop_.cost_weights ? static_cast<double>(parting.known_plain_weight() / known)
                                              : static_cast<double>(branch_cases / known);
    branch_cases = static_cast<Count>(branch_cases + share * missing);
    if (!(branch_cases >= kMinLeaf)) continue;
    parting.enter(share, [&](std::int64_t from, std::int64_t to) {
      estimate(*node.branches[v], from, to, update, regrow);
      // Branches too small to be judged alone are judged together.
      if (branch_cases < shop_.min_cases) {
        for (std::int64_t i = from; i < to; ++i)
          small[shop_.data.label[shop_.order[i]]] += shop_.weight[shop_.order[i]];
        small_cases += branch_cases;
      } else {
        errors += node.branches[v]->errors;
      }
    });
  }
  if (small_cases != 0) {
    int most = 0;
    for (int c = 1; c < shop_.n_classes(); ++c)
      if (small[c] > small[most]) most = c;
    const Count wrong = small_cases - small[most];
    errors += wrong + extra_errors(shop_, small_cases, wrong, most);
  }
  return errors;
}

// The largest branch that might stand in its parent's place.
int LocalPruning::candidate(const Node& node) const {
  int best = -1;
  for (int v = 0; v < node.n_branches(); ++v) {
    const Node& branch = *node.branches[v];
    if (branch.is_leaf() || branch.cases < 0.1 * node.cases) continue;
    if (branch.column == node.column && shop_.attribute(node.column).numeric()) continue;
    if (best < 0 || branch.cases > node.branches[best]->cases) best = v;
  }
  return best;
}

void LocalPruning::replace_by(Node& node, int branch, Count cases, std::int64_t first, std::int64_t last,
                              bool regrow) {
  Tree risen = std::move(node.branches[branch]);
  node = std::move(*risen);
  const double share = node.cases / cases;
  node.cases = cases;
  if (!node.is_leaf() && regrow && share < 0.95) {
    for (Tree& below : node.branches) below.reset();
    grower_.divide(node, first, last, 0);
  }
  estimate(node, first, last, true, false);
}

// Takes the effect of costs out of the weights and gives each node the class of least cost.
void restore_weights(Workshop& shop, Node& node) {
  for (const Tree& branch : node.branches) restore_weights(shop, *branch);
  if (!(node.cases >= kMinLeaf)) return;
  if (shop.cost_weights) {
    node.cases = 0;
    for (int c = 0; c < shop.n_classes(); ++c) node.cases += node.dist[c] /= shop.weight_factor[c];
  }
  node.label = select_class(shop, {node.dist.begin(), node.dist.end()}, 0, true);
  node.errors = node.cases - node.dist[node.label];
}

// Errors as counted, and leaves, from below upwards.
void count_errors(Node& node, Node* parent) {
  node.parent = parent;
  node.errors = 0;
  node.leaves = 0;
  if (node.is_leaf()) {
    if (!(node.cases > 1e-3)) return;
    node.errors = node.cases - node.dist[node.label];
    node.leaves = 1;
    return;
  }
  for (const Tree& branch : node.branches) {
    count_errors(*branch, &node);
    node.errors += branch->errors;
    node.leaves += branch->leaves;
  }
}

}  // namespace

Count extra_errors(const Workshop& shop, Count cases, Count errors, int label) {
  if (!shop.cost_weights) return raw_extra_errors(shop, cases, errors);
  const int other = 1 - label;
  const Count right = (cases - errors) / shop.weight_factor[label];
  const Count wrong = errors / shop.weight_factor[other];
  return shop.weight_factor[other] * raw_extra_errors(shop, right + wrong, wrong);
}

void prune(Workshop& shop, Grower& grower, Node& tree) {
  const bool regrow = shop.trial == 0 || shop.winnowing;
  LocalPruning(shop, grower).estimate(tree, 0, shop.n_cases, true, regrow);
  if (shop.has_costs()) {
    restore_weights(shop, tree);
  } else {
    count_errors(tree, nullptr);
    if (shop.settings.global_pruning && !shop.winnowing) prune_globally(shop, tree);
  }
  simplify_subsets(shop, tree);
  if (!shop.settings.subset) merge_branches(shop, tree);
}

}  // namespace bough::c50
