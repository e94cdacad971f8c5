// The search for the best tree of a table: it starts from a tree found greedily and raises a lower bound
// until both meet, the monitor stops it, or nothing is left to examine.
#pragma once

#include <functional>
#include <vector>

#include "bough/machine/watch.hpp"
#include "bough/optimal/problem.hpp"

namespace bough::optimal {

// A node of a finished tree, in preorder. A leaf has column -1.
struct TreeNode {
  std::int32_t column = -1;
  std::uint32_t row_below = 0, row_above = 0;  // threshold: rows of the values that the cut lies between
  std::vector<std::int32_t> levels;            // nominal: the levels of the left branch
  MissingSide missing = MissingSide::none;  // where the node's rows of missing values go; none: it has none
};

struct Best {
  double value = 0;  // the loss of the tree with the cost of its splits
  double lower = 0;  // no tree within the limits loses less
  bool stopped = false;
  std::int64_t n_examined = 0;  // first splits of which the subtrees were searched
  std::vector<TreeNode> tree;
};

// Called with the lower bound and the value of the best tree, by the thread that asked for the search.
using BoundsMonitor = std::function<void(double lower, double value)>;

// loss: of predicting each class for each row, [row][class], in whole numbers.
Best search_classes(const Problem& problem, int n_classes, const std::vector<double>& loss, int n_threads,
                    const Monitor& monitor, const BoundsMonitor& bounds);

// Minimizes the squared error of y.
Best search_numbers(const Problem& problem, const std::vector<double>& weight, const std::vector<double>& y,
                    int n_threads, const Monitor& monitor, const BoundsMonitor& bounds);

}  // namespace bough::optimal
