// Follows the cuts of a sorted list block by block, and evaluates those that may be the best.
#pragma once

#include <algorithm>
#include <cstdint>

#include "bough/search/scan.hpp"
#include "bough/search/scan_task.hpp"

namespace bough {

constexpr int kBlockRows = 128;

// Cuts: how the sums of a criterion are followed. take(entries, n) takes the next rows and returns whether a
// cut after one of them may be the best; the others tell of the cuts of the last block.
template <class Cuts, class E>
Cut scan_blocks(const E* list, int n, const ScanTask& task, double floor) {
  Cut best{floor, 0};
  Cuts cuts(task, n);
  cuts.raise(floor);
  double cases = 0, cases_at[kBlockRows];
  for (int begin = 0; begin < n - 1; begin += kBlockRows) {
    const E* own = list + begin;
    const int count = std::min(kBlockRows, n - 1 - begin);
    const bool any = cuts.take(own, count);
    if (task.rows.cases)
      for (int j = 0; j < count; ++j) cases_at[j] = cases += task.rows.cases[index_of(own[j])];
    if (!any) continue;
    for (int j = 0; j < count; ++j) {
      if (!cuts.may_be_best(j, best.value) || code_of(own[j]) == code_of(own[j + 1])) continue;
      cuts.place(j);
      const double left_cases = task.rows.cases ? cases_at[j] : begin + j + 1;
      if (!task.allowed(left_cases, cuts.left_weight(j), cuts.right_weight(j))) continue;
      const double value = cuts.value(j);
      if (!(value > best.value)) continue;
      best = {value, begin + j + 1};
      cuts.raise(value);
    }
  }
  return best;
}

}  // namespace bough
