// The lasso path and the log-rank statistic, where they are known.
#include "bough/forest/survival_forest.hpp"
#include "bough/lasso/lasso.hpp"
#include "harness.hpp"

using namespace bough;

namespace {

// Two orthogonal indicators of four rows, and numbers that they explain.
struct Orthogonal {
  std::vector<std::int64_t> start = {0, 2, 4};
  std::vector<std::int32_t> rows = {0, 1, 0, 2};
  std::vector<double> y = {6, 4, 2, 0};

  lasso::Path path(const lasso::Settings& settings, int n_folds = 0,
                   const std::vector<std::int32_t>& fold = {}) const {
    lasso::Design design;
    design.n_rows = 4;
    design.start = start.data();
    design.rows = rows.data();
    design.n_indicators = 2;
    lasso::Target target;
    target.y = y.data();
    target.fold = fold.data();
    target.n_folds = n_folds;
    Watch watch({}, n_folds + 1);
    return lasso::lasso_path(design, target, settings, 2, watch);
  }
};

}  // namespace

TEST(the_lasso_of_orthogonal_columns_shrinks_each_by_the_penalty) {
  // Without a penalty y = 0 + 4 a + 2 b. A column of variance 1/4 shrinks by 4 times the penalty.
  lasso::Settings settings;
  settings.penalties = {1.0, 0.75, 0.25, 0.0};
  settings.tolerance = 1e-14;
  const lasso::Path path = Orthogonal().path(settings);
  CHECK_EQUAL(path.penalties.size(), std::size_t{4});
  const std::vector<std::vector<double>> wanted = {{}, {1}, {3, 1}, {4, 2}};
  for (std::size_t step = 0; step < wanted.size(); ++step) {
    CHECK_EQUAL(path.start[step + 1] - path.start[step], static_cast<std::int64_t>(wanted[step].size()));
    for (std::size_t i = 0; i < wanted[step].size(); ++i)
      CHECK_CLOSE(path.coefficient[path.start[step] + i], wanted[step][i], 1e-9);
  }
  CHECK_CLOSE(path.intercept[0], 3, 1e-12);
  CHECK_CLOSE(path.intercept[3], 0, 1e-9);
}

TEST(the_first_penalty_is_the_least_one_without_a_term) {
  const lasso::Path path = Orthogonal().path(lasso::Settings{});
  CHECK_CLOSE(path.penalties[0], 1, 1e-12);
  CHECK_EQUAL(path.start[1], std::int64_t{0});
  CHECK(path.start[2] > 0);
}

TEST(a_fold_is_measured_by_the_model_of_the_other_rows) {
  lasso::Settings settings;
  settings.penalties = {100.0};
  const lasso::Path path = Orthogonal().path(settings, 2, {0, 0, 1, 1});
  // The mean of the other fold is 1 or 5; the loss is half the squared error.
  CHECK_CLOSE(path.held_out[0], (25.0 + 9.0) / 4, 1e-12);
  CHECK_CLOSE(path.held_out[1], (9.0 + 25.0) / 4, 1e-12);
}

TEST(a_log_rank_statistic_is_that_of_a_table_by_hand) {
  // Events at 1, 2 and 3, the last row censored; the first two rows against the others.
  const std::vector<double> found = logrank_statistics({1, 2, 3, 4}, {1, 1, 1, 0}, {1, 1, 1, 1});
  // Expected on the left: 2/4 + 1/3; variances 1/4 and 2/9.
  const double excess = 2 - (0.5 + 1.0 / 3), variance = 0.25 + 2.0 / 9;
  CHECK_CLOSE(found[1], excess * excess / variance, 1e-12);
  CHECK_EQUAL(found[3], 0.0);
}

TEST(rows_without_events_have_no_log_rank_statistic) {
  for (const double each : logrank_statistics({1, 2, 3}, {0, 0, 0}, {1, 1, 1})) CHECK_EQUAL(each, 0.0);
}
