// The screen of columns bounds the value of every cut from above, its search among few rows finds the best
// cut, and kernels for any processor give the results of those for this one to the bit.
#include <algorithm>
#include <limits>
#include <numeric>

#include "bough/criteria/list.hpp"
#include "bough/forest/count_kernels.hpp"
#include "bough/forest/moment_screen.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// The rows of a node with the codes of a column.
struct DrawnNode {
  int n;
  std::vector<double> weight, grid, cases, statistics{0, 0};
  std::vector<std::uint32_t> code, index;
  RowView view;
  NodeSums sums;

  DrawnNode(Draws& draws, int n_rows, int n_codes, bool shares, bool events)
      : n(n_rows), weight(n), grid(n), cases(n), code(n), index(n) {
    std::iota(index.begin(), index.end(), 0u);
    const double unit = draws.below(2) ? 1 : 1e150, offset = draws.below(3) ? 0 : 1e6;
    for (int i = 0; i < n; ++i) {
      weight[i] = shares ? 0.1 + draws.share() : 1 + draws.below(3);
      cases[i] = 1;
      code[i] = static_cast<std::uint32_t>(draws.below(n_codes));
      const double lift = code[i] * 2 > static_cast<std::uint32_t>(n_codes) ? 0.5 : 0;
      const double y = events ? draws.below(4) : unit * (draws.share() + lift + offset);
      grid[i] = weight[i] * y;
      statistics[0] += weight[i];
      statistics[1] += grid[i];
    }
    view.rows.weight = weight.data();
    view.rows.grid = grid.data();
    view.rows.cases = cases.data();
    sums.weight = statistics[0];
    sums.cases = n;
    sums.statistics = statistics.data();
  }

  // The highest value of all cuts, and the row before it; -inf if there is none.
  std::pair<double, std::uint32_t> best(const Evaluator& evaluator) const {
    std::vector<std::uint32_t> order = index;
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return code[a] < code[b]; });
    std::pair<double, std::uint32_t> found{-std::numeric_limits<double>::infinity(), 0};
    double left[2] = {0, 0}, right[2] = {statistics[0], statistics[1]};
    for (int i = 0; i + 1 < n; ++i) {
      Moments::move_row(left, right, view.rows, order[i]);
      if (code[order[i]] == code[order[i + 1]]) continue;
      const double value = evaluator.value(left, right, sums.weight);
      if (value > found.first) found = {value, order[i]};
    }
    return found;
  }
};

template <class Check>
void for_nodes(const Check& check) {
  Draws draws(91);
  for (const int n : {2, 3, 8, 9, 17, 64, 65, 150, 1200})
    for (const int n_codes : {1, 2, 5, 60, 100000})
      for (int times = 0; times < 12; ++times) {
        const bool events = times % 3 == 0;
        const Evaluator evaluator(events ? criterion_of<Poisson> : criterion_of<SquaredError>, 2);
        check(DrawnNode(draws, n, n_codes, times % 2 == 0, events), evaluator);
      }
}

}  // namespace

TEST(no_cut_is_worth_more_than_the_bound_of_its_column) {
  for_nodes([](const DrawnNode& node, const Evaluator& evaluator) {
    if (node.n <= MomentScreen::kTinyRows) return;
    MomentScreen screen(evaluator, node.n, false);
    screen.start(node.index.data(), node.n, node.view, node.sums);
    CHECK(screen.highest({node.code.data(), 1}, node.index.data()) >= node.best(evaluator).first);
  });
}

TEST(few_rows_are_searched_as_by_definition) {
  for_nodes([](const DrawnNode& node, const Evaluator& evaluator) {
    if (node.n > MomentScreen::kFewRows) return;
    MomentScreen screen(evaluator, node.n, false);
    screen.start(node.index.data(), node.n, node.view, node.sums);
    ForestSplit found;
    screen.search_few(3, {node.code.data(), 1}, node.index.data(), node.sums, {}, found);
    const auto [value, below] = node.best(evaluator);
    CHECK_EQUAL(found.column, value > 0 ? 3 : -1);
    if (found.column < 0) return;
    CHECK_EQUAL(found.value, value);
    CHECK_EQUAL(found.row_below, below);
  });
}

