#include "bough/forest/column_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace bough {

namespace {

// The best of all subsets of a node's levels is taken if they are few, or have many cases each: with few
// cases a level it fits noise. On a year of flights, where planes have 4000 levels, 200 did better than 10
// and 40.
constexpr int kFewLevels = 4;
constexpr double kCasesForSubset = 150;

constexpr bool too_few(double cases, int n_levels) {
  return n_levels > kFewLevels && cases < kCasesForSubset * n_levels;
}

constexpr double kLast = std::numeric_limits<double>::infinity();

constexpr std::uint64_t draws_of(std::uint64_t counted) { return counted & 0xffffffffu; }
constexpr std::uint64_t seconds_of(std::uint64_t counted) { return counted >> 32; }

// The best cut under Gini of two classes that are counted. `draws(i)` is the count of entry i, `cuttable(i)`
// whether a cut may lie after it. Values are those of count_kernels.hpp.
template <class Draws, class Cuttable>
Cut best_count_cut(int n, Draws draws, Cuttable cuttable, std::uint64_t total, double min_cases,
                   double floor) {
  const auto all = static_cast<double>(draws_of(total)), seconds = static_cast<double>(seconds_of(total));
  double best = floor;
  int after = 0;
  std::uint64_t passed = 0;
  for (int i = 0; i < n - 1; ++i) {
    passed += draws(i);
    if (!cuttable(i)) continue;
    const auto left = static_cast<double>(draws_of(passed)), one = static_cast<double>(seconds_of(passed));
    const double d = one * all - seconds * left, sides = left * (all - left);
    if (left < min_cases || all - left < min_cases) continue;
    if (const double value = d * d / sides; value > best) {
      best = value;
      after = i + 1;
    }
  }
  return {best, after};
}

}  // namespace

ColumnSearch::ColumnSearch(const ForestPlan& plan)
    : plan_(plan),
      limits_{plan.recipe.limits.min_cases_leaf, 0},
      left_(plan.judge.width()),
      right_(plan.judge.width()) {}

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

void ColumnSearch::judge(int column, const CountedCodes& codes, const NodeSums& sums, ForestSplit& best) {
  if (codes.n < 2) return;
  group_code_.assign(codes.code, codes.code + codes.n);
  group_level_ = group_code_;
  counted_.assign(codes.counted, codes.counted + codes.n);
  judge_groups(column, plan_.coded.columns[column].n_codes, sums, best);
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
    best.has_rows = true;
    best.row_below = index_of(from[found.left - 1]);
    best.row_above = index_of(from[found.left]);
    best.apart = known < n && code_of(from[found.left - 1]) == missing;
  };
  if (known == n) return take(list, cut(list, n, view, sums, best.value), -1);
  if (plan_.recipe.missing == ForestMissing::majority) {
    const NodeSums of_known = without(list + known, n - known, view, sums);
    const double share = of_known.weight / sums.weight;
    Cut found = cut(list, known, view, of_known, best.value / part_of_node(share));
    found.value *= part_of_node(share);
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
  // No level lies below the first, so that no cut of an ordinal column has missing values alone on its left:
  // they count as the first level.
  if (plan_.data.columns[column].scale != Scale::numeric)
    for (int i = 0; i < n - known; ++i)
      turned[i] = make_entry<E>(code_of(list[0]), index_of(turned[i]), label_bit(turned[i]));
  take(turned.data(), cut(turned.data(), n, view, sums, best.value), 0);
}

template <class E>
void ColumnSearch::tabulate(const std::uint32_t* levels, const E* list, int n, const RowView& view) {
  const int k = plan_.judge.width();
  group_code_.clear();
  group_level_.clear();
  statistics_.clear();
  cases_.clear();
  counted_.clear();
  for (int i = 0; i < n; ++i) {
    if (i == 0 || code_of(list[i]) != code_of(list[i - 1])) {
      group_code_.push_back(code_of(list[i]));
      group_level_.push_back(levels[view.row_at(index_of(list[i]))]);
      if (plan_.counts) {
        counted_.push_back(0);
      } else {
        statistics_.resize(statistics_.size() + k, 0.0);
        cases_.push_back(0);
      }
    }
    const std::uint32_t row = index_of(list[i]);
    if (plan_.counts) {
      counted_.back() += view.counted[row];
      continue;
    }
    double* s = statistics_.data() + statistics_.size() - k;
    const double w = view.weight(row);
    cases_.back() += view.cases(row);
    if (plan_.data.n_classes)
      s[view.label(row)] += w;
    else
      s[0] += w, s[1] += view.rows.grid[row];
  }
}

// Puts the groups in the order that is to be cut. Where levels have few cases each, the best of all subsets
// fits their noise: then the order is one drawn for the tree, which knows nothing of the target.
void ColumnSearch::order_groups(int column, int n_groups, double cases) {
  drawn_ = too_few(cases, n_groups);
  order_.resize(n_groups);
  std::iota(order_.begin(), order_.end(), 0);
  share_.resize(n_groups);
  if (drawn_)
    for (int g = 0; g < n_groups; ++g)
      share_[g] = group_level_[g] < (*ranks_)[column].size() ? (*ranks_)[column][group_level_[g]] : kLast;
  else if (plan_.counts)
    for (int g = 0; g < n_groups; ++g)
      share_[g] = static_cast<double>(seconds_of(counted_[g])) / static_cast<double>(draws_of(counted_[g]));
  else
    return;
  std::sort(order_.begin(), order_.end(),
            [&](int a, int b) { return share_[a] < share_[b] || (share_[a] == share_[b] && a < b); });
}

