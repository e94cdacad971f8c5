// The order in which Weka's Instances.sort leaves the rows of a table: a quicksort whose pivot is the middle
// value, after rows without a value have been swapped to the end. Equal values do not keep their order, and
// OneR's buckets depend on it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace bough::quinlan {

inline std::vector<std::int64_t> instance_order(const double* value, std::int64_t n) {
  std::vector<std::int64_t> order(n);
  for (std::int64_t i = 0; i < n; ++i) order[i] = i;
  const auto at = [&](std::int64_t i) { return value[order[i]]; };
  const auto is_missing = [&](std::int64_t i) { return at(i) != at(i); };
  std::int64_t last = n - 1;
  for (std::int64_t i = 0; i <= last;) {
    if (is_missing(last)) {
      --last;
      continue;
    }
    if (is_missing(i)) std::swap(order[i], order[last--]);
    ++i;
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges{{0, last}};
  while (!ranges.empty()) {
    const auto [left, right] = ranges.back();
    ranges.pop_back();
    if (left >= right) continue;
    const double pivot = at((left + right) / 2);
    std::int64_t l = left, r = right;
    while (l < r) {
      while (at(l) < pivot && l < r) ++l;
      while (at(r) > pivot && l < r) --r;
      if (l < r) std::swap(order[l++], order[r--]);
    }
    if (l == r && at(r) > pivot) --r;
    ranges.push_back({left, r});
    ranges.push_back({r + 1, right});
  }
  return order;
}

}  // namespace bough::quinlan
