// A part of the tree that one thread grows alone: what lies below a node of middling size, its subtrees of
// few rows included.
#pragma once

#include <optional>
#include <vector>

#include "bough/grow/subtree.hpp"

namespace bough {

struct Limb {
  int at = 0;  // its root's node in the trunk
  Branching branching;
  std::vector<Graft> grafts;  // on the branching
};

class LimbGrower {
 public:
  // lists: those of all rows, of which each limb parts its own range. most: the rows of the largest limb.
  LimbGrower(const Problem& problem, const Rows& table, const std::vector<std::uint64_t*>& lists, int most)
      : problem_(problem), table_(table), lists_(lists), most_(most) {}

  // Incomplete if the watch is stopped.
  Limb grow(const Range& at, const Branching& trunk, Watch& watch);

 private:
  NodeGrower<std::uint64_t>& grower();
  Subtree& subtree();

  const Problem& problem_;
  const Rows& table_;
  const std::vector<std::uint64_t*>& lists_;
  int most_;
  std::optional<NodeGrower<std::uint64_t>> grower_;  // made when they are needed
  std::optional<Subtree> subtree_;
};

// Moves the nodes of a limb to the trunk, and its grafts to those of the trunk.
void join(Limb limb, Branching& trunk, std::vector<Graft>& grafts);

}  // namespace bough
