// A growing tree: its nodes in the order they were made, the children of a node next to each other.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bough/data/column.hpp"
#include "bough/machine/buffer.hpp"
#include "bough/machine/team.hpp"

namespace bough {

enum class SplitKind : std::uint8_t { leaf, threshold, complete, subset, one_vs_rest, at_most };

// Whatever kind of cut it is, a value goes right just if it is at least the number returned.
inline double least_right(SplitKind kind, double cut) {
  if (kind != SplitKind::at_most) return cut;
  // No number is above infinity, nor at least NaN.
  return cut == HUGE_VAL ? std::numeric_limits<double>::quiet_NaN() : std::nextafter(cut, HUGE_VAL);
}

// A split that a node does not make: one it could have made as well, or one that stands in for its own.
struct SpareSplit {
  std::int32_t column = -1;
  bool turned = false;  // threshold: values below the cut take the second branch
  std::uint32_t row_below = 0, row_above = 0;
  std::int32_t n_levels = 0;  // 0: threshold
  std::int64_t first_level = 0;
  double value = 0;     // what it gains, or the share of rows it sends as the split does
  double adjusted = 0;  // surrogate: the share of errors saved of those that always going with the most makes
  double cases = 0;     // by which it was judged, or that it sent in place of the split
};

struct Node {
  SplitKind kind = SplitKind::leaf;
  std::int32_t first_child = -1;
  std::int32_t n_children = 0;
  std::int32_t column = -1;
  std::int32_t default_branch = -1;
  std::int32_t n_levels = 0;  // level-branch pairs of the split
  std::int64_t first_level = 0;
  std::uint32_t row_below = 0, row_above = 0;  // threshold: rows of the values the cut lies between
  double gain = std::numeric_limits<double>::quiet_NaN();
  double weight = 0;
  double cases = 0;
  double centre = 0;  // mean or median of y
  double risk = 0;
  std::int64_t first_spare = 0;  // competitors, then surrogates
  std::int32_t n_competitors = 0, n_surrogates = 0;
};

struct Branching {
  std::vector<Node> nodes;
  std::vector<double> counts;  // n_classes a node
  std::vector<std::int32_t> level_code, level_branch;
  std::vector<SpareSplit> spares;
  double root_risk = 0;  // of the whole tree
};

// Spare splits of all nodes, those of node i from start[i] to start[i + 1].
struct SpareArrays {
  RawVector<std::int64_t> start, level_start;
  RawVector<std::int32_t> column, level_code, level_branch;
  RawVector<std::uint8_t> turned;
  RawVector<double> cut, value, adjusted, cases;
};

// A finished tree: one array a field, nodes numbered breadth first.
struct GrownTree {
  RawVector<std::int32_t> parent, first_child, n_children, column, default_branch;
  RawVector<std::uint8_t> kind;
  RawVector<double> cut, gain, weight, cases, risk, statistics;
  RawVector<std::int64_t> level_start;
  RawVector<std::int32_t> level_code, level_branch;
  SpareArrays competitors, surrogates;
};

// The subtree grown below node `at` of the trunk; its root is that node.
struct Graft {
  int at;
  Branching branching;
};

// Puts trunk and grafts together and numbers the nodes.
GrownTree assemble(const Branching& trunk, const std::vector<Graft>& grafts,
                   const std::vector<Column>& columns, int n_classes, Team& team);

}  // namespace bough
