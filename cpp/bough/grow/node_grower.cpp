#include "bough/grow/node_grower.hpp"

namespace bough {

namespace {

// An improvement short of the bound by rounding alone is not short of it.
constexpr double kEpsilon = 2.220446049250313e-16;

}  // namespace

template <class E>
NodeGrower<E>::NodeGrower(const Problem& problem, Rows rows, std::vector<E*> lists,
                          const std::uint32_t* global_row, std::size_t capacity, std::size_t n_indices,
                          Team* team)
    : problem_(problem),
      rows_(rows),
      lists_(std::move(lists)),
      global_row_(global_row),
      capacity_(capacity),
      team_(team),
      sides_(n_indices),
      space_(team ? team->size() : 1) {
  const bool many = problem.recipe.nominal == Nominal::complete;
  if (many) branch_.resize(n_indices);
  if (problem.recipe.criterion == Criterion::absolute_error) {
    rank_.resize(n_indices);
    place_.resize(n_indices);
  }
}

template <class E>
void NodeGrower<E>::measure(const E* list, Range& range, Branching& out) const {
  const int k = problem_.data.n_classes;
  const Limits& limits = problem_.recipe.limits;
  Node& node = out.nodes[range.node];
  range.live = false;
  if (range.count == 0) return;
  if (k) {
    double* counts = out.counts.data() + static_cast<std::ptrdiff_t>(range.node) * k;
    measure_classes(list, range, rows_, k, problem_.data.loss, node, counts);
    if (pure_enough(counts, k, node.weight, limits)) return;
  } else {
    if (measure_numbers(list, range, rows_, problem_.recipe, node)) return;
    if (node.risk / node.weight < limits.min_variance) return;
    const double events = std::ldexp(range.sum, -range.exponent) * rows_.weight_unit;
    if (problem_.recipe.criterion == Criterion::poisson && events < limits.min_events) return;
  }
  if (limits.min_risk > 0 && !(node.risk > limits.min_risk * out.root_risk)) return;
  range.live = range.depth < limits.max_depth && node.cases >= limits.min_cases_split &&
               node.cases >= 2 * limits.min_cases_leaf;
}

template <class E>
Best NodeGrower<E>::search(const Range& range, const Branching& out) {
  if (problem_.recipe.criterion == Criterion::absolute_error) rank_values(range);
  if (problem_.recipe.n_competitors > 0) return search_ranked(range, out);
  const int n_columns = static_cast<int>(lists_.size());
  Best best;
  if (!team_ || team_->size() == 1 || range.count < kSharedRows) {
    const double ceiling = highest_value(range, lists_[0] + range.begin);
    if (problem_.plain) {
      search_plain(range, ceiling, best, space_[0]);
      if (best.column >= 0 &&
          !counts_enough(best, {lists_[best.column] + range.begin, range.count}, range, out))
        best.column = -1;
      return best;
    }
    for (int c = 0; c < n_columns && best.value < ceiling; ++c) search_column(c, range, out, best, space_[0]);
    return best;
  }
  std::vector<Best> found(space_.size());
  team_->run(n_columns,
             [&](int c, int member) { search_column(c, range, out, found[member], space_[member]); });
  for (Best& f : found)
    if (f.column >= 0 && (f.score > best.score || (f.score == best.score && f.column < best.column)))
      best = std::move(f);
  return best;
}

// The same, with the next best columns remembered.
template <class E>
Best NodeGrower<E>::search_ranked(const Range& range, const Branching& out) {
  std::vector<Best> found(lists_.size());
  for_columns(range, [&](int c, int member) { search_column(c, range, out, found[c], space_[member]); });
  std::stable_sort(found.begin(), found.end(),
                   [](const Best& a, const Best& b) { return a.score > b.score; });
  Best best = std::move(found[0]);
  for (std::size_t i = 1; i < found.size(); ++i)
    if (found[i].column >= 0 && static_cast<int>(best.competitors.size()) < problem_.recipe.n_competitors)
      best.competitors.push_back(std::move(found[i]));
  return best;
}

// The same as searching column by column, without what plain tables do not need: half of all nodes hold few
// rows, and there it would cost more than the scan. The limits on value are met by the best or by none.
template <class E>
void NodeGrower<E>::search_plain(const Range& range, double ceiling, Best& best, Space& space) {
  const int n_columns = static_cast<int>(lists_.size()), n = range.count;
  const Allowed allowed{problem_.min_rows_leaf, n - problem_.min_rows_leaf};
  const bool few = problem_.fast_squares && n <= kFew;
  Cut cut;
  for (int c = 0; c < n_columns && best.value < ceiling; ++c) {
    const E* list = lists_[c] + range.begin;
    if (code_of(list[0]) == code_of(list[n - 1])) continue;
    if (few)
      cut = best_squares_of_few(list, n, rows_.grid, range.sum, allowed, range.weight, best.value);
    else if (problem_.fast_gini)
      cut = best_gini_cut(list, n, static_cast<int>(range.sum), problem_.min_rows_leaf, range.weight,
                          problem_.judge, best.value, space.scan);
    else
      cut = best_squares_cut(list, n, rows_.grid, range.sum, problem_.min_rows_leaf, range.weight, best.value,
                             space.scan);
    if (cut.left == 0) continue;
    best.value = best.score = cut.value;
    best.column = c;
    best.left = cut.left;
  }
}

// A value that no split of the node exceeds: that of two pure children, or of the one way to part two rows.
template <class E>
double NodeGrower<E>::highest_value(const Range& range, const E* list) const {
  if (!problem_.recipe.price.empty()) return std::numeric_limits<double>::infinity();
  if (problem_.fast_gini) {
    const double zeros[2] = {range.weight - range.sum, 0}, ones[2] = {0, range.sum};
    return problem_.judge.value(zeros, ones, range.weight);
  }
  if (problem_.fast_squares && range.count == 2) {
    const double one[2] = {1, rows_.grid[index_of(list[0])]}, other[2] = {1, rows_.grid[index_of(list[1])]};
    return problem_.judge.value(one, other, range.weight);
  }
  return std::numeric_limits<double>::infinity();
}

template <class E>
void NodeGrower<E>::search_column(int c, const Range& range, const Branching& out, Best& best, Space& space) {
  const E* list = lists_[c] + range.begin;
  const Known known{list, problem_.has_missing[c] ? known_entries(list, range.count) : range.count};
  if (known.count < 2 || code_of(list[0]) == code_of(list[known.count - 1])) return;
  Best found;
  // The product may be rounded up to what an equal split has, so the bar is just below it.
  found.value = problem_.recipe.price.empty()
                    ? best.value
                    : std::nextafter(best.score * price(c), -std::numeric_limits<double>::infinity());
  if (problem_.recipe.criterion == Criterion::absolute_error)
    search_median(c, known, range, found, space);
  else if (column(c).scale == Scale::nominal)
    search_levels(c, known, range, found, space);
  else
    search_threshold(c, known, range, out, found, space);
  if (found.column < 0 || (known.count < range.count && !tells(found, known))) return;
  if (!counts_enough(found, known, range, out)) return;
  found.score = found.value / price(c);
  if (!(found.score > best.score)) return;
  best = std::move(found);
}

// Whether a split of a column with missing values tells its known rows apart. Where only the missing ones
// differ, splitting the known ones would go on to the last row for nothing.
template <class E>
bool NodeGrower<E>::tells(const Best& found, Known known) const {
  if (!rows_.label) return found.value > 0;
  const std::int32_t first = rows_.label[index_of(known.list[0])];
  return std::any_of(known.list, known.list + known.count,
                     [&](E entry) { return rows_.label[index_of(entry)] != first; });
}

// Statistics of one row are added; for moments (weight, sum on the grid).
template <class E>
void NodeGrower<E>::add_row(std::uint32_t row, double* statistics) const {
  if (rows_.label) {
    statistics[rows_.label[row]] += rows_.weight_at(row);
  } else {
    statistics[0] += rows_.weight_at(row);
    statistics[1] += rows_.grid[row];
  }
}

template <class E>
void NodeGrower<E>::search_threshold(int c, Known known, const Range& range, const Branching& out, Best& best,
                                     Space& space) {
  const Judge& judge = problem_.judge;
  const int n = known.count, n_missing = range.count - n;
  if (problem_.fast_gini || problem_.fast_squares) {
    Cut cut;
    if (problem_.fast_gini) {
      int ones = static_cast<int>(range.sum);
      for (int i = 0; i < n_missing; ++i) ones -= static_cast<int>(label_bit(known.list[n + i]));
      cut = best_gini_cut(known.list, n, ones, problem_.min_rows_leaf, range.weight, judge, best.value,
                          space.scan);
    } else {
      double sum = range.sum;
      for (int i = 0; i < n_missing; ++i) sum -= rows_.grid[index_of(known.list[n + i])];
      cut = best_squares_cut(known.list, n, rows_.grid, sum, problem_.min_rows_leaf, range.weight, best.value,
                             space.scan);
    }
    if (cut.left == 0) return;
    best.value = cut.value;
    best.column = c;
    best.left = cut.left;
    return;
  }
  known_totals(known, range, out, space);
  const ScanTask task{rows_,
                      judge,
                      leaf_limits(),
                      range.weight,
                      space.left.data(),
                      space.totals.data(),
                      space.total_weight,
                      space.total_cases};
  const Cut cut = best_cut(known.list, n, task, best.value);
  if (cut.left == 0) return;
  best.value = cut.value;
  best.column = c;
  best.left = cut.left;
}

// Statistics, weight and cases of the rows whose value is known: those of the node without the missing ones.
template <class E>
void NodeGrower<E>::known_totals(Known known, const Range& range, const Branching& out, Space& space) const {
  const int width = problem_.judge.width();
  space.left.assign(width, 0.0);
  space.totals.assign(width, 0.0);
  for (int i = known.count; i < range.count; ++i) add_row(index_of(known.list[i]), space.totals.data());
  space.total_cases = out.nodes[range.node].cases;
  for (int i = known.count; i < range.count; ++i)
    space.total_cases -= rows_.cases_at(index_of(known.list[i]));
  if (rows_.label && rows_.own) {  // nodes are weighed otherwise than splits
    space.totals.assign(width, 0.0);
    for (int i = 0; i < known.count; ++i) add_row(index_of(known.list[i]), space.totals.data());
    space.total_weight = std::accumulate(space.totals.begin(), space.totals.end(), 0.0);
  } else if (rows_.label) {
    const double* counts = out.counts.data() + static_cast<std::ptrdiff_t>(range.node) * width;
    space.total_weight = 0;
    for (int k = 0; k < width; ++k) {
      space.totals[k] = counts[k] / rows_.weight_unit - space.totals[k];
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
void NodeGrower<E>::sum_groups(Known known, Space& space) const {
  const int width = problem_.judge.width();
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
    add_row(row, space.statistics.data() + space.statistics.size() - width);
    space.cases.back() += rows_.cases_at(row);
    space.group_end.back() = i + 1;
  }
}

template <class E>
void NodeGrower<E>::take_levels(Best& best, int c, Known known, const std::vector<int>& group_end,
                                const std::vector<int>& branch) const {
  best.column = c;
  best.levels = std::make_unique<LevelBranches>();
  if (problem_.recipe.nominal == Nominal::complete) {
    best.n_branches = column(c).n_levels;
    best.levels->code.resize(best.n_branches);
    std::iota(best.levels->code.begin(), best.levels->code.end(), 0);
    best.levels->branch = best.levels->code;
    return;
  }
  for (std::size_t g = 0; g < group_end.size(); ++g) {
    best.levels->code.push_back(column(c).code(table_row(known.list[group_end[g] - 1])));
    best.levels->branch.push_back(branch[g]);
  }
}

template <class E>
void NodeGrower<E>::search_levels(int c, Known known, const Range& range, Best& best, Space& space) {
  sum_groups(known, space);
  const ContingencyTable table{space.statistics.data(), space.cases.data(),
                               static_cast<int>(space.cases.size()), range.weight};
  const Found found = best_nominal(table, problem_.judge, leaf_limits(), problem_.recipe.nominal,
                                   problem_.recipe.max_exhaustive);
  if (!(found.value > best.value)) return;
  best.value = found.value;
  take_levels(best, c, known, space.group_end, found.branch);
}

// A value from the grid and the units of the weights in those of the user.
template <class E>
double NodeGrower<E>::in_user_units(double value, const Range& range) const {
  switch (problem_.recipe.criterion) {
    case Criterion::squared_error:
      return std::ldexp(value, -2 * range.exponent);
    case Criterion::absolute_error:
    case Criterion::poisson:
      return std::ldexp(value, -range.exponent);
    case Criterion::chi_square:
      return value * rows_.weight_unit;
    default:
      return value;
  }
}

// What a split gains for each unit of the node's own weight.
template <class E>
double NodeGrower<E>::gain(double value, const Range& range, const Branching& out) const {
  const double own = in_user_units(value, range);
  return rows_.own ? own * (range.weight * rows_.weight_unit) / out.nodes[range.node].weight : own;
}

template <class E>
bool NodeGrower<E>::counts_enough(const Best& best, Known known, const Range& range,
                                  const Branching& out) const {
  const Limits& limits = problem_.recipe.limits;
  const double value = gain(best.value, range, out);
  if (!(value > limits.min_gain)) return false;
  if (limits.min_share > 0 && !(improvement(best, range, out) > limits.min_share * problem_.root_improvement))
    return false;
  if (value * out.nodes[range.node].weight / problem_.root_weight + kEpsilon < limits.min_decrease)
    return false;
  if (limits.significance >= 1) return true;
  const int k = problem_.data.n_classes;
  std::vector<double> children(static_cast<std::size_t>(best.n_branches) * k, 0.0);
  const std::vector<int> branch = branch_of_known(best, known);
  for (int i = 0; i < known.count; ++i)
    add_row(index_of(known.list[i]), children.data() + static_cast<std::ptrdiff_t>(branch[i]) * k);
  for (double& x : children) x *= rows_.weight_unit;
  const Pearson test = pearson(children.data(), best.n_branches, k);
  return chi_square_survival(test.statistic, test.degrees) <= limits.significance;
}

template <class E>
std::vector<int> NodeGrower<E>::branch_of_known(const Best& best, Known known) const {
  std::vector<int> branch(known.count);
  const bool threshold = column(best.column).scale != Scale::nominal;
  const bool complete = problem_.recipe.nominal == Nominal::complete;
  int group = -1;
  for (int i = 0; i < known.count; ++i) {
    if (threshold) {
      branch[i] = i < best.left ? 0 : 1;
      continue;
    }
    const bool next = i == 0 || code_of(known.list[i]) != code_of(known.list[i - 1]);
    group += next;
    branch[i] = !next      ? branch[i - 1]
                : complete ? column(best.column).code(table_row(known.list[i]))
                           : best.levels->branch[group];
  }
  return branch;
}

template class NodeGrower<std::uint32_t>;
template class NodeGrower<std::uint64_t>;

}  // namespace bough
