// Splits that a node keeps beside its own: competitors, which other columns could have made, and surrogates,
// which send rows much as its own does and stand in for it where its value is missing.
#include "bough/grow/node_grower.hpp"

namespace bough {

namespace {

constexpr double kLeastAdjusted = 1e-10;  // below it is rounding
constexpr int kLeastCases = 2;            // on either side of a surrogate

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

// The same where some rows have no side, or none that this column knows. way: of each index -1 for the left,
// 1 for the right, 0 for none; left, right: how many there are of the entries of the list.
template <class E>
void best_agreement(const E* list, int count, int left, int right, const std::int8_t* way, Surrogate& best) {
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
    const int to = way[index_of(list[i])];
    balance += to;
    passed += to != 0;
  }
  best.agreed = agreed;
}

void record_levels(const LevelBranches& levels, SpareSplit& spare, Branching& out) {
  spare.first_level = static_cast<std::int64_t>(out.level_code.size());
  spare.n_levels = static_cast<std::int32_t>(levels.code.size());
  out.level_code.insert(out.level_code.end(), levels.code.begin(), levels.code.end());
  out.level_branch.insert(out.level_branch.end(), levels.branch.begin(), levels.branch.end());
}

}  // namespace

template <class E>
void NodeGrower<E>::record_cut(E below, E above, SpareSplit& spare) const {
  spare.row_below = table_row(below);
  spare.row_above = table_row(above);
}

template <class E>
void NodeGrower<E>::record_competitors(const Range& range, const Best& best, Branching& out) const {
  Node& node = out.nodes[range.node];
  node.first_spare = static_cast<std::int64_t>(out.spares.size());
  node.n_competitors = static_cast<std::int32_t>(best.competitors.size());
  for (const Best& other : best.competitors) {
    SpareSplit spare;
    const E* list = lists_[other.column] + range.begin;
    spare.column = other.column;
    spare.value = gain(other.value, range, out) / price(other.column);
    const int known = problem_.has_missing[other.column] ? known_entries(list, range.count) : range.count;
    for (int i = 0; i < known && rows_.cases; ++i) spare.cases += rows_.cases_at(index_of(list[i]));
    if (!rows_.cases) spare.cases = known;
    if (other.levels)
      record_levels(*other.levels, spare, out);
    else
      record_cut(list[other.left - 1], list[other.left], spare);
    out.spares.push_back(spare);
  }
}

