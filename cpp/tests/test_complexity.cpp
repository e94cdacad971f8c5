// The weakest links against all pruned subtrees of small trees.
#include <algorithm>
#include <limits>

#include "bough/prune/complexity.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// A tree drawn at random, children after their parents.
struct DrawnRisks {
  std::vector<std::int32_t> first_child, n_children;
  std::vector<double> fall, noise;

  DrawnRisks(Draws& draws, int n_inner, int most_children) {
    int made = 1;
    for (int i = 0; i < made; ++i) {
      const bool splits = n_inner > 0 && (made - i == 1 || draws.below(3) > 0);
      const int children = splits ? 2 + draws.below(most_children - 1) : 0;
      n_inner -= splits;
      first_child.push_back(splits ? made : -1);
      n_children.push_back(children);
      fall.push_back(splits ? draws.below(12) : 0);
      made += children;
    }
    noise.assign(fall.size(), 0.0);
  }

  int size() const { return static_cast<int>(fall.size()); }
  PricedTree priced() const {
    return {size(), first_child.data(), n_children.data(), fall.data(), noise.data()};
  }
};

struct Subtree {
  double fall, extra;
};

// All pruned subtrees of a node in which it is split.
std::vector<Subtree> subtrees(const DrawnRisks& tree, int node) {
  std::vector<Subtree> all = {{tree.fall[node], tree.n_children[node] - 1.0}};
  for (int c = tree.first_child[node]; c < tree.first_child[node] + tree.n_children[node]; ++c) {
    if (!tree.n_children[c]) continue;
    const std::vector<Subtree> below = subtrees(tree, c);
    const std::size_t n = all.size();
    for (std::size_t i = 0; i < n; ++i)
      for (const Subtree& one : below) all.push_back({all[i].fall + one.fall, all[i].extra + one.extra});
  }
  return all;
}

}  // namespace

TEST(weakest_links_are_the_greatest_ratio_of_all_subtrees) {
  Draws draws(201);
  for (int round = 0; round < 300; ++round) {
    const DrawnRisks tree(draws, draws.below(9), 2 + draws.below(2));
    const std::vector<double> alpha = weakest_links(tree.priced());
    for (int node = 0; node < tree.size(); ++node) {
      if (!tree.n_children[node]) continue;
      double best = 0;
      for (const Subtree& one : subtrees(tree, node)) best = std::max(best, one.fall / one.extra);
      CHECK_CLOSE(alpha[node], best, 1e-12);
    }
  }
}

TEST(the_shortcut_of_rpart_is_never_more_and_equal_for_a_node_above_leaves) {
  Draws draws(202);
  for (int round = 0; round < 300; ++round) {
    const DrawnRisks tree(draws, draws.below(12), 2);
    const std::vector<double> exact = weakest_links(tree.priced()), quick = rpart_links(tree.priced(), 1e-12);
    for (int node = 0; node < tree.size(); ++node) {
      if (!tree.n_children[node]) continue;
      CHECK(quick[node] <= exact[node] * (1 + 1e-12));
      bool above_leaves = true;
      for (int c = 0; c < 2; ++c) above_leaves &= !tree.n_children[tree.first_child[node] + c];
      if (above_leaves) CHECK_CLOSE(quick[node], exact[node], 1e-12);
    }
  }
}

TEST(falls_that_are_rounding_count_for_nothing) {
  const std::vector<std::int32_t> first_child = {1, -1, -1}, n_children = {2, 0, 0};
  const std::vector<double> fall = {1e-13, 0, 0}, noise = {1e-12, 0, 0};
  const PricedTree tree{3, first_child.data(), n_children.data(), fall.data(), noise.data()};
  CHECK_EQUAL(weakest_links(tree)[0], 0.0);
  CHECK_EQUAL(rpart_links(tree, 1e-12)[0], 0.0);
}

TEST(a_leaf_alone_has_no_alpha) {
  const std::vector<std::int32_t> first_child = {-1}, n_children = {0};
  const std::vector<double> none = {0};
  const PricedTree tree{1, first_child.data(), n_children.data(), none.data(), none.data()};
  CHECK_EQUAL(weakest_links(tree)[0], 0.0);
}

}  // namespace bough::tests
