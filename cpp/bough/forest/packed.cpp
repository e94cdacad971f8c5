#include "bough/forest/packed.hpp"

#include <algorithm>
#include <queue>
#include <stdexcept>

namespace bough {

namespace {

// The words of a special split.
void add_special(const ForestNode& node, const ForestTree& tree, int n_levels,
                 std::vector<std::uint32_t>& words) {
  if (node.n_levels < 0) {
    const auto bits = std::bit_cast<std::uint64_t>(node.cut);
    words.insert(words.end(), {static_cast<std::uint32_t>(Special::cut), 2, static_cast<std::uint32_t>(bits),
                               static_cast<std::uint32_t>(bits >> 32)});
    return;
  }
  const auto levels = tree.levels.begin() + node.first_level;
  const int n_bits = (n_levels + 31) / 32;
  if (n_bits <= std::max(2, node.n_levels)) {
    words.insert(words.end(),
                 {static_cast<std::uint32_t>(Special::bits), static_cast<std::uint32_t>(n_bits)});
    const std::size_t begin = words.size();
    words.resize(begin + n_bits, 0);
    for (int i = 0; i < node.n_levels; ++i) words[begin + levels[i] / 32] |= 1u << (levels[i] % 32);
  } else {
    words.insert(words.end(),
                 {static_cast<std::uint32_t>(Special::levels), static_cast<std::uint32_t>(node.n_levels)});
    words.insert(words.end(), levels, levels + node.n_levels);
  }
}

bool is_special(const ForestNode& node) {
  return node.n_levels >= 0 || static_cast<double>(static_cast<float>(node.cut)) != node.cut;
}

void pack_leaf(const ForestNode& from, const double* statistics, std::int64_t leaf, PackedForest& out) {
  std::copy_n(statistics, out.width, out.leaf.data() + leaf * out.width);
  if (!out.spread.empty()) {
    out.spread[2 * leaf] = from.weight;
    out.spread[2 * leaf + 1] = statistics[1];
  }
  out.cases[leaf] = static_cast<float>(from.cases);
}

// Packs one tree; special gets the words of its special splits.
void pack_tree(ForestTree tree, int t, const std::vector<int>& n_levels, PackedForest& out,
               std::vector<std::uint32_t>& special) {
  const NodeLayout& layout = out.layout;
  std::uint64_t* node = out.nodes.data() + out.node_start[t] * layout.words();
  float* gain = out.gain.data() + out.node_start[t];
  double* importance = out.importance.data() + static_cast<std::size_t>(t) * n_levels.size();
  const int width = out.spread.empty() ? out.width : 2;
  std::uint32_t leaf = 0;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i, node += layout.words()) {
    const ForestNode& from = tree.nodes[i];
    std::uint64_t upper, lower = 0, child = i, number = 0;
    if (from.first_child < 0) {
      pack_leaf(from, tree.statistics.data() + i * width, out.leaf_start[t] + leaf, out);
      upper = NodeLayout::kLeaf + (layout.wide ? 0 : leaf);
      number = leaf++;
    } else {
      const bool odd = is_special(from);
      upper = odd ? static_cast<std::uint32_t>(special.size())
                  : std::bit_cast<std::uint32_t>(static_cast<float>(from.cut));
      if (odd) add_special(from, tree, n_levels[from.column], special);
      child = static_cast<std::uint64_t>(from.first_child);
      lower = (odd ? NodeLayout::kSpecial : 0) | (from.default_branch == 1 ? NodeLayout::kRight : 0) |
              static_cast<std::uint64_t>(from.column) << NodeLayout::kColumnShift;
      importance[from.column] += from.gain * from.weight;
    }
    gain[i] = from.first_child < 0 ? 0 : static_cast<float>(from.gain);
    node[0] = upper << NodeLayout::kUpper | lower | (layout.wide ? 0 : child << layout.child_shift());
    if (layout.wide) node[1] = number << NodeLayout::kUpper | child;
  }
}

}  // namespace