// The best surrogates, best first; the sides of the rows that the split can place are known by now.
template <class E>
std::vector<Surrogate> NodeGrower<E>::find_surrogates(const Range& range, const Best& best, Known known) {
  if (!rows_.cases && known.count < 2 * kLeastCases) return {};
  any_unsure_ = known.count < range.count;
  if (std::any_of(problem_.has_missing.begin(), problem_.has_missing.end(), [](bool any) { return any; })) {
    way_.resize(std::max<std::size_t>(way_.size(), problem_.data.n_rows));
    for (int i = 0; i < range.count; ++i) {
      const std::uint32_t row = index_of(known.list[i]);
      way_[row] = static_cast<std::int8_t>(i >= known.count ? 0 : 1 - 2 * static_cast<int>(sides_.left(row)));
    }
  }
  const std::vector<Column>& columns = problem_.data.columns;
  const bool any_levels = std::any_of(columns.begin(), columns.end(),
                                      [](const Column& one) { return one.scale == Scale::nominal; });
  higher_branch_ = any_levels ? higher_branch(known) : 0;
  std::vector<Surrogate> found(lists_.size());
  for_columns(range, [&](int c, int) {
    if (c == best.column) return;
    const E* list = lists_[c] + range.begin;
    const int count = problem_.has_missing[c] ? known_entries(list, range.count) : range.count;
    if ((!rows_.cases && count < 2 * kLeastCases) || count < 2 ||
        code_of(list[0]) == code_of(list[count - 1]))
      return;
    Surrogate& one = found[c];
    one.column = c;
    if (column(c).scale == Scale::nominal) return surrogate_levels(list, count, one);
    if (rows_.weight || rows_.own || rows_.cases) return surrogate_cut(list, count, one);
    if (any_unsure_ || count < range.count) {
      int side[2] = {count_[0], count_[1]};
      for (int i = count; i < range.count; ++i)
        if (const int way = way_[index_of(list[i])]) --side[way > 0];
      one.known = side[0] + side[1];
      one.majority = std::max(side[0], side[1]);
      return best_agreement(list, count, side[0], side[1], way_.data(), one);
    }
    one.known = count;
    one.majority = std::max(count_[0], count_[1]);
    best_agreement(list, count, count_[0], sides_, one);
  });
  // What a surrogate says nothing of counts as disagreement, unless only its own rows are looked at.
  const double all = branch_weight_[0] + branch_weight_[1],
               heavier = std::max(branch_weight_[0], branch_weight_[1]);
  for (Surrogate& one : found) {
    if (problem_.recipe.surrogates.of_known) continue;
    one.known = all;
    one.majority = heavier;
  }
  std::erase_if(found, [](const Surrogate& one) {
    return one.column < 0 || !(one.agreed - one.majority > kLeastAdjusted * (one.known - one.majority));
  });
  std::stable_sort(found.begin(), found.end(), [](const Surrogate& a, const Surrogate& b) {
    return a.agreed / a.known > b.agreed / b.known;
  });
  if (static_cast<int>(found.size()) > problem_.recipe.surrogates.most)
    found.erase(found.begin() + problem_.recipe.surrogates.most, found.end());
  return found;
}

// The same as best_agreement for rows of any weight, some of them without a side.
template <class E>
void NodeGrower<E>::surrogate_cut(const E* list, int count, Surrogate& best) const {
  const auto counts = [&](E entry) { return !any_unsure_ || way_[index_of(entry)] != 0; };
  double left = 0, right = 0, cases = 0;
  for (int i = 0; i < count; ++i) {
    if (!counts(list[i])) continue;
    (sides_.left(index_of(list[i])) ? left : right) += rows_.own_at(index_of(list[i]));
    cases += rows_.cases_at(index_of(list[i]));
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
    const double w = rows_.own_at(index_of(list[i]));
    balance += sides_.left(index_of(list[i])) ? -w : w;
    passed += rows_.cases_at(index_of(list[i]));
  }
}

// Which branch has the higher mean of y, or of the number of the class, among the rows the split places.
template <class E>
int NodeGrower<E>::higher_branch(Known known) const {
  double sum[2] = {0, 0}, weight[2] = {0, 0};
  for (int i = 0; i < known.count; ++i) {
    const std::uint32_t row = index_of(known.list[i]);
    const int branch = 1 - static_cast<int>(sides_.left(row));
    const double w = rows_.weight_at(row);
    sum[branch] += rows_.label ? w * rows_.label[row] : rows_.grid[row];
    weight[branch] += w;
  }
  return sum[0] * weight[1] <= sum[1] * weight[0];
}

