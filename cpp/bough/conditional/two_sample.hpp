// The split of one column in two: the one whose two-sample statistic is greatest.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bough/conditional/sample.hpp"

namespace bough::conditional {

// A split in two: of a number or ordinal level between two values, or of levels; column -1: none.
struct Split {
  int column = -1;
  double below = 0, above = 0;
  std::vector<std::int32_t> codes, branches;  // of a nominal column
  double statistic = 0;
};

// The best cut of a sample of numbers or ordinal levels; order: its places by ascending value.
Split best_cut(int column, const Sample& sample, const std::vector<std::uint32_t>& order, double min_cases,
               Statistic kind);

// The best set of levels; max_exhaustive: up to so many levels of three classes or more, all sets are tried.
// between: called now and then, and may throw.
Split best_levels(int column, const Sample& sample, double min_cases, Statistic kind, int max_exhaustive,
                  const std::function<void()>& between);

}  // namespace bough::conditional
