// A growing tree: its nodes in the order they were made, the children of a node next to each other.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bough/data/column.hpp"
#include "bough/data/split_kind.hpp"
#include "bough/grow/node.hpp"
#include "bough/machine/buffer.hpp"
#include "bough/machine/team.hpp"
#include "bough/machine/watch.hpp"

namespace bough {

// A split that a node keeps beside its own: a competitor or a surrogate.
struct AlternativeSplit {
  std::int32_t column = -1;
  bool turned = false;  // threshold: values below the cut take the second branch
  bool apart = false;   // threshold: every known value takes the second branch
  std::uint32_t row_below = 0, row_above = 0;
  std::int32_t n_levels = 0;  // 0: threshold
  std::int64_t first_level = 0;
  double value = 0;     // competitor: its gain; surrogate: its agreement with the split
  double adjusted = 0;  // surrogate: improvement over sending every row with the majority
  double cases = 0;     // competitor: with a known value; surrogate: sent in place of the split
};

struct Node : NodeRecord {
  Node() { gain = std::numeric_limits<double>::quiet_NaN(); }

  SplitKind kind = SplitKind::leaf;
  bool apart = false;  // threshold: missing values take the first branch, known ones the second
  std::int32_t n_children = 0;
  std::uint32_t row_below = 0, row_above = 0;  // threshold: rows of the values the cut lies between
  double drawn_cut = std::numeric_limits<double>::quiet_NaN();  // a threshold that was drawn at random
  double centre = 0;                                            // mean or median of y
  double risk = 0;
  std::int64_t first_alternative = 0;  // competitors, then surrogates
  std::int32_t n_competitors = 0, n_surrogates = 0;
};

struct Branching {
  std::vector<Node> nodes;
  std::vector<double> counts;  // n_classes a node
  std::vector<std::int32_t> level_code, level_branch;
  std::vector<AlternativeSplit> alternatives;
  double root_risk = 0;  // of the whole tree
  int root_depth = 0;
  std::vector<std::int32_t> level_sizes = {1};  // nodes on each level, that of the root first
};

// Adds empty children to a node; returns the number of the first. depth: that of the node. width: numbers a
// node keeps.
std::int32_t add_children(int node, int depth, int n_branches, int width, Branching& out);

// Competitors or surrogates of all nodes, those of node i from start[i] to start[i + 1].
struct AlternativeArrays {
  RawVector<std::int64_t> start, level_start;
  RawVector<std::int32_t> column, level_code, level_branch;
  RawVector<std::uint8_t> turned;
  RawVector<double> cut, cut_below, cut_above, value, adjusted, cases;
};

// A finished tree: one array a field, nodes numbered breadth first.
struct GrownTree {
  RawVector<std::int32_t> parent, first_child, n_children, column, default_branch;
  RawVector<std::uint8_t> kind;
  RawVector<double> cut, gain, weight, cases, risk, statistics;
  RawVector<double> cut_below, cut_above;  // the training values beside each cut
  RawVector<std::int64_t> level_start;
  RawVector<std::int32_t> level_code, level_branch;
  AlternativeArrays competitors, surrogates;
};

// The subtree grown below node `at` of the trunk; its root is that node.
struct Graft {
  int at;
  Branching branching;
};

// Puts trunk and grafts together and numbers the nodes.
GrownTree assemble(const Branching& trunk, const std::vector<Graft>& grafts,
                   const std::vector<Column>& columns, int n_classes, Team& team, Watch& watch);

}  // namespace bough
