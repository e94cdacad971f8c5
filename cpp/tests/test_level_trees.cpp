// Trees of tables of nominal columns, which are grown together from counts of their levels, against those
// that are grown one by one from sorted lists.
#include "bough/grow/grow.hpp"
#include "bough/grow/level_measure.hpp"
#include "bough/grow/level_trees.hpp"
#include "drawn_data.hpp"
#include "harness.hpp"
#include "same_trees.hpp"

namespace bough::tests {

namespace {

constexpr int kFolds = 4;

bool counted(const Data& data, const Recipe& recipe, const std::int32_t* fold) {
  if (!LevelTrees::serves(data, recipe)) return false;
  const std::optional<LevelRows> rows = LevelRows::of(data, fold, kFolds);
  return rows && (data.n_classes > 0 || LevelMeasure(*rows, data, recipe.criterion).serves());
}

Recipe drawn_recipe(Draws& draws, Criterion criterion) {
  Recipe recipe;
  recipe.criterion = criterion;
  recipe.nominal = draws.below(4) ? Nominal::subset : Nominal::one_vs_rest;
  recipe.max_exhaustive = 6;
  recipe.limits.min_gain = -std::numeric_limits<double>::infinity();
  recipe.limits.min_cases_leaf = 1 + draws.below(30);
  recipe.limits.min_cases_split = 4;
  recipe.limits.min_risk = draws.below(2) ? 0.01 : 0;
  recipe.limits.min_share = draws.below(3) ? 0 : 0.01;
  recipe.limits.max_depth = draws.below(3) ? 30 : 3;
  recipe.n_competitors = draws.below(3);
  recipe.surrogates.most = draws.below(4);
  recipe.surrogates.astray = draws.below(2);
  recipe.surrogates.of_known = draws.below(2);
  recipe.fallback = static_cast<Fallback>(draws.below(3));
  if (criterion.reads_rates()) {
    recipe.prior_events = draws.below(3);
    recipe.zero_rates = draws.below(2);
  }
  return recipe;
}

// unit: numbers are whole multiples of it, so that those of 1 are summed as they are.
void check_counted(std::uint64_t seed, Criterion criterion, int n_classes, double unit = 1) {
  Draws draws(seed);
  for (int round = 0; round < 6; ++round) {
    const int n = 3000 + draws.below(4000);
    DrawnData drawn(draws, n);
    for (const int n_levels : {4, 9, 2, 14, 23, 17, 6}) drawn.levels(n_levels, Scale::nominal);
    n_classes ? drawn.classes(n_classes) : drawn.numbers(6);
    Data data = drawn.data();
    std::vector<double> y;
    if (!n_classes) {
      for (std::int64_t i = 0; i < n; ++i) y.push_back(4 * unit * data.y[i]);
      data.y = y.data();
    }
    const Recipe recipe = drawn_recipe(draws, criterion);
    std::vector<std::int32_t> fold;
    const int none = draws.below(2);  // whether some rows are in no fold
    for (int i = 0; i < n; ++i) fold.push_back(draws.below(kFolds + none) - none);
    if (round == 5)  // a level that one fold alone has
      for (int i = 0; i < n; ++i) fold[i] = data.columns[1].code(i) == 3 ? 2 : fold[i];

    check_same_row_by_row(data, recipe, fold, kFolds, 1 + draws.below(3),
                          [&](const Data& given) { return counted(given, recipe, fold.data()); });
  }
}

}  // namespace

TEST(counted_levels_of_classes) {
  check_counted(801, criterion_of<Gini>, 2);
  check_counted(802, criterion_of<Entropy>, 2);
  check_counted(803, criterion_of<Gini>, 4);
}
TEST(counted_levels_of_whole_numbers) { check_counted(804, criterion_of<SquaredError>, 0); }
// Squares of these are rounded, and are summed in the order of the lists.
TEST(counted_levels_of_numbers) {
  check_counted(805, criterion_of<SquaredError>, 0, 0.1);
  check_counted(806, criterion_of<SquaredError>, 0, 1e9 / 3);
}
TEST(counted_levels_of_rates) { check_counted(807, criterion_of<Poisson>, 0); }

TEST(tables_whose_levels_are_not_counted) {
  Draws draws(808);
  const std::vector<std::int32_t> fold(3000, 0);
  Recipe recipe;
  recipe.criterion = criterion_of<SquaredError>;
  const auto is_counted = [&](DrawnData& drawn) { return counted(drawn.data(), recipe, fold.data()); };
  DrawnData levels(draws, 3000), missing(draws, 3000), mixed(draws, 3000), many(draws, 3000);
  CHECK(is_counted(levels.levels(5, Scale::nominal).numbers(3)));
  CHECK(!is_counted(missing.levels(5, Scale::nominal, 9).numbers(3)));
  CHECK(!is_counted(mixed.levels(5, Scale::nominal).levels(5, Scale::ordinal).numbers(3)));
  CHECK(!is_counted(many.levels(2000, Scale::nominal).numbers(3)));
  recipe.limits.max_leaves = 5;
  CHECK(!is_counted(levels));
  // Rates that are not whole are summed row by row.
  recipe.limits.max_leaves = 0;
  recipe.criterion = criterion_of<Poisson>;
  CHECK(!is_counted(levels));
}

}  // namespace bough::tests
