// Sweeps against trying everything, on points of a coarse lattice, where many rows share a place or a line.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/search/sweep.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

struct Points {
  std::vector<double> x, y, statistics, cases;

  SweptRows rows() const {
    return {statistics.data(), cases.data(), x.size(), static_cast<double>(x.size())};
  }

  // The value of the split whose low side is told row by row.
  template <class Low>
  double value(const Evaluator& evaluator, const LeafLimits& limits, Low low) const {
    double children[4] = {0, 0, 0, 0}, sizes[2] = {0, 0};
    for (std::size_t row = 0; row < x.size(); ++row) {
      const int child = low(row) ? 0 : 1;
      for (int c = 0; c < 2; ++c) children[2 * child + c] += statistics[2 * row + c];
      sizes[child] += cases[row];
    }
    if (!large_enough(evaluator, limits, children, sizes[0]) ||
        !large_enough(evaluator, limits, children + 2, sizes[1]))
      return nothing;
    return evaluator.value(children, children + 2, static_cast<double>(x.size()));
  }
};

Points draw(Draws& draws, int n, int lattice) {
  Points points;
  for (int i = 0; i < n; ++i) {
    points.x.push_back(draws.below(lattice));
    points.y.push_back(draws.below(lattice));
    const int label = draws.below(2);
    points.statistics.push_back(label == 0);
    points.statistics.push_back(label == 1);
    points.cases.push_back(1);
  }
  return points;
}

}  // namespace

TEST(the_best_cut_is_the_best_of_all_cuts) {
  Draws draws(1);
  const Evaluator evaluator(criterion_of<Gini>, 2);
  for (int n = 0; n < 30; ++n) {
    const Points points = draw(draws, n, 6);
    const LeafLimits limits{static_cast<double>(1 + draws.below(3)), 0};
    double best = nothing;
    for (double cut = 0.5; cut < 6; ++cut)
      best = std::max(best,
                      points.value(evaluator, limits, [&](std::size_t row) { return points.x[row] < cut; }));
    const Swept found = best_cut(points.rows(), evaluator, limits, points.x.data());
    CHECK_EQUAL(found.value, best);
    if (best == nothing) continue;
    const double cut = found.above;
    CHECK_EQUAL(points.value(evaluator, limits, [&](std::size_t row) { return points.x[row] < cut; }), best);
  }
}

TEST(many_rows_are_sorted_as_few_are) {
  Draws draws(4);
  const Evaluator evaluator(criterion_of<Gini>, 2);
  for (const int n : {511, 512, 4000}) {
    Points points = draw(draws, n, 2);
    for (double& x : points.x) x = (draws.share() - 0.5) * std::exp2(draws.below(60) - 30);
    points.x[0] = 0.0;
    points.x[1] = -0.0;
    std::vector<double> ordered = points.x;
    std::sort(ordered.begin(), ordered.end());
    double best = nothing;
    for (std::size_t i = 1; i < ordered.size(); i += 7)
      best = std::max(
          best, points.value(evaluator, {}, [&](std::size_t row) { return points.x[row] < ordered[i]; }));
    const Swept found = best_cut(points.rows(), evaluator, {}, points.x.data());
    CHECK(found.value >= best);
    CHECK(found.below < found.above);
    CHECK_EQUAL(points.value(evaluator, {}, [&](std::size_t row) { return points.x[row] < found.above; }),
                found.value);
  }
}

TEST(the_best_step_reaches_what_it_promises_and_no_other_reaches_more) {
  Draws draws(2);
  const Evaluator evaluator(criterion_of<Entropy>, 2);
  for (int n = 2; n < 30; ++n) {
    const Points points = draw(draws, n, 5);
    const double cut = 2.5, gamma = -2.25 + 0.25 * draws.below(3);
    const auto value = [&](double delta) {
      return points.value(evaluator, {}, [&](std::size_t row) {
        return points.x[row] - delta * (points.y[row] + gamma) < cut;
      });
    };
    const Swept found = best_step(points.rows(), evaluator, {}, points.x.data(), cut, points.y.data(), gamma);
    double first = -nothing, last = nothing;
    for (std::size_t row = 0; row < points.x.size(); ++row) {
      const double slope = points.y[row] + gamma;
      if (slope == 0) continue;
      first = std::min(first, (points.x[row] - cut) / slope);
      last = std::max(last, (points.x[row] - cut) / slope);
    }
    for (double delta = -9.9937; delta < 10; delta += 0.0613)
      if (first < delta && delta < last) CHECK(value(delta) <= found.value + 1e-12);
    if (found.value > nothing) CHECK_CLOSE(value(found.below / 2 + found.above / 2), found.value, 1e-12);
  }
}

TEST(the_best_angle_is_the_best_of_all_lines) {
  Draws draws(3);
  const Evaluator evaluator(criterion_of<Gini>, 2);
  Watch watch({});
  for (int n = 2; n < 16; ++n) {
    const Points points = draw(draws, n, 4);
    // On so coarse a lattice these directions, which no two rows share, part it in every way a line can.
    double best = nothing;
    for (int a = -40; a <= 40; ++a) {
      for (int b = 0; b <= 40; ++b) {
        std::vector<double> v(points.x.size());
        for (std::size_t row = 0; row < v.size(); ++row)
          v[row] = (a + 0.003) * points.x[row] + (b + 0.0017) * points.y[row];
        best = std::max(best, best_cut(points.rows(), evaluator, {}, v.data()).value);
      }
    }
    CHECK_EQUAL(best_angle(points.rows(), evaluator, {}, points.x.data(), points.y.data(), watch).value,
                best);
  }
}

}  // namespace bough::tests
