// A packed forest: the nodes of all trees in one array of words, a leaf's statistics in another.
//
// The word of a node holds, from the lowest bit: whether it is inner, whether its split is special, whether
// missing values go right, its column, and its first child; the upper half holds the cut, a float. What is
// below the cut goes to the first child, the rest to the next node. In a leaf the child is the leaf itself
// and the upper half is its number among the tree's leaves. Where columns and nodes are too many for one
// word, a node has two, and the second is the child.
//
// A split is special that is no threshold in floats: the upper half is then the place of its words. These
// are the kind, how many follow, and for levels a bit for each level or the levels themselves: those that do
// not go where missing values go; or a cut in doubles.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "bough/buffer.hpp"
#include "bough/forest/grown.hpp"
#include "bough/team.hpp"

namespace bough {

enum class Special : std::uint32_t { bits, levels, cut };

struct NodeLayout {
  bool wide = false;
  int column_bits = 29;

  static constexpr std::uint64_t kInner = 1, kSpecial = 2, kRight = 4;
  static constexpr int kColumnShift = 3, kUpper = 32;

  // The layout of forests with this many columns and at most this many nodes a tree.
  static NodeLayout of(int n_columns, std::int64_t most_nodes);
  int words() const { return wide ? 2 : 1; }
  int child_shift() const { return kColumnShift + column_bits; }
};

struct PackedForest {
  NodeLayout layout;
  int width = 0;                   // numbers a leaf: class weights; or mean, weight and risk
  RawVector<std::uint64_t> nodes;  // of all trees
  RawVector<float> gain;           // of each node; 0 at a leaf
  RawVector<double> leaf;          // statistics of all leaves
  RawVector<float> cases;          // of all leaves
  RawVector<std::uint32_t> special;
  std::vector<std::int64_t> node_start, leaf_start, special_start;  // of each tree, and the end
  std::vector<double> importance;  // what the splits of each column gained, by tree
};

// Packs the trees, which are used up.
PackedForest pack(std::vector<ForestTree>& trees, const std::vector<int>& n_levels, int n_classes,
                  Team& team);

// Takes away all splits but those that are worth the most, so that a tree has at most max_leaves.
void keep_best(ForestTree& tree, int max_leaves, int width);

}  // namespace bough
