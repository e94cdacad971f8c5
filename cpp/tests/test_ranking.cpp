// Losses of rankings: pairs push each other apart by equal amounts, and the order of threads does not matter.
#include <cmath>
#include <stdexcept>

#include "bough/boost/ranking.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

constexpr int kRows = 400, kGroups = 25;

struct Rows {
  std::vector<std::int32_t> group;
  std::vector<double> gain, score;
  std::vector<std::uint32_t> all;

  Rows() {
    Draws draws(3);
    for (int i = 0; i < kRows; ++i) {
      group.push_back(draws.below(kGroups));
      gain.push_back(draws.below(4));
      score.push_back(draws.share());
      all.push_back(static_cast<std::uint32_t>(i));
    }
  }

  std::unique_ptr<Loss> loss(const std::string& name, int truncation) const {
    LossSettings settings;
    settings.name = name;
    settings.group = group.data();
    settings.truncation = truncation;
    BoostTarget target;
    target.n_rows = kRows;
    target.y = gain.data();
    return make_loss(settings, target);
  }

  std::vector<double> gradients(const std::string& name, int truncation, int n_threads) {
    const std::unique_ptr<Loss> made = loss(name, truncation);
    Team team(n_threads);
    made->begin_round({score.data()}, all, team);
    std::vector<double> gradient(kRows), hessian(kRows);
    made->gradients(score.data(), 0, 0, kRows, gradient.data(), hessian.data());
    for (const double h : hessian) CHECK(h >= 0);
    return gradient;
  }
};

}  // namespace

TEST(gradients_of_a_group_sum_to_nothing) {
  Rows rows;
  for (const char* name : {"ndcg", "map", "mrr", "pairwise"})
    for (const int truncation : {0, 1, 5}) {
      const std::vector<double> gradient = rows.gradients(name, truncation, 1);
      std::vector<double> sum(kGroups, 0.0);
      double most = 0;
      for (int i = 0; i < kRows; ++i) {
        sum[rows.group[i]] += gradient[i];
        most = std::max(most, std::abs(gradient[i]));
      }
      for (const double each : sum) CHECK_CLOSE(each, 0.0, 1e-12);
      CHECK(most > 0);
      CHECK(gradient == rows.gradients(name, truncation, 3));
    }
}

TEST(the_best_order_has_no_validation_loss) {
  Rows rows;
  rows.score = rows.gain;
  for (const char* name : {"ndcg", "map", "mrr"}) {
    const std::unique_ptr<Loss> made = rows.loss(name, 0);
    made->begin_validation({rows.score.data()}, rows.all);
    for (int i = 0; i < kRows; ++i) CHECK_CLOSE(made->loss({rows.score.data()}, i), 0.0, 1e-12);
  }
}

TEST(a_watch_stops_the_pairs_of_a_large_group) {
  constexpr int kLarge = 5000;
  const std::vector<std::int32_t> group(kLarge, 0);
  std::vector<double> gain(kLarge), score(kLarge, 0.0);
  std::vector<std::uint32_t> all(kLarge);
  for (int i = 0; i < kLarge; ++i) {
    gain[i] = i % 3;
    all[i] = static_cast<std::uint32_t>(i);
  }
  BoostTarget target;
  target.n_rows = kLarge;
  target.y = gain.data();
  LossSettings settings;
  settings.group = group.data();
  for (const char* name : {"ndcg", "pairwise"})
    for (const int n_threads : {1, 3}) {
      settings.name = name;
      int n_asked = 0;
      Watch watch([&](double) { return ++n_asked < 2; });
      const std::unique_ptr<Loss> made = make_loss(settings, target);
      made->set_watch(&watch);
      Team team(n_threads);
      CHECK_THROWS(for (;;) made->begin_round({score.data()}, all, team), Interrupted);
      CHECK(watch.stopped());
    }
  Watch watch([](double) { return false; });
  const std::unique_ptr<Loss> made = make_loss(settings, target);
  made->set_watch(&watch);
  CHECK_THROWS(made->begin_validation({score.data()}, all), Interrupted);
}

TEST(a_loss_of_rankings_that_is_not_known_is_refused) {
  Rows rows;
  CHECK_THROWS(rows.loss("squared_error", 0), std::invalid_argument);
}

}  // namespace bough::tests
