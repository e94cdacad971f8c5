#include "bough/grow/median_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bough/grow/measure_targets.hpp"

namespace bough {

namespace {

// What a split saves of the absolute error; of several children nothing if it may be rounding alone.
double saved_by(double all, double within, int n_children) {
  constexpr double kRounding = 1e-12;
  return n_children == 2 || all - within > kRounding * within ? all - within : 0.0;
}

}  // namespace

template <class E>
template <class Value>
void MedianSearch<E>::order(Target& target, const Range& range, const Value& value) {
  std::vector<std::pair<double, std::uint32_t>> order(range.count);
  const E* list = in_.lists[0] + range.begin;
  for (int i = 0; i < range.count; ++i) order[i] = {value(index_of(list[i])), index_of(list[i])};
  std::sort(order.begin(), order.end());
  target.values.clear();
  target.ordered.value.clear();
  target.ordered.weight.clear();
  for (const auto& [y, row] : order) {
    if (target.values.empty() || target.values.back() != y) target.values.push_back(y);
    target.rank[row] = static_cast<std::uint32_t>(target.values.size() - 1);
    target.position[row] = static_cast<std::int32_t>(target.ordered.value.size());
    target.ordered.value.push_back(y);
    target.ordered.weight.push_back(in_.rows.weight_at(row));
  }
  target.whole.reset(target.ordered, nullptr);
}

template <class E>
void MedianSearch<E>::start(const Range& range) {
  const Rows& rows = in_.rows;
  if (rows.n_targets == 1)
    return order(targets_[0], range, [&](std::uint32_t row) { return rows.grid[row]; });
  TargetGrids grids(rows.n_targets);
  bound_targets(in_.lists[0] + range.begin, range.count, rows, grids);
  grids.lay_out(weight_on_grid(rows, in_.problem.recipe.criterion, range.weight), false);
  for (int t = 0; t < rows.n_targets; ++t) {
    targets_[t].unit = grids.to_unit[t];
    order(targets_[t], range, [&](std::uint32_t row) {
      return std::rint((rows.ys_at(row)[t] - grids.origin[t]) * grids.scale[t]);
    });
  }
}

// Adds the deviations of one target on both sides of every cut; returns that of all known rows.
template <class E>
double MedianSearch<E>::sweep(const Target& target, Known known, const Range& range, Space& space) {
  const int n = known.count;
  const auto position = [&](int i) { return target.position[index_of(known.list[i])]; };
  const MedianSweep<Wide>* begun = &target.whole;
  if (n < range.count) {
    space.present.assign(range.count, 0);
    for (int i = 0; i < n; ++i) space.present[position(i)] = 1;
    space.known.reset(target.ordered, space.present.data());
    begun = &space.known;
  }
  space.sweep = *begun;
  const double all = target.unit * space.sweep.deviation();
  for (int i = n - 2; i >= 0; --i) {
    space.sweep.remove(position(i + 1));
    space.within[i] += target.unit * space.sweep.deviation();
  }
  space.sweep = *begun;
  for (int i = 0; i < n - 1; ++i) {
    space.sweep.remove(position(i));
    space.within[i] += target.unit * space.sweep.deviation();
  }
  return all;
}

template <class E>
Cut MedianSearch<E>::cut(Known known, int barred, const Range& range, double floor, int member) {
  Space& space = space_[member];
  Cut best{floor, 0};
  const int n = known.count;
  space.within.assign(n, 0.0);
  double all = 0;
  for (const Target& target : targets_) all += sweep(target, known, range, space);
  double right_weight = 0, right_cases = 0, left_weight = 0, left_cases = 0;
  for (int i = 0; i < n; ++i) {
    right_weight += in_.rows.weight_at(index_of(known.list[i]));
    right_cases += in_.rows.cases_at(index_of(known.list[i]));
  }
  const LeafLimits limits = in_.leaf_limits();
  const double weight = range.weight * in_.rows.n_targets;
  for (int i = 0; i < n - 1; ++i) {
    const std::uint32_t row = index_of(known.list[i]);
    left_weight += in_.rows.weight_at(row);
    left_cases += in_.rows.cases_at(row);
    if (i + 1 == barred || code_of(known.list[i]) == code_of(known.list[i + 1])) continue;
    if (left_cases < limits.min_cases || right_cases - left_cases < limits.min_cases ||
        left_weight < limits.min_weight || right_weight - left_weight < limits.min_weight)
      continue;
    const double value = (all - space.within[i]) / weight;
    if (value > best.value) best = {value, i + 1};
  }
  return best;
}

// The rows of a column in groups of equal value, of which some are inside and the others outside.
template <class E>
struct MedianSearch<E>::Groups {
  const MedianSearch& search;
  const Target& target;  // levels are split for one target only
  Known known;
  RunningMedian &inside, &outside;
  std::vector<int>& end;  // of each group in the list
  double cases_inside = 0, cases = 0;

