#include "bough/grow/node_search.hpp"

#include <algorithm>
#include <numeric>

#include "bough/criteria/pearson.hpp"

namespace bough {

namespace {

// An improvement short of the bound by rounding alone is not short of it.
constexpr double kEpsilon = 2.220446049250313e-16;

void take_cut(const Cut& cut, int column, Best& best) {
  if (cut.left == 0) return;
  best.value = cut.value;
  best.column = column;
  best.left = cut.left;
}

}  // namespace

template <class E>
Best NodeSearch<E>::best(const Range& range, const Branching& out) {
  if (in_.problem.recipe.criterion.reads_values()) medians_.start(range);
  if (present_) {
    const E* list = in_.lists[0] + range.begin;
    present_->start(range.count, [list](int i) { return index_of(list[i]); }, in_.rows);
  }
  if (in_.problem.recipe.n_competitors > 0) return best_with_competitors(range, out);
  Best best;
  if (!in_.shared_out(range)) {
    const double ceiling = highest_value(range, in_.lists[0] + range.begin);
    if (in_.problem.plain) {
      search_plain(range, ceiling, best, space_[0]);
      if (best.column >= 0 &&
          !within_limits(best, {in_.lists[best.column] + range.begin, range.count}, range, out))
        best.column = -1;
      return best;
    }
    for (int c = 0; c < in_.n_columns() && best.value < ceiling; ++c) search_column(c, range, out, best, 0);
    return best;
  }
  std::vector<Best> found(space_.size());
  in_.for_columns(range, [&](int c, int member) { search_column(c, range, out, found[member], member); });
  for (Best& f : found)
    if (f.column >= 0 && (f.score > best.score || (f.score == best.score && f.column < best.column)))
      best = std::move(f);
  return best;
}

template <class E>
Best NodeSearch<E>::best_with_competitors(const Range& range, const Branching& out) {
  std::vector<Best> found(in_.lists.size());
  in_.for_columns(range, [&](int c, int member) { search_column(c, range, out, found[c], member); });
  std::stable_sort(found.begin(), found.end(),
                   [](const Best& a, const Best& b) { return a.score > b.score; });
  Best best = std::move(found[0]);
  for (std::size_t i = 1; i < found.size(); ++i)
    if (found[i].column >= 0 && static_cast<int>(best.competitors.size()) < in_.problem.recipe.n_competitors)
      best.competitors.push_back(std::move(found[i]));
  return best;
}

// The same as searching column by column, without what plain tables do not need: half of all nodes hold few
// rows, and there it would cost more than the scan. The limits on value are met by the best or by none.
template <class E>
void NodeSearch<E>::search_plain(const Range& range, double ceiling, Best& best, Space& space) {
  const int n_columns = static_cast<int>(in_.lists.size()), n = range.count;
  const Allowed allowed{in_.problem.min_rows_leaf, n - in_.problem.min_rows_leaf};
  const bool few = in_.problem.fast_squares && n <= kFew;
  Cut cut;
  for (int c = 0; c < n_columns && best.value < ceiling; ++c) {
    const E* list = in_.lists[c] + range.begin;
    if (code_of(list[0]) == code_of(list[n - 1])) continue;
    if (few)
      cut = best_squares_of_few(list, n, in_.rows.grid, range.sum, allowed, range.weight, best.value);
    else if (in_.problem.fast_gini)
      cut = best_gini_cut(list, n, static_cast<int>(range.sum), in_.problem.min_rows_leaf, range.weight,
                          in_.problem.evaluator, best.value, space.scan);
    else
      cut = best_squares_cut(list, n, in_.rows.grid, range.sum, in_.problem.min_rows_leaf, range.weight,
                             best.value, space.scan);
    if (cut.left == 0) continue;
    best.value = best.score = cut.value;
    best.column = c;
    best.left = cut.left;
  }
}

template <class E>
double NodeSearch<E>::highest_value(const Range& range, const E* list) const {
  if (!in_.problem.recipe.price.empty()) return std::numeric_limits<double>::infinity();
  if (in_.problem.fast_gini) {
    const double zeros[2] = {range.weight - range.sum, 0}, ones[2] = {0, range.sum};
    return in_.problem.evaluator.value(zeros, ones, range.weight);
  }
  if (in_.problem.fast_squares && range.count == 2) {
    const double one[2] = {1, in_.rows.grid[index_of(list[0])]},
                 other[2] = {1, in_.rows.grid[index_of(list[1])]};
    return in_.problem.evaluator.value(one, other, range.weight);
  }
  return std::numeric_limits<double>::infinity();
}

template <class E>
void NodeSearch<E>::search_column(int c, const Range& range, const Branching& out, Best& best, int member) {
  const Known known = in_.known(c, range);
  const E* list = known.list;
  if (known.count < 2 || code_of(list[0]) == code_of(list[known.count - 1])) return;
  Best found;
  // The product may be rounded up to what an equal split has, so the bar is just below it.
  found.value = in_.problem.recipe.price.empty()
                    ? best.value
                    : std::nextafter(best.score * in_.price(c), -std::numeric_limits<double>::infinity());
  if (in_.problem.recipe.criterion.reads_values())
    medians_.search(c, known, range, found, member);
  else if (in_.column(c).scale == Scale::nominal)
    search_levels(c, known, range, found, space_[member]);
  else
    search_threshold(c, known, range, out, found, space_[member]);
  if (found.column < 0 || (known.count < range.count && !separates(found, known))) return;
  if (!within_limits(found, known, range, out)) return;
  found.score = found.value / in_.price(c);
  if (!(found.score > best.score)) return;
  best = std::move(found);
}

// Whether a split of a column with missing values separates known rows that differ. Where only the missing
// ones differ, splitting the known ones would go on to the last row for nothing.
template <class E>
bool NodeSearch<E>::separates(const Best& found, Known known) const {
  if (!in_.rows.label) return found.value > 0;
  const std::int32_t first = in_.rows.label[index_of(known.list[0])];
  return std::any_of(known.list, known.list + known.count,
                     [&](E entry) { return in_.rows.label[index_of(entry)] != first; });
}

// The scans of scan.hpp, over the known entries.
template <class E>
Cut NodeSearch<E>::fast_cut(Known known, const Range& range, double floor, ScanSpace& space) const {
  const int n = known.count, least = in_.problem.min_rows_leaf;
  if (in_.problem.fast_gini) {
    int ones = static_cast<int>(range.sum);
    for (int i = n; i < range.count; ++i) ones -= static_cast<int>(label_bit(known.list[i]));
    return best_gini_cut(known.list, n, ones, least, range.weight, in_.problem.evaluator, floor, space);
  }
  double sum = range.sum;
  for (int i = n; i < range.count; ++i) sum -= in_.rows.grid[index_of(known.list[i])];
  return best_squares_cut(known.list, n, in_.rows.grid, sum, least, range.weight, floor, space);
}

template <class E>
void NodeSearch<E>::search_threshold(int c, Known known, const Range& range, const Branching& out, Best& best,
                                     Space& space) {
  if (in_.problem.fast_gini || in_.problem.fast_squares)
    return take_cut(fast_cut(known, range, best.value, space.scan), c, best);
  sum_known(known, range, out, space);
  const ScanTask task{rows(),
                      evaluator(),
                      in_.leaf_limits(),
                      range.weight,
                      space.left.data(),
                      space.totals.data(),
                      space.total_weight,
                      space.total_cases,
                      true};
  take_cut(best_cut(known.list, known.count, task, best.value), c, best);
}

// Statistics, weight and cases of the rows whose value is known: those of the node without the missing ones.
template <class E>
void NodeSearch<E>::sum_known(Known known, const Range& range, const Branching& out, Space& space) const {
  const int width = evaluator().width();
  const bool classes = in_.rows.label != nullptr;
  space.left.assign(width, 0.0);
  space.totals.assign(width, 0.0);
  for (int i = known.count; i < range.count; ++i)
    add_row(space.totals.data(), rows(), index_of(known.list[i]), classes);
  space.total_cases = out.nodes[range.node].cases;
  for (int i = known.count; i < range.count; ++i)
    space.total_cases -= in_.rows.cases_at(index_of(known.list[i]));
  if (classes && in_.rows.own) {  // nodes are weighed otherwise than splits
    space.totals.assign(width, 0.0);
    for (int i = 0; i < known.count; ++i)
      add_row(space.totals.data(), rows(), index_of(known.list[i]), classes);
    space.total_weight = std::accumulate(space.totals.begin(), space.totals.end(), 0.0);
  } else if (classes) {
    const double* counts =
        out.counts.data() + static_cast<std::ptrdiff_t>(range.node) * in_.problem.data.n_classes;
    space.total_weight = 0;
    for (int k = 0; k < width; ++k) {
      space.totals[k] =
          counts[present_ ? present_->classes()[k] : k] / in_.rows.weight_unit - space.totals[k];
      space.total_weight += space.totals[k];
    }
  } else {
    space.totals[0] = range.weight - space.totals[0];
    space.totals[1] = range.sum - space.totals[1];
    space.total_weight = space.totals[0];
  }
}

// The contingency table of a sorted list: one group of entries a distinct code.
template <class E>
void NodeSearch<E>::sum_groups(Known known, Space& space) const {
  const int width = evaluator().width();
  space.statistics.clear();
  space.cases.clear();
  space.group_end.clear();
  for (int i = 0; i < known.count; ++i) {
    if (i == 0 || code_of(known.list[i]) != code_of(known.list[i - 1])) {
      space.statistics.resize(space.statistics.size() + width, 0.0);
      space.cases.push_back(0);
      space.group_end.push_back(i);
    }
    const std::uint32_t row = index_of(known.list[i]);
    add_row(space.statistics.data() + space.statistics.size() - width, rows(), row,
            in_.rows.label != nullptr);
    space.cases.back() += in_.rows.cases_at(row);
    space.group_end.back() = i + 1;
  }
}

template <class E>
void NodeSearch<E>::search_levels(int c, Known known, const Range& range, Best& best, Space& space) {
  sum_groups(known, space);
  const ContingencyTable table{space.statistics.data(), space.cases.data(),
                               static_cast<int>(space.cases.size()), range.weight,
                               present_ ? present_->classes().data() : nullptr};
  const Found found = best_nominal(table, evaluator(), in_.leaf_limits(), in_.problem.recipe.nominal,
                                   in_.problem.recipe.max_exhaustive);
  if (!(found.value > best.value)) return;
  best.value = found.value;
  in_.take_levels(best, c, known, space.group_end, found.branch);
}

template <class E>
bool NodeSearch<E>::within_limits(const Best& best, Known known, const Range& range,
                                  const Branching& out) const {
  const Limits& limits = in_.problem.recipe.limits;
  const double value = in_.gain(best.value, range, out);
  if (!(value > limits.min_gain)) return false;
  if (limits.min_share > 0 &&
      !(improvement(best, range, out) > limits.min_share * in_.problem.root_improvement))
    return false;
  if (value * out.nodes[range.node].weight / in_.problem.root_weight + kEpsilon < limits.min_decrease)
    return false;
  return limits.significance >= 1 || significant(best, known);
}

// Whether the chi-square test of the split reaches the level asked for.
template <class E>
bool NodeSearch<E>::significant(const Best& best, Known known) const {
  const int k = in_.problem.data.n_classes;
  std::vector<double> children(static_cast<std::size_t>(best.n_branches) * k, 0.0);
  const std::vector<int> branch = in_.branches(best, known);
  for (int i = 0; i < known.count; ++i)
    ClassWeights::add_row(children.data() + static_cast<std::ptrdiff_t>(branch[i]) * k, in_.rows,
                          index_of(known.list[i]));
  for (double& x : children) x *= in_.rows.weight_unit;
  const Pearson test = pearson(children.data(), best.n_branches, k);
  return chi_square_survival(test.statistic, test.degrees) <= in_.problem.recipe.limits.significance;
}

template class NodeSearch<std::uint32_t>;
template class NodeSearch<std::uint64_t>;

}  // namespace bough
