// Grows a forest of censored times (Ishwaran, Kogalur, Blackstone and Lauer 2008): the split of a node is
// that of the greatest log-rank statistic between its two sides, and a leaf answers with the mortality of its
// rows: their cumulative hazard (Nelson-Aalen) summed over the times of all training rows.
#pragma once

#include <cstdint>

#include "bough/forest/packed.hpp"
#include "bough/forest/plan.hpp"
#include "bough/machine/watch.hpp"

namespace bough {

// data.y: whether the event of each row came, 1 or 0. time: of each row. Of the recipe, the criterion and the
// side of missing values are not read: rows without a value go to the side of most weight.
PackedForest grow_survival_forest(const Data& data, const double* time, const ForestRecipe& recipe,
                                  const SampleDesign& design, std::uint64_t seed, int first_tree, int n_trees,
                                  int n_threads, const Monitor& monitor);

// The log-rank statistic, a chi-square, of each split of rows in a given order: those up to and including a
// row against the others. It is 0 where there is nothing to compare.
std::vector<double> logrank_statistics(const std::vector<double>& time, const std::vector<double>& event,
                                       const std::vector<double>& weight);

}  // namespace bough
