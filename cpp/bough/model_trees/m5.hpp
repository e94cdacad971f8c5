// M5' (Quinlan 1992; Wang and Witten 1997) as Weka computes it: a tree that reduces the spread of y, with a
// linear model in each node, pruned by the error of these models and smoothed along the paths.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/machine/watch.hpp"
#include "bough/model_trees/model_node.hpp"

namespace bough::model_trees {

struct M5Options {
  double min_cases = 4;         // of a node that is split
  double min_deviation = 0.05;  // of a node that is split, relative to that of the root
  bool constant = false;        // leaves predict means: a regression tree
  bool prune = true;
  double smoothing = 15;  // weight of a node's model against the cases of the child; 0: none
};

// The nodes of a tree, the root first; nodes that were pruned are not reachable from it.
std::vector<ModelNode> grow_m5(const NumericRows& rows, const M5Options& options, Watch& watch);

// A rule of M5Rules: the path of the leaf that covers most cases of a tree, and its model.
struct M5Rule {
  struct Condition {
    int column;
    double cut, below, above;  // with the neighbours of the cut
    bool is_above;             // values above the cut meet it, else those up to it
  };
  std::vector<Condition> conditions;  // from the root on
  LinearModel model;
  double cases = 0, weight = 0, mean = 0, risk = 0;
};

// M5Rules (Holmes, Hall and Frank 1999): each rule is made from a tree of the rows that no rule covers yet.
std::vector<M5Rule> learn_m5_rules(const NumericRows& rows, const M5Options& options, Watch& watch);

// Rows in the order of Weka's shuffle by Java's random numbers with seed 1.
std::vector<std::uint32_t> shuffled_rows(std::int64_t n);

// Sorts rows by their values as Weka's quicksort does, which leaves equal values in an order of its own.
void sort_as_instances(std::vector<std::uint32_t>& rows, const double* values);

}  // namespace bough::model_trees
