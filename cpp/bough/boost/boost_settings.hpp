// What a fit of boosted trees is asked to do.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bough/boost/boost_limits.hpp"
#include "bough/boost/loss.hpp"
#include "bough/histogram/bin_split.hpp"

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

}  // namespace bough