TEST(a_drawn_cut_is_not_worth_more_than_its_bound) {
  for_nodes([](const DrawnNode& node, const Evaluator& evaluator) {
    MomentScreen screen(evaluator, node.n, true);
    screen.start(node.index.data(), node.n, node.view, node.sums);
    const std::vector<float> value(node.code.begin(), node.code.end());
    const float cut = *std::max_element(value.begin(), value.end()) / 2 + 0.25f;
    double left[2] = {0, 0}, right[2] = {node.statistics[0], node.statistics[1]};
    int below = 0;
    for (int i = 0; i < node.n; ++i)
      if (value[i] < cut) Moments::move_row(left, right, node.view.rows, i), ++below;
    if (below == 0 || below == node.n) return;
    CHECK(screen.highest_drawn(value.data(), cut) >= evaluator.value(left, right, node.sums.weight));
  });
}

TEST(screens_for_any_processor_agree_with_those_for_this_one) {
  Draws draws(92);
  constexpr int kRows = 61, kBins = 37;
  std::vector<std::int32_t> code(kRows + ScreenKernels::kMostLanes);
  std::vector<float> weight(kRows + kLanes), sum(kRows + kLanes), value(kRows);
  std::vector<double> weights(kRows), sums(kRows), left(3 * (kBins + kLanes));
  std::vector<MomentSums> row(kRows), bin(kBins), expected(kBins);
  for (int i = 0; i < kRows; ++i) {
    code[i] = draws.below(kBins);
    weights[i] = (1 + draws.below(3)) / (2.0 * kRows);
    sums[i] = draws.share() - 0.5;
    weight[i] = static_cast<float>(weights[i]);
    sum[i] = static_cast<float>(sums[i]);
    value[i] = static_cast<float>(draws.share());
    row[i] = {weights[i], sums[i], sums[i] * sums[i] / weights[i], 0};
  }
  code[0] = 0;
  code[1] = kBins - 1;
  const std::vector<const ScreenKernels*> sets = runnable_screens();
  const ScreenKernels& plain = *sets.front();
  for (const ScreenKernels* own : sets) {
    const ScreenKernels& fast = *own;
    std::uint8_t order[kRows], other[kRows];
    plain.order(code.data(), kRows, order);
    fast.order(code.data(), kRows, other);
    CHECK(std::equal(order, order + kRows, other));
    for (const float tilt : {0.0f, 0.02f}) {
      const FewSlack slack{1e-6f, 1e-6f, tilt};
      CHECK_EQUAL(plain.pairs(code.data(), weight.data(), sum.data(), kRows, kBins - 1, slack),
                  fast.pairs(code.data(), weight.data(), sum.data(), kRows, kBins - 1, slack));
    }
    expected.assign(kBins, {});
    bin.assign(kBins, {});
    plain.fill(code.data(), row.data(), kRows, 0, 0, static_cast<int>(expected.size()), expected.data());
    fast.fill(code.data(), row.data(), kRows, 0, 0, static_cast<int>(bin.size()), bin.data());
    for (int i = 0; i < kBins; ++i) CHECK_EQUAL(bin[i].squares, expected[i].squares);
    for (const bool exact : {false, true})
      for (const double tilt : {0.0, 0.02})
        CHECK_EQUAL(plain.bins(bin.data(), kBins, exact, 1e-12, tilt, left.data()),
                    fast.bins(bin.data(), kBins, exact, 1e-12, tilt, left.data()));
    CHECK(plain.below(value.data(), 0.5f, weights.data(), sums.data(), kRows) ==
          fast.below(value.data(), 0.5f, weights.data(), sums.data(), kRows));
    std::vector<std::uint32_t> index(kRows / kLanes);
    std::iota(index.begin(), index.end(), 0u);
    const Cells<float> cells{value.data(), kLanes};
    const int n = static_cast<int>(index.size());
    const auto of_cells = [&](const ScreenKernels& kernels) {
      std::vector<float> ends(2 * kLanes);
      kernels.extremes(cells, index.data(), n, ends.data(), ends.data() + kLanes);
      return ends;
    };
    CHECK(of_cells(plain) == of_cells(fast));
  }
}

}  // namespace bough::tests
