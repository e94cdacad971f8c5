// Boosting as R's gbm does it: multiple additive regression trees (Friedman 2001) on exact thresholds.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/boost/gbm_loss.hpp"
#include "bough/boost/gbm_tree.hpp"

namespace bough {

struct GbmSettings {
  GbmLossSettings loss;
  GbmLimits limits;
  int n_rounds = 100;
  double learning_rate = 0.1;
  double row_share = 1;  // of the rows, drawn anew for each round
  std::uint64_t seed = 0;
};

struct GbmTrees {
  std::vector<double> start;          // of each score
  std::vector<GrownTree> trees;       // those of a round next to each other, one for each score
  std::vector<double> training_loss;  // after each round
};

GbmTrees boost_gbm(const std::vector<Column>& columns, const GbmTarget& target, const GbmSettings& settings,
                   int n_threads, const Monitor& monitor);

}  // namespace bough
