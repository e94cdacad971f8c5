// The search of one contingency table against trying everything.
#include <algorithm>
#include <optional>

#include "bough/search/search.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// A table that owns its numbers.
struct Drawn {
  std::vector<double> statistics, cases;
  int width;
  double missing = 0;

  ContingencyTable view() const {
    double weight = missing;
    for (double c : cases) weight += c;
    return {statistics.data(), cases.data(), static_cast<int>(cases.size()), weight};
  }
};

Drawn draw_classes(Draws& draws, int n_rows, int n_classes, int most = 8) {
  Drawn drawn{{}, {}, n_classes, static_cast<double>(draws.below(3))};
  for (int i = 0; i < n_rows; ++i) {
    double cases = 0;
    const int one = draws.below(n_classes);
    for (int c = 0; c < n_classes; ++c) {
      drawn.statistics.push_back(draws.below(most) + (c == one));
      cases += drawn.statistics.back();
    }
    drawn.cases.push_back(cases);
  }
  return drawn;
}

// (weight, sum) of each row.
Drawn draw_moments(Draws& draws, int n_rows) {
  Drawn drawn{{}, {}, 2};
  for (int i = 0; i < n_rows; ++i) {
    drawn.cases.push_back(1 + draws.below(9));
    drawn.statistics.push_back(drawn.cases.back());
    drawn.statistics.push_back(1 + draws.below(100));
  }
  return drawn;
}

// Statistics of each branch, n_branches x width.
std::vector<double> branch_statistics(const ContingencyTable& table, const std::vector<int>& branch,
                                      int n_branches, int width) {
  std::vector<double> sums(static_cast<std::size_t>(n_branches) * width, 0.0);
  for (int i = 0; i < table.n_rows; ++i)
    for (int c = 0; c < width; ++c)
      sums[static_cast<std::size_t>(branch[i]) * width + c] +=
          table.statistics[static_cast<std::ptrdiff_t>(i) * width + c];
  return sums;
}

// The value of sending rows to two branches; nothing if a branch is too small.
std::optional<double> value_of(const ContingencyTable& table, const Evaluator& evaluator,
                               const LeafLimits& limits, const std::vector<int>& branch) {
  const std::vector<double> sides = branch_statistics(table, branch, 2, evaluator.width());
  double cases[2] = {0, 0};
  for (int i = 0; i < table.n_rows; ++i) cases[branch[i]] += table.cases[i];
  for (int side : {0, 1})
    if (cases[side] == 0 || cases[side] < limits.min_cases ||
        evaluator.weight(sides.data() + side * evaluator.width()) < limits.min_weight)
      return std::nullopt;
  return evaluator.value(sides.data(), 2, table.node_weight);
}

Found best_of(const ContingencyTable& table, const Evaluator& evaluator, const LeafLimits& limits,
              const std::vector<std::vector<int>>& candidates) {
  Found best;
  for (const auto& branch : candidates)
    if (const auto value = value_of(table, evaluator, limits, branch); value && *value > best.value)
      best = {*value, branch};
  return best;
}

std::vector<std::vector<int>> all_thresholds(int n_rows) {
  std::vector<std::vector<int>> candidates;
  for (int cut = 1; cut < n_rows; ++cut) {
    candidates.emplace_back(n_rows, 1);
    std::fill_n(candidates.back().begin(), cut, 0);
  }
  return candidates;
}

std::vector<std::vector<int>> all_single_levels(int n_rows) {
  std::vector<std::vector<int>> candidates;
  for (int row = 0; row < n_rows; ++row) {
    candidates.emplace_back(n_rows, 1);
    candidates.back()[row] = 0;
  }
  return candidates;
}

std::vector<std::vector<int>> all_subsets(int n_rows) {
  std::vector<std::vector<int>> candidates;
  for (int set = 1; set < 1 << (n_rows - 1); ++set) {
    candidates.emplace_back(n_rows, 0);
    for (int i = 1; i < n_rows; ++i) candidates.back()[i] = set >> (i - 1) & 1;
  }
  return candidates;
}

void check_same(const Found& found, const Found& expected) {
  CHECK_EQUAL(found.value, expected.value);
  CHECK(found.branch == expected.branch);
}

