// Groups of levels: ranges by dynamic programming against every partition, and the merging of levels.
#include <cmath>
#include <vector>

#include "bough/data/code_sums.hpp"
#include "bough/search/grouping.hpp"
#include "bough/search/merging.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

double value_of(const Evaluator& evaluator, const std::vector<double>& rows, const std::vector<int>& group,
                int n_groups) {
  const int k = evaluator.width();
  std::vector<double> sums(static_cast<std::size_t>(n_groups) * k, 0.0);
  double weight = 0;
  for (std::size_t i = 0; i < group.size(); ++i)
    for (int c = 0; c < k; ++c) {
      sums[static_cast<std::size_t>(group[i]) * k + c] += rows[i * k + c];
      weight += rows[i * k + c];
    }
  return evaluator.value(sums.data(), n_groups, weight);
}

}  // namespace

TEST(best_ranges_are_those_of_every_pair_of_cuts) {
  Draws draws(7);
  const Evaluator evaluator(criterion_named("entropy"), 3);
  for (int trial = 0; trial < 50; ++trial) {
    const int n = 7;
    std::vector<double> rows(n * 3), cases(n);
    double weight = 0;
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < 3; ++c) {
        rows[i * 3 + c] = 1 + draws.below(9);
        cases[i] += rows[i * 3 + c];
        weight += rows[i * 3 + c];
      }
    const ContingencyTable table{rows.data(), cases.data(), n, weight};
    const auto found = best_ranges(table, evaluator, {}, 3);
    CHECK(found.size() == 2);
    double best = -1;
    for (int a = 1; a < n; ++a)
      for (int b = a + 1; b < n; ++b) {
        std::vector<int> group(n, 0);
        for (int i = a; i < n; ++i) group[i] = i < b ? 1 : 2;
        best = std::max(best, value_of(evaluator, rows, group, 3));
      }
    CHECK(std::abs(found[1].value - best) < 1e-9);
    const auto any = best_groups(table, evaluator, {}, 3);
    CHECK(any[1].value >= found[1].value - 1e-9);
  }
}

TEST(levels_that_do_not_differ_are_merged) {
  const std::vector<double> rows{9, 1, 8, 2, 1, 9}, cases{10, 10, 10};
  MergingRules rules;
  rules.merge_level = std::log(0.05);
  const MergedLevels merged = merge_levels({rows.data(), cases.data(), 3, 2}, MergingOrder::nominal, rules);
  CHECK(merged.tested);
  CHECK(merged.group == (std::vector<int>{0, 0, 1}));
  CHECK(std::abs(merged.log_multiplier - std::log(3)) < 1e-12);
  rules.min_cases = 11;
  CHECK(!merge_levels({rows.data(), cases.data(), 3, 2}, MergingOrder::ordinal, rules).tested);
}

TEST(sums_by_code_count_missing_values_last) {
  const std::vector<std::int32_t> column{1, -1, 0, 1}, entry{0, 1, 1};
  const std::vector<std::int64_t> rows{0, 1, 3};
  const std::vector<double> ones(3, 1.0);
  const RowTermsView terms{entry.data(), 2, ones.data(), nullptr, nullptr, ones.data()};
  const CodeSums found = sums_by_code(column.data(), 4, rows.data(), 3, 2, terms);
  CHECK(found.sums == (std::vector<double>{0, 0, 0, 1, 1, 2, 0, 1, 1}));
  CHECK(found.count == (std::vector<std::int64_t>{0, 2, 1}));
}

}  // namespace bough::tests
