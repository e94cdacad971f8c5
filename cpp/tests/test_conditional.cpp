// Conditional inference: known statistics and p-values, and the distribution of the greatest deviation.
#include "bough/conditional/distribution.hpp"
#include "bough/conditional/inference.hpp"
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
