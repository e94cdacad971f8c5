// The surrogates of a split: splits of other columns, chosen by tests of the branches.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "bough/conditional/inference.hpp"

namespace bough::conditional {

namespace {

// The order in which partykit takes surrogates: by the criterion, and those tied with the best by the places
// of their statistics in ascending order. Of three or more tied columns these are not the ranks.
void order_surrogates(std::vector<Test>& candidates, bool by_statistic) {
  const double tied = std::numeric_limits<double>::epsilon();
  const auto criterion = [&](const Test& each) {
    return by_statistic ? std::log(std::max(each.statistic, tied)) : each.log_complement;
  };
  std::reverse(candidates.begin(), candidates.end());  // of equal columns the last comes first
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const Test& a, const Test& b) { return criterion(a) > criterion(b); });
  if (candidates.empty()) return;
  const double most = criterion(candidates[0]);
  const auto last = std::find_if(candidates.begin(), candidates.end(),
                                 [&](const Test& each) { return !(most - criterion(each) < tied); });
  std::sort(candidates.begin(), last, [](const Test& a, const Test& b) { return a.column < b.column; });
  const auto n = static_cast<std::size_t>(last - candidates.begin());
  std::vector<std::size_t> place(n), order(n);
  std::iota(place.begin(), place.end(), 0);
  std::stable_sort(place.begin(), place.end(), [&](std::size_t a, std::size_t b) {
    return candidates[a].statistic < candidates[b].statistic;
  });
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return place[a] > place[b]; });
  const std::vector<Test> by_column(candidates.begin(), last);
  for (std::size_t i = 0; i < n; ++i) candidates[i] = by_column[order[i]];
}

}  // namespace

std::vector<Surrogate> Inference::surrogates(const Split& split, std::span<const std::uint32_t> rows,
                                             const std::function<void()>& between) const {
  Target branches;
  branches.n_classes = 2;
  branches.label.assign(target_.n_rows(), 0);
  branches.weight = target_.weight;
  branches.cases = target_.cases;
  std::vector<std::uint32_t> routed;
  std::vector<std::int32_t> branch_of(columns_[split.column].n_levels, -1);
  for (std::size_t i = 0; i < split.codes.size(); ++i) branch_of[split.codes[i]] = split.branches[i];
  for (std::uint32_t row : rows) {
    const double value = columns_[split.column].value(row);
    if (!(value == value)) continue;
    branches.label[row] = split.codes.empty() ? value > split.below : branch_of[static_cast<int>(value)];
    routed.push_back(row);
  }
  std::vector<Test> candidates;
  Sample known;
  for (int column = 0; column < static_cast<int>(columns_.size()); ++column) {
    if (column == split.column) continue;
    between();
    known.read(columns_[column], routed, branches);
    if (!known.can_be_tested()) continue;
    Test& candidate = candidates.emplace_back(asymptotic_test(column, known, between));
    candidate.log_complement = log_complement(candidate.p_value);
  }
  order_surrogates(candidates, options_.min_statistic > 0);
  std::vector<Surrogate> found;
  for (const Test& candidate : candidates) {
    if (static_cast<int>(found.size()) == options_.n_surrogates) break;
    Surrogate surrogate{best_split(candidate.column, routed, branches, 1, between)};
    if (surrogate.split.column < 0) break;  // as in partykit, which tries the same column again
    // Lower values, or the set of the first level, go to the branch of most of their rows, as in partykit.
    const Column& column = columns_[candidate.column];
    double sides[2][2] = {{0, 0}, {0, 0}};
    std::vector<std::int32_t> side_of(column.n_levels, -1);
    for (std::size_t i = 0; i < surrogate.split.codes.size(); ++i)
      side_of[surrogate.split.codes[i]] = surrogate.split.branches[i];
    for (std::uint32_t row : routed) {
      const double value = column.value(row);
      if (!(value == value)) continue;
      const int side =
          surrogate.split.codes.empty() ? value > surrogate.split.below : side_of[static_cast<int>(value)];
      sides[side][branches.label[row]] += branches.weight.empty() ? 1 : branches.weight[row];
    }
    surrogate.turned = sides[0][0] < sides[0][1];
    found.push_back(std::move(surrogate));
  }
  return found;
}

}  // namespace bough::conditional
