#include "bough/forest/column_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace bough {

namespace {

constexpr std::uint64_t draws_of(std::uint64_t counted) { return counted & 0xffffffffu; }
constexpr std::uint64_t seconds_of(std::uint64_t counted) { return counted >> 32; }

// The best cut under Gini of two classes that are counted. `draws(i)` is the count of entry i, `cuttable(i)`
// whether a cut may lie after it. The fall in impurity is 2 d^2 / (left * right) / N^2, with
// d = second_left * N - second * left.
template <class Draws, class Cuttable>
Cut best_count_cut(int n, Draws draws, Cuttable cuttable, std::uint64_t total, double min_cases,
                   double floor) {
  const auto all = static_cast<double>(draws_of(total)), seconds = static_cast<double>(seconds_of(total));
  const double unit = 2 / (all * all);
  double best = floor / unit;
  int after = 0;
  std::uint64_t passed = 0;
  for (int i = 0; i < n - 1; ++i) {
    passed += draws(i);
    if (!cuttable(i)) continue;
    const auto left = static_cast<double>(draws_of(passed)), one = static_cast<double>(seconds_of(passed));
    const double d = one * all - seconds * left, sides = left * (all - left);
    if (d * d > best * sides && left >= min_cases && all - left >= min_cases) {
      best = d * d / sides;
      after = i + 1;
    }
  }
  return {after > 0 ? best * unit : floor, after};
}

}  // namespace

ColumnSearch::ColumnSearch(const ForestPlan& plan)
    : plan_(plan),
      limits_{plan.recipe.limits.min_cases_leaf, 0},
      levels_(plan),
      left_(plan.judge.width()),
      right_(plan.judge.width()) {}

bool ColumnSearch::by_sets(int column) const {
  return plan_.recipe.nominal == ForestNominal::subset && plan_.data.columns[column].scale == Scale::nominal;
}

template <class E>
Cut ColumnSearch::cut(const E* list, int n, const RowView& view, const NodeSums& sums, double floor) {
  if (plan_.counts)
    return best_count_cut(
        n, [&](int i) { return view.counted[index_of(list[i])]; },
        [&](int i) { return code_of(list[i]) != code_of(list[i + 1]); }, sums.counted,
        std::max(limits_.min_cases, limits_.min_weight), floor);
  std::fill(left_.begin(), left_.end(), 0.0);
  std::copy_n(sums.statistics, right_.size(), right_.begin());
  const ScanTask task{view.rows,    plan_.judge,   limits_,     sums.weight,
                      left_.data(), right_.data(), sums.weight, sums.cases};
  return best_cut(list, n, task, floor);
}

Cut ColumnSearch::cut(const CountedCodes& codes, int n, std::uint64_t total, double floor) const {
  return best_count_cut(
      n, [&](int i) { return codes.counted[i]; }, [](int) { return true; }, total,
      std::max(limits_.min_cases, limits_.min_weight), floor);
}

void ColumnSearch::judge(int column, const CountedCodes& codes, std::uint32_t missing, const NodeSums& sums,
                         ForestSplit& best) {
  const int n = codes.n;
  if (n < 2) return;
  if (by_sets(column)) return levels_.judge(column, codes, missing, sums, limits_, best);
  const bool seen = codes.code[n - 1] == missing;
  const int known = n - seen;
  const bool ordinal = plan_.data.columns[column].scale == Scale::ordinal;
  const auto take = [&](const Cut& found, int branch, int turned) {
    if (found.left == 0 || (found.left == turned && ordinal)) return;
    best.value = found.value;
    best.column = column;
    best.kind = ForestSplit::Kind::codes;
    best.missing_seen = seen;
    best.default_branch = seen ? branch : -1;
    best.apart = found.left == turned;
    best.last_left = best.apart ? missing : codes.code[found.left - 1 - turned];
    best.first_right = codes.code[found.left - turned];
    best.has_rows = false;
  };
  if (!seen) return take(cut(codes, n, sums.counted, best.value), -1, 0);
  const std::uint64_t without = codes.counted[known];
  if (plan_.recipe.missing == ForestMissing::majority) {
    const double share = 1 - static_cast<double>(draws_of(without)) / sums.weight;
    Cut found = cut(codes, known, sums.counted - without, best.value / share);
    found.value *= share;
    return take(found, -1, 0);
  }
  take(cut(codes, known, sums.counted, best.value), 1, 0);
  const Cut turned = best_count_cut(
      n, [&](int i) { return i == 0 ? without : codes.counted[i - 1]; }, [](int) { return true; },
      sums.counted, std::max(limits_.min_cases, limits_.min_weight), best.value);
  take(turned, 0, 1);
}

