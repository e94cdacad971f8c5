// Branches of levels made simple: those that no case can take are dropped, those that answer alike merged.
#include <algorithm>
#include <iterator>
#include <utility>

#include "bough/c50/prune.hpp"

namespace bough::c50 {

namespace {

void add_leaf(Node& into, const Node& from) {
  for (std::size_t c = 0; c < into.dist.size(); ++c) into.dist[c] += from.dist[c];
  into.cases += from.cases;
  into.errors += from.errors;
}

class Simplifier {
 public:
  explicit Simplifier(const Training& training) : training_(training), possible_(training.n_attributes()) {
    for (int a = 0; a < training.n_attributes(); ++a) possible_[a].assign(training.attribute(a).n_levels, 1);
  }

  void simplify(Node& node) {
    if (node.test != Test::subset) {
      for (const Tree& branch : node.branches) simplify(*branch);
      return;
    }
    LevelSet& possible = possible_[node.column];
    const bool ordered = training_.attribute(node.column).ordered();
    if (!ordered) drop_impossible(node, possible);
    const LevelSet before = possible;
    for (int v = 0; v < node.n_branches(); ++v) {
      if (ordered) keep_possible(node.subsets[v], before);
      possible = flags_of(node.subsets[v], static_cast<int>(before.size()));
      simplify(*node.branches[v]);
    }
    possible = before;
    if (!ordered) merge_leaves(node);
  }

 private:
  static void keep_possible(LevelList& levels, const LevelSet& possible) {
    std::erase_if(levels, [&possible](std::int32_t level) { return !possible[level]; });
  }

  // The last branch may hold the levels that were absent when the node was split.
  static void drop_impossible(Node& node, const LevelSet& possible) {
    LevelList& last = node.subsets.back();
    keep_possible(last, possible);
    if (!last.empty()) return;
    node.subsets.pop_back();
    node.branches.pop_back();
  }

  static void add_levels(LevelList& into, const LevelList& from) {
    LevelList both;
    std::set_union(into.begin(), into.end(), from.begin(), from.end(), std::back_inserter(both));
    into = std::move(both);
  }

  static void merge_leaves(Node& node) {
    for (int v = 0; v + 1 < node.n_branches(); ++v) {
      Node& leaf = *node.branches[v];
      if (!leaf.is_leaf()) continue;
      for (int other = v + 1; other < node.n_branches();) {
        const Node& branch = *node.branches[other];
        if (!branch.is_leaf() || branch.label != leaf.label) {
          ++other;
          continue;
        }
        if (branch.cases != 0) add_leaf(leaf, branch);
        add_levels(node.subsets[v], node.subsets[other]);
        node.branches.erase(node.branches.begin() + other);
        node.subsets.erase(node.subsets.begin() + other);
      }
    }
  }

  const Training& training_;
  std::vector<LevelSet> possible_;
};

// The first earlier branch that a branch can be put together with; itself if none.
int partner(const Node& node, int v, bool only_empty) {
  const Node& branch = *node.branches[v];
  const bool empty = branch.cases < kMinLeaf;
  if (node.n_branches() < 3 || !branch.is_leaf() || (only_empty && !empty)) return v;
  for (int earlier = 0; earlier < v; ++earlier) {
    const Node& other = *node.branches[earlier];
    const bool other_empty = other.cases < kMinLeaf;
    if (!other.is_leaf()) continue;
    if (only_empty ? other_empty : other_empty == empty && other.label == branch.label) return earlier;
  }
  return v;
}

}  // namespace

void simplify_subsets(const Training& training, Node& tree) { Simplifier(training).simplify(tree); }

void merge_branches(const Training& training, Node& node) {
  const bool only_empty = training.trial > 0 || training.settings.rules;
  const int n = node.n_branches();
  std::vector<int> group(n);
  int n_groups = 0;
  for (int v = 0; v < n; ++v) {
    merge_branches(training, *node.branches[v]);
    const int with = partner(node, v, only_empty);
    group[v] = with < v ? group[with] : n_groups++;
  }
  if (n_groups == n) return;
  std::vector<Tree> merged(n_groups);
  std::vector<LevelList> subsets(n_groups);
  for (int v = 0; v < n; ++v) {
    subsets[group[v]].push_back(v);
    if (!merged[group[v]])
      merged[group[v]] = std::move(node.branches[v]);
    else
      add_leaf(*merged[group[v]], *node.branches[v]);
  }
  node.branches = std::move(merged);
  node.subsets = std::move(subsets);
  node.test = Test::subset;
}

}  // namespace bough::c50
