// The bounds of the screen against the values of all cuts.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "bough/criteria/list.hpp"
#include "bough/search/squares_screen.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// A node whose rows have whole numbers as y, and lists of its rows in any order.
struct ScreenedRows {
  std::vector<double> y;
  double sum = 0, squares = 0;

  ScreenedRows(Draws& draws, int n, int kind) : y(n) {
    const double scale = std::ldexp(1.0, (kind == 1 ? 10 : 28) + draws.below(8));  // as on a grid
    for (double& value : y) {
      value = draws.below(1000) - 300;
      if (kind == 1) value = draws.below(20) == 0 ? 1e6 * value : draws.below(3);  // a few far away
      if (kind == 2) value = draws.below(2);
      value *= scale;
      sum += value;
    }
    y[0] += scale;
    sum += scale;
    for (const double value : y) squares += (value - sum / n) * (value - sum / n);
  }

  template <class E>
  std::vector<E> list(Draws& draws) const {
    const int n = static_cast<int>(y.size());
    std::vector<std::uint32_t> order(n);
    for (int i = 0; i < n; ++i) order[i] = i;
    for (int i = n - 1; i > 0; --i) std::swap(order[i], order[draws.below(i + 1)]);
    const int tied = 1 + draws.below(4);
    std::vector<E> entries(n + kListPadding, E{0});
    for (int i = 0; i < n; ++i) entries[i] = make_entry<E>(i / tied, order[i], 0);
    return entries;
  }

  // The highest value of the cuts between unequal codes, times the weight of the node.
  template <class E>
  double highest(const std::vector<E>& list, int min_cases) const {
    const int n = static_cast<int>(y.size());
    double best = 0, left = 0;
    for (int i = 0; i + 1 < n; ++i) {
      left += y[index_of(list[i])];
      if (code_of(list[i]) == code_of(list[i + 1]) || i + 1 < min_cases || n - i - 1 < min_cases) continue;
      best = std::max(best, SquaredError::value(i + 1, left, n - i - 1, sum - left, 1.0));
    }
    return best;
  }
};

template <class E>
void check_screen(std::uint64_t seed) {
  if (!SquaresScreen::serves()) return;
  Draws draws(seed);
  for (const int n : {33, 40, 255, 256, 257, 273, 1000, 5000})
    for (int kind = 0; kind < 3; ++kind) {
      const ScreenedRows rows(draws, n, kind);
      SquaresScreen screen(n);
      const int min_cases = draws.below(2) ? 1 : 5;
      CHECK(screen.start(rows.list<E>(draws).data(), n, rows.y.data(), rows.sum, rows.squares, min_cases));
      for (int column = 0; column < 5; ++column) {
        const std::vector<E> list = rows.list<E>(draws);
        const double highest = rows.highest(list, min_cases), bound = screen.highest(list.data());
        CHECK(bound >= highest);
        CHECK(bound <= 1.2 * highest);
      }
    }
}

}  // namespace

TEST(the_screen_of_squares_bounds_every_cut_closely) {
  check_screen<std::uint32_t>(301);
  check_screen<std::uint64_t>(302);
}

TEST(the_screen_of_squares_refuses_what_it_cannot_round) {
  if (!SquaresScreen::serves()) return;
  Draws draws(303);
  const ScreenedRows rows(draws, 100, 0);
  const std::vector<std::uint32_t> list = rows.list<std::uint32_t>(draws);
  SquaresScreen screen(100);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double squares : {0.0, infinity, rows.squares / 1e12})
    CHECK(!screen.start(list.data(), 100, rows.y.data(), rows.sum, squares, 1));
}

}  // namespace bough::tests
