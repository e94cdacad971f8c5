// Nodes of several trees that are grown together: that of all rows, and those without a fold.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/grow/branching.hpp"
#include "bough/grow/level_rows.hpp"
#include "bough/grow/node_lists.hpp"

namespace bough {

// A node of one tree.
struct LevelNode {
  int tree = 0;  // 0: that of all rows; else that without the fold before it
  Range range;
  bool pure = true;  // its numbers are all equal
  Spread spread{0, 0};
  int grid = 0;  // which of the grids of its rows is its own
};

// Nodes that have the same rows, but for those of the folds that their trees are grown without.
struct LevelNodes {
  std::vector<std::uint32_t> rows;  // ascending; some may be in none of the trees
  std::vector<LevelNode> nodes;
  std::vector<std::vector<std::int64_t>> numbers;  // of each row on each grid
  std::vector<LevelCounts> counts, totals;         // of each grid
};

// A tree and what it is grown by.
struct LevelTree {
  Problem problem;
  Rows table;
  Branching trunk = {};
  std::vector<Graft> grafts = {};
};

// Of a level of a column in a node: the rows of each class, or the number of rows and the sum of their
// numbers.
inline void sums_of_level(const LevelRows& rows, const LevelCounts& counts, const LevelCounts& totals,
                          int tree, int c, int level, std::int64_t* sums) {
  const int width = rows.width();
  const std::int64_t* total = rows.total(totals, c, level);
  const std::int64_t* out = rows.cells(counts, c, level) + static_cast<std::ptrdiff_t>(tree - 1) * width;
  for (int k = 0; k < width; ++k) sums[k] = tree > 0 ? total[k] - out[k] : total[k];
}

// The number of rows in these sums.
inline std::int64_t rows_in(const LevelRows& rows, bool classes, const std::int64_t* sums) {
  if (!classes) return sums[0];
  std::int64_t n = 0;
  for (int k = 0; k < rows.width(); ++k) n += sums[k];
  return n;
}

}  // namespace bough
