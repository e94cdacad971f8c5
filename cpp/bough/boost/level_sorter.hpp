// The order of the levels of a nominal column in a node: by their keys, and those of equal keys as they come.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "bough/machine/radix_sort.hpp"

namespace bough {

// A level of a nominal column that rows of a node have.
struct OrderedLevel {
  double key;
  int code;   // kFew: all those of few cases
  int place;  // among the levels before they are ordered
  bool operator<(const OrderedLevel& other) const {
    return key != other.key ? key < other.key : place < other.place;
  }

  static constexpr int kFew = -1;
};

// Orders levels by the steps between the least and the greatest key that their keys lie in, whole numbers
// which take less time to sort, and then those that share a step.
class LevelSorter {
 public:
  void sort(std::vector<OrderedLevel>& levels) {
    constexpr int kStepBits = 16;
    constexpr double kLastStep = (1 << kStepBits) - 1;
    if (levels.size() < kLevelsToSort) return std::sort(levels.begin(), levels.end());
    double least = levels[0].key, greatest = least;
    for (const OrderedLevel& level : levels) {
      least = level.key < least ? level.key : least;
      greatest = level.key > greatest ? level.key : greatest;
    }
    const double scale = kLastStep / (greatest - least);
    if (!std::isfinite(greatest - least) || !std::isfinite(scale))
      return std::sort(levels.begin(), levels.end());
    const std::size_t n = levels.size();
    if (steps_.size() < n) {
      steps_.resize(2 * n);
      scratch_.resize(2 * n);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const auto step = static_cast<std::int64_t>((levels[i].key - least) * scale);
      steps_[i] = static_cast<std::uint64_t>(step) << kPlaceBits | i;
    }
    const std::uint64_t* sorted =
        radix_sort(steps_.data(), scratch_.data(), static_cast<std::int64_t>(n), kPlaceBits, kStepBits);
    unordered_.swap(levels);
    levels.resize(n);
    for (std::size_t i = 0; i < n; ++i) levels[i] = unordered_[static_cast<std::uint32_t>(sorted[i])];
    for (std::size_t begin = 0, end; begin < n; begin = end) {
      end = begin + 1;
      while (end < n && sorted[end] >> kPlaceBits == sorted[begin] >> kPlaceBits) ++end;
      if (end - begin > 1)
        std::sort(levels.begin() + static_cast<std::ptrdiff_t>(begin),
                  levels.begin() + static_cast<std::ptrdiff_t>(end));
    }
  }

 private:
  static constexpr std::size_t kLevelsToSort = 64;  // fewer are sorted by their keys at once
  static constexpr int kPlaceBits = 32;
  std::vector<std::uint64_t> steps_, scratch_;
  std::vector<OrderedLevel> unordered_;
};

}  // namespace bough
