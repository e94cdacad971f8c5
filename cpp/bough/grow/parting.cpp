// Splitting a node once its best split is known: the node's record, its rows' branches, its children, the
// lists.
#include <limits>
#include <stdexcept>

#include "bough/grow/node_grower.hpp"

namespace bough {

namespace {

SplitKind kind_of(Scale scale, Nominal nominal) {
  if (scale != Scale::nominal) return SplitKind::threshold;
  switch (nominal) {
    case Nominal::complete:
      return SplitKind::complete;
    case Nominal::one_vs_rest:
      return SplitKind::one_vs_rest;
    default:
      return SplitKind::subset;
  }
}

}  // namespace

// Writes the split into the node, all but the rows its cut lies between, its default branch and its children.
template <class E>
void NodeGrower<E>::record(const Range& range, const Best& best, Branching& out) const {
  Node& node = out.nodes[range.node];
  node.kind = kind_of(column(best.column).scale, problem_.recipe.nominal);
  node.column = best.column;
  node.gain = gain(best.value, range, out) / price(best.column);
  if (!best.levels) return;
  const LevelBranches& levels = *best.levels;
  node.first_level = static_cast<std::int64_t>(out.level_code.size());
  node.n_levels = static_cast<std::int32_t>(levels.code.size());
  out.level_code.insert(out.level_code.end(), levels.code.begin(), levels.code.end());
  out.level_branch.insert(out.level_branch.end(), levels.branch.begin(), levels.branch.end());
}

// Notes which branch each row takes whose value is known, and how many take each.
template <class E>
void NodeGrower<E>::send_known(const Best& best, Known known) {
  const int nb = best.n_branches;
  count_.assign(nb, 0);
  branch_weight_.assign(nb, 0.0);
  if (!best.levels && problem_.unit_weights) {
    for (int i = 0; i < known.count; ++i) sides_.set(index_of(known.list[i]), i < best.left);
    branch_weight_[0] = count_[0] = best.left;
    branch_weight_[1] = count_[1] = known.count - best.left;
    return;
  }
  const bool two = nb == 2;
  if (!two) branch_.resize(problem_.data.n_rows);
  const std::vector<int> branch = branch_of_known(best, known);
  for (int i = 0; i < known.count; ++i) {
    const std::uint32_t row = index_of(known.list[i]);
    if (two)
      sides_.set(row, branch[i] == 0);
    else
      branch_[row] = static_cast<std::uint32_t>(branch[i]);
    ++count_[branch[i]];
    branch_weight_[branch[i]] += rows_.own_at(row);
  }
}

// Notes the same for the rows whose value is missing: as the surrogates say, else as the recipe does.
template <class E>
void NodeGrower<E>::send_missing(const Range& range, const Best& best, Known known) {
  const int n = range.count, nb = best.n_branches;
  const auto most = std::max_element(branch_weight_.begin(), branch_weight_.end());
  int otherwise = static_cast<int>(most - branch_weight_.begin());
  const Fallback fallback = problem_.recipe.fallback;
  const bool tie = nb == 2 && branch_weight_[0] == branch_weight_[1];
  if (fallback == Fallback::stay || (fallback == Fallback::larger && tie)) otherwise = nb;

  n_staying_ = 0;
  std::vector<std::uint32_t> staying;
  for (int i = known.count; i < n; ++i) {
    const std::uint32_t row = index_of(known.list[i]);
    int branch = problem_.recipe.surrogates.decide ? branch_by_surrogate(range, known.list[i]) : -1;
    if (branch < 0) branch = otherwise;
    if (branch == nb) {
      staying.push_back(row);
      continue;
    }
    ++count_[branch];
    if (nb == 2)
      sides_.set(row, branch == 0);
    else
      branch_[row] = static_cast<std::uint32_t>(branch);
  }
  n_staying_ = static_cast<int>(staying.size());
  if (n_staying_ && nb == 2) {  // then there are three ways to go
    branch_.resize(std::max<std::size_t>(branch_.size(), problem_.data.n_rows));
    for (int i = 0; i < n; ++i) {
      const std::uint32_t row = index_of(known.list[i]);
      branch_[row] = 1 - sides_.left(row);
    }
  }
  for (std::uint32_t row : staying) branch_[row] = static_cast<std::uint32_t>(nb);
  start_.assign(nb + 1, 0);
  std::partial_sum(count_.begin(), count_.end(), start_.begin() + 1);
}

// Where a row goes at prediction of which neither the split nor a surrogate can say.
template <class E>
int NodeGrower<E>::default_branch(const Node* children) const {
  switch (problem_.recipe.fallback) {
    case Fallback::stay:
      return -1;
    case Fallback::larger:
      return children[0].cases == children[1].cases ? -1 : children[0].cases < children[1].cases;
    default:
      return static_cast<int>(std::max_element(branch_weight_.begin(), branch_weight_.end()) -
                              branch_weight_.begin());
  }
}

// Parts the lists of all columns but the one split on, as far as a live child needs them.
template <class E>
void NodeGrower<E>::part_others(const Range& range, int split_column) {
  const int n = range.count;
  const auto each = [&](const auto& part) {
    for_columns(range, [&](int c, int member) {
      if (c != split_column) part(lists_[c] + range.begin, space_[member].spare.get());
    });
  };
  if (children_.size() > 2 || n_staying_)
    each([&](E* list, E* spare) { part_in_many(list, n, branch_, start_, spare); });
  else if (!children_[1].live)
    each([&](E* list, E*) { keep_left(list, n, sides_); });
  else if (!children_[0].live)
    each([&](E* list, E*) { keep_right(list, n, sides_); });
  else
    each([&](E* list, E* spare) { part_in_two(list, n, sides_, spare); });
}

// Splits a child of two rows at once: every column that tells them apart parts them alike, so the first one
// does it, and no list need be parted for them. A third of the nodes of a full tree are such pairs.
template <class E>
void NodeGrower<E>::split_pair(const Range& pair, const Range& parent, int parent_column,
                               Branching& out) const {
  const E* own = lists_[parent_column] + pair.begin;
  const std::uint32_t one = index_of(own[0]), other = index_of(own[1]);
  for (int c = 0; c < static_cast<int>(lists_.size()); ++c) {
    const E* low = own;
    if (c != parent_column) {
      low = lists_[c] + parent.begin;
      while (index_of(*low) != one && index_of(*low) != other) ++low;
    }
    const std::uint32_t second = index_of(*low) == one ? other : one;
    const E* high = low + 1;
    while (index_of(*high) != second) ++high;
    if (code_of(*low) == code_of(*high)) continue;

    Best best;
    best.column = c;
    best.value = highest_value(pair, own);
    record(pair, best, out);
    const auto first = static_cast<std::int32_t>(out.nodes.size());
    Node& node = out.nodes[pair.node];
    node.row_below = table_row(*low);
    node.row_above = table_row(*high);
    // Of two rows neither side has more.
    node.default_branch = problem_.recipe.fallback == Fallback::heaviest ? 0 : -1;
    node.first_child = first;
    node.n_children = 2;
    out.nodes.resize(first + 2);
    out.counts.resize(out.nodes.size() * problem_.data.n_classes, 0.0);
    for (int j = 0; j < 2; ++j) {
      Range leaf;
      leaf.node = first + j;
      leaf.count = 1;
      measure(j == 0 ? low : high, leaf, out);
    }
    return;
  }
}

template <class E>
const std::vector<Range>& NodeGrower<E>::split(const Range& range, const Best& best, Branching& out) {
  E* list = lists_[best.column] + range.begin;
  const int n = range.count, nb = best.n_branches;
  const Known known{list, problem_.has_missing[best.column] ? known_entries(list, n) : n};
  record(range, best, out);
  const bool threshold = !best.levels;
  if (threshold) {
    out.nodes[range.node].row_below = table_row(list[best.left - 1]);
    out.nodes[range.node].row_above = table_row(list[best.left]);
  }
  record_competitors(range, best, out);
  send_known(best, known);
  surrogates_.clear();
  if (problem_.recipe.surrogates.most > 0) surrogates_ = find_surrogates(range, best, known);
  send_missing(range, best, known);
  record_surrogates(range, out);

  for (Space& space : space_)
    if (!space.spare) space.spare = std::make_unique_for_overwrite<E[]>(capacity_);
  const bool in_place = threshold && !n_staying_ && count_[0] == best.left;
  if (nb > 2 || n_staying_)
    part_in_many(list, n, branch_, start_, space_[0].spare.get());
  else if (!in_place)
    part_in_two(list, n, sides_, space_[0].spare.get());

  if (out.nodes.size() + nb > std::numeric_limits<std::int32_t>::max())
    throw std::length_error("the tree would have more nodes than 32 bits can number");
  const auto first = static_cast<std::int32_t>(out.nodes.size());
  Node& node = out.nodes[range.node];
  node.first_child = first;
  node.n_children = nb;
  out.nodes.resize(first + nb);
  out.counts.resize(out.nodes.size() * problem_.data.n_classes, 0.0);
  children_.assign(nb, {});
  bool any_live = false;
  for (int j = 0; j < nb; ++j) {
    Range& child = children_[j];
    child.node = first + j;
    child.begin = range.begin + start_[j];
    child.count = count_[j];
    child.depth = range.depth + 1;
    measure(list + start_[j], child, out);
    if (problem_.pairs && child.live && child.count == 2) {
      split_pair(child, range, best.column, out);
      child.live = false;
    }
    any_live |= child.live;
  }
  out.nodes[range.node].default_branch = default_branch(&out.nodes[first]);
  if (any_live) part_others(range, best.column);
  return children_;
}

template const std::vector<Range>& NodeGrower<std::uint32_t>::split(const Range&, const Best&, Branching&);
template const std::vector<Range>& NodeGrower<std::uint64_t>::split(const Range&, const Best&, Branching&);

}  // namespace bough
