// What rows lose that a tree was not grown on, under all the trees it may be pruned to.
#pragma once

#include <cstdint>
#include <vector>

namespace bough {

// How an answer is held against what is true.
enum class HeldOutLoss { classes, squared, absolute, poisson, roots };

// A tree with the price of a leaf, in ascending order towards the root, at which each node becomes one.
struct PathTree {
  int n_nodes;
  const std::int32_t* parent;  // -1 at the root
  const double* complexity;    // 0 at a leaf; never more than the parent's
  const double* answer;        // a number, or the place of a class
};

struct HeldOut {
  std::int64_t n_rows;
  const std::int32_t* end;  // the node where each row ends
  const double* truth;      // a number, or the place of a class
  const double* weight;
  const double* exposure;  // rates: each loss counts so many times; null: once
};

struct Losses {
  std::vector<double> sum, square;  // for each alpha, weighted
};

// For each of the ascending alphas, the losses under the tree pruned at it: a node answers for the rows that
// pass it from its own complexity to just below its parent's, and a row that ends at an inner node is
// answered there however small alpha is. cost: n_classes x n_classes, [true][answered].
Losses held_out_losses(const PathTree& tree, const HeldOut& rows, const std::vector<double>& alphas,
                       HeldOutLoss loss, const double* cost, int n_classes);

}  // namespace bough
