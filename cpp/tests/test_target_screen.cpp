// The screen of drawn cuts of several targets bounds the value of every cut from above, and not by much.
#include <numeric>

#include "bough/criteria/list.hpp"
#include "bough/forest/count_kernels.hpp"
#include "bough/forest/target_screen.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// The rows of a node, the cells of its columns row by row, and several targets.
struct NodeOfTargets {
  int n, n_columns, n_targets, width;
  std::vector<double> weight, grid, statistics, risk;
  std::vector<float> cells;
  std::vector<std::uint32_t> index;
  Rows rows;
  NodeSums sums;

  NodeOfTargets(Draws& draws, int n_rows, int columns, int targets, bool shares, double unit, double offset)
      : n(n_rows),
        n_columns(columns),
        n_targets(targets),
        width((targets + 3) / 4 * 4),
        weight(n),
        grid(static_cast<std::size_t>(n) * width),
        statistics(1 + targets, 0.0),
        risk(targets, 0.0),
        cells(static_cast<std::size_t>(n) * columns + kLanes),
        index(n) {
    std::iota(index.begin(), index.end(), 0u);
    for (float& cell : cells) cell = static_cast<float>(draws.below(50));
    for (int i = 0; i < n; ++i) {
      weight[i] = shares ? 0.1 + draws.share() : 1 + draws.below(3);
      statistics[0] += weight[i];
      for (int t = 0; t < targets; ++t) {
        const double y = unit * (draws.share() + offset + cells[static_cast<std::size_t>(i) * columns] / 50);
        grid[static_cast<std::size_t>(i) * width + t] = weight[i] * y;
        statistics[1 + t] += weight[i] * y;
      }
    }
    for (int i = 0; i < n; ++i)
      for (int t = 0; t < targets; ++t) {
        const double off =
            grid[static_cast<std::size_t>(i) * width + t] / weight[i] - statistics[1 + t] / statistics[0];
        risk[t] += weight[i] * off * off;
      }
    rows.weight = weight.data();
    rows.grid = grid.data();
    rows.n_targets = n_targets;
    rows.grid_width = width;
    sums.weight = statistics[0];
    sums.cases = n;
    sums.statistics = statistics.data();
  }

  double value(const Evaluator& evaluator, int column, float cut) const {
    std::vector<double> left(statistics.size(), 0.0), right(statistics.size(), 0.0);
    for (int i = 0; i < n; ++i) {
      const bool below = cells[static_cast<std::size_t>(i) * n_columns + column] < cut;
      SeveralMoments::add_row((below ? left : right).data(), rows, static_cast<std::uint32_t>(i));
    }
    return evaluator.value(left.data(), right.data(), sums.weight);
  }
};

}  // namespace

TEST(no_drawn_cut_of_several_targets_is_worth_more_than_its_bound) {
  Draws draws(17);
  for (const int n : {7, 40, 300, 1500})
    for (const int n_columns : {1, 8, 11})
      for (const int n_targets : {2, 3, 4, 10})
        for (const double unit : {1.0, 1e-150, 1e150})
          for (const double offset : {0.0, 1e6}) {
            const bool shares = draws.below(2) == 0;
            const NodeOfTargets node(draws, n, n_columns, n_targets, shares, unit, offset);
            const Evaluator evaluator =
                Evaluator::of_targets(criterion_of<OfTargets<SquaredError>>, criterion_of<SquaredError>,
                                      std::vector<int>(static_cast<std::size_t>(n_targets), 0), 0);
            TargetScreen screen(n_columns, n_targets, static_cast<std::size_t>(n));
            screen.find_extremes(node.cells.data(), node.index.data(), n);
            for (int c = 0; c < n_columns; ++c)
              screen.set_cut(c, (screen.least(c) + screen.most(c)) / 2 + 0.5f);
            screen.bound_cuts(node.cells.data(), node.index.data(), n, node.rows, node.sums, node.risk.data(),
                              !shares);
            for (int c = 0; c < n_columns; ++c) {
              const double value = node.value(evaluator, c, screen.cut(c)), bound = screen.highest(c);
              CHECK(!(value > bound));
              if (unit == 1 && offset == 0) CHECK(bound < 1.1 * value + 1e-4);
            }
          }
}

}  // namespace bough::tests
