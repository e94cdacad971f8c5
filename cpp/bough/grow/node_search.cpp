#include "bough/grow/node_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/criteria/pearson.hpp"
#include "bough/grow/drawn_search.hpp"
#include "bough/grow/missing_search.hpp"
#include "bough/grow/target_grids.hpp"

namespace bough {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

template <class E>
Best NodeSearch<E>::best(const Range& range, const Branching& out) {
  if (in_.sparse) in_.sparse->open(range, out);
  if (in_.problem.recipe.criterion.reads_values()) medians_.start(range);
  if (present_) {
    const E* list = in_.lists[0] + range.begin;
    present_->start(range.count, [list](int i) { return index_of(list[i]); }, in_.rows);
  }
  if (in_.rows.n_targets > 1 && in_.problem.recipe.criterion.reads_moments()) sum_node(range);
  if (in_.problem.recipe.draw.any()) return best_of_drawn(range, out);
  if (!moments_.empty()) pair_moments(range);
  if (in_.problem.recipe.n_competitors > 0) return best_with_competitors(range, out);
  if (in_.sparse) return best_among(in_.sparse->columns(), range, out);
  if (Best best; search_screened(range, out, best)) return best;
  if (!in_.shared_out(range)) {
    Best best;
    const double ceiling = highest_value(range, in_.lists[0] + range.begin);
    if (in_.problem.plain) {
      if (in_.problem.fast_classes || in_.problem.fast_squares)
        search_plain(range, ceiling, best, space_[0]);
      else
        search_plain_scans(range, ceiling, out, best, space_[0]);
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
  return best_of(found);
}

// The best of what the members of the team found; of equals that of the first column.
template <class E>
Best NodeSearch<E>::best_of(std::vector<Best>& found) const {
  Best best;
  for (Best& f : found)
    if (f.column >= 0 && (f.score > best.score || (f.score == best.score && f.column < best.column)))
      best = std::move(f);
  return best;
}

template <class E>
Best NodeSearch<E>::best_among(const std::vector<int>& columns, const Range& range, const Branching& out) {
  std::vector<Best> found(space_.size());
  in_.for_columns(range, columns,
                  [&](int c, int member) { search_column(c, range, out, found[member], member); });
  return best_of(found);
}

template <class E>
Best NodeSearch<E>::best_with_competitors(const Range& range, const Branching& out) {
  std::vector<Best> found(in_.lists.size());
  const auto search = [&](int c, int member) { search_column(c, range, out, found[c], member); };
  in_.sparse ? in_.for_columns(range, in_.sparse->columns(), search) : in_.for_columns(range, search);
  std::stable_sort(found.begin(), found.end(),
                   [](const Best& a, const Best& b) { return a.score > b.score; });
  Best best = std::move(found[0]);
  for (std::size_t i = 1; i < found.size(); ++i)
    if (found[i].column >= 0 && static_cast<int>(best.competitors.size()) < in_.problem.recipe.n_competitors)
      best.competitors.push_back(std::move(found[i]));
  return best;
}

// Bounds all columns first, and scans exactly those that may hold the best split: the one with the highest
// bound, then those whose bounds reach what was found. False: the node is not screened.
template <class E>
bool NodeSearch<E>::search_screened(const Range& range, const Branching& out, Best& best) {
  const int n = range.count, n_columns = in_.n_columns();
  if (!screen_ || n <= SquaresScreen::kFewestRows || n > SquaresScreen::kMostRows) return false;
  const int n_members = in_.shared_out(range) ? static_cast<int>(space_.size()) : 1;
  if (n_columns < SquaresScreen::kFewestColumns * n_members) return false;
  const auto list_of = [&](int c) { return in_.lists[c] + range.begin; };
  const double deviation = std::ldexp(std::sqrt(out.nodes[range.node].risk), range.exponent);
  const int least = in_.problem.min_rows_leaf;
  if (!screen_->start(list_of(0), n, in_.rows.grid, range.sum, deviation * deviation, least)) return false;
  bounds_.resize(n_columns);
  in_.for_columns(range, [&](int c, int) { bounds_[c] = screen_->highest(list_of(c)) / range.weight; });
  const auto scan_column = [&](int c) {
    const double floor = c < best.column ? std::nextafter(best.value, -kInfinity) : best.value;
    const Cut cut = best_squares_cut(list_of(c), n, in_.rows.grid, range.sum, least, {}, range.weight, floor,
                                     space_[0].scan);
    if (cut.left == 0) return;
    best.value = best.score = cut.value;
    best.column = c;
    best.left = cut.left;
  };
  const auto first = static_cast<int>(std::max_element(bounds_.begin(), bounds_.end()) - bounds_.begin());
  scan_column(first);
  for (int c = 0; c < n_columns; ++c)
    if (c != first && bounds_[c] >= best.value) scan_column(c);
  if (best.column >= 0 && !within_limits(best, {list_of(best.column), n}, range, out)) best.column = -1;
  return true;
}

// The same as searching column by column, without what plain tables do not need: half of all nodes hold few
// rows, and there it would cost more than the scan. The limits on value are met by the best or by none.
template <class E>
void NodeSearch<E>::search_plain(const Range& range, double ceiling, Best& best, Space& space) {
  const int n_columns = static_cast<int>(in_.lists.size()), n = range.count;
  const Allowed allowed{in_.problem.min_rows_leaf, n - in_.problem.min_rows_leaf};
  const bool few = in_.problem.fast_squares && n <= kFew;
  const auto cut_of = [&](int c, double floor) -> Cut {
    const E* list = in_.lists[c] + range.begin;
    if (code_of(list[0]) == code_of(list[n - 1])) return {floor, 0};
    const AnswerRule rule = in_.answer_rule(c, range);
    if (few)
      return best_squares_of_few(list, n, in_.rows.grid, range.sum, allowed, rule, range.weight, floor);
    if (in_.problem.fast_classes)
      return best_cut_of_two_classes(list, n, static_cast<int>(range.sum), in_.problem.min_rows_leaf, rule,
                                     range.weight, in_.problem.evaluator, floor, space.scan);
    return best_squares_cut(list, n, in_.rows.grid, range.sum, in_.problem.min_rows_leaf, rule, range.weight,
                            floor, space.scan);
  };
  const auto take = [&](const Cut& cut, int c) {
    best.value = best.score = cut.value;
    best.column = c;
    best.left = cut.left;
  };
  for (int c = 0; c < n_columns && best.value < ceiling; ++c) {
    if (in_.constrained(c)) continue;
    const Cut cut = cut_of(c, best.value);
    if (cut.left) take(cut, c);
  }
  if (in_.problem.recipe.monotonic.empty()) return;
  // Of a constrained column no bound tells which cuts its rule permits, so that the others raise the bar
  // first; of equals the first column is taken all the same.
  for (int c = 0; c < n_columns; ++c) {
    if (!in_.constrained(c)) continue;
    const bool wins_ties = c < best.column;
    const Cut cut = cut_of(c, wins_ties ? std::nextafter(best.value, -kInfinity) : best.value);
    if (cut.left) take(cut, c);
  }
}

// The same by the scans for every criterion and weight. The sums of the node are taken once for all columns.
template <class E>
void NodeSearch<E>::search_plain_scans(const Range& range, double ceiling, const Branching& out, Best& best,
                                       Space& space) {
  const int n = range.count;
  const E* first = in_.lists[0] + range.begin;
  sum_known({first, n}, range, out, space);
  space.kept_totals = space.totals;
  if (sets_ && sets_->start(first, n, scan_task(0, range, space), true))
    return search_sets(range, ceiling, best, space);
  for (int c = 0; c < in_.n_columns() && best.value < ceiling; ++c) {
    const E* list = in_.lists[c] + range.begin;
    if (code_of(list[0]) == code_of(list[n - 1])) continue;
    std::fill(space.left.begin(), space.left.end(), 0.0);
    std::copy(space.kept_totals.begin(), space.kept_totals.end(), space.totals.begin());
    const Cut cut = scan(c, {list, n}, range, best.value, space);
    if (cut.left == 0) continue;
    best.value = best.score = cut.value;
    best.column = c;
    best.left = cut.left;
  }
}

// The same among few rows of several targets.
template <class E>
void NodeSearch<E>::search_sets(const Range& range, double ceiling, Best& best, Space& space) {
  const int n = range.count;
  for (int c = 0; c < in_.n_columns() && best.value < ceiling; ++c) {
    const E* list = in_.lists[c] + range.begin;
    if (code_of(list[0]) == code_of(list[n - 1])) continue;
    const Cut cut = sets_->best(list, scan_task(c, range, space), best.value);
    if (cut.left == 0) continue;
    best.value = best.score = cut.value;
    best.column = c;
    best.left = cut.left;
  }
}

// The value of parting two rows, which is the same whichever of them lies left.
template <class E>
double NodeSearch<E>::value_of_pair(const E* list, double weight) const {
  constexpr int kFewNumbers = 64;
  const Evaluator& evaluator = in_.problem.evaluator;
  const int width = evaluator.width();
  double few[kFewNumbers];
  std::vector<double> many(2 * width > kFewNumbers ? 2 * width : 0);
  double *one = many.empty() ? few : many.data(), *other = one + width;
  std::fill_n(one, 2 * width, 0.0);
  add_row(one, in_.rows, index_of(list[0]), in_.rows.label != nullptr);
  add_row(other, in_.rows, index_of(list[1]), in_.rows.label != nullptr);
  return evaluator.value(one, other, weight);
}

template <class E>
double NodeSearch<E>::highest_value(const Range& range, const E* list) const {
  // The value of three pure children may be rounded to more than that of two.
  if (!in_.problem.recipe.price.empty() || in_.problem.recipe.missing == MissingRows::own_level)
    return std::numeric_limits<double>::infinity();
  if (in_.problem.fast_classes) {
    const double zeros[2] = {range.weight - range.sum, 0}, ones[2] = {0, range.sum};
    return in_.problem.evaluator.value(zeros, ones, range.weight);
  }
  if (in_.problem.pairs && range.count == 2) return value_of_pair(list, range.weight);
  return std::numeric_limits<double>::infinity();
}

template <class E>
void NodeSearch<E>::search_column(int c, const Range& range, const Branching& out, Best& best, int member) {
  if (!in_.sparse) return search_entries(c, range, out, best, member);
  if (in_.problem.quick_sparse && !in_.problem.has_missing[c] &&
      !in_.sparse->may_better(c, range, best.value))
    return;
  search_entries(c, in_.sparse->load(c, range, member), out, best, member);
  if (best.column == c) best.left = in_.sparse->left_of_whole(best.left, member);
}

template <class E>
void NodeSearch<E>::search_entries(int c, const Range& range, const Branching& out, Best& best, int member) {
  const Known known = in_.known(c, range);
  if (known.count == 0) return;
  const bool some_missing = known.count < range.count;
  Best found;
  // The product may be rounded up to what an equal split has, so the bar is just below it.
  found.value = in_.problem.recipe.price.empty()
                    ? best.value
                    : std::nextafter(best.score * in_.price(c), -std::numeric_limits<double>::infinity());
  if (some_missing && in_.problem.recipe.missing == MissingRows::learned)
    search_learned(c, known, range, out, found, member);
  else if (some_missing && in_.problem.recipe.missing == MissingRows::own_level)
    search_own_level(c, known, range, out, found, member);
  else
    search_known(c, known, range, out, found, member);
  if (found.column < 0) return;
  const bool routes_missing = found.missing >= 0;
  if (some_missing && !routes_missing && !separates(found, known)) return;
  if (!within_limits(found, routes_missing ? Known{known.list, range.count} : known, range, out)) return;
  found.score = found.value / in_.price(c);
  if (!(found.score > best.score)) return;
  best = std::move(found);
}

// The best split of entries that are searched as if no others were in the node. In a nominal column missing
// entries may be among them, as one more level.
template <class E>
void NodeSearch<E>::search_known(int c, Known known, const Range& range, const Branching& out, Best& best,
                                 int member) {
  if (known.count < 2 || code_of(known.list[0]) == code_of(known.list[known.count - 1])) return;
  const bool every_level =
      in_.column(c).scale == Scale::nominal && in_.problem.recipe.nominal == Nominal::complete;
  if (in_.problem.recipe.draw.random_splits && !every_level)
    return search_drawn(c, known, range, best, member);
  const bool medians = in_.problem.recipe.criterion.reads_values();
  if (in_.column(c).scale != Scale::nominal && medians)
    take_cut(medians_.cut(known, 0, range, best.value, member), c, best);
  else if (in_.column(c).scale != Scale::nominal)
    search_threshold(c, known, range, out, best, space_[member]);
  else if (medians)
    medians_.search_levels(c, known, range, best, member);
  else
    search_levels(c, known, range, best, space_[member]);
}

// The value of a split that has a branch for every entry; none if its answers break the rule.
template <class E>
double NodeSearch<E>::value_of(const Best& split, Known all, const Range& range, const AnswerRule& rule,
                               int member) {
  const std::vector<int> branch = in_.branches(split, all);
  if (in_.problem.recipe.criterion.reads_values())
    return medians_.value(all, branch, split.n_branches, range, member);
  const int width = evaluator().width();
  std::vector<double> children(static_cast<std::size_t>(split.n_branches) * width, 0.0);
  for (int i = 0; i < all.count; ++i)
    add_row(children.data() + static_cast<std::ptrdiff_t>(branch[i]) * width, rows(), index_of(all.list[i]),
            in_.rows.label != nullptr);
  const double* first = children.data();
  const Criterion criterion = in_.problem.recipe.criterion;
  if (rule.any && !rule.permits(answer_of(criterion, first), answer_of(criterion, first + width)))
    return kNoSplit;
  return split.n_branches == 2 ? evaluator().value(first, first + width, range.weight)
                               : evaluator().value(first, split.n_branches, range.weight);
}

// The scans of scan.hpp, over the known entries.
template <class E>
Cut NodeSearch<E>::fast_cut(Known known, const AnswerRule& rule, const Range& range, double floor,
                            ScanSpace& space) const {
  const int n = known.count, least = in_.problem.min_rows_leaf;
  if (in_.problem.fast_classes) {
    int ones = static_cast<int>(range.sum);
    for (int i = n; i < range.count; ++i) ones -= static_cast<int>(label_bit(known.list[i]));
    return best_cut_of_two_classes(known.list, n, ones, least, rule, range.weight, in_.problem.evaluator,
                                   floor, space);
  }
  double sum = range.sum;
  for (int i = n; i < range.count; ++i) sum -= in_.rows.grid[index_of(known.list[i])];
  return best_squares_cut(known.list, n, in_.rows.grid, sum, least, rule, range.weight, floor, space);
}

template <class E>
void NodeSearch<E>::search_threshold(int c, Known known, const Range& range, const Branching& out, Best& best,
                                     Space& space) {
  if (in_.problem.fast_classes || in_.problem.fast_squares)
    return take_cut(fast_cut(known, in_.answer_rule(c, range), range, best.value, space.scan), c, best);
  take_cut(scanned_cut(c, known, known, range, out, best.value, space), c, best);
}

// The best cut of some entries; those of `all` that are not among them stay on the right.
template <class E>
Cut NodeSearch<E>::scanned_cut(int c, Known entries, Known all, const Range& range, const Branching& out,
                               double floor, Space& space) {
  sum_known(all, range, out, space);
  return scan(c, entries, range, floor, space);
}

// The best cut of some entries, of which the sums are those of the space.
template <class E>
Cut NodeSearch<E>::scan(int c, Known entries, const Range& range, double floor, Space& space) const {
  return best_cut(entries.list, entries.count, scan_task(c, range, space), floor);
}

template <class E>
ScanTask NodeSearch<E>::scan_task(int c, const Range& range, Space& space) const {
  return {rows(),
          evaluator(),
          in_.leaf_limits(c, range),
          range.weight,
          space.left.data(),
          space.totals.data(),
          space.total_weight,
          space.total_cases,
          true,
          true,
          moments_.empty() ? nullptr : moments_.data()};
}

// Statistics, weight and cases of the rows whose value is known: those of the node without the missing ones.
template <class E>
void NodeSearch<E>::sum_known(Known known, const Range& range, const Branching& out, Space& space) const {
  const int width = evaluator().width();
  const bool classes = in_.rows.label != nullptr;
  space.left.assign(in_.rows.n_targets > 1 ? 2 * width : width, 0.0);
  space.totals.assign(width, 0.0);
  for (int i = known.count; i < range.count; ++i)
    add_row(space.totals.data(), rows(), index_of(known.list[i]), classes);
  space.total_cases = out.nodes[range.node].cases;
  for (int i = known.count; i < range.count; ++i)
    space.total_cases -= in_.rows.cases_at(index_of(known.list[i]));
  // The counts of a node are not those of its rows where splits are weighed otherwise, or answers are
  // bounded.
  if (classes && (in_.rows.own || !in_.problem.recipe.monotonic.empty())) {
    space.totals.assign(width, 0.0);
    for (int i = 0; i < known.count; ++i)
      add_row(space.totals.data(), rows(), index_of(known.list[i]), classes);
    space.total_weight = evaluator().weight(space.totals.data());
  } else if (classes) {
    const double* counts =
        out.counts.data() + static_cast<std::ptrdiff_t>(range.node) * in_.problem.data.n_classes;
    for (int k = 0; k < width; ++k)
      space.totals[k] =
          counts[present_ ? present_->classes()[k] : k] / in_.rows.weight_unit - space.totals[k];
    space.total_weight = evaluator().weight(space.totals.data());
  } else if (in_.rows.n_targets > 1) {
    for (int k = 0; k < width; ++k) space.totals[k] = node_sums_[k] - space.totals[k];
    space.total_weight = space.totals[0];
  } else {
    space.totals[0] = range.weight - space.totals[0];
    space.totals[1] = range.sum - space.totals[1];
    space.total_weight = space.totals[0];
  }
}

template <class E>
void NodeSearch<E>::sum_node(const Range& range) {
  // The weight, then the sums, with those of the lanes that belong to no target.
  node_sums_.resize(1 + static_cast<std::size_t>(in_.rows.grid_width));
  node_sums_[0] = range.weight;
  sum_grids(in_.lists[0] + range.begin, range.count, in_.rows, node_sums_.data() + 1);
}

// A scan then loads one place of memory for each row and not two.
template <class E>
void NodeSearch<E>::pair_moments(const Range& range) {
  const E* list = in_.lists[0] + range.begin;
  for (int i = 0; i < range.count; ++i) {
    const std::size_t row = index_of(list[i]);
    moments_[2 * row] = in_.rows.weight_at(static_cast<std::uint32_t>(row));
    moments_[2 * row + 1] = in_.rows.grid[row];
  }
}

// The same as sum_groups for the weight and the sum of numbers, which stay in registers.
template <class E>
void NodeSearch<E>::sum_moments(Known known, Space& space) const {
  const Rows& rows = in_.rows;
  for (int i = 0; i < known.count;) {
    const std::uint32_t code = code_of(known.list[i]);
    const int first = i;
    double weight = 0, sum = 0, cases = 0;
    for (; i < known.count && code_of(known.list[i]) == code; ++i) {
      const std::uint32_t row = index_of(known.list[i]);
      sum += rows.grid[row];
      if (rows.weight) weight += rows.weight[row];
      if (rows.cases) cases += rows.cases[row];
    }
    space.statistics.push_back(rows.weight ? weight : i - first);
    space.statistics.push_back(sum);
    space.cases.push_back(rows.cases ? cases : i - first);
    space.group_end.push_back(i);
  }
}

// The contingency table of a sorted list: one group of entries a distinct code.
template <class E>
void NodeSearch<E>::sum_groups(Known known, Space& space) const {
  const int width = evaluator().width();
  space.statistics.clear();
  space.cases.clear();
  space.group_end.clear();
  if (width == 2 && !in_.rows.label && in_.rows.n_targets == 1) return sum_moments(known, space);
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
  const Found found = best_nominal(table, evaluator(), in_.leaf_limits(c, range), in_.problem.recipe.nominal,
                                   in_.problem.recipe.max_exhaustive);
  if (!(found.value > best.value)) return;
  best.value = found.value;
  in_.take_levels(best, c, known, space.group_end, found.branch);
}

template <class E>
bool NodeSearch<E>::within_limits(const Best& best, Known known, const Range& range,
                                  const Branching& out) const {
  if (!gains_enough(in_.gain(best.value, range, out), range, in_.problem.recipe, in_.problem.root_weight,
                    in_.problem.root_improvement, out))
    return false;
  return in_.problem.recipe.limits.significance >= 1 || significant(best, known);
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
