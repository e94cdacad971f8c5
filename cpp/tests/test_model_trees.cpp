// Model trees: the regressions of nodes, M5 trees, and the parts of Cubist that have laws of their own.
#include <algorithm>

#include "bough/model_trees/cubist.hpp"
#include "bough/model_trees/cubist_cuts.hpp"
#include "bough/model_trees/cubist_neighbours.hpp"
#include "bough/model_trees/linear_tree.hpp"
#include "bough/model_trees/logit_boost.hpp"
#include "bough/model_trees/m5.hpp"
#include "bough/model_trees/normal_equations.hpp"
#include "bough/model_trees/regression.hpp"
#include "harness.hpp"

using namespace bough;
using namespace bough::model_trees;

namespace {

// Sixty rows: y is near 2a + 1 up to a = 29, and near 100 - b beyond; a third column
// repeats the first.
struct Sample {
  std::vector<double> a, b, copy, y;
  NumericRows rows;

  Sample() {
    for (int i = 0; i < 60; ++i) {
      a.push_back(i);
      b.push_back(i * 7 % 11);
      copy.push_back(3.0 * i);
      y.push_back((i < 30 ? 2.0 * i + 1 : 100 - b.back()) + (i % 3 - 1));
    }
    rows = {60, {a.data(), b.data(), copy.data()}, y.data()};
  }
};

}  // namespace

TEST(a_regression_keeps_one_of_two_collinear_columns) {
  const Sample sample;
  std::vector<std::uint32_t> first(30);
  for (std::uint32_t i = 0; i < 30; ++i) first[i] = i;
  const std::vector<int> columns{0, 1, 2};
  const LinearModel model = Regression(sample.rows, first, columns).fit();
  CHECK_EQUAL(std::count(model.column.begin(), model.column.end(), 0) +
                  std::count(model.column.begin(), model.column.end(), 2),
              1);
  for (const std::uint32_t row : first)
    CHECK(std::abs(model.predict(sample.rows, row) - sample.y[row]) < 1.5);
}

TEST(a_regression_without_columns_is_the_mean) {
  const Sample sample;
  const std::vector<std::uint32_t> rows{0, 1, 2};
  const LinearModel model = Regression(sample.rows, rows, std::vector<int>{}).fit();
  CHECK_EQUAL(model.n_parameters(), 1);
  CHECK_EQUAL(model.intercept, 3.0);
}

TEST(instances_are_sorted_and_stay_the_same_rows) {
  const Sample sample;
  std::vector<std::uint32_t> rows = shuffled_rows(60);
  sort_as_instances(rows, sample.b.data());
  for (std::size_t i = 1; i < rows.size(); ++i) CHECK(sample.b[rows[i - 1]] <= sample.b[rows[i]]);
  std::sort(rows.begin(), rows.end());
  for (std::uint32_t i = 0; i < 60; ++i) CHECK_EQUAL(rows[i], i);
}

TEST(an_m5_tree_finds_the_break_between_two_lines) {
  const Sample sample;
  Watch watch({});
  const std::vector<ModelNode> nodes = grow_m5(sample.rows, {.smoothing = 0}, watch);
  const std::vector<int> order = level_by_level(nodes);
  CHECK(order.size() >= 3);
  double errors = 0;
  for (const int node : order)
    if (nodes[node].column < 0) errors += nodes[node].risk;
  CHECK(errors < 0.05 * nodes[0].risk);
}

TEST(a_linear_tree_finds_the_break_between_two_lines) {
  const Sample sample;
  std::vector<std::int32_t> of_a(60), of_b(60);
  for (int i = 0; i < 60; ++i) {
    of_a[i] = i;
    of_b[i] = i * 7 % 11;
  }
  const Codes codes{of_a.data(), of_b.data(), of_a.data()};
  const std::vector<ModelNode> nodes =
      grow_linear_tree(sample.rows, codes, {.min_leaf = 5, .n_threads = 2}, {});
  const std::vector<int> order = level_by_level(nodes);
  CHECK(order.size() >= 3);
  double errors = 0, cases = 0;
  for (const int node : order)
    if (nodes[node].column < 0) {
      errors += nodes[node].risk;
      cases += nodes[node].cases;
    }
  CHECK_EQUAL(cases, 60.0);
  CHECK(errors < 0.05 * nodes[0].risk);
}