// Each level goes with most of its rows; where both sides weigh the same, with most rows of the node, and if
// these do too, to the higher branch. Two rows must go each way, or as rpart has it, two must go astray.
template <class E>
void NodeGrower<E>::surrogate_levels(const E* list, int count, Surrogate& best) const {
  struct Level {
    std::int32_t code;
    double left = 0, right = 0;
    double cases_left = 0, cases_right = 0;
  };
  std::vector<Level> levels;
  double left = 0, right = 0;
  std::uint32_t last = EntryTraits<E>::kMissing;
  for (int i = 0; i < count; ++i) {
    if (any_unsure_ && way_[index_of(list[i])] == 0) continue;
    if (code_of(list[i]) != last) levels.push_back({column(best.column).code(table_row(list[i]))});
    last = code_of(list[i]);
    const double w = rows_.own_at(index_of(list[i]));
    Level& level = levels.back();
    const bool goes_left = sides_.left(index_of(list[i]));
    (goes_left ? level.left : level.right) += w;
    (goes_left ? left : right) += w;
    (goes_left ? level.cases_left : level.cases_right) += rows_.cases_at(index_of(list[i]));
  }
  best.known = left + right;
  best.majority = std::max(left, right);
  best.levels = std::make_unique<LevelBranches>();
  const int undecided = left != right ? left < right : higher_branch_;
  double cases[2] = {0, 0}, astray = 0;
  for (const Level& level : levels) {
    const int branch = level.left != level.right ? level.left < level.right : undecided;
    best.levels->code.push_back(level.code);
    best.levels->branch.push_back(branch);
    best.agreed += std::max(level.left, level.right);
    cases[branch] += level.cases_left + level.cases_right;
    astray += branch ? level.cases_left : level.cases_right;
  }
  const double least = problem_.recipe.surrogates.astray ? astray : std::min(cases[0], cases[1]);
  if (least < kLeastCases) best.agreed = 0;
}

template <class E>
void NodeGrower<E>::record_surrogates(const Range& range, Branching& out) const {
  out.nodes[range.node].n_surrogates = static_cast<std::int32_t>(surrogates_.size());
  for (const Surrogate& one : surrogates_) {
    SpareSplit spare;
    const E* list = lists_[one.column] + range.begin;
    spare.column = one.column;
    spare.turned = one.turned;
    spare.value = one.agreed / one.known;
    spare.adjusted = (one.agreed - one.majority) / (one.known - one.majority);
    spare.cases = one.n_sent;
    if (one.levels)
      record_levels(*one.levels, spare, out);
    else
      record_cut(list[one.below], list[one.above], spare);
    out.spares.push_back(spare);
  }
}

// The branch that the first surrogate gives which can say; -1 if none can.
template <class E>
int NodeGrower<E>::branch_by_surrogate(const Range& range, E entry) {
  const std::uint32_t row = table_row(entry);
  for (Surrogate& one : surrogates_) {
    const Column& by = column(one.column);
    const double x = by.value(row);
    if (x != x) continue;
    int branch;
    if (one.levels) {
      const std::vector<std::int32_t>& codes = one.levels->code;
      const auto at = std::find(codes.begin(), codes.end(), static_cast<std::int32_t>(x));
      if (at == codes.end()) continue;
      branch = one.levels->branch[at - codes.begin()];
    } else {
      const E* list = lists_[one.column] + range.begin;
      const double cut =
          cut_between(by.value(table_row(list[one.below])), by.value(table_row(list[one.above])), by.scale);
      branch = (x < cut) == one.turned;
    }
    one.n_sent += rows_.cases_at(index_of(entry));
    return branch;
  }
  return -1;
}

template void NodeGrower<std::uint32_t>::record_competitors(const Range&, const Best&, Branching&) const;
template void NodeGrower<std::uint64_t>::record_competitors(const Range&, const Best&, Branching&) const;
template int NodeGrower<std::uint32_t>::higher_branch(Known) const;
template int NodeGrower<std::uint64_t>::higher_branch(Known) const;
template std::vector<Surrogate> NodeGrower<std::uint32_t>::find_surrogates(const Range&, const Best&, Known);
template std::vector<Surrogate> NodeGrower<std::uint64_t>::find_surrogates(const Range&, const Best&, Known);
template void NodeGrower<std::uint32_t>::record_surrogates(const Range&, Branching&) const;
template void NodeGrower<std::uint64_t>::record_surrogates(const Range&, Branching&) const;
template int NodeGrower<std::uint32_t>::branch_by_surrogate(const Range&, std::uint32_t);
template int NodeGrower<std::uint64_t>::branch_by_surrogate(const Range&, std::uint64_t);

}  // namespace bough
