// Quantiles of y for a row (Meinshausen 2006): each training row weighs by how often, and among how many, it
// shares the row's leaf over all trees.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/forest/walk.hpp"
#include "bough/machine/watch.hpp"

namespace bough {

// The training rows in the leaves of all trees, each with its weight there; of leaf l: start[l] to
// start[l+1].
struct LeafMembers {
  const std::int64_t* start = nullptr;  // over the leaves of all trees
  const std::uint32_t* rank = nullptr;  // of the row's y among the distinct values of y
  const float* weight = nullptr;        // sums to 1 over a leaf
};

// values: the distinct values of y, ascending; result: n_rows x quantiles.
RawVector<double> quantiles(const ForestWalker& walker, const LeafMembers& members,
                            const std::vector<double>& values, const ForestTable& table, std::int64_t n_rows,
                            const std::vector<double>& wanted, int n_threads, const Monitor& monitor);

}  // namespace bough
