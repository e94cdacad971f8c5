#include "bough/grow/surrogates.hpp"

#include <algorithm>

namespace bough {

namespace {

constexpr double kLeastAdjusted = 1e-10;  // below it is rounding
constexpr int kLeastCases = kLeastCasesOfSurrogate;

// The cut of a sorted list that agrees best with the sides of its rows, all of one weight and all sided.
// left: how many of them are on the left.
template <class E>
void best_agreement(const E* list, int count, int left, const Sides<E>& sides, Surrogate& best) {
  int agreed = std::max(left, count - left);
  // With `balance` the rows passed on the right less those on the left, turned the cut agrees in left +
  // balance rows, and in count - left - balance as it is.
  int above = agreed - left, below = count - left - agreed, balance = 0, i = 0;
  for (; i < kLeastCases - 1; ++i) balance += 1 - 2 * static_cast<int>(sides.left(index_of(list[i])));
  for (; i < count - kLeastCases; ++i) {
    balance += 1 - 2 * static_cast<int>(sides.left(index_of(list[i])));
    if ((balance <= above) & (balance >= below)) continue;
    if (code_of(list[i]) == code_of(list[i + 1])) continue;
    best.turned = balance > above;
    best.below = i;
    best.above = i + 1;
    agreed = best.turned ? left + balance : count - left - balance;
    above = agreed - left;
    below = count - left - agreed;
  }
  best.agreed = agreed;
}

// The same where the split or this column has no value of some rows. direction: of each index -1 for the
// left, 1 for the right, 0 for none; left, right: how many there are of the entries of the list.
template <class E>
void best_agreement(const E* list, int count, int left, int right, const std::int8_t* direction,
                    Surrogate& best) {
  int agreed = std::max(left, right);
  int above = agreed - left, below = right - agreed, balance = 0, passed = 0;
  for (int i = 0; i < count && left + right - passed >= kLeastCases; ++i) {
    if ((balance > above) | (balance < below)) {
      // A value may lie beside the cut whose own row does not count.
      if (passed >= kLeastCases && code_of(list[i]) != code_of(list[i - 1])) {
        best.turned = balance > above;
        best.below = i - 1;
        best.above = i;
        agreed = best.turned ? left + balance : right - balance;
        above = agreed - left;
        below = right - agreed;
      }
    }
    const int to = direction[index_of(list[i])];
    balance += to;
    passed += to != 0;
  }
  best.agreed = agreed;
}

}  // namespace

void route_levels(const std::vector<SidesOfLevel>& levels, int higher_branch, bool astray, Surrogate& best) {
  double left = 0, right = 0;
  for (const SidesOfLevel& level : levels) {
    left += level.left;
    right += level.right;
  }
  best.known = left + right;
  best.majority = std::max(left, right);
  best.levels = std::make_unique<LevelBranches>();
  const int undecided = left != right ? left < right : higher_branch;
  double cases[2] = {0, 0}, misrouted = 0;
  for (const SidesOfLevel& level : levels) {
    const int branch = level.left != level.right ? level.left < level.right : undecided;
    best.levels->code.push_back(level.code);
    best.levels->branch.push_back(branch);
    best.agreed += std::max(level.left, level.right);
    cases[branch] += level.cases_left + level.cases_right;
    misrouted += branch ? level.cases_left : level.cases_right;
  }
  if ((astray ? misrouted : std::min(cases[0], cases[1])) < kLeastCases) best.agreed = 0;
}

void keep_best(std::vector<Surrogate>& found, const Surrogates& wanted, const std::vector<double>& weight) {
  // The denominator of the agreement: rows that the split can route, or only those that the surrogate can
  // route too.
  for (Surrogate& one : found) {
    if (wanted.of_known) continue;
    one.known = weight[0] + weight[1];
    one.majority = std::max(weight[0], weight[1]);
  }
  std::erase_if(found, [](const Surrogate& one) {
    return one.column < 0 || !(one.agreed - one.majority > kLeastAdjusted * (one.known - one.majority));
  });
  std::stable_sort(found.begin(), found.end(), [](const Surrogate& a, const Surrogate& b) {
    return a.agreed / a.known > b.agreed / b.known;
  });
  if (static_cast<int>(found.size()) > wanted.most) found.erase(found.begin() + wanted.most, found.end());
}

AlternativeSplit alternative_of(const Surrogate& one) {
  AlternativeSplit split;
  split.column = one.column;
  split.turned = one.turned;
  split.value = one.agreed / one.known;
  split.adjusted = (one.agreed - one.majority) / (one.known - one.majority);
  split.cases = one.n_sent;
  return split;
}

// Sets the direction of each row under the split; only needed where some column has missing values.
template <class E>
void SurrogateSearch<E>::set_directions(const Range& range, KnownEntries<E> known) {
  const std::vector<bool>& missing = in_.problem.has_missing;
  if (std::none_of(missing.begin(), missing.end(), [](bool any) { return any; })) return;
  direction_.resize(std::max<std::size_t>(direction_.size(), in_.problem.data.n_rows));
  for (int i = 0; i < range.count; ++i) {
    const std::uint32_t row = index_of(known.list[i]);
    const int side = 1 - 2 * static_cast<int>(parting_.sides().left(row));
    direction_[row] = static_cast<std::int8_t>(i >= known.count ? 0 : side);
  }
}

template <class E>
void SurrogateSearch<E>::find(const Range& range, const Best& best, KnownEntries<E> known) {
  found_.clear();
  if (in_.problem.recipe.surrogates.most == 0) return;
  if (!in_.rows.cases && known.count < 2 * kLeastCases) return;
  any_unsure_ = known.count < range.count;
  set_directions(range, known);
  const std::vector<Column>& columns = in_.problem.data.columns;
  const bool any_levels = std::any_of(columns.begin(), columns.end(),
                                      [](const Column& one) { return one.scale == Scale::nominal; });
  higher_branch_ = any_levels ? branch_of_higher_mean(known) : 0;
  found_.resize(in_.lists.size());
  in_.for_columns(range, [&](int c, int) {
    if (c != best.column) find_in_column(c, range, found_[c]);
  });
  keep_best(found_, in_.problem.recipe.surrogates, parting_.branch_weight());
}

template <class E>
void SurrogateSearch<E>::find_in_column(int c, const Range& range, Surrogate& one) const {
  const auto [list, count] = in_.known(c, range);
  const Rows& rows = in_.rows;
  if ((!rows.cases && count < 2 * kLeastCases) || count < 2 || code_of(list[0]) == code_of(list[count - 1]))
    return;
  one.column = c;
  if (in_.column(c).scale == Scale::nominal) return find_levels(list, count, one);
  if (rows.weight || rows.own || rows.cases) return find_cut(list, count, one);
  const std::vector<int>& branch = parting_.count();
  if (any_unsure_ || count < range.count) {
    int side[2] = {branch[0], branch[1]};
    for (int i = count; i < range.count; ++i)
      if (const int to = direction_[index_of(list[i])]) --side[to > 0];
    one.known = side[0] + side[1];
    one.majority = std::max(side[0], side[1]);
    return best_agreement(list, count, side[0], side[1], direction_.data(), one);
  }
  one.known = count;
  one.majority = std::max(branch[0], branch[1]);
  best_agreement(list, count, branch[0], parting_.sides(), one);
}

// The same as best_agreement for rows of any weight, some of them without a side.
template <class E>
void SurrogateSearch<E>::find_cut(const E* list, int count, Surrogate& best) const {
  double left = 0, right = 0, cases = 0;
  for (int i = 0; i < count; ++i) {
    if (!counts(list[i])) continue;
    (parting_.sides().left(index_of(list[i])) ? left : right) += in_.rows.own_at(index_of(list[i]));
    cases += in_.rows.cases_at(index_of(list[i]));
  }
  best.known = left + right;
  best.agreed = best.majority = std::max(left, right);
  double balance = 0, passed = 0;
  for (int i = 0; i < count && cases - passed >= kLeastCases; ++i) {
    // A value may lie beside the cut whose own row does not count.
    if (passed >= kLeastCases && code_of(list[i]) != code_of(list[i - 1])) {
      const double turned = left + balance, straight = right - balance;
      if (std::max(turned, straight) > best.agreed) {
        best.turned = turned > best.agreed;
        best.agreed = best.turned ? turned : straight;
        best.below = i - 1;
        best.above = i;
      }
    }
    if (!counts(list[i])) continue;
    const double w = in_.rows.own_at(index_of(list[i]));
    balance += parting_.sides().left(index_of(list[i])) ? -w : w;
    passed += in_.rows.cases_at(index_of(list[i]));
  }
}

// The branch with the higher mean of y, or of the number of the class, among the rows that the split routes;
// of several targets the first decides.
template <class E>
int SurrogateSearch<E>::branch_of_higher_mean(KnownEntries<E> known) const {
  double sum[2] = {0, 0}, weight[2] = {0, 0};
  for (int i = 0; i < known.count; ++i) {
    const std::uint32_t row = index_of(known.list[i]);
    const int branch = 1 - static_cast<int>(parting_.sides().left(row));
    const double w = in_.rows.weight_at(row);
    sum[branch] += in_.rows.label ? w * *in_.rows.labels_at(row) : *in_.rows.grids_at(row);
    weight[branch] += w;
  }
  return sum[0] * weight[1] <= sum[1] * weight[0];
}

template <class E>
void SurrogateSearch<E>::find_levels(const E* list, int count, Surrogate& best) const {
  std::vector<SidesOfLevel> levels;
  std::uint32_t last = EntryTraits<E>::kMissing;
  const bool counted = !in_.rows.own && !in_.rows.weight && !in_.rows.cases && !any_unsure_;
  for (int i = 0; counted && i < count;) {  // each row counts one
    const std::uint32_t code = code_of(list[i]);
    SidesOfLevel level{in_.column(best.column).code(in_.table_row(list[i]))};
    int lefts = 0, n = 0;
    for (; i < count && code_of(list[i]) == code; ++i, ++n)
      lefts += static_cast<int>(parting_.sides().left(index_of(list[i])));
    level.left = level.cases_left = lefts;
    level.right = level.cases_right = n - lefts;
    levels.push_back(level);
  }
  for (int i = 0; !counted && i < count; ++i) {
    if (!counts(list[i])) continue;
    if (code_of(list[i]) != last) levels.push_back({in_.column(best.column).code(in_.table_row(list[i]))});
    last = code_of(list[i]);
    const double w = in_.rows.own_at(index_of(list[i]));
    SidesOfLevel& level = levels.back();
    const bool goes_left = parting_.sides().left(index_of(list[i]));
    (goes_left ? level.left : level.right) += w;
    (goes_left ? level.cases_left : level.cases_right) += in_.rows.cases_at(index_of(list[i]));
  }
  route_levels(levels, higher_branch_, in_.problem.recipe.surrogates.astray, best);
}

template <class E>
void SurrogateSearch<E>::record(const Range& range, Branching& out) const {
  out.nodes[range.node].n_surrogates = static_cast<std::int32_t>(found_.size());
  for (const Surrogate& one : found_) {
    AlternativeSplit split = alternative_of(one);
    const E* list = in_.lists[one.column] + range.begin;
    if (one.levels) {
      append_levels(*one.levels, split, out);
    } else {
      split.row_below = in_.table_row(list[one.below]);
      split.row_above = in_.table_row(list[one.above]);
    }
    out.alternatives.push_back(split);
  }
}

template <class E>
int SurrogateSearch<E>::branch(const Range& range, E entry) {
  const std::uint32_t row = in_.table_row(entry);
  for (Surrogate& one : found_) {
    const Column& by = in_.column(one.column);
    const double x = by.value(row);
    if (x != x) continue;
    int to;
    if (one.levels) {
      const std::vector<std::int32_t>& codes = one.levels->code;
      const auto at = std::find(codes.begin(), codes.end(), static_cast<std::int32_t>(x));
      if (at == codes.end()) continue;
      to = one.levels->branch[at - codes.begin()];
    } else {
      const E* list = in_.lists[one.column] + range.begin;
      const double cut = cut_between(by.value(in_.table_row(list[one.below])),
                                     by.value(in_.table_row(list[one.above])), by.scale);
      to = (x < cut) == one.turned;
    }
    one.n_sent += in_.rows.cases_at(index_of(entry));
    return to;
  }
  return -1;
}

template class SurrogateSearch<std::uint32_t>;
template class SurrogateSearch<std::uint64_t>;

}  // namespace bough
