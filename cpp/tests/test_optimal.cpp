// The search for optimal trees against all trees of small tables.
#include <algorithm>

#include "bough/optimal/axes.hpp"
#include "bough/optimal/search.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

struct DrawnClasses {
  std::vector<std::vector<double>> values;
  std::vector<int> label;
  std::vector<double> loss;
  int n_classes;

  DrawnClasses(Draws& draws, int n, int n_columns, int k) : n_classes(k) {
    values.assign(n_columns, {});
    for (auto& column : values)
      for (int i = 0; i < n; ++i) column.push_back(draws.below(5));
    for (int i = 0; i < n; ++i) {
      label.push_back(draws.below(k));
      for (int j = 0; j < k; ++j) loss.push_back(label.back() != j);
    }
  }

  optimal::Problem problem(int depth, double split_cost) const {
    std::vector<Column> columns;
    for (const auto& column : values)
      columns.push_back({Column::Type::float64, Scale::numeric, reinterpret_cast<const char*>(column.data()),
                         sizeof(double), 0});
    optimal::Problem problem;
    problem.rows.n = static_cast<std::int64_t>(label.size());
    problem.axes = optimal::make_axes(columns, problem.rows.n, 5, true);
    problem.limits.max_depth = depth;
    problem.limits.split_cost = split_cost;
    problem.tolerance = split_cost > 0 ? 1e-9 : 0.5;
    return problem;
  }

  double leaf(const std::vector<int>& rows) const {
    std::vector<int> count(n_classes);
    for (const int row : rows) ++count[label[row]];
    return static_cast<double>(rows.size()) - *std::max_element(count.begin(), count.end());
  }

  // The least loss of all trees of some rows.
  double best(const std::vector<int>& rows, int depth, double split_cost) const {
    double least = leaf(rows);
    for (std::size_t c = 0; depth > 0 && c < values.size(); ++c)
      for (int cut = 1; cut < 5; ++cut) {
        std::vector<int> side[2];
        for (const int row : rows) side[values[c][row] >= cut].push_back(row);
        if (side[0].empty() || side[1].empty()) continue;
        least = std::min(
            least, best(side[0], depth - 1, split_cost) + best(side[1], depth - 1, split_cost) + split_cost);
      }
    return least;
  }
};

TEST(an_optimal_tree_loses_as_little_as_the_best_of_all_trees) {
  Draws draws(1);
  for (int round = 0; round < 60; ++round) {
    const int n = 2 + draws.below(round % 3 == 2 ? 10 : 20), depth = 1 + round % 3;
    const DrawnClasses rows(draws, n, 1 + draws.below(3), 2 + round % 2);
    const double cost = round % 4 == 0 ? 0.7 : 0;
    std::vector<int> all;
    for (int i = 0; i < n; ++i) all.push_back(i);
    for (const int n_threads : {1, 3}) {
      const optimal::Best found =
          optimal::search_classes(rows.problem(depth, cost), rows.n_classes, rows.loss, n_threads, {}, {});
      CHECK_CLOSE(found.value, rows.best(all, depth, cost), 1e-9);
      CHECK_CLOSE(found.lower, found.value, 1e-9);
      CHECK(!found.stopped);
    }
  }
}

}  // namespace

}  // namespace bough::tests
