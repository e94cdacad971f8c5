// Finds the splits and the surrogates of nodes from the counts of their levels.
#pragma once

#include <vector>

#include "bough/grow/level_nodes.hpp"
#include "bough/grow/surrogates.hpp"

namespace bough {

class LevelSearch {
 public:
  // whole: the numbers are those of the table, and not yet on the grid of a node.
  LevelSearch(const LevelRows& rows, bool classes, bool whole)
      : rows_(rows), classes_(classes), whole_(whole) {}

  // The best split of a node; column -1 if there is none.
  Best best(const LevelNodes& all, const LevelNode& own, const LevelTree& tree) const;

  // The rows of each branch of a split and, of classes, their counts in each.
  struct Branches {
    std::vector<double> rows, counts;
  };
  Branches branches(const LevelNodes& all, const LevelNode& own, const Best& best) const;

  // The surrogates of a split, best first. left: the counts of the left child, or those of the right one.
  std::vector<Surrogate> surrogates(const LevelNodes& all, const LevelNode& own, const LevelTree& tree,
                                    const Best& best, const std::vector<double>& branch_rows,
                                    const LevelNodes& child, bool is_left) const;

 private:
  // The contingency table of a column.
  struct Levels {
    std::vector<std::int32_t> code;
    std::vector<double> statistics, cases;
  };

  void read(const LevelNodes& all, const LevelNode& own, int c, Levels& levels) const;
  bool search_column(int c, const LevelNodes& all, const LevelNode& own, const LevelTree& tree, double floor,
                     Levels& levels, Best& found) const;
  void sums(const LevelNodes& all, const LevelNode& own, int c, int level, std::int64_t* sums) const {
    sums_of_level(rows_, all.counts[own.grid], all.totals[own.grid], own.tree, c, level, sums);
  }
  // The sum of numbers on the grid of the node.
  double on_grid(const LevelNode& own, std::int64_t n, std::int64_t sum) const;
  int higher_branch(const LevelNodes& all, const LevelNode& own, const Best& best) const;

  const LevelRows& rows_;
  bool classes_, whole_;
};

}  // namespace bough