Criterion drawn_class_criterion(Draws& draws) {
  std::vector<Criterion> of_classes;
  for (const CriterionRecord& record : all_criteria())
    if (Criterion(&record).reads_classes()) of_classes.emplace_back(&record);
  return of_classes[draws.below(static_cast<int>(of_classes.size()))];
}

// search: finds one of the splits that `candidates` lists for a number of rows.
template <class Search, class Candidates>
void check_best_of_all(std::uint64_t seed, const Search& search, const Candidates& candidates) {
  Draws draws(seed);
  for (int round = 0; round < 300; ++round) {
    const int k = 2 + draws.below(3);
    const Drawn drawn = draw_classes(draws, 2 + draws.below(15), k, 5);
    const ContingencyTable table = drawn.view();
    const LeafLimits limits{1.0 + draws.below(8), draws.below(2) * 6.0};
    const Evaluator evaluator(drawn_class_criterion(draws), k);
    check_same(search(table, evaluator, limits), best_of(table, evaluator, limits, candidates(table.n_rows)));
  }
}

}  // namespace

TEST(thresholds_are_the_best_of_all) { check_best_of_all(11, best_threshold, all_thresholds); }

TEST(one_against_the_rest_is_the_best_of_all) { check_best_of_all(12, best_one_vs_rest, all_single_levels); }

TEST(few_levels_are_searched_exhaustively) {
  Draws draws(13);
  for (int round = 0; round < 120; ++round) {
    const int k = 3 + draws.below(3);
    const Drawn drawn = draw_classes(draws, 2 + draws.below(8), k);
    const ContingencyTable table = drawn.view();
    const LeafLimits limits{1.0 + draws.below(20), draws.below(2) * 15.0};
    const Evaluator evaluator(drawn_class_criterion(draws), k);
    const Found found = best_subset(table, evaluator, limits, 12);
    const Found expected = best_of(table, evaluator, limits, all_subsets(table.n_rows));
    CHECK_EQUAL(found.value, expected.value);
    if (!found.any()) continue;
    CHECK_EQUAL(found.branch[0], 0);
    CHECK_EQUAL(*value_of(table, evaluator, limits, found.branch), found.value);
  }
}

TEST(one_scan_finds_the_best_subset_of_two_classes) {
  Draws draws(14);
  const Criterion concave[] = {criterion_of<Misclassification>, criterion_of<Gini>,
                               criterion_of<Entropy>,           criterion_of<Deviance>,
                               criterion_of<ChiSquare>,         criterion_of<Twoing>};
  for (int round = 0; round < 200; ++round) {
    const Drawn drawn = draw_classes(draws, 2 + draws.below(8), 2);
    const ContingencyTable table = drawn.view();
    for (Criterion criterion : concave) {
      const Evaluator evaluator(criterion, 2);
      const Found found = best_subset(table, evaluator, {}, 2);
      CHECK_CLOSE(found.value, best_of(table, evaluator, {}, all_subsets(table.n_rows)).value, 1e-12);
      CHECK_EQUAL(*value_of(table, evaluator, {}, found.branch), found.value);
      CHECK_EQUAL(found.branch[0], 0);
    }
  }
}

TEST(one_scan_finds_the_best_subset_of_numbers) {
  Draws draws(15);
  for (int round = 0; round < 200; ++round) {
    const Drawn drawn = draw_moments(draws, 2 + draws.below(8));
    const ContingencyTable table = drawn.view();
    for (Criterion criterion : {criterion_of<SquaredError>, criterion_of<Poisson>}) {
      const Evaluator evaluator(criterion, 2);
      const Found found = best_subset(table, evaluator, {}, 2);
      CHECK_CLOSE(found.value, best_of(table, evaluator, {}, all_subsets(table.n_rows)).value, 1e-12);
      CHECK_EQUAL(*value_of(table, evaluator, {}, found.branch), found.value);
    }
  }
}

TEST(classes_absent_from_the_node_leave_the_theory_of_two) {
  Draws draws(16);
  const Drawn two = draw_classes(draws, 20, 2);
  Drawn four{{}, two.cases, 4, two.missing};
  for (std::size_t i = 0; i < two.cases.size(); ++i)
    for (double x : {0.0, two.statistics[2 * i], 0.0, two.statistics[2 * i + 1]})
      four.statistics.push_back(x);
  check_same(best_subset(four.view(), Evaluator(criterion_of<Gini>, 4), {}, 12),
             best_subset(two.view(), Evaluator(criterion_of<Gini>, 2), {}, 12));
}