// The best cut of the groups in their order, whatever the criterion.
void ColumnSearch::judge_ordered(int n_groups, const NodeSums& sums, Found& found) {
  const int k = plan_.judge.width();
  std::vector<double> total(k, 0.0);
  double cases = 0;
  for (int g = 0; g < n_groups; ++g) {
    for (int c = 0; c < k; ++c) total[c] += statistics_[static_cast<std::size_t>(g) * k + c];
    cases += cases_[g];
  }
  ThresholdScan scan(plan_.judge, limits_, total.data(), cases, sums.weight);
  for (int g : order_) scan.add(statistics_.data() + static_cast<std::size_t>(g) * k, cases_[g]);
  if (scan.best_row() < 0) return;
  found.value = scan.best_value();
  found.branch.assign(n_groups, 1);
  for (int i = 0; i <= scan.best_row(); ++i) found.branch[order_[i]] = 0;
}

// Of two counted classes one cut of the levels in the order of the second's share is the best subset.
void ColumnSearch::judge_two_classes(int n_groups, const NodeSums& sums, double floor, Found& found) {
  const Cut cut = best_count_cut(
      n_groups, [&](int i) { return counted_[order_[i]]; }, [](int) { return true; }, sums.counted,
      std::max(limits_.min_cases, limits_.min_weight), floor);
  if (cut.left == 0) return;
  found.value = cut.value;
  found.branch.assign(n_groups, 1);
  for (int i = 0; i < cut.left; ++i) found.branch[order_[i]] = 0;
}

// Judges the groups last tabulated.
void ColumnSearch::judge_groups(int column, std::uint32_t missing, const NodeSums& sums, ForestSplit& best) {
  int n_groups = static_cast<int>(group_code_.size());
  const bool seen = n_groups > 0 && group_code_.back() == missing;
  const bool own_level = plan_.recipe.missing == ForestMissing::learned;
  NodeSums judged = sums;
  if (seen && !own_level) {
    --n_groups;
    if (plan_.counts) {
      judged.counted -= counted_.back();
      judged.weight -= static_cast<double>(draws_of(counted_.back()));
    }
  }
  if (n_groups < 2) return;
  Found found;
  if (plan_.counts) {
    order_groups(column, n_groups, judged.weight);
    const double share = judged.weight / sums.weight;
    judge_two_classes(n_groups, judged, best.value / part_of_node(share), found);
    found.value *= part_of_node(share);
  } else {
    order_groups(column, n_groups, sums.cases);
    const ContingencyTable table{statistics_.data(), cases_.data(), n_groups, sums.weight};
    if (drawn_)
      judge_ordered(n_groups, sums, found);
    else
      found = best_nominal(table, plan_.judge, limits_, Nominal::subset, plan_.recipe.max_exhaustive);
  }
  if (found.branch.empty() || !(found.value > best.value)) return;
  best.value = found.value;
  best.column = column;
  best.kind = ForestSplit::Kind::levels;
  best.apart = false;
  best.missing_seen = seen;
  best.default_branch = seen && own_level ? found.branch[n_groups - 1] : -1;
  best.left.clear();
  best.right.clear();
  for (int g = 0; g < n_groups; ++g)
    if (group_code_[g] != missing) (found.branch[g] ? best.right : best.left).push_back(group_level_[g]);
}

// Cuts a list that is in the order drawn for the tree.
template <class E>
void ColumnSearch::judge_drawn(int column, const E* list, int n, std::uint32_t missing, const RowView& view,
                               const NodeSums& sums, ForestSplit& best) {
  int known = n;
  while (known > 0 && code_of(list[known - 1]) == missing) --known;
  const bool seen = known < n, learned = plan_.recipe.missing == ForestMissing::learned;
  Cut found;
  if (seen && !learned) {
    if (known == 0) return;
    const NodeSums of_known = without(list + known, n - known, view, sums);
    const double share = of_known.weight / sums.weight;
    found = cut(list, known, view, of_known, best.value / part_of_node(share));
    found.value *= part_of_node(share);
  } else {
    found = cut(list, n, view, sums, best.value);
  }
  if (found.left == 0) return;
  best.value = found.value;
  best.column = column;
  best.kind = ForestSplit::Kind::levels;
  best.apart = false;
  best.missing_seen = seen;
  best.default_branch = seen && learned ? 1 : -1;
  best.left.clear();
  best.right.clear();
  const std::uint32_t* levels = plan_.coded.columns[column].code;
  for (int i = 0; i < known; ++i)
    if (i == 0 || code_of(list[i]) != code_of(list[i - 1]))
      (i < found.left ? best.left : best.right).push_back(levels[view.row_at(index_of(list[i]))]);
}

template <class E>
void ColumnSearch::judge(int column, const E* list, int n, std::uint32_t missing, const RowView& view,
                         const NodeSums& sums, ForestSplit& best) {
  if (code_of(list[0]) == code_of(list[n - 1])) return;
  if (plan_.data.columns[column].scale != Scale::nominal)
    return judge_threshold(column, list, n, missing, view, sums, best);
  int n_groups = 1;
  for (int i = 1; i < n; ++i) n_groups += code_of(list[i]) != code_of(list[i - 1]);
  if (sizeof(E) == 4 && too_few(sums.cases, n_groups))
    return judge_drawn(column, list, n, missing, view, sums, best);
  tabulate(plan_.coded.columns[column].code, list, n, view);
  judge_groups(column, missing, sums, best);
}

template void ColumnSearch::judge(int, const std::uint32_t*, int, std::uint32_t, const RowView&,
                                  const NodeSums&, ForestSplit&);
template void ColumnSearch::judge(int, const std::uint64_t*, int, std::uint32_t, const RowView&,
                                  const NodeSums&, ForestSplit&);

}  // namespace bough
