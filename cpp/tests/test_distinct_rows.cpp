// Trees of tables whose rows repeat, which are grown from the distinct rows, against those of all rows.
#include "bough/grow/distinct_rows.hpp"
#include "bough/grow/grow.hpp"
#include "drawn_data.hpp"
#include "harness.hpp"
#include "same_trees.hpp"

namespace bough::tests {

namespace {

constexpr int kFolds = 3;

std::optional<DistinctRows> distinct_rows_of(const Data& data, const Recipe& recipe) {
  Watch watch({});
  return DistinctRows::of(data, recipe, watch);
}

void check_distinct(std::uint64_t seed, Criterion criterion, int n_classes) {
  Draws draws(seed);
  for (int round = 0; round < 5; ++round) {
    DrawnData drawn(draws, 8000);
    const int missing = draws.below(2) ? 9 : 0;
    drawn.floats(4, missing).levels(4, Scale::nominal, missing).levels(3, Scale::ordinal).doubles(2);
    n_classes ? drawn.classes(n_classes) : drawn.numbers(3);
    Data data = drawn.data();
    std::vector<double> y;
    if (!n_classes) {
      for (std::int64_t i = 0; i < data.n_rows; ++i) y.push_back(4 * data.y[i]);
      data.y = y.data();
    }
    Recipe recipe;
    recipe.criterion = criterion;
    recipe.limits.min_gain = -std::numeric_limits<double>::infinity();
    recipe.limits.min_cases_leaf = 1 + draws.below(30);
    recipe.limits.min_cases_split = 4;
    if (draws.below(2)) recipe.limits.min_risk = 0.01;
    recipe.n_competitors = draws.below(3);
    recipe.surrogates.most = draws.below(4);
    recipe.fallback = static_cast<Fallback>(draws.below(3));
    if (criterion.reads_rates()) recipe.prior_events = draws.below(3);
    if (draws.below(4) == 0) recipe.limits.max_leaves = 2 + draws.below(8);
    std::vector<std::int32_t> fold;
    for (int i = 0; i < 8000; ++i) fold.push_back(draws.below(kFolds + 1) - 1);

    check_same_row_by_row(data, recipe, fold, kFolds, 1 + draws.below(2),
                          [&](const Data& given) { return distinct_rows_of(given, recipe).has_value(); });
  }
}

}  // namespace

TEST(distinct_rows_of_classes) {
  check_distinct(701, criterion_of<Gini>, 2);
  check_distinct(702, criterion_of<Entropy>, 2);
  check_distinct(703, criterion_of<Gini>, 3);
}
TEST(distinct_rows_of_numbers) { check_distinct(704, criterion_of<SquaredError>, 0); }
// Losses are no whole numbers, and are summed in the order of the rows.
TEST(distinct_rows_of_rates) { check_distinct(705, criterion_of<Poisson>, 0); }

TEST(tables_that_are_grown_as_they_are) {
  Draws draws(706);
  DrawnData different(draws, 8000);
  different.doubles(1 << 28).classes(2);
  Recipe recipe;
  CHECK(!distinct_rows_of(different.data(), recipe));
  DrawnData drawn(draws, 8000);
  drawn.floats(4).numbers(3);  // quarters
  recipe.criterion = criterion_of<SquaredError>;
  CHECK(!distinct_rows_of(drawn.data(), recipe));
  // Which zero stands beside a cut depends on the rows.
  std::vector<float> zeros(8000);
  std::vector<std::int32_t> label(8000);
  for (int i = 0; i < 8000; ++i) {
    zeros[i] = i % 3 == 0 ? -0.0f : i % 3 == 1 ? 0.0f : 1.0f;
    label[i] = i % 2;
  }
  Data data;
  data.n_rows = 8000;
  data.n_classes = 2;
  data.label = label.data();
  data.columns = {view(zeros)};
  recipe.criterion = criterion_of<Gini>;
  CHECK(!distinct_rows_of(data, recipe));
  for (float& x : zeros) x += 0.0f;
  CHECK(distinct_rows_of(data, recipe).has_value());
}

}  // namespace bough::tests
