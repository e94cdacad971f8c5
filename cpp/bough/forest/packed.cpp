#include "bough/forest/packed.hpp"

#include <algorithm>
#include <limits>
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
  const int width = out.shape.width();
  std::copy_n(statistics, width, out.leaf.data() + leaf * width);
  if (const int spread = out.shape.spread(); spread > 0) {
    out.spread[spread * leaf] = from.weight;
    std::copy_n(statistics + width, width, out.spread.data() + spread * leaf + 1);
  }
  out.cases[leaf] = static_cast<float>(from.cases);
}

// A gain in single precision, of which the greatest stands for all that are greater.
float single_gain(double gain) {
  return static_cast<float>(std::min<double>(gain, std::numeric_limits<float>::max()));
}

// Makes room for so many trees.
void make_room(std::int64_t n_trees, std::int64_t n_nodes, std::int64_t n_leaves, int n_columns,
               const LeafShape& shape, PackedForest& out) {
  out.shape = shape;
  out.nodes.resize(static_cast<std::size_t>(n_nodes) * out.layout.words());
  out.gain.resize(n_nodes);
  out.leaf.resize(static_cast<std::size_t>(n_leaves) * shape.width());
  out.spread.resize(static_cast<std::size_t>(n_leaves) * shape.spread());
  out.cases.resize(n_leaves);
  out.importance.assign(static_cast<std::size_t>(n_trees) * n_columns, 0.0);
}

// Copies nodes to where each has two words.
void widen(const NodeLayout& narrow, const std::uint64_t* from, std::int64_t n, std::uint64_t* to) {
  for (std::int64_t i = 0; i < n; ++i, ++from, to += 2) {
    const bool leaf = NodeLayout::is_leaf(*from);
    const std::uint64_t upper = leaf ? NodeLayout::kLeaf : *from >> NodeLayout::kUpper;
    to[0] = upper << NodeLayout::kUpper |
            (*from & (narrow.column_mask() | NodeLayout::kRight | NodeLayout::kSpecial));
    to[1] =
        static_cast<std::uint64_t>(leaf ? narrow.leaf(from) : 0) << NodeLayout::kUpper | narrow.child(from);
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

PackedForest pack(const ForestTree& tree, const std::vector<int>& n_levels, const LeafShape& shape) {
  PackedForest out;
  const auto n = static_cast<std::int64_t>(tree.nodes.size()), n_leaves = (n + 1) / 2;
  const auto n_columns = static_cast<int>(n_levels.size());
  const NodeLayout& layout = out.layout = NodeLayout::of(n_columns, n);
  make_room(1, n, n_leaves, n_columns, shape, out);
  std::uint64_t* node = out.nodes.data();
  const int width = shape.node_width();
  std::vector<std::uint32_t> special;
  std::uint32_t leaf = 0;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i, node += layout.words()) {
    const ForestNode& from = tree.nodes[i];
    std::uint64_t upper, lower = 0, child = i, number = 0;
    if (from.first_child < 0) {
      pack_leaf(from, tree.statistics.data() + i * width, leaf, out);
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
      out.importance[from.column] += from.gain * from.weight;
    }
    out.gain[i] = from.first_child < 0 ? 0 : single_gain(from.gain);
    node[0] = upper << NodeLayout::kUpper | lower | (layout.wide ? 0 : child << layout.child_shift());
    if (layout.wide) node[1] = number << NodeLayout::kUpper | child;
  }
  out.special.assign(special.begin(), special.end());
  out.node_start = {0, n};
  out.leaf_start = {0, n_leaves};
  out.special_start = {0, static_cast<std::int64_t>(special.size())};
  return out;
}

ForestJoiner::ForestJoiner(int n_columns, const LeafShape& shape, int n_trees) : n_trees_(n_trees) {
  forest_.layout = NodeLayout::of(n_columns, 1);
  make_room(0, 0, 0, n_columns, shape, forest_);
  forest_.node_start = forest_.leaf_start = forest_.special_start = {0};
}

void ForestJoiner::add(int number, PackedForest tree) {
  const std::lock_guard lock(mutex_);
  waiting_.emplace(number, std::move(tree));
  for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_;
       first = waiting_.erase(first), ++next_)
    append(first->second);
}

void ForestJoiner::widen_all() {
  RawVector<std::uint64_t> nodes(2 * forest_.nodes.size());
  widen(forest_.layout, forest_.nodes.data(), static_cast<std::int64_t>(forest_.nodes.size()), nodes.data());
  forest_.nodes = std::move(nodes);
}

void ForestJoiner::append(const PackedForest& tree) {
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 28;
  // Trees of one forest are about as large as each other.
  const auto put = [&](const auto& from, auto& to) {
    if (to.empty())
      to.reserve(std::max(
          from.size(), std::min(kMostAtOnce / sizeof from[0], (from.size() + from.size() / 16) * n_trees_)));
    to.insert(to.end(), from.begin(), from.end());
  };
  if (tree.layout.wide && !forest_.layout.wide) {
    widen_all();
    forest_.layout = tree.layout;
  }
  if (tree.layout.wide == forest_.layout.wide) {
    put(tree.nodes, forest_.nodes);
  } else {
    const std::size_t end = forest_.nodes.size();
    forest_.nodes.resize(end + 2 * tree.nodes.size());
    widen(tree.layout, tree.nodes.data(), static_cast<std::int64_t>(tree.nodes.size()),
          forest_.nodes.data() + end);
  }
  put(tree.gain, forest_.gain);
  put(tree.leaf, forest_.leaf);
  put(tree.spread, forest_.spread);
  put(tree.cases, forest_.cases);
  put(tree.special, forest_.special);
  put(tree.importance, forest_.importance);
  forest_.node_start.push_back(forest_.node_start.back() + tree.node_start.back());
  forest_.leaf_start.push_back(forest_.leaf_start.back() + tree.leaf_start.back());
  forest_.special_start.push_back(forest_.special_start.back() + tree.special_start.back());
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
