#include "bough/grow/median_search.hpp"

#include <algorithm>
#include <numeric>

#include "bough/grow/drawn_split.hpp"

namespace bough {

template <class E>
void MedianSearch<E>::start(const Range& range) {
  std::vector<std::pair<double, std::uint32_t>> order(range.count);
  const E* list = in_.lists[0] + range.begin;
  for (int i = 0; i < range.count; ++i) order[i] = {in_.rows.grid[index_of(list[i])], index_of(list[i])};
  std::sort(order.begin(), order.end());
  values_.clear();
  ordered_.value.clear();
  ordered_.weight.clear();
  for (const auto& [value, row] : order) {
    if (values_.empty() || values_.back() != value) values_.push_back(value);
    rank_[row] = static_cast<std::uint32_t>(values_.size() - 1);
    position_[row] = static_cast<std::int32_t>(ordered_.value.size());
    ordered_.value.push_back(value);
    ordered_.weight.push_back(in_.rows.weight_at(row));
  }
}

template <class E>
void MedianSearch<E>::search_threshold(int c, Known known, const Range& range, Best& best, Space& space) {
  const int n = known.count;
  const auto position = [&](int i) { return position_[index_of(known.list[i])]; };
  const std::uint8_t* present = nullptr;
  if (n < range.count) {
    space.present.assign(range.count, 0);
    for (int i = 0; i < n; ++i) space.present[position(i)] = 1;
    present = space.present.data();
  }
  space.sweep.reset(ordered_, present);
  const double all = space.sweep.deviation();
  space.left.resize(n);
  for (int i = n - 2; i >= 0; --i) {
    space.sweep.remove(position(i + 1));
    space.left[i] = space.sweep.deviation();
  }
  double right_weight = 0, right_cases = 0, left_weight = 0, left_cases = 0;
  for (int i = 0; i < n; ++i) {
    right_weight += in_.rows.weight_at(index_of(known.list[i]));
    right_cases += in_.rows.cases_at(index_of(known.list[i]));
  }
  space.sweep.reset(ordered_, present);
  const LeafLimits limits = in_.leaf_limits();
  const bool random = in_.problem.recipe.draw.random_splits;
  const DrawnCut drawn = random ? draw_cut(in_, c, known, range) : DrawnCut{best.drawn_cut, 0};
  for (int i = 0; i < n - 1; ++i) {
    const std::uint32_t row = index_of(known.list[i]);
    space.sweep.remove(position_[row]);
    left_weight += in_.rows.weight_at(row);
    left_cases += in_.rows.cases_at(row);
    if (random ? i + 1 != drawn.left : code_of(known.list[i]) == code_of(known.list[i + 1])) continue;
    if (left_cases < limits.min_cases || right_cases - left_cases < limits.min_cases ||
        left_weight < limits.min_weight || right_weight - left_weight < limits.min_weight)
      continue;
    const double value = (all - (space.left[i] + space.sweep.deviation())) / range.weight;
    if (!(value > best.value)) continue;
    best.value = value;
    best.column = c;
    best.left = i + 1;
    best.drawn_cut = drawn.cut;
  }
}

// The rows of a column in groups of equal value, of which some are inside and the others outside.
template <class E>
struct MedianSearch<E>::Groups {
  const MedianSearch& search;
  Known known;
  RunningMedian &inside, &outside;
  std::vector<int>& end;  // of each group in the list
  double cases_inside = 0, cases = 0;

  Groups(const MedianSearch& s, Known k, Space& space)
      : search(s), known(k), inside(space.inside), outside(space.outside), end(space.group_end) {
    inside.reset(search.values_);
    outside.reset(search.values_);
    end.clear();
    for (int i = 0; i < known.count; ++i) {
      const std::uint32_t row = index_of(known.list[i]);
      outside.add(search.rank_[row], search.in_.rows.weight_at(row));
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
      inside.add(search.rank_[row], weight);
      outside.add(search.rank_[row], -weight);
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
  constexpr double kRounding = 1e-12;
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
  const double saved = groups.size() == 2 || all - within > kRounding * within ? all - within : 0.0;
  if (large < 2 || small > 0 || !(saved / range.weight > best.value)) return;
  best.value = saved / range.weight;
  in_.take_levels(best, c, groups.known, groups.end, {});
}

template <class E>
void MedianSearch<E>::search_drawn_levels(int c, Groups& groups, const Range& range, Best& best) {
  const double all = groups.outside.deviation();
  const std::vector<int> branch = draw_branches(groups.size(), in_.problem.recipe.nominal, c, range);
  for (int g = 0; g < groups.size(); ++g)
    if (branch[g] == 0) groups.move_in(g);
  const double value = (all - (groups.inside.deviation() + groups.outside.deviation())) / range.weight;
  if (!groups.both_large_enough() || !(value > best.value)) return;
  best.value = value;
  in_.take_levels(best, c, groups.known, groups.end, branch);
}

template <class E>
void MedianSearch<E>::search(int c, Known known, const Range& range, Best& best, int member) {
  Space& space = space_[member];
  if (in_.column(c).scale != Scale::nominal) return search_threshold(c, known, range, best, space);
  Groups groups(*this, known, space);
  const Nominal kind = in_.problem.recipe.nominal;
  if (kind == Nominal::complete) return search_complete(c, groups, range, best);
  if (in_.problem.recipe.draw.random_splits) return search_drawn_levels(c, groups, range, best);

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
