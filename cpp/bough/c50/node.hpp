// A node of a tree while C5.0 works on it.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "bough/c50/problem.hpp"

namespace bough::c50 {

enum class Test : std::uint8_t { none = 0, discrete = 1, threshold = 2, subset = 3 };

// Which levels belong: one flag a level.
using LevelSet = std::vector<std::uint8_t>;

inline int size_of(const LevelSet& levels) {
  int size = 0;
  for (const std::uint8_t in : levels) size += in;
  return size;
}

// The same as a list of levels, ascending: the sets of a test together take memory in proportion to the
// levels.
using LevelList = std::vector<std::int32_t>;

inline bool holds(const LevelList& list, int level) {
  return std::binary_search(list.begin(), list.end(), level);
}

inline LevelSet flags_of(const LevelList& list, int n_levels) {
  LevelSet levels(n_levels, 0);
  for (const std::int32_t level : list) levels[level] = 1;
  return levels;
}

struct Node {
  Test test = Test::none;
  int label = 0;  // the class this node would answer with
  Count cases = 0;
  std::vector<Count> dist;  // weight of each class
  Count errors = 0;
  int column = -1;
  int leaves = 0;
  float cut = 0, lower = 0, mid = 0, upper = 0;
  float gain = 0;  // of the test when it was chosen
  std::vector<LevelList> subsets;
  std::vector<std::unique_ptr<Node>> branches;
  Node* parent = nullptr;

  bool is_leaf() const { return test == Test::none; }
  int n_branches() const { return static_cast<int>(branches.size()); }
  void make_leaf() {
    branches.clear();
    subsets.clear();
    test = Test::none;
  }
};

using Tree = std::unique_ptr<Node>;

inline int leaf_count(const Node& node) {
  if (node.is_leaf()) return node.cases >= kMinLeaf ? 1 : 0;
  int sum = 0;
  for (const Tree& branch : node.branches) sum += leaf_count(*branch);
  return sum;
}

}  // namespace bough::c50