  Groups(const MedianSearch& s, Known k, Space& space)
      : search(s),
        target(s.targets_[0]),
        known(k),
        inside(space.inside),
        outside(space.outside),
        end(space.group_end) {
    inside.reset(target.values);
    outside.reset(target.values);
    end.clear();
    for (int i = 0; i < known.count; ++i) {
      const std::uint32_t row = index_of(known.list[i]);
      outside.add(target.rank[row], search.in_.rows.weight_at(row));
      cases += search.in_.rows.cases_at(row);
      if (i == 0 || code_of(known.list[i]) != code_of(known.list[i - 1])) end.push_back(i);
      end.back() = i + 1;
    }
  }

  int size() const { return static_cast<int>(end.size()); }

  void move(int group, double sign) {
    for (int i = group == 0 ? 0 : end[group - 1]; i < end[group]; ++i) {
      const std::uint32_t row = index_of(known.list[i]);
      const double weight = sign * search.in_.rows.weight_at(row);
      inside.add(target.rank[row], weight);
      outside.add(target.rank[row], -weight);
      cases_inside += sign * search.in_.rows.cases_at(row);
    }
  }
  void move_in(int group) { move(group, 1); }
  void move_out(int group) { move(group, -1); }

  bool inside_has(double min_cases) const {
    return cases_inside >= min_cases && inside.weight() >= search.in_.leaf_limits().min_weight;
  }
  bool both_large_enough() const {
    const LeafLimits limits = search.in_.leaf_limits();
    return inside_has(limits.min_cases) && cases - cases_inside >= limits.min_cases &&
           outside.weight() >= limits.min_weight;
  }

  std::vector<int> by_median() {
    std::vector<double> median(size());
    std::vector<int> order(size());
    std::iota(order.begin(), order.end(), 0);
    for (int g = 0; g < size(); ++g) {
      move_in(g);
      median[g] = inside.median();
      move_out(g);
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return median[a] < median[b]; });
    return order;
  }
};

template <class E>
void MedianSearch<E>::search_complete(int c, Groups& groups, const Range& range, Best& best) {
  const double all = groups.outside.deviation();
  double within = 0;
  const LeafLimits limits = in_.leaf_limits();
  int large = 0, small = 0;
  for (int g = 0; g < groups.size(); ++g) {
    groups.move_in(g);
    within += groups.inside.deviation();
    large += groups.inside_has(limits.min_cases);
    small += !groups.inside_has(limits.min_cases_leaf);
    groups.move_out(g);
  }
  const double value = saved_by(all, within, groups.size()) / range.weight;
  if (large < 2 || small > 0 || !(value > best.value)) return;
  best.value = value;
  in_.take_levels(best, c, groups.known, groups.end, {});
}

template <class E>
double MedianSearch<E>::value(Known all, const std::vector<int>& branch, int n_branches, const Range& range,
                              int member) {
  RunningMedian& inside = space_[member].inside;
  double whole = 0, within = 0;
  for (const Target& target : targets_)
    for (int b = -1; b < n_branches; ++b) {  // all of them first
      inside.reset(target.values);
      for (int i = 0; i < all.count; ++i)
        if (b < 0 || branch[i] == b)
          inside.add(target.rank[index_of(all.list[i])], in_.rows.weight_at(index_of(all.list[i])));
      (b < 0 ? whole : within) += target.unit * inside.deviation();
    }
  return saved_by(whole, within, n_branches) / (range.weight * in_.rows.n_targets);
}

template <class E>
void MedianSearch<E>::search_levels(int c, Known known, const Range& range, Best& best, int member) {
  Space& space = space_[member];
  Groups groups(*this, known, space);
  const Nominal kind = in_.problem.recipe.nominal;
  if (kind == Nominal::complete) return search_complete(c, groups, range, best);

  const bool one_by_one = kind == Nominal::one_vs_rest;
  std::vector<int> order(groups.size());
  std::iota(order.begin(), order.end(), 0);
  if (kind == Nominal::subset) order = groups.by_median();
  const double all = groups.outside.deviation();
  int chosen = -1;
  for (int i = 0; i < groups.size() - (one_by_one ? 0 : 1); ++i) {
    groups.move_in(order[i]);
    if (groups.both_large_enough()) {
      const double value = (all - (groups.inside.deviation() + groups.outside.deviation())) / range.weight;
      if (value > best.value) {
        best.value = value;
        chosen = i;
      }
    }
    if (one_by_one) groups.move_out(order[i]);
  }
  if (chosen < 0) return;
  std::vector<int> branch(groups.size(), 1);
  for (int i = one_by_one ? chosen : 0; i <= chosen; ++i) branch[order[i]] = 0;
  if (!one_by_one && branch[0] == 1)  // the first level is always in branch 0
    for (int& b : branch) b = 1 - b;
  in_.take_levels(best, c, known, groups.end, branch);
}

template class MedianSearch<std::uint32_t>;
template class MedianSearch<std::uint64_t>;

}  // namespace bough
