// Search under absolute error. Thresholds: rows leave one by one from either end of the sorted list, which
// gives the error of every right and of every left side. Levels: their groups of rows move from the outside
// to the inside.
#include "bough/grow/node_grower.hpp"

namespace bough {

template <class E>
void NodeGrower<E>::rank_values(const Range& range) {
  std::vector<std::pair<double, std::uint32_t>> order(range.count);
  const E* list = lists_[0] + range.begin;
  for (int i = 0; i < range.count; ++i) order[i] = {rows_.grid[index_of(list[i])], index_of(list[i])};
  std::sort(order.begin(), order.end());
  values_.clear();
  ordered_.value.clear();
  ordered_.weight.clear();
  for (const auto& [value, row] : order) {
    if (values_.empty() || values_.back() != value) values_.push_back(value);
    rank_[row] = static_cast<std::uint32_t>(values_.size() - 1);
    place_[row] = static_cast<std::int32_t>(ordered_.value.size());
    ordered_.value.push_back(value);
    ordered_.weight.push_back(rows_.weight_at(row));
  }
}

template <class E>
void NodeGrower<E>::search_median_threshold(int c, Known known, const Range& range, Best& best,
                                            Space& space) {
  const int n = known.count;
  const auto place = [&](int i) { return place_[index_of(known.list[i])]; };
  const std::uint8_t* present = nullptr;
  if (n < range.count) {
    space.present.assign(range.count, 0);
    for (int i = 0; i < n; ++i) space.present[place(i)] = 1;
    present = space.present.data();
  }
  space.sweep.reset(ordered_, present);
  const double all = space.sweep.deviation();
  space.left.resize(n);  // deviation of the rows up to each entry
  for (int i = n - 2; i >= 0; --i) {
    space.sweep.remove(place(i + 1));
    space.left[i] = space.sweep.deviation();
  }
  double right_weight = 0, right_cases = 0, left_weight = 0, left_cases = 0;
  for (int i = 0; i < n; ++i) {
    right_weight += rows_.weight_at(index_of(known.list[i]));
    right_cases += rows_.cases_at(index_of(known.list[i]));
  }
  space.sweep.reset(ordered_, present);
  const LeafLimits limits = leaf_limits();
  for (int i = 0; i < n - 1; ++i) {
    const std::uint32_t row = index_of(known.list[i]);
    space.sweep.remove(place_[row]);
    left_weight += rows_.weight_at(row);
    left_cases += rows_.cases_at(row);
    if (code_of(known.list[i]) == code_of(known.list[i + 1])) continue;
    if (left_cases < limits.min_cases || right_cases - left_cases < limits.min_cases ||
        left_weight < limits.min_weight || right_weight - left_weight < limits.min_weight)
      continue;
    const double value = (all - (space.left[i] + space.sweep.deviation())) / range.weight;
    if (!(value > best.value)) continue;
    best.value = value;
    best.column = c;
    best.left = i + 1;
  }
}

// The rows of a column in groups of equal value, of which some are inside and the others outside.
template <class E>
struct NodeGrower<E>::MedianGroups {
  const NodeGrower& grower;
  Known known;
  RunningMedian &inside, &outside;
  std::vector<int>& end;  // of each group in the list
  double cases_inside = 0, cases = 0;

  MedianGroups(const NodeGrower& g, Known k, Space& space)
      : grower(g), known(k), inside(space.inside), outside(space.outside), end(space.group_end) {
    inside.reset(grower.values_);
    outside.reset(grower.values_);
    end.clear();
    for (int i = 0; i < known.count; ++i) {
      const std::uint32_t row = index_of(known.list[i]);
      outside.add(grower.rank_[row], grower.rows_.weight_at(row));
      cases += grower.rows_.cases_at(row);
      if (i == 0 || code_of(known.list[i]) != code_of(known.list[i - 1])) end.push_back(i);
      end.back() = i + 1;
    }
  }

  int size() const { return static_cast<int>(end.size()); }

  void move(int group, double sign) {
    for (int i = group == 0 ? 0 : end[group - 1]; i < end[group]; ++i) {
      const std::uint32_t row = index_of(known.list[i]);
      const double weight = sign * grower.rows_.weight_at(row);
      inside.add(grower.rank_[row], weight);
      outside.add(grower.rank_[row], -weight);
      cases_inside += sign * grower.rows_.cases_at(row);
    }
  }
  void move_in(int group) { move(group, 1); }
  void move_out(int group) { move(group, -1); }

  bool inside_large_enough() const {
    const LeafLimits limits = grower.leaf_limits();
    return cases_inside >= limits.min_cases && inside.weight() >= limits.min_weight;
  }
  bool both_large_enough() const {
    const LeafLimits limits = grower.leaf_limits();
    return inside_large_enough() && cases - cases_inside >= limits.min_cases &&
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
void NodeGrower<E>::search_median_complete(int c, MedianGroups& groups, const Range& range, Best& best) {
  constexpr double kRounding = 1e-12;
  const double all = groups.outside.deviation();
  double within = 0;
  int large = 0;
  for (int g = 0; g < groups.size(); ++g) {
    groups.move_in(g);
    within += groups.inside.deviation();
    large += groups.inside_large_enough();
    groups.move_out(g);
  }
  const double saved = groups.size() == 2 || all - within > kRounding * within ? all - within : 0.0;
  if (large < 2 || !(saved / range.weight > best.value)) return;
  best.value = saved / range.weight;
  take_levels(best, c, groups.known, groups.end, {});
}

template <class E>
void NodeGrower<E>::search_median(int c, Known known, const Range& range, Best& best, Space& space) {
  if (column(c).scale != Scale::nominal) return search_median_threshold(c, known, range, best, space);
  MedianGroups groups(*this, known, space);
  const Nominal kind = problem_.recipe.nominal;
  if (kind == Nominal::complete) return search_median_complete(c, groups, range, best);

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
  take_levels(best, c, known, groups.end, branch);
}

template void NodeGrower<std::uint32_t>::rank_values(const Range&);
template void NodeGrower<std::uint64_t>::rank_values(const Range&);
template void NodeGrower<std::uint32_t>::search_median(int, Known, const Range&, Best&, Space&);
template void NodeGrower<std::uint64_t>::search_median(int, Known, const Range&, Best&, Space&);

}  // namespace bough