// The sums of a node without the rows of the list.
template <class E>
NodeSums ColumnSearch::without(const E* list, int n, const RowView& view, const NodeSums& sums) {
  known_.assign(sums.statistics, sums.statistics + plan_.judge.width());
  NodeSums rest = sums;
  for (int i = 0; i < n; ++i) {
    const std::uint32_t row = index_of(list[i]);
    const double w = view.weight(row);
    rest.weight -= w;
    rest.cases -= view.cases(row);
    if (view.counted) rest.counted -= view.counted[row];
    if (plan_.data.n_classes)
      known_[view.label(row)] -= w;
    else
      known_[0] -= w, known_[1] -= view.rows.grid[row];
  }
  rest.statistics = known_.data();
  return rest;
}

template <class E>
void ColumnSearch::judge_threshold(int column, const E* list, int n, std::uint32_t missing,
                                   const RowView& view, const NodeSums& sums, ForestSplit& best) {
  int known = n;
  while (known > 0 && code_of(list[known - 1]) == missing) --known;
  if (known == 0) return;
  const auto take = [&](const E* from, const Cut& found, int branch) {
    if (found.left == 0) return;
    best.value = found.value;
    best.column = column;
    best.kind = ForestSplit::Kind::codes;
    best.missing_seen = known < n;
    best.default_branch = known < n ? branch : -1;
    best.last_left = code_of(from[found.left - 1]);
    best.first_right = code_of(from[found.left]);
    best.has_rows = true;
    best.row_below = index_of(from[found.left - 1]);
    best.row_above = index_of(from[found.left]);
    best.apart = known < n && best.last_left == missing;
  };
  if (known == n) return take(list, cut(list, n, view, sums, best.value), -1);
  if (plan_.recipe.missing == ForestMissing::majority) {
    // What is gained for the known cases counts in proportion to their share of the node.
    const NodeSums of_known = without(list + known, n - known, view, sums);
    const double share = of_known.weight / sums.weight;
    Cut found = cut(list, known, view, of_known, best.value / share);
    found.value *= share;
    return take(list, found, -1);
  }
  take(list, cut(list, known, view, sums, best.value), 1);
  auto& turned = [this]() -> std::vector<E>& {
    if constexpr (sizeof(E) == 8)
      return turned_long_;
    else
      return turned_;
  }();
  turned.assign(list + known, list + n);
  turned.insert(turned.end(), list, list + known);
  const Cut first = cut(turned.data(), n, view, sums, best.value);
  // No level lies below the first, so that no cut of an ordinal column has missing values alone on its left.
  if (first.left > n - known || plan_.data.columns[column].scale != Scale::ordinal)
    take(turned.data(), first, 0);
}

template <class E>
void ColumnSearch::judge(int column, const E* list, int n, std::uint32_t missing, const RowView& view,
                         const NodeSums& sums, ForestSplit& best) {
  if (code_of(list[0]) == code_of(list[n - 1])) return;
  if (by_sets(column)) return levels_.judge(column, list, n, missing, view, sums, limits_, best);
  judge_threshold(column, list, n, missing, view, sums, best);
}

template void ColumnSearch::judge(int, const std::uint32_t*, int, std::uint32_t, const RowView&,
                                  const NodeSums&, ForestSplit&);
template void ColumnSearch::judge(int, const std::uint64_t*, int, std::uint32_t, const RowView&,
                                  const NodeSums&, ForestSplit&);

}  // namespace bough
