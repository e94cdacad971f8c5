// All trees that are nearly optimal: those within the limits that lose at most a given amount.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "bough/optimal/search.hpp"

namespace bough::optimal {

struct NearlyOptimal {
  double count = 0;                                             // of all such trees
  bool too_many = false;                                        // they have too many values to be counted
  std::vector<std::pair<double, std::vector<TreeNode>>> trees;  // the best of them, with their values
};

// Trees of value at most `most`, of which the best `max_trees` are listed. A split into two leaves must lower
// the loss. Throws Interrupted if the monitor asks to stop.
NearlyOptimal nearly_optimal_classes(const Problem& problem, int n_classes, const std::vector<double>& loss,
                                     double most, std::int64_t max_trees, const Monitor& monitor);
NearlyOptimal nearly_optimal_numbers(const Problem& problem, const std::vector<double>& weight,
                                     const std::vector<double>& y, double most, std::int64_t max_trees,
                                     const Monitor& monitor);

}  // namespace bough::optimal