TEST(the_heuristic_for_many_levels_comes_close_to_the_best) {
  Draws draws(17);
  double share = 0;
  const int rounds = 60;
  for (int round = 0; round < rounds; ++round) {
    const Drawn drawn = draw_classes(draws, 9, 4, 12);
    const ContingencyTable table = drawn.view();
    const Evaluator evaluator(round % 2 ? criterion_of<Gini> : criterion_of<Entropy>, 4);
    const Found best = best_subset(table, evaluator, {}, 12), near = best_subset(table, evaluator, {}, 2);
    CHECK(near.value <= best.value);
    CHECK(near.value >= 0.7 * best.value);
    CHECK_EQUAL(near.branch[0], 0);
    CHECK_EQUAL(*value_of(table, evaluator, {}, near.branch), near.value);
    share += near.value / best.value / rounds;
  }
  CHECK(share > 0.97);
}

TEST(complete_takes_every_row_and_needs_two_large_branches) {
  const Drawn drawn{{5, 0, 0, 3, 1, 0}, {5, 3, 1}, 2};
  const ContingencyTable table = drawn.view();
  const Evaluator evaluator(criterion_of<Gini>, 2);
  const Found found = best_complete(table, evaluator, {3, 0});
  CHECK(found.branch == (std::vector<int>{0, 1, 2}));
  CHECK_EQUAL(found.value, evaluator.value(drawn.statistics.data(), 3, 9));
  CHECK(!best_complete(table, evaluator, {4, 0}).any());
  CHECK(!best_complete(table, evaluator, {3, 0, 3}).any());
  CHECK(!best_complete(table, evaluator, {1, 4}).any());
}

TEST(of_equals_the_lowest_is_taken) {
  const Drawn drawn{{2, 0, 0, 2, 0, 2, 2, 0}, {2, 2, 2, 2}, 2};  // cuts 1 and 3 mirror each other
  const Evaluator evaluator(criterion_of<Gini>, 2);
  CHECK(best_threshold(drawn.view(), evaluator, {}).branch == (std::vector<int>{0, 1, 1, 1}));
  CHECK(best_one_vs_rest(drawn.view(), evaluator, {}).branch == (std::vector<int>{0, 1, 1, 1}));
  CHECK(best_subset(drawn.view(), evaluator, {}, 12).branch == (std::vector<int>{0, 1, 1, 0}));
}

TEST(a_split_without_gain_is_still_a_split) {
  const Drawn drawn{{1, 1, 1, 1}, {2, 2}, 2};
  for (Nominal nominal : {Nominal::subset, Nominal::complete, Nominal::one_vs_rest})
    CHECK_EQUAL(best_nominal(drawn.view(), Evaluator(criterion_of<Gini>, 2), {}, nominal, 12).value, 0.0);
}

TEST(a_table_of_fewer_than_two_rows_has_no_split) {
  const Drawn one{{1, 1}, {2}, 2}, none{{}, {}, 2};
  const Evaluator evaluator(criterion_of<Gini>, 2);
  for (const Drawn& drawn : {one, none}) {
    CHECK(!best_threshold(drawn.view(), evaluator, {}).any());
    for (Nominal nominal : {Nominal::subset, Nominal::complete, Nominal::one_vs_rest})
      CHECK(!best_nominal(drawn.view(), evaluator, {}, nominal, 12).any());
  }
}

TEST(a_table_without_weight_has_no_subset) {
  const Drawn drawn{{0, 0, 0, 0, 0, 0}, {1, 1, 1}, 2};
  CHECK(!best_subset(drawn.view(), Evaluator(criterion_of<Gini>, 2), {}, 12).any());
}

TEST(subsets_under_absolute_error_follow_the_medians) {
  // Levels with the values {1, 1}, {9}, {1, 5}, {9, 9}: medians 1, 9, 1 and 9.
  const Evaluator evaluator(criterion_of<AbsoluteError>, std::vector<double>{1, 5, 9});
  const Drawn drawn{{2, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 2}, {2, 1, 2, 2}, 3};
  const Found found = best_subset(drawn.view(), evaluator, {}, 12);
  CHECK(found.branch == (std::vector<int>{0, 1, 0, 1}));
  CHECK_CLOSE(found.value, 20.0 / 7, 1e-15);  // 24 from the median 5 falls to 4
}

}  // namespace bough::tests
