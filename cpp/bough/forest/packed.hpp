// A packed forest: the nodes of all trees in one array of words, a leaf's statistics in another.
//
// The word of a node holds, from the lowest bit: whether missing values go right, whether its split is
// special, its column, and its first child; the upper half holds the cut, a float. What is below the cut goes
// to the first child, the rest to the next node. In a leaf the child is the leaf itself and the cut is no
// number, so that nothing leaves it: a NaN that tells which of the tree's leaves it is. Where columns or
// nodes are too many for one word, a node has two: the second is the child, and in its upper half is the
// number of the leaf.
//
// A split is special that is no threshold in floats: the upper half is then the place of its words. These
// are the kind, how many follow, and for levels a bit for each level or the levels themselves: those that do
// not go where missing values go; or a cut in doubles.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "bough/forest/grown.hpp"
#include "bough/machine/buffer.hpp"

namespace bough {

enum class Special : std::uint32_t { bits, levels, cut };

struct NodeLayout {
  bool wide = false;
  int column_bits = kWideColumnBits;

  static constexpr std::uint64_t kRight = 1, kSpecial = 2;
  static constexpr int kColumnShift = 2, kUpper = 32, kWideColumnBits = kUpper - kColumnShift;
  static constexpr std::uint32_t kLeaf = 0x7f800001, kInfinity = 0x7f800000, kMostLeaves = 0x7fffff;

  // The layout of forests with this many columns and at most this many nodes a tree.
  static NodeLayout of(int n_columns, std::int64_t most_nodes);
  int words() const { return wide ? 2 : 1; }
  int child_shift() const { return kColumnShift + column_bits; }
  // The column's place in a row, in bytes, is where it is in the word.
  std::uint32_t column_mask() const {
    return static_cast<std::uint32_t>(((std::uint64_t{1} << column_bits) - 1) << kColumnShift);
  }
  int column(std::uint64_t word) const {
    return static_cast<int>((static_cast<std::uint32_t>(word) & column_mask()) >> kColumnShift);
  }
  static bool is_leaf(std::uint64_t word) {
    return !(word & kSpecial) && (word >> kUpper & 0x7fffffff) > kInfinity;
  }
  std::uint32_t child(const std::uint64_t* node) const {
    return wide ? static_cast<std::uint32_t>(node[1]) : static_cast<std::uint32_t>(node[0]) >> child_shift();
  }
  std::uint32_t leaf(const std::uint64_t* node) const {
    return wide ? static_cast<std::uint32_t>(node[1] >> kUpper)
                : static_cast<std::uint32_t>(node[0] >> kUpper) - kLeaf;
  }
};

// How many numbers a leaf has.
struct LeafShape {
  int n_classes = 0;  // of all targets; 0: they are numbers
  int n_targets = 1;

  int width() const { return n_classes ? n_classes : n_targets; }           // class weights, or means
  int spread() const { return n_classes ? 0 : 1 + n_targets; }              // weight and risks of numbers
  int node_width() const { return n_classes ? n_classes : 2 * n_targets; }  // in a tree that grows
};

struct PackedForest {
  NodeLayout layout;
  LeafShape shape;
  RawVector<std::uint64_t> nodes;  // of all trees
  RawVector<float> gain;           // of each node; 0 at a leaf
  RawVector<double> leaf;          // of all leaves
  RawVector<double> spread;        // weight and risks of all leaves; of classes nothing
  RawVector<float> cases;          // of all leaves
  RawVector<std::uint32_t> special;
  std::vector<std::int64_t> node_start, leaf_start, special_start;  // of each tree, and the end
  std::vector<double> importance;  // what the splits of each column gained, by tree
};

// A forest of one tree. n_levels: of each column.
PackedForest pack(const ForestTree& tree, const std::vector<int>& n_levels, const LeafShape& shape);

// Puts packed trees together in the order of their numbers, as soon as all before them are there: so no more
// of them wait than there are threads.
class ForestJoiner {
 public:
  ForestJoiner(int n_columns, const LeafShape& shape, int n_trees);

  // Takes tree `number`, from any thread.
  void add(int number, PackedForest tree);

  PackedForest& forest() { return forest_; }

 private:
  void append(const PackedForest& tree);
  void widen_all();

  int n_trees_;
  std::mutex mutex_;
  std::map<int, PackedForest> waiting_;
  int next_ = 0;
  PackedForest forest_;
};

// Takes away all splits but those that are worth the most, so that a tree has at most max_leaves.
void keep_best(ForestTree& tree, int max_leaves, int width);

}  // namespace bough
