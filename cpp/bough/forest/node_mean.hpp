// The mean of the numbers of a node, whose sum is about the mean of the sample of its tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "bough/data/rows.hpp"

namespace bough {

// origin: the mean of the sample; off: how far the mean of the node is from it; low, high: the bounds of the
// numbers of the target in the node. Where the mean is next to nothing beside the origin, the sum is mostly
// rounding, and the numbers are summed as they are.
inline double mean_of(const std::uint32_t* index, int count, const Rows& rows, int target, double origin,
                      double off, double low, double high) {
  double mean = origin + off;
  if (std::abs(mean) < std::abs(origin) * 0x1p-26) {
    double weight = 0, sum = 0;
    for (int i = 0; i < count; ++i) {
      weight += rows.weight[index[i]];
      sum += rows.weight[index[i]] * rows.ys_at(index[i])[target];
    }
    mean = sum / weight;
  }
  return std::clamp(mean, low, high);
}

}  // namespace bough
