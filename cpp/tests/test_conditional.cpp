// Conditional inference: known statistics and p-values, the distribution of the greatest deviation, and
// growth.
#include <limits>

#include "bough/conditional/distribution.hpp"
#include "bough/conditional/growth.hpp"
#include "bough/conditional/inference.hpp"
#include "bough/criteria/list.hpp"
#include "harness.hpp"

using namespace bough;
using namespace bough::conditional;

namespace {

Column numbers(const std::vector<double>& values) {
  return {Column::Type::float64, Scale::numeric, reinterpret_cast<const char*>(values.data()), sizeof(double),
          0};
}

}  // namespace

TEST(a_statistic_of_numbers_is_that_of_their_correlation) {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6};
  Target target;
  target.y = {2, 1, 4, 3, 6, 5};
  const Inference inference({numbers(x)}, target, Options{});
  const std::vector<std::uint32_t> rows = {0, 1, 2, 3, 4, 5};
  const Found found = inference.search(rows, 0, [] {});
  // (n - 1) r^2 with r = 29 / 35.
  CHECK_CLOSE(found.tests[0].statistic, 5 * (29.0 / 35) * (29.0 / 35), 1e-12);
}

TEST(the_greatest_of_independent_deviations_has_the_product_distribution) {
  // A number and a number: one entry.
  CHECK_CLOSE(maximum_survival(1.959963984540054, {}, {}), 0.05, 1e-12);
  // Two classes are one entry too.
  CHECK_CLOSE(maximum_survival(1.959963984540054, {}, {0.3, 0.7}), 0.05, 1e-12);
}

TEST(three_equal_classes_span_a_plane) {
  // The entries are cosines 120 degrees apart; far out only one of them is large.
  const double p = maximum_survival(4.0, {}, {1 / 3.0, 1 / 3.0, 1 / 3.0});
  CHECK(p > 2.5 * normal_two_sided(4.0) && p < 3 * normal_two_sided(4.0));
  CHECK_CLOSE(maximum_survival(1e-9, {}, {1 / 3.0, 1 / 3.0, 1 / 3.0}), 1, 1e-6);
}

TEST(a_level_of_almost_no_cases_deviates_independently_of_three_others) {
  const std::vector<double> three = {0.2, 0.3, 0.5}, four = {0.2, 0.3, 0.5 - 1e-12, 1e-12};
  for (const double x : {0.5, 1.0, 2.0, 3.0, 4.5, 5.5, 7.0}) {
    const double plane = maximum_survival(x, three, {}), one = normal_two_sided(x);
    const double wanted = plane + one - plane * one;
    CHECK_CLOSE(maximum_survival(x, four, {}), wanted, 3e-6 * wanted);
    CHECK_CLOSE(maximum_survival(x, {}, four), wanted, 3e-6 * wanted);
  }
}

TEST(sampled_probabilities_agree_with_those_of_independent_deviations) {
  // A level of almost no cases deviates by itself, also in three classes.
  const std::vector<double> classes = {0.2, 0.3, 0.5}, levels = {0.4, 0.6 - 1e-12, 1e-12};
  for (const double x : {1.0, 2.0, 3.0, 4.5}) {
    const double plane = maximum_survival(x, {}, classes);
    CHECK_CLOSE(maximum_survival(x, levels, classes), 2 * plane - plane * plane, 0.02 * plane);
  }
}

TEST(probabilities_of_counts_lie_between_their_bounds) {
  const std::vector<double> levels = {0.25, 0.25, 0.25, 0.25};
  for (const double x : {2.5, 5.0, 6.0}) {
    const double p = maximum_survival(x, levels, {0.5, 0.5});
    CHECK(p < 4 * normal_two_sided(x) && p > 3.5 * normal_two_sided(x));
  }
}

TEST(rows_of_weight_two_are_two_rows) {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6, 7, 8, 8, 7};
  Target weighted;
  weighted.n_classes = 2;
  weighted.label = {0, 0, 0, 1, 0, 1, 1, 1, 1, 1};
  Target repeated = weighted;
  weighted.weight = {1, 1, 1, 1, 1, 1, 2, 2, 0, 0};
  const Inference by_weight({numbers(x)}, weighted, Options{});
  const Inference by_rows({numbers(x)}, repeated, Options{});
  const std::vector<std::uint32_t> eight = {0, 1, 2, 3, 4, 5, 6, 7}, ten = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  CHECK_CLOSE(by_weight.search(eight, 0, [] {}).tests[0].statistic,
              by_rows.search(ten, 0, [] {}).tests[0].statistic, 1e-12);
}

TEST(a_tree_is_grown_to_its_leaves) {
  // The number tells the classes apart; the level, of which the second never occurs, does so where it is
  // known, and routes the row whose number is missing.
  std::vector<double> x;
  std::vector<std::int32_t> level;
  Target target;
  target.n_classes = 2;
  for (int i = 0; i < 40; ++i) {
    x.push_back(i == 39 ? std::numeric_limits<double>::quiet_NaN() : i);
    level.push_back(i < 20 ? 0 : 2);
    target.label.push_back(i < 20 ? 0 : 1);
  }
  const Column grade{Column::Type::code, Scale::ordinal, reinterpret_cast<const char*>(level.data()),
                     sizeof(std::int32_t), 3};
  ShownRows shown{criterion_named("gini")};
  shown.n_classes = 2;
  shown.label = target.label.data();
  Options options;
  options.n_surrogates = 1;
  const TestedTree grown = grow({grade, numbers(x)}, target, shown, options, {10, 20}, [] {});
  const GrownTree& tree = grown.tree;
  CHECK(tree.parent.size() == 3);
  CHECK(tree.column[0] == 0);  // no value of it is missing, so its test has more rows
  CHECK_CLOSE(tree.cut[0], 1.5, 0);
  CHECK_CLOSE(tree.cases[1] + tree.cases[2], 40, 0);
  CHECK_CLOSE(tree.gain[0], 0.5, 1e-12);
  CHECK_CLOSE(tree.risk[0], 20, 0);
  CHECK(tree.surrogates.column.size() == 1 && tree.surrogates.column[0] == 1);
  CHECK_CLOSE(tree.surrogates.value[0], 1, 0);
  CHECK_CLOSE(grown.statistic[0], 39, 1e-9);
  CHECK(grown.statistic[2] != grown.statistic[2]);  // a leaf that is pure is not tested
}

TEST(cases_of_monte_carlo_tests_are_rows) {
  std::vector<double> x;
  Target target;
  std::vector<double> y, cases;
  for (int i = 0; i < 30; ++i) {
    x.push_back(i);
    y.push_back(i % 7 + (i >= 15 ? 20 : 0));
    cases.push_back(1 + i % 3);
  }
  target.y = y;
  ShownRows shown{criterion_named("squared_error")};
  shown.y = y.data();
  shown.weight = shown.own = shown.cases = cases.data();
  Options options;
  options.n_resamples = 99;
  const TestedTree grown = grow({numbers(x)}, target, shown, options, {1, 2}, [] {});
  CHECK(grown.tree.parent.size() == 3);
  CHECK_CLOSE(grown.tree.cases[0], 60, 0);
  CHECK_CLOSE(grown.tree.cut[0], 14, 0);
  CHECK_CLOSE(grown.p_value[0], 0, 0);
}
