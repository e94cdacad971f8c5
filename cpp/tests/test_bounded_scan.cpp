// The scan with a bound against ThresholdScan over the same list, bit for bit.
#include <limits>

#include "bough/search/bounded_scan.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// A sorted list and the rows it points to. weights: 0 one each, 1 small whole numbers, 2 numbers of a fine
// grid.
struct DrawnList {
  int n, n_classes;
  std::vector<std::uint64_t> list;
  std::vector<std::int32_t> label;
  std::vector<double> weight, grid;
  Rows rows;

  DrawnList(Draws& draws, int size, int distinct, int classes, int weights) : n(size), n_classes(classes) {
    std::uint32_t code = 0;
    for (int i = 0; i < n; ++i) {
      code += draws.below(n) < distinct;
      list.push_back(make_entry<std::uint64_t>(code, static_cast<std::uint32_t>(n - 1 - i), 0));
      label.push_back(draws.below(3) ? 0 : draws.below(classes));
      grid.push_back(draws.below(20));
      weight.push_back(1 + (weights == 1 ? draws.below(4) : std::floor(draws.share() * 0x1p50 / n)));
    }
    rows.label = label.data();
    rows.grid = grid.data();
    if (weights > 0) rows.weight = rows.cases = weight.data();
  }
  DrawnList(const DrawnList&) = delete;
  DrawnList& operator=(const DrawnList&) = delete;

  void add(std::uint32_t row, bool classes, double* statistics) const {
    if (classes) {
      statistics[label[row]] += rows.weight_at(row);
    } else {
      statistics[0] += rows.weight_at(row);
      statistics[1] += grid[row];
    }
  }
};

struct Sums {
  std::vector<double> statistics;
  double weight = 0, cases = 0;
};

Sums totals_of(const DrawnList& drawn, const Evaluator& evaluator) {
  Sums sums{std::vector<double>(evaluator.width(), 0.0)};
  for (int row = 0; row < drawn.n; ++row) {
    drawn.add(static_cast<std::uint32_t>(row), evaluator.criterion().reads_classes(), sums.statistics.data());
    sums.weight += drawn.rows.weight_at(static_cast<std::uint32_t>(row));
    sums.cases += drawn.rows.cases_at(static_cast<std::uint32_t>(row));
  }
  return sums;
}

Cut plain_cut(const DrawnList& drawn, const Evaluator& evaluator, const LeafLimits& limits,
              double node_weight) {
  const Sums all = totals_of(drawn, evaluator);
  ThresholdScan scan(evaluator, limits, all.statistics.data(), all.cases, node_weight);
  Cut best{kNoSplit, 0};
  double cases = 0;
  for (int i = 0, group = 0; i < drawn.n; ++i) {
    const std::uint32_t row = index_of(drawn.list[i]);
    drawn.add(row, evaluator.criterion().reads_classes(), scan.left());
    cases += drawn.rows.cases_at(row);
    if (i + 1 < drawn.n && code_of(drawn.list[i]) == code_of(drawn.list[i + 1])) continue;
    scan.end_row(cases);
    cases = 0;
    if (scan.best_row() == group++) best = {scan.best_value(), i + 1};
  }
  return best;
}

void check_cut(const DrawnList& drawn, const Evaluator& evaluator, const LeafLimits& limits) {
  const Sums all = totals_of(drawn, evaluator);
  const double node_weight = all.weight + 3;
  const Cut plain = plain_cut(drawn, evaluator, limits, node_weight);
  for (double floor : {kNoSplit, plain.value / 2, std::nextafter(plain.value, kNoSplit), plain.value}) {
    if (plain.left == 0 && floor != kNoSplit) continue;
    for (const bool exact : {false, true}) {
      std::vector<double> left(evaluator.width(), 0.0), right = all.statistics;
      const ScanTask task{drawn.rows,   evaluator,  limits,    node_weight, left.data(),
                          right.data(), all.weight, all.cases, false,       exact};
      const Cut cut = best_cut(drawn.list.data(), drawn.n, task, floor);
      const bool reached = plain.left > 0 && plain.value > floor;
      CHECK_EQUAL(cut.left, reached ? plain.left : 0);
      CHECK_EQUAL(cut.value, reached ? plain.value : floor);
    }
  }
}

}  // namespace

TEST(bounded_scans_of_every_criterion) {
  Draws draws(120);
  for (const CriterionRecord& record : all_criteria()) {
    const Criterion criterion(&record);
    if (criterion.reads_values()) continue;
    for (int round = 0; round < 60; ++round) {
      const int n = 2 + draws.below(round < 50 ? 60 : 3000), classes = 2 + draws.below(4);
      const DrawnList drawn(draws, n, round % 2 ? n : 6, classes, round % 3);
      const Evaluator evaluator(criterion, criterion.reads_classes() ? classes : 2);
      check_cut(drawn, evaluator, {1, 0});
      check_cut(drawn, evaluator, {1.0 + draws.below(n), draws.below(2) * n / 4.0});
    }
  }
}

}  // namespace bough::tests
