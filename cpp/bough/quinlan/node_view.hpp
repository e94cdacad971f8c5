// What a judge sees of a node: its items with their weights, its columns as sorted lists, and what was found
// to be the best test of each column.
//
// An item is a row, or the part of a row that came down one branch where its value was missing. A row is item
// number `row`; parts have numbers from the number of rows on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bough/quinlan/table.hpp"
#include "bough/quinlan/trunk.hpp"

namespace bough::quinlan {

template <class T>
struct Items {
  std::vector<std::uint32_t> row;  // of each item
  std::vector<T> weight;
};

template <class T>
struct NodeView {
  std::span<const std::uint32_t> items;
  bool unit = true;               // every item weighs 1
  T weight = 0;                   // of all items
  double cases = 0;               // rows, counted as often as their weights say
  const T* statistics = nullptr;  // class weights; or weight, sum and sum of squares of y
  int depth = 0;
};

// The sorted list of one column in a node.
struct SortedView {
  std::span<const Entry> known, missing;
};

// The best test of a column; kind leaf: there is none.
template <class T>
struct Candidate {
  SplitKind kind = SplitKind::leaf;
  T gain = 0;
  T worth = 0;             // the gain ratio, or what else the judge compares in the end
  T info = 0;              // entropy of the test itself
  std::uint32_t rank = 0;  // threshold: the last rank of the first branch
  double cut = 0;          // threshold
  std::int32_t n_branches = 0;
  std::vector<std::int32_t> branch_of;  // of each level; empty: level k goes to branch k. -1: to none
};

}  // namespace bough::quinlan