NodeLayout NodeLayout::of(int n_columns, std::int64_t most_nodes) {
  NodeLayout layout;
  layout.column_bits = std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(n_columns - 1))));
  layout.wide = std::bit_width(static_cast<std::uint64_t>(most_nodes)) + layout.child_shift() > kUpper ||
                (most_nodes + 1) / 2 > kMostLeaves;
  if (layout.wide) layout.column_bits = kWideColumnBits;
  return layout;
}

PackedForest pack(std::vector<ForestTree>& trees, const std::vector<int>& n_levels, int n_classes,
                  Team& team) {
  PackedForest out;
  const auto n_trees = static_cast<int>(trees.size());
  out.width = n_classes ? n_classes : 1;
  const auto n_columns = static_cast<int>(n_levels.size());
  std::int64_t most = 1;
  out.node_start.assign(1, 0);
  out.leaf_start.assign(1, 0);
  for (const ForestTree& tree : trees) {
    const auto n = static_cast<std::int64_t>(tree.nodes.size());
    most = std::max(most, n);
    out.node_start.push_back(out.node_start.back() + n);
    out.leaf_start.push_back(out.leaf_start.back() + (n + 1) / 2);  // every inner node has two children
  }
  out.layout = NodeLayout::of(n_columns, most);
  const auto n_leaves = static_cast<std::size_t>(out.leaf_start.back());
  out.nodes.resize(static_cast<std::size_t>(out.node_start.back()) * out.layout.words());
  out.gain.resize(out.node_start.back());
  out.leaf.resize(n_leaves * out.width);
  out.spread.resize(n_classes ? 0 : n_leaves * 2);
  out.cases.resize(n_leaves);
  out.importance.assign(static_cast<std::size_t>(n_trees) * n_columns, 0.0);
  std::vector<std::vector<std::uint32_t>> special(n_trees);
  team.run(n_trees, [&](int t, int) { pack_tree(std::move(trees[t]), t, n_levels, out, special[t]); });
  out.special_start.assign(1, 0);
  for (std::vector<std::uint32_t>& own : special) {
    out.special.insert(out.special.end(), own.begin(), own.end());
    out.special_start.push_back(static_cast<std::int64_t>(out.special.size()));
    own = {};
  }
  return out;
}

void keep_best(ForestTree& tree, int max_leaves, int width) {
  struct Waiting {
    double worth;
    int node;
    bool operator<(const Waiting& other) const {
      return worth < other.worth || (worth == other.worth && node > other.node);
    }
  };
  std::priority_queue<Waiting> queue;
  const auto wait = [&](int node) {
    const ForestNode& n = tree.nodes[node];
    if (n.first_child >= 0) queue.push({n.gain * n.weight, node});
  };
  std::vector<bool> kept(tree.nodes.size(), false);
  wait(0);
  for (int leaves = 1; leaves < max_leaves && !queue.empty(); ++leaves) {
    const int node = queue.top().node;
    queue.pop();
    kept[node] = true;
    wait(tree.nodes[node].first_child);
    wait(tree.nodes[node].first_child + 1);
  }
  ForestTree out;
  out.levels = std::move(tree.levels);
  std::vector<int> place{0};  // of the new nodes among the old
  for (std::size_t i = 0; i < place.size(); ++i) {
    ForestNode node = tree.nodes[place[i]];
    if (kept[place[i]]) {
      place.push_back(node.first_child);
      place.push_back(node.first_child + 1);
      node.first_child = static_cast<std::int32_t>(place.size()) - 2;
    } else {
      node.first_child = -1;
      node.gain = 0;
    }
    const double* statistics = tree.statistics.data() + static_cast<std::ptrdiff_t>(place[i]) * width;
    out.nodes.push_back(node);
    out.statistics.insert(out.statistics.end(), statistics, statistics + width);
  }
  tree = std::move(out);
}

}  // namespace bough
