// Grows what lies below a node of few rows, in trees that are grown together.
#pragma once

#include <optional>
#include <vector>

#include "bough/grow/level_nodes.hpp"
#include "bough/grow/subtree.hpp"

namespace bough {

class LevelEnds {
 public:
  // most: the rows of the largest node.
  LevelEnds(const LevelRows& rows, const Data& data, const std::vector<LevelTree>& trees, int most);

  // What lies below one of the nodes; incomplete if the watch is stopped.
  Graft grow(const LevelNodes& all, const LevelNode& own, Watch& watch);

 private:
  void list_rows(const LevelNodes& all, const LevelNode& own);
  void sort(std::uint64_t* list, int count, int c);

  const LevelRows& rows_;
  const Data& data_;
  const std::vector<LevelTree>& trees_;
  int most_, tree_ = -1;
  Rows table_;
  std::vector<double> grid_;
  RowSums sums_;
  std::vector<std::uint64_t> memory_, unsorted_;
  std::vector<std::uint64_t*> lists_;
  std::vector<int> end_;
  std::optional<Subtree> subtree_;
};

}  // namespace bough