TEST(normal_equations_drop_constant_and_collinear_columns) {
  NormalEquations equations(3);
  equations.clear();
  for (int i = 0; i < 8; ++i) {
    const double x = i, row[5] = {1, x, 2 * x + 1, 7, 3 * x - 2};
    const double* rows[4] = {row, row, row, row};
    const double weight[4] = {1, 0, 0, 0};
    equations.add(rows, weight);
  }
  CHECK(equations.solve({0, 0, 0, 0}) < 1e-9);
  CHECK(std::abs(equations.slopes()[1] - 3) < 1e-9);
  CHECK_EQUAL(equations.slopes()[2], 0.0);
  CHECK_EQUAL(equations.slopes()[3], 0.0);
  CHECK(std::abs(equations.intercept() + 2) < 1e-9);
}

TEST(steps_of_logit_boost_separate_two_classes) {
  const Sample sample;
  std::vector<std::int32_t> code(60);
  std::vector<std::uint32_t> rows(60);
  for (int i = 0; i < 60; ++i) {
    code[i] = i >= 25;
    rows[i] = static_cast<std::uint32_t>(i);
  }
  ClassRows data{sample.rows, code.data(), 2};
  std::vector<double> scores(60);
  LogitBoost boosting(data, rows, rows, scores.data());
  CHECK_EQUAL(boosting.held_out_errors(), 35.0);
  for (int step = 0; step < 20; ++step) boosting.step();
  CHECK(boosting.held_out_errors() < 5);
  std::vector<std::int32_t> fold(60);
  for (int i = 0; i < 60; ++i) fold[i] = i % 5;
  Watch watch({});
  CHECK(cross_validated_steps(data, rows, fold, scores.data(), {.max_steps = 10}, watch) > 0);
}

TEST(m5_rules_cover_every_row_once) {
  const Sample sample;
  Watch watch({});
  double cases = 0;
  for (const M5Rule& rule : learn_m5_rules(sample.rows, {}, watch)) cases += rule.cases;
  CHECK_EQUAL(cases, 60.0);
}

TEST(the_denominator_makes_a_number_whole) {
  CHECK_EQUAL(cubist::denominator(0), 1);
  CHECK_EQUAL(cubist::denominator(25), 1);
  CHECK_EQUAL(cubist::denominator(10.5f), 10);
  CHECK_EQUAL(cubist::denominator(0.25f), 100);
}

// The values of step 1 are all different, those of step 10 repeat.
TEST(cubist_finds_the_same_cut_in_sorted_lists_as_by_its_own_sort) {
  for (const int step : {1, 10}) {
    const int n = 120;
    cubist::Data data;
    data.columns.emplace_back();
    std::vector<float> residual;
    std::vector<int> rows;
    for (int i = 0; i < n; ++i) {
      const int shuffled = i * 37 % n;
      data.columns[0].value.push_back(static_cast<float>(shuffled / step));
      residual.push_back(static_cast<float>(shuffled < 70 ? shuffled % 7 : 20 + i % 3));
      rows.push_back(i);
    }
    data.y = residual;
    cubist::SortedLists lists(data);
    data.columns[0].used = false;  // no list
    const cubist::SortedLists none(data);
    cubist::CutSearch search(n);
    // First all rows, then those of the second branch.
    std::stable_partition(rows.begin(), rows.end(), [&](int row) { return row < 40; });
    for (const int first : {0, 40}) {
      if (first) lists.divide(rows, 0, first, n - 1);
      const std::span<const int> own = std::span(rows).subspan(first);
      const cubist::Cut listed = search.best(data.columns[0], 0, own, first, lists, residual, 10, 3);
      const cubist::Cut sorted = search.best(data.columns[0], 0, own, first, none, residual, 10, 3);
      CHECK(listed.gain > 0);
      CHECK_EQUAL(listed.gain, sorted.gain);
      CHECK_EQUAL(listed.below, sorted.below);
      CHECK_EQUAL(listed.above, sorted.above);
      CHECK_EQUAL(listed.below, static_cast<float>(69 / step));
    }
  }
}

TEST(cubist_fits_a_line_and_its_neighbours_correct_what_is_left) {
  cubist::Data data;
  data.columns.emplace_back();
  for (int i = 0; i < 40; ++i) {
    data.columns[0].value.push_back(static_cast<float>(i));
    data.y.push_back(static_cast<float>(3 * i + (i == 20 ? 9 : 0)));
  }
  cubist::prepare(data);
  Watch watch({});
  const cubist::Model model = cubist::learn(data, {}, watch);
  std::vector<float> predicted;
  for (int row = 0; row < 40; ++row) predicted.push_back(model.predict(model.committee[0], data, row));
  CHECK(std::abs(predicted[5] - 15) < 0.5);
  const cubist::Neighbours neighbours(data, predicted, 1, cubist::mean_distance(data), model.floor,
                                      model.ceiling);
  CHECK(neighbours.correct(data, 20, predicted[20]) > predicted[20]);
}
