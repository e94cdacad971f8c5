#include "bough/c50/prune.hpp"

#include "bough/c50/classify.hpp"
#include "bough/c50/partition.hpp"

namespace bough::c50 {

namespace {

class LocalPruning {
 public:
  LocalPruning(Training& training, Grower& grower) : training_(training), grower_(grower) {}

  // Estimates the errors of the cases in a subtree; with `update` the subtree becomes what makes the
  // fewest errors, and with `regrow` a branch that replaces its parent is grown again for all the cases.
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

  Training& training_;
  Grower& grower_;
};

LocalPruning::LeafView LocalPruning::as_leaf(Node& node, std::int64_t first, std::int64_t last, bool update) {
  std::vector<double> sums(training_.n_classes());
  training_.class_weights(first, last, sums);
  LeafView leaf;
  for (int c = 0; c < training_.n_classes(); ++c) {
    if (update) node.dist[c] = static_cast<Count>(sums[c]);
    leaf.cases = static_cast<Count>(leaf.cases + sums[c]);
    if (sums[c] > sums[leaf.label]) leaf.label = c;
  }
  leaf.errors = static_cast<Count>(leaf.cases - sums[leaf.label]);
  leaf.extra = extra_errors(training_, leaf.cases, leaf.errors, leaf.label);
  if (update) {
    node.cases = leaf.cases;
    node.label = leaf.label;
  }
  return leaf;
}

void LocalPruning::estimate(Node& node, std::int64_t first, std::int64_t last, bool update, bool regrow) {
  if (first >= last) return;
  training_.watch.poll_or_throw();
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
  Count best_errors = static_cast<Count>(training_.n_cases);
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
  } else if (best >= 0 && best_errors <= tree_errors + 0.1) {
    replace_by(node, best, leaf.cases, first, last, regrow);
  } else {
    node.errors = tree_errors;
  }
}

Count LocalPruning::branch_errors(Node& node, Count cases, std::int64_t first, std::int64_t last, bool update,
                                  bool regrow) {
  Partition partition(training_, node, first, last);
  const std::int64_t n_missing = partition.n_missing(), known_from = partition.first_known();
  const Count missing = training_.cost_weights ? training_.sum_plain_weights(first, known_from)
                                               : training_.sum_weights(first, known_from);
  const Count known =
      training_.cost_weights ? training_.sum_plain_weights(known_from, last) : cases - missing;
  Count errors = 0, small_cases = 0;
  std::vector<Count> small(training_.n_classes(), 0);
  for (int v = 0; v < node.n_branches(); ++v) {
    partition.take(v);
    Count branch_cases = partition.known_weight();
    const double share = n_missing == 0 ? 0
                         : training_.cost_weights
                             ? static_cast<double>(partition.known_plain_weight() / known)
                             : static_cast<double>(branch_cases / known);
    branch_cases = static_cast<Count>(branch_cases + share * missing);
    if (!(branch_cases >= kMinLeaf)) continue;
    partition.enter(share, [&](std::int64_t from, std::int64_t to) {
      estimate(*node.branches[v], from, to, update, regrow);
      // Branches too small to be estimated alone are estimated together.
      if (branch_cases < training_.min_cases) {
        for (std::int64_t i = from; i < to; ++i)
          small[training_.data.label[training_.order[i]]] += training_.weight[training_.order[i]];
        small_cases += branch_cases;
      } else {
        errors += node.branches[v]->errors;
      }
    });
  }
  if (small_cases != 0) {
    int most = 0;
    for (int c = 1; c < training_.n_classes(); ++c)
      if (small[c] > small[most]) most = c;
    const Count wrong = small_cases - small[most];
    errors += wrong + extra_errors(training_, small_cases, wrong, most);
  }
  return errors;
}

// The largest branch that might replace its parent.
int LocalPruning::candidate(const Node& node) const {
  int best = -1;
  for (int v = 0; v < node.n_branches(); ++v) {
    const Node& branch = *node.branches[v];
    if (branch.is_leaf() || branch.cases < 0.1 * node.cases) continue;
    if (branch.column == node.column && training_.attribute(node.column).numeric()) continue;
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
void restore_weights(Training& training, Node& node) {
  for (const Tree& branch : node.branches) restore_weights(training, *branch);
  if (!(node.cases >= kMinLeaf)) return;
  if (training.cost_weights) {
    node.cases = 0;
    for (int c = 0; c < training.n_classes(); ++c) node.cases += node.dist[c] /= training.weight_factor[c];
  }
  node.label = select_class(training, {node.dist.begin(), node.dist.end()}, 0, true);
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

Count extra_errors(const Training& training, Count cases, Count errors, int label) {
  if (!training.cost_weights) return training.raw_extra_errors(cases, errors);
  const int other = 1 - label;
  const Count right = (cases - errors) / training.weight_factor[label];
  const Count wrong = errors / training.weight_factor[other];
  return training.weight_factor[other] * training.raw_extra_errors(right + wrong, wrong);
}

void prune(Training& training, Grower& grower, Node& tree) {
  const bool regrow = training.trial == 0 || training.winnowing;
  LocalPruning(training, grower).estimate(tree, 0, training.n_cases, true, regrow);
  if (training.has_costs()) {
    restore_weights(training, tree);
  } else {
    count_errors(tree, nullptr);
    if (training.settings.global_pruning && !training.winnowing) prune_globally(training, tree);
  }
  simplify_subsets(training, tree);
  if (!training.settings.subset) merge_branches(training, tree);
}

}  // namespace bough::c50
