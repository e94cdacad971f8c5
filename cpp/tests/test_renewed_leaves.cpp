// Leaves whose values were replaced keep the directions of columns and the greatest step.
#include "bough/boost/renewed_leaves.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// A tree that splits random leaves by random columns, with random values.
Branching random_tree(Draws& draws, int n_splits, int n_columns) {
  Branching tree;
  tree.nodes.resize(1);
  std::vector<int> leaves = {0};
  for (int i = 0; i < n_splits; ++i) {
    const int place = draws.below(static_cast<int>(leaves.size())), node = leaves[place];
    const auto first = static_cast<int>(tree.nodes.size());
    tree.nodes.resize(first + 2);
    tree.nodes[node].first_child = first;
    tree.nodes[node].column = draws.below(n_columns);
    leaves[place] = first;
    leaves.push_back(first + 1);
  }
  for (const int leaf : leaves) tree.nodes[leaf].centre = draws.below(9);
  return tree;
}

void values_below(const Branching& tree, int node, std::vector<double>& values) {
  const int first = tree.nodes[node].first_child;
  if (first < 0) {
    values.push_back(tree.nodes[node].centre);
    return;
  }
  values_below(tree, first, values);
  values_below(tree, first + 1, values);
}

bool in_order(const Branching& tree, const std::vector<int>& monotonic) {
  for (const Node& node : tree.nodes) {
    if (node.first_child < 0 || monotonic[node.column] == 0) continue;
    const bool rises = monotonic[node.column] > 0;
    std::vector<double> low, high;
    values_below(tree, node.first_child + (rises ? 0 : 1), low);
    values_below(tree, node.first_child + (rises ? 1 : 0), high);
    if (*std::max_element(low.begin(), low.end()) > *std::min_element(high.begin(), high.end())) return false;
  }
  return true;
}

}  // namespace

TEST(directions_are_restored_and_trees_in_order_stay_as_they_are) {
  Draws draws(7);
  const std::vector<int> monotonic = {1, 0, -1};
  int mended = 0;
  for (int trial = 0; trial < 500; ++trial) {
    Branching tree = random_tree(draws, draws.below(12), 3);
    std::vector<double> before, after, again;
    values_below(tree, 0, before);
    const bool was_in_order = in_order(tree, monotonic);
    restore_directions(tree, monotonic);
    values_below(tree, 0, after);
    CHECK(in_order(tree, monotonic));
    CHECK(was_in_order == (before == after));
    mended += was_in_order ? 0 : 1;
    restore_directions(tree, monotonic);
    values_below(tree, 0, again);
    CHECK(after == again);
  }
  CHECK(mended > 100);
}

TEST(steps_are_limited_on_both_sides) {
  CHECK(limited_step(3, 2) == 2);
  CHECK(limited_step(-3, 2) == -2);
  CHECK(limited_step(-3, 0) == -3);
}

}  // namespace bough::tests
