// Splitting a node once its best split is known: the node's record, its rows' branches, its children, the
// lists.
#include <limits>
#include <stdexcept>

#include "bough/grow_node.hpp"

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
  node.gain = in_user_units(best.value, range);
  if (!best.levels) return;
  const LevelBranches& levels = *best.levels;
  node.first_level = static_cast<std::int64_t>(out.level_code.size());
  node.n_levels = static_cast<std::int32_t>(levels.code.size());
  out.level_code.insert(out.level_code.end(), levels.code.begin(), levels.code.end());
  out.level_branch.insert(out.level_branch.end(), levels.branch.begin(), levels.branch.end());
}

// Notes which branch each row takes, and how many take each; returns where missing goes: with the most
// weight.
template <class E>
int NodeGrower<E>::send_rows(const Range& range, const Best& best, Known known) {
  const int n = range.count, nb = best.n_branches;
  const bool two = nb == 2;
  if (!two && branch_.empty()) branch_.resize(problem_.data.n_rows);
  count_.assign(nb, 0);
  branch_weight_.assign(nb, 0.0);
  const auto send = [&](std::uint32_t row, int branch) {
    if (two)
      sides_.set(row, branch == 0);
    else
      branch_[row] = static_cast<std::uint32_t>(branch);
  };
  if (!best.levels && problem_.unit_weights) {
    for (int i = 0; i < known.count; ++i) sides_.set(index_of(known.list[i]), i < best.left);
    branch_weight_[0] = count_[0] = best.left;
    branch_weight_[1] = count_[1] = known.count - best.left;
  } else {
    const std::vector<int> branch = branch_of_known(best, known);
    for (int i = 0; i < known.count; ++i) {
      const std::uint32_t row = index_of(known.list[i]);
      send(row, branch[i]);
      ++count_[branch[i]];
      branch_weight_[branch[i]] += rows_.weight_at(row);
    }
  }
  const auto most = std::max_element(branch_weight_.begin(), branch_weight_.end());
  const auto majority = static_cast<int>(most - branch_weight_.begin());
  for (int i = known.count; i < n; ++i) send(index_of(known.list[i]), majority);
  count_[majority] += n - known.count;
  start_.assign(nb, 0);
  std::partial_sum(count_.begin(), count_.end() - 1, start_.begin() + 1);
  return majority;
}

// Parts the lists of all columns but the one split on, as far as a live child needs them.
template <class E>
void NodeGrower<E>::part_others(const Range& range, int split_column) {
  const int n = range.count, n_columns = static_cast<int>(lists_.size());
  const auto each = [&](const auto& part) {
    const auto unless_split = [&](int c, int member) {
      if (c != split_column) part(lists_[c] + range.begin, space_[member].spare.get());
    };
    if (team_ && n >= kSharedRows) return team_->run(n_columns, unless_split);
    for (int c = 0; c < n_columns; ++c) unless_split(c, 0);
  };
  if (children_.size() > 2)
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
    node.default_branch = 0;
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
  const int majority = send_rows(range, best, known);

  for (Space& space : space_)
    if (!space.spare) space.spare = std::make_unique_for_overwrite<E[]>(capacity_);
  const bool in_place = threshold && (known.count == n || majority == 1);
  if (nb > 2)
    part_in_many(list, n, branch_, start_, space_[0].spare.get());
  else if (!in_place)
    part_in_two(list, n, sides_, space_[0].spare.get());

  if (out.nodes.size() + nb > std::numeric_limits<std::int32_t>::max())
    throw std::length_error("the tree would have more nodes than 32 bits can number");
  const auto first = static_cast<std::int32_t>(out.nodes.size());
  Node& node = out.nodes[range.node];
  node.default_branch = majority;
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
  if (any_live) part_others(range, best.column);
  return children_;
}

template const std::vector<Range>& NodeGrower<std::uint32_t>::split(const Range&, const Best&, Branching&);
template const std::vector<Range>& NodeGrower<std::uint64_t>::split(const Range&, const Best&, Branching&);

}  // namespace bough
