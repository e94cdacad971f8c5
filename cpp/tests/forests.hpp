// Forests to test with: packed ones with all they look into, trees drawn at random, and a plain walk of them.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>

#include "bough/forest/grow_forest.hpp"
#include "bough/forest/tally.hpp"
#include "drawn_data.hpp"

namespace bough::tests {

// A packed forest and a walker that looks into it.
class HeldForest {
 public:
  HeldForest(PackedForest forest, std::vector<int> n_levels, int n_classes)
      : packed(std::move(forest)), walker(view(std::move(n_levels), n_classes)) {}
  HeldForest(const HeldForest&) = delete;
  HeldForest& operator=(const HeldForest&) = delete;

  int n_trees() const { return static_cast<int>(packed.node_start.size()) - 1; }
  // What a leaf of a tree says first: the weight of the first class, or the mean.
  const double* leaf(int tree, std::uint32_t number) const {
    return packed.leaf.data() + (packed.leaf_start[tree] + number) * packed.shape.width();
  }

  const PackedForest packed;
  const ForestWalker walker;

 private:
  ForestView view(std::vector<int> n_levels, int n_classes) const {
    ForestView v;
    v.layout = packed.layout;
    v.n_trees = n_trees();
    v.n_classes = n_classes;
    v.width = packed.shape.width();
    v.nodes = packed.nodes.data();
    v.leaf = packed.leaf.data();
    v.special = packed.special.data();
    v.node_start = packed.node_start.data();
    v.leaf_start = packed.leaf_start.data();
    v.special_start = packed.special_start.data();
    v.n_levels = std::move(n_levels);
    return v;
  }
};

inline std::vector<int> levels_of(const std::vector<Column>& columns) {
  std::vector<int> n_levels;
  for (const Column& column : columns) n_levels.push_back(column.n_levels);
  return n_levels;
}

inline HeldForest grown(const Data& data, const ForestRecipe& recipe, const SampleDesign& design,
                        std::uint64_t seed, int n_trees, int n_threads = 2) {
  return {grow_forest(data, recipe, design, seed, 0, n_trees, n_threads, nullptr), levels_of(data.columns),
          data.n_classes};
}

inline SampleDesign bootstrap(std::int64_t n_rows) {
  SampleDesign design;
  design.n_rows = n_rows;
  design.size = {n_rows};
  return design;
}

// A tree of n_inner splits of the columns, every leaf with numbers of its own.
inline ForestTree drawn_tree(Draws& draws, const std::vector<Column>& columns, int n_inner, int n_classes) {
  ForestTree tree;
  tree.nodes.emplace_back();
  std::vector<int> leaves{0};
  for (; n_inner > 0; --n_inner) {
    const int place = draws.below(static_cast<int>(leaves.size())), node = leaves[place];
    const int child = static_cast<int>(tree.nodes.size());
    tree.nodes.resize(child + 2);
    leaves[place] = child;
    leaves.push_back(child + 1);
    ForestNode& split = tree.nodes[node];
    split.first_child = child;
    split.column = draws.below(static_cast<int>(columns.size()));
    split.default_branch = draws.below(2);
    split.gain = 1 + draws.below(100);
    split.weight = 4;
    const Column& column = columns[split.column];
    if (column.scale == Scale::nominal) {
      split.first_level = static_cast<std::int64_t>(tree.levels.size());
      const int pace = 1 + draws.below(column.n_levels);  // dense and sparse lists
      for (int level = draws.below(pace); level < column.n_levels; level += 1 + draws.below(pace))
        tree.levels.push_back(static_cast<std::uint32_t>(level));
      split.n_levels = static_cast<std::int32_t>(tree.levels.size() - split.first_level);
    } else if (column.type == Column::Type::float64 && draws.below(2)) {
      split.cut = 1 + (draws.below(64) + 0.5) * 0x1p-30;  // no float
    } else {
      split.cut = draws.below(20) ? draws.below(64) / 4.0 - 3 : -std::numeric_limits<double>::infinity();
    }
  }
  const int k = n_classes ? n_classes : 2;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    tree.nodes[i].cases = static_cast<double>(i);
    for (int c = 0; c < k; ++c)
      tree.statistics.push_back(n_classes ? 1 + draws.below(6) : static_cast<double>(i) + 0.25 * c);
  }
  return tree;
}

// The node where a row of the table ends.
inline int plain_end(const ForestTree& tree, const std::vector<Column>& columns, std::int64_t row) {
  int at = 0;
  while (tree.nodes[at].first_child >= 0) {
    const ForestNode& node = tree.nodes[at];
    const double x = columns[node.column].value(row);
    int branch = node.default_branch;
    if (x == x && node.n_levels >= 0) {
      const auto first = tree.levels.begin() + node.first_level;
      if (std::find(first, first + node.n_levels, static_cast<std::uint32_t>(x)) != first + node.n_levels)
        branch = 1 - branch;
    } else if (x == x) {
      branch = x >= node.cut;
    }
    at = node.first_child + branch;
  }
  return at;
}

inline HeldForest packed(const std::vector<ForestTree>& trees, const std::vector<int>& n_levels,
                         int n_classes) {
  ForestJoiner joiner(static_cast<int>(n_levels.size()), {n_classes}, static_cast<int>(trees.size()));
  for (std::size_t t = trees.size(); t-- > 0;)  // in any order
    joiner.add(static_cast<int>(t), pack(trees[t], n_levels, {n_classes}));
  return {std::move(joiner.forest()), n_levels, n_classes};
}

// How often each row is in the bag of each tree.
inline std::vector<std::vector<std::uint32_t>> bags(const SampleDesign& design, std::uint64_t seed,
                                                    int n_trees) {
  const Sampler sampler(design);
  std::vector<std::vector<std::uint32_t>> counts(n_trees);
  for (int t = 0; t < n_trees; ++t) sampler.draw(seed, static_cast<std::uint64_t>(t), counts[t]);
  return counts;
}

}  // namespace bough::tests
