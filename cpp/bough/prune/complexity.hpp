// Cost complexity: from which price of a leaf on each node's subtree does not pay.
#pragma once

#include <cstdint>
#include <vector>

namespace bough {

// A tree by its nodes, children after their parents.
struct PricedTree {
  int n_nodes;
  const std::int32_t* first_child;  // -1 at a leaf
  const std::int32_t* n_children;
  const double* fall;   // by how much the split of each node alone brings down the risk
  const double* noise;  // falls up to this are rounding
};

// Each inner node's own alpha, as if it were the root: the greatest fall of the risk for each leaf added that
// a pruned subtree of it gives. Exact: of all subtrees (Breiman et al. 1984, section 3.3).
std::vector<double> weakest_links(const PricedTree& tree);

// The same by R's rpart, which looks at a subtree in one state only, that in which it collapses. Ratios this
// close, as a share, count as equal.
std::vector<double> rpart_links(const PricedTree& tree, double rounding);

}  // namespace bough
