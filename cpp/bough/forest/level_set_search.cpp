#include "bough/forest/level_set_search.hpp"

#include <algorithm>
#include <limits>

namespace bough {

namespace {

// randomForest tries all sets of so many levels.
constexpr int kMostTried = 10;

}  // namespace

LevelSetSearch::LevelSetSearch(const ForestPlan& plan) : plan_(plan) {
  const Data& data = plan.data;
  double weight = 0, sum = 0;
  for (std::int64_t i = 0; data.y && data.n_targets() == 1 && i < data.n_rows; ++i) {
    const double w = data.weight ? data.weight[i] : 1.0;
    weight += w;
    sum += w * data.y[i];
  }
  if (weight > 0) mean_ = sum / weight;
}

template <class E>
void LevelSetSearch::search(int column, const E* list, int n, std::uint32_t missing, const RowView& view,
                            const NodeSums& sums, const LeafLimits& limits, const PresentClasses* present,
                            ForestSplit& best) {
  const int k = (present ? present->evaluator() : plan_.evaluator).width();
  const std::uint32_t* levels = plan_.coded.columns[column].code;
  level_.clear();
  statistics_.clear();
  cases_.clear();
  for (int i = 0; i < n; ++i) {
    const std::uint32_t row = index_of(list[i]);
    if (i == 0 || code_of(list[i]) != code_of(list[i - 1])) {
      level_.push_back(levels[view.row_at(row)]);
      statistics_.resize(statistics_.size() + k, 0.0);
      cases_.push_back(0);
    }
    cases_.back() += view.cases_at(row);
    double* statistics = statistics_.data() + statistics_.size() - k;
    if (present)
      ClassWeights::add_row(statistics, present->rows(), row);
    else
      add_row(statistics, view, row, plan_.data.n_classes > 0);
  }
  search_groups(column, code_of(list[n - 1]) == missing, sums, limits, present, best);
}

template void LevelSetSearch::search(int, const std::uint32_t*, int, std::uint32_t, const RowView&,
                                     const NodeSums&, const LeafLimits&, const PresentClasses*, ForestSplit&);
template void LevelSetSearch::search(int, const std::uint64_t*, int, std::uint32_t, const RowView&,
                                     const NodeSums&, const LeafLimits&, const PresentClasses*, ForestSplit&);

void LevelSetSearch::search(int column, const CountedCodes& codes, std::uint32_t missing,
                            const NodeSums& sums, const LeafLimits& limits, ForestSplit& best) {
  level_.assign(codes.code, codes.code + codes.n);
  statistics_.clear();
  cases_.clear();
  for (int g = 0; g < codes.n; ++g) {
    const auto all = static_cast<double>(codes.counted[g] & 0xffffffffu),
               second = static_cast<double>(codes.counted[g] >> 32);
    statistics_.insert(statistics_.end(), {all - second, second});
    cases_.push_back(all);
  }
  search_groups(column, codes.code[codes.n - 1] == missing, sums, limits, nullptr, best);
}

// The value of a set as count_kernels.hpp and CountSearch have it, to the bit, so that it equals that of a
// cut which parts the rows alike.
double LevelSetSearch::counted_value(const Found& found, int n_groups, const NodeSums& sums) const {
  double all = 0, second = 0, left = 0, left_second = 0;
  for (int g = 0; g < n_groups; ++g) {
    const double ones = statistics_[2 * g + 1], both = statistics_[2 * g] + ones;
    all += both;
    second += ones;
    left += found.branch[g] ? 0 : both;
    left_second += found.branch[g] ? 0 : ones;
  }
  const double share = 1 - (sums.weight - all) / sums.weight;
  return gini_of_counts(left, left_second, all, second) / share;
}

void LevelSetSearch::search_groups(int column, bool seen, const NodeSums& sums, const LeafLimits& limits,
                                   const PresentClasses* present, ForestSplit& best) {
  const bool own_level = plan_.recipe.missing == ForestMissing::learned;
  const int n_groups = static_cast<int>(level_.size()) - (seen && !own_level);
  if (n_groups < 2) return;
  const ContingencyTable table{statistics_.data(), cases_.data(), n_groups, sums.weight,
                               present ? present->classes().data() : nullptr};
  const Evaluator& evaluator = present ? present->evaluator() : plan_.evaluator;
  const int n_levels = plan_.data.columns[column].n_levels;
  const bool as_in_r = plan_.recipe.nominal == ForestNominal::randomforest;
  const Found found =
      as_in_r && plan_.data.n_classes > 0 && n_levels <= kMostTried
          ? first_best_subset(table, evaluator, limits)
          : best_nominal(table, evaluator, limits, Nominal::subset, plan_.recipe.max_exhaustive);
  if (found.branch.empty()) return;
  const double value = plan_.counts ? counted_value(found, n_groups, sums) : found.value;
  if (!(value > best.value)) return;
  best.take_levels(column, value, seen);
  if (seen && own_level) best.default_branch = found.branch[n_groups - 1];
  const int known = n_groups - (seen && own_level);
  for (int g = 0; g < known; ++g) (found.branch[g] ? best.right : best.left).push_back(level_[g]);
  const int side = as_in_r ? absent_side(n_levels, found) : -1;
  if (side < 0) return;
  for (int level = 0, g = 0; level < n_levels; ++level)
    if (g < known && level_[g] == static_cast<std::uint32_t>(level))
      ++g;
    else
      (side ? best.right : best.left).push_back(static_cast<std::uint32_t>(level));
}

// The side of levels that are absent from the node, as in randomForest 4.7 (classTree.c, regTree.c); missing
// values count as a last level. With at most 10 levels, the set that goes left is the first best by bit mask,
// which holds neither the last level nor an absent one. With two classes and more levels, an absent level has
// a share of 0 of the first class, and lower shares go left. In regression its mean is that of all rows. With
// three classes and more levels randomForest draws sets at random, and it has no several targets, so that
// there is no rule to follow: -1.
int LevelSetSearch::absent_side(int n_levels, const Found& found) const {
  const int n_groups = static_cast<int>(found.branch.size()), n_classes = plan_.data.n_classes;
  if (n_classes > 0 && n_levels <= kMostTried) return found.branch.back();
  if (n_classes > 2 || plan_.data.n_targets() > 1) return -1;
  // The share of the first class, or the mean.
  const auto centre = [&](int g) {
    const double first = statistics_[2 * g], second = statistics_[2 * g + 1];
    return n_classes ? first / (first + second) : origin_ + second / first;
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double least[2] = {kInfinity, kInfinity}, most[2] = {-kInfinity, -kInfinity};
  for (int g = 0; g < n_groups; ++g) {
    const int side = found.branch[g];
    least[side] = std::min(least[side], centre(g));
    most[side] = std::max(most[side], centre(g));
  }
  const int low = least[1] < least[0] ? 1 : 0;
  return n_classes || mean_ < (most[low] + least[1 - low]) / 2 ? low : 1 - low;
}

}  // namespace bough
