// A subtree of few rows: its data copied and its lists packed, so that all of them stay in the cache.
#pragma once

#include <memory>
#include <vector>

#include "bough/grow/node_grower.hpp"
#include "bough/machine/buffer.hpp"
#include "bough/machine/watch.hpp"

namespace bough {

// A node with at most this many rows is grown as a subtree of its own on packed lists; any bound from 4096 to
// 16384 serves as well, since all lists of the subtree then stay in the second-level cache.
constexpr int kPackedRows = 4096;
static_assert(kPackedRows <= kMaxPackedRows);

// What is grown below node `at` of the trunk, of which it has the root alone. k: counts of a node.
Branching root_below(const Branching& trunk, const Range& at, int k);

// Grows what lies below node `at` of the trunk, whose rows `grower` has as `root`; incomplete if the watch is
// stopped. stack: scratch.
template <class E>
Branching grow_below(NodeGrower<E>& grower, const Range& root, const Branching& trunk, const Range& at, int k,
                     std::vector<Range>& stack, Watch& watch);

class Subtree {
 public:
  // most: the rows of the largest node it will grow.
  Subtree(const Problem& problem, const Rows& table, int most);

  // Grows what lies below node `at` of the trunk; incomplete if the watch is stopped.
  Branching grow(const Range& at, const std::vector<std::uint64_t*>& lists, const Branching& trunk,
                 Watch& watch);

 private:
  using Long = std::uint64_t;
  using Packed = std::uint32_t;

  void load(const Range& at, const std::vector<Long*>& lists);
  void load_targets(int i, std::uint32_t row);

  const Problem& problem_;
  const Rows& table_;
  int n_columns_;
  std::size_t stride_;
  Buffer<Packed> lists_;
  std::vector<std::uint32_t> row_, local_;
  std::vector<std::int32_t> label_;
  std::vector<double> y_, grid_, weight_, own_, cases_;
  std::vector<Range> stack_;
  std::unique_ptr<NodeGrower<Packed>> grower_;
};

}  // namespace bough
