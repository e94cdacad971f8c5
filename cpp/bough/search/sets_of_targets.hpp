// The search of nodes of few rows under squared error and Gini of several targets. A cut is the set of rows
// to its left; what any set can reach follows from the products of the rows with each other, which are taken
// once for a node. A column then costs a few operations a row, however many targets there are. Sets that may
// be the best are evaluated as scans evaluate their cuts, so that the result is the same to the last bit.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/search/scan.hpp"
#include "bough/search/scan_task.hpp"

namespace bough {

class TargetSets {
 public:
  static constexpr int kMostRows = 8;

  // n_indices: the most that any index of a row may reach.
  explicit TargetSets(std::size_t n_indices) : slot_(n_indices) {}

  // Takes the rows of a node, given as a list of any column, all of which must have a value in each. exact:
  // whether sums are the same in any order. Returns whether it can search the node.
  template <class E>
  bool start(const E* list, int n, const ScanTask& task, bool exact);

  // The same as best_cut.
  template <class E>
  Cut best(const E* list, const ScanTask& task, double floor);

 private:
  static constexpr int kMostColumns = 64, kSets = 1 << kMostRows;

  template <class Value, class E>
  Cut best_of_cuts(const E* list, const ScanTask& task, double floor);
  bool was_tried(unsigned set) const { return tried_[set >> 6] >> (set & 63) & 1; }

  int n_ = 0;
  bool exact_ = false, two_ = false;
  std::vector<std::uint8_t> slot_;   // of each row of the node: its place among them
  std::uint64_t tried_[kSets / 64];  // the sets whose values are known not to exceed the best
  // What the value of a set is at most, for those without the last row: the others have the value of theirs.
  alignas(64) double highest_[kSets / 2];
  alignas(64) double left_[kMostColumns];
  alignas(64) double total_[kMostColumns];
};

}  // namespace bough
