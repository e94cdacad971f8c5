// Gradient boosting: our own exponential and logarithm, threads, both kinds of cells, and predictions.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bough/boost/boost.hpp"
#include "bough/boost/dropout.hpp"
#include "bough/boost/exponential.hpp"
#include "bough/boost/gbm.hpp"
#include "bough/boost/vector_boost.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

struct Problem {
  std::vector<std::vector<double>> values;
  std::vector<std::int32_t> levels, label;
  std::vector<double> y;
  std::vector<Column> columns;

  explicit Problem(int n) : values(3, std::vector<double>(n)), levels(n), label(n), y(n) {
    Draws draws(11);
    for (int i = 0; i < n; ++i) {
      for (auto& column : values) column[i] = draws.share() * 2 - 1;
      if (draws.below(10) == 0) values[1][i] = std::nan("");
      levels[i] = draws.below(300) - 1;
      y[i] = values[0][i] + (values[1][i] > 0) + 0.01 * (levels[i] % 7) + 0.1 * draws.share();
      label[i] = y[i] > 0.5;
    }
    for (const auto& column : values) columns.push_back(view(column));
    columns.push_back(view(levels, 299, Scale::nominal));
  }

  BoostedTrees boosted(const std::string& loss, int n_threads, double row_share = 1, double drop_rate = 0,
                       double top_share = 0, double level_penalty = 0) const {
    const auto n = static_cast<std::int64_t>(y.size());
    Team team(n_threads);
    const BinnedTable bins = bin_table(columns, n, nullptr, nullptr, 63, team, [] {});
    BoostTarget target;
    target.n_rows = n;
    target.n_classes = loss == "log_loss" ? 2 : 0;
    target.label = target.n_classes ? label.data() : nullptr;
    target.y = target.n_classes ? nullptr : y.data();
    BoostSettings settings;
    settings.loss.name = loss;
    settings.n_rounds = 5;
    settings.row_share = row_share;
    settings.drop_rate = drop_rate;
    settings.top_share = top_share;
    settings.limits.level_penalty = level_penalty;
    return boost(columns, bins, target, nullptr, nullptr, settings, n_threads, {});
  }

  // Three classes against a base class, which every second round searches for.
  BoostedTrees boosted_against_base(bool gradient_splits, int n_threads) const {
    const auto n = static_cast<std::int64_t>(y.size());
    Team team(n_threads);
    const BinnedTable bins = bin_table(columns, n, nullptr, nullptr, 63, team, [] {});
    std::vector<std::int32_t> classes(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) classes[i] = y[i] < 0 ? 0 : y[i] < 1 ? 1 : 2;
    BoostTarget target;
    target.n_rows = n;
    target.n_classes = 3;
    target.label = classes.data();
    BoostSettings settings;
    settings.loss.name = "log_loss";
    settings.n_rounds = 5;
    settings.base_interval = 2;
    settings.gradient_splits = gradient_splits;
    return boost(columns, bins, target, nullptr, nullptr, settings, n_threads, {});
  }

  // y and its square at once.
  BoostedTrees boosted_vectors(int n_threads) const {
    const auto n = static_cast<std::int64_t>(y.size());
    Team team(n_threads);
    const BinnedTable bins = bin_table(columns, n, nullptr, nullptr, 63, team, [] {});
    std::vector<double> both = y;
    for (const double each : y) both.push_back(each * each);
    BoostSettings settings;
    settings.n_rounds = 5;
    return boost_vectors(columns, bins, {n, 2, both.data(), nullptr}, nullptr, settings, n_threads, {});
  }

  GbmTrees boosted_by_gbm(const std::string& loss, int n_threads) const {
    const std::vector<double> classes(label.begin(), label.end()), weight(y.size(), 1.0);
    const bool has_classes = loss == "log_loss";
    GbmSettings settings;
    settings.loss.name = loss;
    settings.n_rounds = 5;
    settings.limits.n_splits = 3;
    settings.row_share = 0.5;
    const GbmTarget target{static_cast<std::int64_t>(y.size()), has_classes ? 2 : 0,
                           has_classes ? classes.data() : y.data(), weight.data()};
    return boost_gbm(columns, target, settings, n_threads, {});
  }
};

void check_same(const BoostedTrees& a, const BoostedTrees& b) {
  CHECK_EQUAL(a.trees.size(), b.trees.size());
  for (std::size_t t = 0; t < a.trees.size(); ++t) {
    CHECK(a.trees[t].column == b.trees[t].column);
    CHECK(a.trees[t].statistics == b.trees[t].statistics);
    CHECK(a.trees[t].level_code == b.trees[t].level_code);
  }
}

}  // namespace

TEST(exponential_and_logarithm_are_close_to_the_library) {
  for (double x = -700; x < 700; x += 0.737) {
    CHECK(std::abs(exp_of(x) / std::exp(x) - 1) < 1e-13);
    CHECK_CLOSE(log_of(std::exp(x)), x, 1e-12);
  }
  CHECK_EQUAL(exp_of(0), 1.0);
}

