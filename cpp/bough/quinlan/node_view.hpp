// What a search sees of a node: its items with their weights, its columns as sorted lists, and what was found
// to be the best test of each column.
//
// An item is a row, or the fraction of a row that came down one branch where its value was missing. A row is
// item number `row`; fractions have numbers from the number of rows on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bough/quinlan/table.hpp"
#include "bough/quinlan/tree_builder.hpp"

namespace bough::quinlan {

template <class T>
struct Items {
  std::vector<std::uint32_t> row;  // of each item
  std::vector<T> weight;
};

template <class T>
struct NodeView {
  std::span<const std::uint32_t> items;
  bool unit_weights = true;         // every item weighs 1
  T weight = 0;                     // of all items
  T recounted = 0;                  // the same, summed in the order in which a column found them
  double cases = 0;                 // rows, counted as often as their weights say
  const T* statistics = nullptr;    // class weights; or weight, sum and sum of squares of y
  const double* counted = nullptr;  // what the search of the parent counted for the node; null: nothing
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
  T score = 0;                  // the gain ratio, or what else the search compares in the end
  T info = 0;                   // entropy of the test itself
  std::uint32_t rank = 0;       // threshold: the last rank of the first branch
  std::uint32_t next_rank = 0;  // threshold: the first rank of the second branch, in the node
  double cut = 0;               // threshold
  std::int32_t n_branches = 0;
  std::vector<T> share;  // what of a missing value goes down each branch; empty: as the known weight does
  std::vector<T> statistics;  // of each branch, one after the other; empty: summed anew in each child
  std::vector<std::int32_t> branch_of;  // of each level; empty: level k goes to branch k
};

// The first column whose test gains most, if any gains something; -1: none.
inline int column_of_most_gain(const std::vector<Candidate<double>>& found) {
  int best = -1;
  double most = 0;
  for (std::size_t c = 0; c < found.size(); ++c)
    if (found[c].kind != SplitKind::leaf && found[c].gain > most) {
      most = found[c].gain;
      best = static_cast<int>(c);
    }
  return best;
}

// Writes a test into the tree and adds the children.
template <class T>
void record_split(TreeBuilder& tree, std::int32_t at, int column, const Column& of,
                  const Candidate<T>& test) {
  tree.add_children(at, test.n_branches);
  Node& node = tree.nodes[at];
  node.column = column;
  node.kind = test.kind;
  node.gain = test.gain;
  if (of.scale != Scale::nominal) {
    // A cut between levels lies halfway between their codes.
    const bool ordinal = of.scale == Scale::ordinal;
    if (ordinal) node.kind = SplitKind::threshold;
    node.cut = ordinal ? std::floor(test.cut) + 0.5 : test.cut;
    return;
  }
  node.first_level = static_cast<std::int64_t>(tree.level_code.size());
  for (std::int32_t level = 0; level < of.n_levels; ++level) {
    tree.level_code.push_back(level);
    tree.level_branch.push_back(test.branch_of.empty() ? level : test.branch_of[level]);
  }
  node.n_levels = of.n_levels;
}

}  // namespace bough::quinlan
