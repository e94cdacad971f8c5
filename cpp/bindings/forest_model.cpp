#include "forest_model.hpp"

#include <algorithm>

#include "bough/machine/team.hpp"

namespace bough_python {

namespace {

void check_special(const bough::ForestView& v, int tree, std::uint64_t word, int n_levels) {
  const std::int64_t begin = v.special_start[tree], size = v.special_start[tree + 1] - begin;
  const auto at = static_cast<std::int64_t>(word >> bough::NodeLayout::kUpper);
  check(at + 2 <= size, "a special split is out of range");
  const std::uint32_t* s = v.special + begin + at;
  check(s[0] <= 2 && at + 2 + static_cast<std::int64_t>(s[1]) <= size, "a special split is out of range");
  check((s[0] == 2) == (n_levels == 0) || s[0] == 2, "levels are split of a column that has none");
  check(s[0] != 2 || s[1] == 2, "a cut has two words");
  if (s[0] == static_cast<std::uint32_t>(bough::Special::levels))
    check(std::all_of(s + 2, s + 2 + s[1],
                      [&](std::uint32_t level) { return level < static_cast<std::uint32_t>(n_levels); }),
          "a split lists a level that its column does not have");
}

// Checks that the nodes of a tree are in range and make one tree: every pair of places after the first holds
// the children of one node, and every leaf stands at one node. One pass whose selections are by masks, since
// forests have millions of nodes and no branch predictor knows which of them are leaves.
template <bool wide>
void check_tree(const bough::ForestView& v, int t) {
  bough::NodeLayout layout = v.layout;
  layout.wide = wide;  // known here, so that the loop has no branch for it
  const std::int64_t n = v.node_start[t + 1] - v.node_start[t],
                     n_leaves = v.leaf_start[t + 1] - v.leaf_start[t];
  check(n >= 1, "a tree has no node");
  const auto select = [](std::uint64_t mask, std::uint64_t yes, std::uint64_t no) {
    return (yes & mask) | (no & ~mask);
  };
  const auto n_pairs = static_cast<std::uint64_t>(n / 2), nowhere = n_pairs + n_leaves;
  std::vector<std::uint8_t> reached(nowhere + 1);  // the pairs of children, then the leaves
  const std::uint64_t* node = v.nodes + v.node_start[t] * layout.words();
  std::uint64_t column_wrong = 0, child_wrong = 0, leaf_wrong = 0, even = 0, special = 0;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(n); ++i, node += layout.words()) {
    const std::uint64_t word = node[0], child = layout.child(node), number = layout.leaf(node);
    const std::uint64_t inner = 0 - std::uint64_t{!layout.is_leaf(word)};  // all bits, or none
    column_wrong |= std::uint64_t{static_cast<std::size_t>(layout.column(word)) >= v.n_levels.size()};
    const std::uint64_t no_child =
        inner & (std::uint64_t{child <= i} | std::uint64_t{child + 1 >= static_cast<std::uint64_t>(n)});
    const std::uint64_t no_leaf = ~inner & (std::uint64_t{child != i} | (word & bough::NodeLayout::kRight) |
                                            std::uint64_t{number >= static_cast<std::uint64_t>(n_leaves)});
    child_wrong |= no_child;
    leaf_wrong |= no_leaf;
    even |= inner & ~child & 1;
    special |= word & bough::NodeLayout::kSpecial;
    const std::uint64_t place = select(inner, child / 2, n_pairs + number);
    reached[select(0 - (no_child | no_leaf), nowhere, place)] = 1;
  }
  check(!column_wrong, "a column is out of range");
  check(!child_wrong, "a child is out of range");
  check(!leaf_wrong, "a leaf is out of range or has a split");
  // As many places as nodes, each of which reaches one: then no place is reached twice.
  check(!even && n % 2 == 1 && n_leaves == n / 2 + 1 &&
            std::count(reached.begin(), reached.end() - 1, 1) == static_cast<std::ptrdiff_t>(nowhere),
        "the nodes and leaves of a tree do not make one tree");
  for (std::int64_t i = 0; special && i < n; ++i) {
    const std::uint64_t word = v.nodes[(v.node_start[t] + i) * layout.words()];
    if (word & bough::NodeLayout::kSpecial) check_special(v, t, word, v.n_levels[layout.column(word)]);
  }
}

// Calls `check_one` for each tree, by as many threads as have enough nodes each to be worth starting.
template <class Check>
void for_each_tree(const bough::ForestView& v, int n_threads, const Check& check_one) {
  constexpr std::int64_t kNodesOfThread = 1 << 19;
  const std::int64_t worth = 1 + v.node_start[v.n_trees] / kNodesOfThread;
  bough::Team team(static_cast<int>(std::min<std::int64_t>(n_threads, worth)));
  team.run(v.n_trees, [&](int t, int) { check_one(t); });
}

}  // namespace

void Forest::check_nodes() const {
  for_each_tree(view_, n_threads_,
                [&](int t) { view_.layout.wide ? check_tree<true>(view_, t) : check_tree<false>(view_, t); });
}

Forest make_forest(const Array<std::uint64_t>& nodes, bool wide, int column_bits,
                   const Array<double, 2>& leaf, const Array<std::uint32_t>& special,
                   const Array<std::int64_t>& node_start, const Array<std::int64_t>& leaf_start,
                   const Array<std::int64_t>& special_start, const std::vector<int>& n_levels, int n_classes,
                   int n_threads) {
  bough::ForestView v;
  v.layout.wide = wide;
  v.layout.column_bits = column_bits;
  check(column_bits >= 1 && column_bits <= bough::NodeLayout::kWideColumnBits &&
            (!wide || column_bits == bough::NodeLayout::kWideColumnBits),
        "no such layout of nodes");
  check(n_classes >= 0 && node_start.n() >= 1, "the arrays of a forest do not fit each other");
  v.n_trees = static_cast<int>(node_start.n()) - 1;
  v.n_classes = n_classes;
  v.width = static_cast<int>(leaf.shape(1));
  check(v.width >= 1 && (n_classes == 0 || v.width == n_classes) && nodes.n() % v.layout.words() == 0 &&
            !n_levels.empty(),
        "the arrays of a forest do not fit each other");
  check_lengths(node_start.n(), "the arrays of a forest differ in trees", leaf_start, special_start);
  for (const int n : n_levels) check(n >= 0, "a column has an impossible number of levels");
  check_starts(node_start, nodes.n() / v.layout.words(), "the nodes of a tree are out of range");
  v.nodes = nodes.data();
  v.node_start = node_start.data();
  check_starts(leaf_start, leaf.n(), "the leaves of a tree are out of range");
  v.leaf = leaf.data();
  v.leaf_start = leaf_start.data();
  check_starts(special_start, special.n(), "the special splits of a tree are out of range");
  v.special = special.data();
  v.special_start = special_start.data();
  v.n_levels = n_levels;
  checked_threads(n_threads);
  return {nodes, leaf, special, node_start, leaf_start, special_start, std::move(v), n_threads};
}

}  // namespace bough_python
