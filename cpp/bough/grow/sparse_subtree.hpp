// A subtree of few rows of sparse columns, grown by one thread.
#pragma once

#include <vector>

#include "bough/grow/node_grower.hpp"
#include "bough/grow/subtree.hpp"

namespace bough {

class SparseSubtree {
 public:
  // most: the rows of the largest node it will grow. slot: of the rows that stand for its zeros.
  SparseSubtree(const Problem& problem, const Rows& table, SparseSorted& sorted, RowsWithZeros& rows,
                int slot, int most)
      : problem_(problem),
        nodes_(sorted, rows, problem.data, problem.evaluator, 1, slot),
        grower_(problem, table, std::vector<std::uint64_t*>(problem.data.columns.size()), nullptr,
                static_cast<std::size_t>(most) + kListPadding, rows.size(), nullptr, &nodes_) {}

  // Grows what lies below node `at` of the trunk; incomplete if the watch is stopped.
  Branching grow(const Range& at, SparseNodes& of_trunk, const Branching& trunk, Watch& watch) {
    nodes_.adopt(of_trunk, at);
    Range root = at;
    root.node = root.begin = 0;
    return grow_below(grower_, root, trunk, at, problem_.data.node_width(), stack_, watch);
  }

 private:
  const Problem& problem_;
  SparseNodes nodes_;
  NodeGrower<std::uint64_t> grower_;
  std::vector<Range> stack_;
};

}  // namespace bough
