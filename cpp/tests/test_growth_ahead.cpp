// Trees whose leaves are split ahead of their turn by several threads: they are those of one thread.
#include <cmath>
#include <vector>

#include "bough/boost/boost.hpp"
#include "draws.hpp"
#include "harness.hpp"
#include "same_trees.hpp"

namespace bough::tests {

namespace {

// Enough rows for gradients on a grid of few bits. Weights and small leaves make splits that are refused,
// since rows are not counted in histograms; missing values and levels have branches of their own.
struct Rows {
  static constexpr int kRows = 20000;
  std::vector<std::vector<double>> values{4, std::vector<double>(kRows)};
  std::vector<std::int32_t> levels = std::vector<std::int32_t>(kRows), label = levels;
  std::vector<double> weight = std::vector<double>(kRows);
  std::vector<Column> columns;
  BinnedTable bins;

  Rows() {
    Draws draws(5);
    for (int i = 0; i < kRows; ++i) {
      for (auto& column : values) column[i] = draws.share() * 2 - 1;
      if (draws.below(10) == 0) values[1][i] = std::nan("");
      levels[i] = draws.below(40) - 1;
      const double score =
          std::sin(6 * values[0][i]) * values[2][i] + (values[1][i] > 0) + 0.05 * (levels[i] % 9);
      label[i] = score + draws.share() > 1;
      weight[i] = std::exp(4 * draws.share());
    }
    for (const auto& column : values) columns.push_back(view(column));
    columns.push_back(view(levels, 39, Scale::nominal));
    Team team(1);
    bins = bin_table(columns, kRows, nullptr, nullptr, 255, team, [] {});
  }

  BoostedTrees boosted(GrowthOrder order, int max_leaves, double min_samples, bool weighted, int n_threads,
                       const Monitor& monitor = {}) const {
    BoostTarget target;
    target.n_rows = kRows;
    target.n_classes = 2;
    target.label = label.data();
    target.weight = weighted ? weight.data() : nullptr;
    BoostSettings settings;
    settings.loss.name = "log_loss";
    settings.n_rounds = 4;
    settings.order = order;
    settings.limits.max_leaves = max_leaves;
    settings.limits.min_samples_leaf = min_samples;
    return boost(columns, bins, target, nullptr, nullptr, settings, n_threads, monitor);
  }
};

}  // namespace

TEST(leaves_split_ahead_of_their_turn_are_those_of_one_thread) {
  const Rows rows;
  for (const GrowthOrder order : {GrowthOrder::best_first, GrowthOrder::by_level})
    for (const int max_leaves : {2, 31, 255, 0})
      for (const bool weighted : {false, true}) {
        const double min_samples = max_leaves == 0 ? 200 : 5;
        const BoostedTrees one = rows.boosted(order, max_leaves, min_samples, weighted, 1);
        for (const int n_threads : {2, 3, 6}) {
          const BoostedTrees many = rows.boosted(order, max_leaves, min_samples, weighted, n_threads);
          CHECK(many.trees.size() == one.trees.size());
          for (std::size_t i = 0; i < one.trees.size(); ++i) check_same(one.trees[i], many.trees[i]);
        }
      }
}

TEST(growth_ahead_stops_when_it_is_asked_to) {
  const Rows rows;
  int calls = 0;
  const Monitor stop_soon = [&](double) { return ++calls < 2; };
  bool interrupted = false;
  try {
    for (int i = 0; i < 1000; ++i) rows.boosted(GrowthOrder::best_first, 255, 5, false, 3, stop_soon);
  } catch (const Interrupted&) {
    interrupted = true;
  }
  CHECK(interrupted);
}

}  // namespace bough::tests
