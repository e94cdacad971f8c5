// The problem of the best tree: rows, the axes along which a node may be split, and the limits of the tree.
//
// An axis is an order of the rows in groups. A split at cut c of an axis sends the rows of the groups below c
// to the left. A numeric or ordinal column is an axis whose groups are its distinct values; where values are
// missing it is two axes, with the missing rows before all values or after them. Each set of levels of a
// nominal column is an axis of two groups. Axes of two groups whose left sides contain each other share one
// axis, each with a cut of its own. A cut lies between two groups of values, so that it can be written as a
// threshold or a set of levels; rows whose value is missing may be all that a node has on one side.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace bough::optimal {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class MissingSide : std::uint8_t { none, left, right };

struct Axis {
  // The column that a cut splits and, if it is nominal, the levels of the left side.
  struct Source {
    std::int32_t column = 0;
    std::vector<std::int32_t> levels;
  };

  std::vector<Source> sources;  // one for all cuts, or one for the cut above each group but the last
  MissingSide missing = MissingSide::none;
  std::vector<std::uint32_t> group;   // of each row
  std::vector<std::uint32_t> rows;    // in ascending order of their groups
  std::uint32_t missing_group = ~0U;  // the group of the rows whose value is missing

  const Source& source(std::uint32_t group_below) const {
    return sources.size() == 1 ? sources[0] : sources[group_below];
  }

  // Whether every row is a group of its own, so that rows can be cut everywhere.
  bool is_distinct() const { return missing == MissingSide::none && group[rows.back()] + 1 == rows.size(); }

  // Whether a cut lies between two groups that follow each other in a node.
  bool can_cut(std::uint32_t below, std::uint32_t above) const {
    return below != above && (above - below > 1 || (below != missing_group && above != missing_group));
  }
};

struct Limits {
  int max_depth = 3;
  int max_leaves = std::numeric_limits<int>::max();
  double min_cases = 1;   // of every leaf
  double split_cost = 0;  // what a split adds to the objective
};

struct Rows {
  std::int64_t n = 0;
  std::vector<double> cases;   // empty: one each
  std::vector<double> margin;  // the most that a row can add to the loss of the best tree
};

struct Problem {
  Rows rows;
  std::vector<Axis> axes;
  Limits limits;
  double tolerance = 0;                              // smaller differences of objectives are rounding
  std::int64_t cache_bytes = std::int64_t{1} << 29;  // of stored answers; beyond, none is added
};

}  // namespace bough::optimal