TEST(boosting_does_not_depend_on_threads) {
  for (const int n : {500, 20000}) {
    const Problem problem(n);
    for (const char* loss : {"log_loss", "squared_error", "absolute_error", "huber"})
      check_same(problem.boosted(loss, 1), problem.boosted(loss, 3));
    check_same(problem.boosted("log_loss", 1, 0.5), problem.boosted("log_loss", 3, 0.5));
    check_same(problem.boosted("log_loss", 1, 1, 0.5), problem.boosted("log_loss", 3, 1, 0.5));
    check_same(problem.boosted("log_loss", 1, 0.5, 0, 0.2), problem.boosted("log_loss", 3, 0.5, 0, 0.2));
    check_same(problem.boosted_vectors(1), problem.boosted_vectors(3));
  }
}

// Both kinds of cells: whole sums of many rows, and those of few.
TEST(splits_of_levels_that_do_not_matter_are_fewer_where_chance_is_counted) {
  const auto n_of_levels = [](const BoostedTrees& boosted) {
    std::ptrdiff_t many = 0;
    for (const GrownTree& tree : boosted.trees)
      for (std::size_t i = 0; i < tree.column.size(); ++i)
        many += tree.first_child[i] >= 0 && tree.column[i] == 3;
    return many;
  };
  for (const int n : {9000, 20000}) {
    Problem problem(n);
    Draws draws(12);
    for (std::int32_t& label : problem.label) label = draws.below(2);
    const BoostedTrees with = problem.boosted("log_loss", 1, 1, 0, 0, 1),
                       without = problem.boosted("log_loss", 1);
    CHECK(n_of_levels(without) >= 10);
    CHECK(n_of_levels(with) < n_of_levels(without));
    check_same(with, problem.boosted("log_loss", 3, 1, 0, 0, 1));
    check_same(problem.boosted("squared_error", 1, 1, 0, 0, 1), problem.boosted("squared_error", 1));
  }
}

TEST(boosting_as_gbm_does_not_depend_on_threads_and_lowers_its_loss) {
  const Problem problem(800);
  for (const char* loss : {"log_loss", "squared_error", "absolute_error", "student"}) {
    const GbmTrees one = problem.boosted_by_gbm(loss, 1), three = problem.boosted_by_gbm(loss, 3);
    check_same({one.start, one.trees, {}, {}}, {three.start, three.trees, {}, {}});
    CHECK(one.training_loss == three.training_loss);
    CHECK(one.training_loss.back() < one.training_loss.front());
    for (const GrownTree& tree : one.trees) CHECK_EQUAL(tree.cases[0], 400.0);
  }
}

TEST(boosting_against_a_base_class_does_not_depend_on_threads_and_adds_opposite_trees) {
  for (const int n : {400, 20000}) {
    const Problem problem(n);
    for (const bool gradient_splits : {false, true}) {
      const BoostedTrees one = problem.boosted_against_base(gradient_splits, 1),
                         three = problem.boosted_against_base(gradient_splits, 3);
      CHECK_EQUAL(one.trees.size(), std::size_t{5 * 2 * 3});
      for (std::size_t t = 0; t < one.trees.size(); ++t)
        CHECK(one.trees[t].statistics == three.trees[t].statistics);
      // In a set of one tree for each class, one has splits, one its opposite, and one is a leaf of 0.
      for (std::size_t t = 0; t < one.trees.size(); t += 3) {
        double roots = 0;
        for (std::size_t k = 0; k < 3; ++k) roots += one.trees[t + k].statistics[0];
        CHECK_EQUAL(roots, 0.0);
      }
    }
  }
}

TEST(a_sum_of_trees_answers_row_by_row_as_its_trees_do) {
  const Problem problem(3000);
  const BoostedTrees boosted = problem.boosted("squared_error", 1);
  const GrownTree& tree = boosted.trees[0];
  const std::unique_ptr<TreeSum> sum = sum_of_tree(tree, {0, 0, 0, 299});
  std::vector<double> scores(3000, 0.0);
  Team team(2);
  sum->add(problem.columns, 3000, 0, 1, scores.data(), team);
  std::vector<double> reached(tree.parent.size(), 0.0);
  for (std::size_t i = 0; i < tree.parent.size(); ++i)
    if (tree.first_child[i] < 0)
      reached[i] = static_cast<double>(std::count(scores.begin(), scores.end(), tree.statistics[i]));
  for (std::size_t i = 0; i < tree.parent.size(); ++i)
    if (tree.first_child[i] < 0) CHECK(reached[i] >= tree.cases[i]);
}

TEST(a_loss_that_is_not_known_is_refused) {
  const Problem problem(100);
  CHECK_THROWS(problem.boosted("hinge", 1), std::invalid_argument);
}

}  // namespace bough::tests
