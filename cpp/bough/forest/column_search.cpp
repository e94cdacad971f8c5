#include "bough/forest/column_search.hpp"

#include <algorithm>

namespace bough {

ColumnSearch::ColumnSearch(const ForestPlan& plan, std::size_t n_indices)
    : plan_(plan),
      limits_{plan.recipe.limits.min_cases_leaf, 0},
      levels_(plan),
      left_(static_cast<std::size_t>(plan.data.n_targets() > 1 ? 2 : 1) * plan.evaluator.width()),
      right_(plan.evaluator.width()) {
  if (plan.data.n_classes >= PresentClasses::kMany && plan.data.n_targets() == 1 && !plan.sparse)
    present_.emplace(plan.evaluator, n_indices);
  if (plan.data.n_targets() > 1 && !plan.sparse) sets_.emplace(n_indices);
  if (plan.recipe.criterion.reads_values()) deviations_.emplace(plan.target_rank, n_indices);
}

bool ColumnSearch::by_sets(int column) const {
  return plan_.recipe.nominal != ForestNominal::ordered && plan_.data.columns[column].scale == Scale::nominal;
}

// Of n entries; those that follow them in the list stay on the right.
template <class E>
Cut ColumnSearch::cut(const E* list, int n, int stay_right, const RowView& view, const NodeSums& sums,
                      double floor) {
  if (deviations_) return deviations_->cut(list, n + stay_right, n, view, limits_, sums.weight, floor);
  const Evaluator& evaluator = present_ ? present_->evaluator() : plan_.evaluator;
  std::fill_n(left_.begin(), evaluator.width(), 0.0);
  if (present_)
    std::transform(present_->classes().begin(), present_->classes().end(), right_.begin(),
                   [&sums](int c) { return sums.statistics[c]; });
  else
    std::copy_n(sums.statistics, right_.size(), right_.begin());
  const ScanTask task{present_ ? present_->rows() : view.rows,
                      evaluator,
                      limits_,
                      sums.weight,
                      left_.data(),
                      right_.data(),
                      sums.weight,
                      sums.cases,
                      !plan_.data.weight && !plan_.recipe.balance};
  if (!sets_ || n < node_rows_) return best_cut(list, n, task, floor);
  if (sets_due_) use_sets_ = sets_->start(list, n, task, false);
  sets_due_ = false;
  return use_sets_ ? sets_->best(list, task, floor) : best_cut(list, n, task, floor);
}

void ColumnSearch::search(int column, const CountedCodes& codes, const NodeSums& sums, ForestSplit& best) {
  if (codes.n < 2) return;
  levels_.search(column, codes, plan_.coded.columns[column].n_codes, sums, limits_, best);
}

// The sums of a node without the rows of the list.
template <class E>
NodeSums ColumnSearch::without(const E* list, int n, const RowView& view, const NodeSums& sums) {
  known_.assign(sums.statistics, sums.statistics + plan_.evaluator.width());
  NodeSums rest = sums;
  for (int i = 0; i < n; ++i) {
    const std::uint32_t row = index_of(list[i]);
    rest.weight -= view.weight_at(row);
    rest.cases -= view.cases_at(row);
    subtract_row(known_.data(), view, row, plan_.data.n_classes > 0);
  }
  rest.statistics = known_.data();
  return rest;
}

template <class E>
void ColumnSearch::search_threshold(int column, const E* list, int n, std::uint32_t missing,
                                    const RowView& view, const NodeSums& sums, ForestSplit& best) {
  int known = n;
  while (known > 0 && code_of(list[known - 1]) == missing) --known;
  if (known == 0) return;
  const auto take = [&](const E* from, const Cut& found, int branch) {
    if (found.left == 0) return;
    best.take_cut(column, found.value, index_of(from[found.left - 1]), index_of(from[found.left]));
    if (known == n) return;
    best.missing_seen = true;
    best.default_branch = branch;
    best.apart = code_of(from[found.left - 1]) == missing;
  };
  if (known == n) return take(list, cut(list, n, 0, view, sums, best.value), -1);
  if (plan_.recipe.missing == ForestMissing::majority) {
    // What is gained for the known cases counts in proportion to their share of the node.
    const NodeSums of_known = without(list + known, n - known, view, sums);
    const double share = of_known.weight / sums.weight;
    Cut found = cut(list, known, 0, view, of_known, best.value / share);
    found.value *= share;
    return take(list, found, -1);
  }
  take(list, cut(list, known, n - known, view, sums, best.value), 1);
  std::vector<E>& turned = turned_list<E>();
  turned.assign(list + known, list + n);
  turned.insert(turned.end(), list, list + known);
  // No level lies below the first, so that no cut of an ordinal column has missing values alone on its left:
  // they count as the first level.
  if (plan_.data.columns[column].scale == Scale::ordinal)
    for (int i = 0; i < n - known; ++i)
      turned[i] = make_entry<E>(code_of(list[0]), index_of(turned[i]), label_bit(turned[i]));
  take(turned.data(), cut(turned.data(), n, 0, view, sums, best.value), 0);
}

// The levels in the order of their medians, cut as numbers are. Missing values are one more level where their
// side is learned, and left out where it is not.
template <class E>
void ColumnSearch::search_level_medians(int column, const E* list, int n, std::uint32_t missing,
                                        const RowView& view, const NodeSums& sums, ForestSplit& best) {
  const bool seen = code_of(list[n - 1]) == missing;
  const bool own_level = seen && plan_.recipe.missing == ForestMissing::learned;
  int used = n;
  while (!own_level && used > 0 && code_of(list[used - 1]) == missing) --used;
  struct Level {
    double median;
    int begin, end;
  };
  std::vector<Level> levels;
  for (int begin = 0, end = 0; begin < used; begin = end) {
    while (end < used && code_of(list[end]) == code_of(list[begin])) ++end;
    levels.push_back({deviations_->median(list + begin, end - begin), begin, end});
  }
  if (levels.size() < 2) return;
  std::stable_sort(levels.begin(), levels.end(),
                   [](const Level& a, const Level& b) { return a.median < b.median; });
  std::vector<E>& turned = turned_list<E>();
  turned.clear();
  for (std::uint32_t g = 0; g < levels.size(); ++g)
    for (int i = levels[g].begin; i < levels[g].end; ++i)
      turned.push_back(make_entry<E>(g, index_of(list[i]), 0));
  const Cut found = cut(turned.data(), used, 0, view, sums, best.value);
  if (found.left == 0) return;
  best.take_levels(column, found.value, seen);
  for (std::uint32_t g = 0; g < levels.size(); ++g) {
    const bool right = g > code_of(turned[found.left - 1]);
    if (code_of(list[levels[g].begin]) == missing)
      best.default_branch = right;
    else
      (right ? best.right : best.left)
          .push_back(plan_.coded.columns[column].code[view.row_at(index_of(list[levels[g].begin]))]);
  }
}

template <class E>
void ColumnSearch::search(int column, const E* list, int n, std::uint32_t missing, const RowView& view,
                          const NodeSums& sums, ForestSplit& best) {
  if (code_of(list[0]) == code_of(list[n - 1])) return;
  if (by_sets(column) && deviations_) return search_level_medians(column, list, n, missing, view, sums, best);
  if (by_sets(column))
    return levels_.search(column, list, n, missing, view, sums, limits_, present_ ? &*present_ : nullptr,
                          best);
  search_threshold(column, list, n, missing, view, sums, best);
}

template void ColumnSearch::search(int, const std::uint32_t*, int, std::uint32_t, const RowView&,
                                   const NodeSums&, ForestSplit&);
template void ColumnSearch::search(int, const std::uint64_t*, int, std::uint32_t, const RowView&,
                                   const NodeSums&, ForestSplit&);

}  // namespace bough
