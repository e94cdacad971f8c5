// Samples of trees: as many rows as are asked for, of each stratum its own, the same each time.
#include <numeric>
#include <stdexcept>

#include "forests.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

using Draw = SampleDesign::Draw;

SampleDesign stratified(Draw draw, std::vector<std::int32_t> stratum, std::vector<std::int64_t> size) {
  SampleDesign design;
  design.draw = draw;
  design.n_rows = static_cast<std::int64_t>(stratum.size());
  design.stratum = std::move(stratum);
  design.size = std::move(size);
  return design;
}

std::vector<std::int32_t> strata_of(int n_rows, int n_strata, Draws& draws) {
  std::vector<std::int32_t> stratum(n_rows);
  for (int i = 0; i < n_rows; ++i) stratum[i] = i < n_strata ? i : draws.below(n_strata);
  return stratum;
}

std::int64_t total(const std::vector<std::uint32_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

}  // namespace

TEST(samples_hold_as_many_rows_as_asked) {
  for (const std::int64_t n : {1, 2, 63, 64, 65, 1000}) {
    SampleDesign design = bootstrap(n);
    for (const Draw draw : {Draw::with_replacement, Draw::without_replacement})
      for (const std::int64_t wanted : {std::int64_t{0}, (n + 1) / 2, n}) {
        design.draw = draw;
        design.size = {wanted};
        for (const auto& counts : bags(design, 5, 10)) {
          CHECK_EQUAL(counts.size(), static_cast<std::size_t>(n));
          CHECK_EQUAL(total(counts), wanted);
          if (draw == Draw::without_replacement)
            CHECK(std::all_of(counts.begin(), counts.end(), [](std::uint32_t c) { return c <= 1; }));
        }
      }
    design.draw = Draw::all;
    for (const auto& counts : bags(design, 5, 3))
      CHECK(std::all_of(counts.begin(), counts.end(), [](std::uint32_t c) { return c == 1; }));
  }
}

TEST(given_samples_are_taken_as_they_are) {
  const std::vector<std::uint32_t> counts{2, 0, 1, 0, 0, 3};
  const std::vector<double> weights{0.5, 0, 1, 0, 2, 0};
  SampleDesign design;
  design.draw = Draw::given;
  design.n_rows = 3;
  design.n_trees = 2;
  design.first_tree = 7;
  std::vector<std::uint32_t> found;
  CHECK_THROWS(Sampler{design}, std::invalid_argument);
  design.counts = counts.data();
  const Sampler by_count(design);
  by_count.draw(1, 8, found);
  CHECK(found == (std::vector<std::uint32_t>{0, 0, 3}));
  CHECK(by_count.weights(8) == nullptr);
  CHECK_THROWS(by_count.draw(1, 6, found), std::invalid_argument);
  CHECK_THROWS(by_count.draw(1, 9, found), std::invalid_argument);
  design.counts = nullptr;
  design.weights = weights.data();
  const Sampler by_weight(design);
  by_weight.draw(1, 7, found);
  CHECK(found == (std::vector<std::uint32_t>{1, 0, 1}));
  CHECK_EQUAL(by_weight.weights(8)[1], 2.0);
}

TEST(strata_give_their_own_rows) {
  Draws draws(3);
  const std::vector<std::int32_t> stratum = strata_of(400, 4, draws);
  std::vector<std::int64_t> there(4, 0);
  for (const std::int32_t s : stratum) ++there[s];
  for (const Draw draw : {Draw::with_replacement, Draw::without_replacement}) {
    const std::vector<std::int64_t> size{3, there[1], 0, there[3] / 2};
    for (const auto& counts : bags(stratified(draw, stratum, size), 8, 10)) {
      std::vector<std::int64_t> drawn(4, 0);
      for (std::size_t i = 0; i < counts.size(); ++i) drawn[stratum[i]] += counts[i];
      CHECK(drawn == size);
    }
  }
}

TEST(trees_draw_samples_of_their_own_the_same_each_time) {
  const SampleDesign design = bootstrap(200);
  const auto once = bags(design, 1, 6), again = bags(design, 1, 6), other = bags(design, 2, 6);
  CHECK(once == again);
  for (int t = 0; t < 6; ++t) {
    CHECK(once[t] != other[t]);
    for (int u = 0; u < t; ++u) CHECK(once[t] != once[u]);
  }
}

TEST(rows_are_drawn_alike) {
  constexpr int kTrees = 4000, kRows = 50;
  for (const Draw draw : {Draw::with_replacement, Draw::without_replacement}) {
    SampleDesign design = bootstrap(kRows);
    design.draw = draw;
    design.size = {20};
    std::vector<double> times(kRows, 0);
    for (const auto& counts : bags(design, 9, kTrees))
      for (int i = 0; i < kRows; ++i) times[i] += counts[i];
    for (const double t : times) CHECK(std::abs(t - 0.4 * kTrees) < 6 * std::sqrt(0.4 * kTrees));
  }
}

TEST(designs_that_cannot_be_drawn_are_refused) {
  const auto refused = [](const SampleDesign& design) {
    CHECK_THROWS(Sampler{design}, std::invalid_argument);
  };
  SampleDesign design = bootstrap(5);
  design.size = {};
  refused(design);
  design.size = {-1};
  refused(design);
  design.size = {1, 2};
  refused(design);
  design.size = {6};
  design.draw = Draw::without_replacement;
  refused(design);
  refused(stratified(Draw::with_replacement, {0, 1, 2}, {1, 1}));
  refused(stratified(Draw::with_replacement, {0, -1, 1}, {1, 1}));
  refused(stratified(Draw::with_replacement, {0, 0, 0}, {1, 1}));
  refused(stratified(Draw::without_replacement, {0, 0, 1}, {1, 2}));
  design = stratified(Draw::with_replacement, {0, 0, 1}, {1, 1});
  design.n_rows = 4;
  refused(design);
}

}  // namespace bough::tests
