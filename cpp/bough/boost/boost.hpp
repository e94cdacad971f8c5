// Gradient boosting: a sum of trees on bins, each grown by the gradients of the
// loss at the sum so far (Friedman 2001), with second-order steps.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bough/boost/gradient_statistics.hpp"
#include "bough/boost/linear_leaves.hpp"
#include "bough/boost/loss.hpp"
#include "bough/data/bins.hpp"
#include "bough/grow/branching.hpp"
#include "bough/machine/watch.hpp"

namespace bough {

struct BoostSettings {
  LossSettings loss;
  int n_rounds = 100;
  double learning_rate = 0.1;
  BoostLimits limits;
  GrowthOrder order = GrowthOrder::best_first;
  double row_share = 1;  // of the rows, drawn anew for each round
  // Of the rows that have the greatest gradients and are always drawn; the
  // other ones of row_share are drawn among the rest and weighed for all of it
  // (Ke et al. 2017). 0: all rows are drawn alike.
  double top_share = 0;
  double drop_rate = 0;  // the probability that a round leaves out one before; see dropout.hpp
  double columns_by_tree = 1;
  double memory = 1;  // times which a tree is added to the scores that the next ones are grown by
  std::vector<int> max_leaves_by_round;  // in place of limits.max_leaves; empty: it is that of all rounds
  // Rounds from one search for the base class to the next: the score of this class is minus the sum of the
  // others (Li 2009). 0: there is none.
  int base_interval = 0;
  bool gradient_splits = false;  // splits do not see the hessian, which only the values of leaves use
  bool linear_leaves = false;    // leaves have slopes in the numeric columns of their paths
  double ridge = 0;              // of these slopes
  std::uint64_t seed = 0;
  int first_round = 0;   // the number of rounds that led to the scores given
  int patience = 0;      // rounds without a lower validation loss after which
                         // boosting ends; 0: it does not
  double tolerance = 0;  // by how much a loss must be lower
  // Called after each round with the rounds made and the loss on the validation rows, by the thread that
  // asked for the work; may be empty.
  std::function<void(int, double)> report_loss;
  // Called after each round, in place of the validation loss, with the rounds made and the scores of all
  // rows, by the same thread. Boosting ends when it returns true. May be empty.
  std::function<bool(int, const std::vector<double*>&)> ends_after;
};

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
