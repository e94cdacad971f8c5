// Piecewise linear trees: a split is judged by the squared error of the linear models of its two sides.
//
// The normal equations of a side are sums over its rows. They are summed along the rows in the order of a
// column, from both ends, so that nothing is subtracted, and solved at each cut.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/machine/watch.hpp"
#include "bough/model_trees/model_node.hpp"

namespace bough::model_trees {

struct LinearTreeOptions {
  double ridge = 0;      // times the variance of a column among all rows: the penalty of its squared slope
  int max_depth = -1;    // -1: no limit
  double min_cases = 2;  // of a node that is split
  double min_leaf = 1;   // cases of a child
  bool prune = true;     // by the errors of the models, multiplied by (n + v) / (n - v)
  int n_threads = 1;
};

// The bin of each row in each column, by which rows are put in order; cuts lie between bins.
using Codes = std::vector<const std::int32_t*>;

// The nodes of a tree, the root first; nodes that were pruned are not reachable from it.
std::vector<ModelNode> grow_linear_tree(const NumericRows& rows, const Codes& codes,
                                        const LinearTreeOptions& options, const Monitor& monitor);

}  // namespace bough::model_trees
