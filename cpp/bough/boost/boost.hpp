// Gradient boosting: a sum of trees on bins, each grown by the gradients of the
// loss at the sum so far (Friedman 2001), with second-order steps.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bough/boost/boost_settings.hpp"
#include "bough/boost/gradient_statistics.hpp"
#include "bough/boost/linear_leaves.hpp"
#include "bough/boost/loss.hpp"
#include "bough/data/bins.hpp"
#include "bough/grow/branching.hpp"
#include "bough/machine/watch.hpp"

namespace bough {

struct BoostedTrees {
  std::vector<double> start;  // of each score
  // Those of a round next to each other, one for each score. With a base class, each other class in turn has
  // a tree, which the base class subtracts, and all other scores have a leaf of 0.
  std::vector<GrownTree> trees;
  std::vector<NodeModels> models;       // of each tree, if leaves are linear
  std::vector<double> validation_loss;  // after each round made, where there are
                                        // rows to validate on
};

// scores: of all rows for each score, to add to; null: they start as the loss
// says. validation: whether each row is kept out of growth and measures the
// loss; null: none is.
BoostedTrees boost(const std::vector<Column>& columns, const BinnedTable& bins, const BoostTarget& target,
                   const std::uint8_t* validation, const double* scores, const BoostSettings& settings,
                   int n_threads, const Monitor& monitor);

}  // namespace bough
