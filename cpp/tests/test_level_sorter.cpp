// The order of levels by steps against that by comparisons.
#include <algorithm>
#include <limits>
#include <vector>

#include "bough/boost/level_sorter.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

TEST(levels_are_ordered_as_by_comparisons) {
  Draws draws(3);
  LevelSorter order;
  for (int round = 0; round < 60; ++round) {
    const int n = draws.below(round % 2 ? 90 : 900), kind = round % 5;
    std::vector<OrderedLevel> levels;
    for (int i = 0; i < n; ++i) {
      double key = draws.share() - 0.5;
      if (kind == 1) key = draws.below(7);                                        // many equal keys
      if (kind == 2 && i == n / 2) key = 1e12;                                    // all others share a step
      if (kind == 3) key *= std::numeric_limits<double>::denorm_min() * 64;       // steps of no width
      if (kind == 4) key = (key < 0 ? -1 : 1) * (1e308 + 5e307 * draws.share());  // the range overflows
      levels.push_back({key, draws.below(1000), i});
    }
    std::vector<OrderedLevel> wanted = levels;
    std::sort(wanted.begin(), wanted.end());
    order.sort(levels);
    CHECK_EQUAL(levels.size(), wanted.size());
    for (int i = 0; i < n; ++i) {
      CHECK_EQUAL(levels[i].place, wanted[i].place);
      CHECK_EQUAL(levels[i].code, wanted[i].code);
    }
  }
}

}  // namespace bough::tests
