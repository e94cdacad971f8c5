// A sum of trees that are coded in groups: the cuts of a group, and not those of all trees, need codes of 8
// bits.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/boost/coded_trees.hpp"

namespace bough {

class CodedSum {
 public:
  explicit CodedSum(const TreeNodes& sum);

  // Whether every tree is coded, and groups are so large that coding rows for each of them pays.
  bool fits() const { return fits_; }

  // What a thread needs for the rows of a block, by group.
  using Space = std::vector<CodedTrees::Space>;

  // Adds what trees first to last say of the rows of a block; see CodedTrees.
  void add(const std::vector<Column>& columns, const CodedTrees::Block& block, Space& space) const;

 private:
  std::vector<CodedTrees> groups_;
  std::vector<std::int64_t> start_;  // the first tree of each group, and the number of all
  bool fits_ = true;
};

}  // namespace bough
