#include "bough/grow/node_grower.hpp"

#include <bit>

#include "bough/grow/measure_targets.hpp"
#include "bough/machine/random.hpp"

namespace bough {

namespace {

// The streams of a node's columns come first.
constexpr std::uint64_t kOfChildren = std::uint64_t{1} << 32;

}  // namespace

template <class E>
void NodeGrower<E>::measure(const E* list, Range& range, Branching& out) {
  const int k = in_.problem.data.n_classes;
  const Limits& limits = in_.problem.recipe.limits;
  Node& node = out.nodes[range.node];
  range.live = false;
  if (range.count == 0) return;
  double* counts =
      out.counts.data() + static_cast<std::ptrdiff_t>(range.node) * in_.problem.data.node_width();
  if (in_.rows.n_targets > 1) {
    if (measure_targets(list, range, in_.rows, in_.problem.data, in_.problem.recipe, node, counts)) return;
  } else if (k) {
    measure_classes(list, range, in_.rows, k, in_.problem.data.loss, node, counts, sums_);
    if (pure_enough(counts, k, node.weight, limits)) return;
  } else {
    if (measure_numbers(list, range, in_.rows, in_.problem.recipe, node, sums_)) return;
    if (!varied_enough(range, node, in_.rows, in_.problem.recipe)) return;
  }
  range.live = large_enough_to_split(range, node, limits, out.root_risk);
}

// Writes the split into the node, all but the rows its cut lies between, its default branch and its children.
template <class E>
void NodeGrower<E>::record(const Range& range, const Best& best, Branching& out) const {
  Node& node = out.nodes[range.node];
  node.kind = kind_of(in_.column(best.column).scale, in_.problem.recipe.nominal);
  node.column = best.column;
  node.apart = !best.levels && best.left == 0;
  node.drawn_cut = best.drawn_cut;
  node.gain = in_.gain(best.value, range, out) / in_.price(best.column);
  if (best.levels) append_levels(*best.levels, node, out);
}

// Writes down the rows that hold the values next to a threshold.
template <class E>
void NodeGrower<E>::record_cut(const E* below, const E* above, const Range& range, Branching& out) const {
  out.nodes[range.node].row_below = in_.table_row(*below);
  out.nodes[range.node].row_above = in_.table_row(*above);
}

template <class E>
void NodeGrower<E>::record_competitors(const Range& range, const Best& best, Branching& out) const {
  Node& node = out.nodes[range.node];
  node.first_alternative = static_cast<std::int64_t>(out.alternatives.size());
  node.n_competitors = static_cast<std::int32_t>(best.competitors.size());
  for (const Best& other : best.competitors) {
    AlternativeSplit split;
    const KnownEntries<E> known = in_.listed(other.column, range);
    split.column = other.column;
    split.value = in_.gain(other.value, range, out) / in_.price(other.column);
    if (in_.rows.cases)
      for (int i = 0; i < known.count; ++i) split.cases += in_.rows.cases_at(index_of(known.list[i]));
    else
      split.cases = known.count;
    if (other.levels) {
      append_levels(*other.levels, split, out);
    } else if (other.left == 0) {
      split.apart = true;
    } else {
      split.row_below = in_.table_row(known.list[other.left - 1]);
      split.row_above = in_.table_row(known.list[other.left]);
    }
    out.alternatives.push_back(split);
  }
}

// The branch, at prediction, of a row of which neither the split nor a surrogate has the value; -1: none.
template <class E>
int NodeGrower<E>::default_branch(const Best& best, const std::vector<double>& weight,
                                  const Node* children) const {
  if (best.missing >= 0) return best.missing;
  return fallback_branch(in_.problem.recipe.fallback, weight, children);
}

template <class E>
double NodeGrower<E>::own_weight(const E* list, int count) const {
  if (in_.problem.unit_weights) return count;
  double weight = 0;
  for (int i = 0; i < count; ++i) weight += in_.rows.own_at(index_of(list[i]));
  return weight;
}

// The answer of a single row, in the unit of its statistics.
template <class E>
double NodeGrower<E>::answer_of_row(std::uint32_t row) const {
  return in_.rows.label ? in_.rows.label_at(row) : in_.rows.grid_at(row) / in_.rows.weight_at(row);
}

// Splits a child of two rows at once: every column that tells them apart parts them alike, so the first one
// whose constraint permits it does it, and no list need be parted for them. A third of the nodes of a full
// tree are such pairs.
template <class E>
void NodeGrower<E>::split_pair(const Range& pair, const Range& parent, int parent_column, Branching& out) {
  const E* own = in_.lists[parent_column] + pair.begin;
  const std::uint32_t one = index_of(own[0]), other = index_of(own[1]);
  const double value = search_.highest_value(pair, own);
  if (value == kNoSplit) return;
  for (int c = 0; c < static_cast<int>(in_.lists.size()); ++c) {
    const E* low = own;
    if (c != parent_column) {
      low = in_.lists[c] + parent.begin;
      while (index_of(*low) != one && index_of(*low) != other) ++low;
    }
    const std::uint32_t second = index_of(*low) == one ? other : one;
    const E* high = low + 1;
    while (index_of(*high) != second) ++high;
    if (code_of(*low) == code_of(*high)) continue;
    if (bounds_answers()) {
      const AnswerRule rule = in_.answer_rule(c, pair);
      if (rule.any && !rule.permits(answer_of_row(index_of(*low)), answer_of_row(index_of(*high)))) continue;
    }

    Best best;
    best.column = c;
    best.left = 1;
    best.value = value;
    record(pair, best, out);
    record_cut(low, high, pair, out);
    // Neither side has more cases.
    const bool high_is_heavier = in_.rows.own_at(index_of(*high)) > in_.rows.own_at(index_of(*low));
    out.nodes[pair.node].default_branch =
        in_.problem.recipe.fallback == Fallback::heaviest ? high_is_heavier : -1;
    const std::int32_t first = add_children(pair.node, pair.depth, 2, in_.problem.data.node_width(), out);
    Range leaves[2];
    for (int j = 0; j < 2; ++j) {
      leaves[j].node = first + j;
      leaves[j].count = 1;
      measure(j == 0 ? low : high, leaves[j], out);
    }
    if (bounds_answers()) bound_children(pair, c, leaves, 2, out);
    return;
  }
}

template <class E>
void NodeGrower<E>::measure_children(const Range& range, const Best& best, const E* list, Branching& out) {
  const int n_branches = best.n_branches;
  const std::int32_t first =
      add_children(range.node, range.depth, n_branches, in_.problem.data.node_width(), out);
  children_.assign(n_branches, {});
  for (int j = 0; j < n_branches; ++j) {
    Range& child = children_[j];
    child.node = first + j;
    child.begin = range.begin + parting_.start()[j];
    child.count = parting_.count()[j];
    child.depth = range.depth + 1;
  }
  RowSequence* sequence = in_.rows.sequence;
  if (sequence) sequence->part(range.node, children_, list - range.begin, in_.rows.weight);
  for (int j = 0; j < n_branches; ++j) {
    measure(list + parting_.start()[j], children_[j], out);
    if (sequence && !children_[j].live) sequence->forget(children_[j].node);
  }
  out.nodes[range.node].default_branch = default_branch(best, parting_.branch_weight(), &out.nodes[first]);
  if (in_.problem.recipe.draw.any())
    for (int j = 0; j < n_branches; ++j) children_[j].key = Random(range.key, kOfChildren + j).next();
  if (bounds_answers()) bound_children(range, best.column, children_.data(), n_branches, out);
  for (Range& child : children_)
    if (in_.problem.pairs && child.live && child.count == 2) {
      split_pair(child, range, best.column, out);
      child.live = false;
    }
}

// Where the answers below each child must lie: between the bounds of its parent, and on its side of the
// middle of the two children's answers if the column is constrained. Children of a column that is free may
// lie outside; they answer what is nearest to them inside.
template <class E>
void NodeGrower<E>::bound_children(const Range& range, int column, Range* children, int n_children,
                                   Branching& out) const {
  const bool classes = in_.problem.data.n_classes > 0;
  double answer[2];
  for (int j = 0; j < n_children; ++j) {
    Range& child = children[j];
    child.lower = range.lower;
    child.upper = range.upper;
    if (child.count == 0) continue;
    child.centre = out.nodes[child.node].centre;
    const double own = classes ? share_of_second(out, child.node) : child.centre;
    if (j < 2) answer[j] = own;
    if (child.lower <= own && own <= child.upper) continue;
    const double nearest = std::clamp(own, child.lower, child.upper);
    classes ? answer_share(nearest, child.node, out) : answer_mean(nearest, out.nodes[child.node]);
  }
  const int direction = in_.problem.recipe.monotonic[column];
  if (direction == 0) return;
  const double middle = answer[0] / 2 + answer[1] / 2;
  Range &low = children[direction > 0 ? 0 : 1], &high = children[direction > 0 ? 1 : 0];
  low.upper = high.lower = middle;
}

template <class E>
double NodeGrower<E>::share_of_second(const Branching& out, int node) const {
  const double* counts = out.counts.data() + static_cast<std::ptrdiff_t>(node) * 2;
  return counts[1] / (counts[0] + counts[1]);
}

// Shifts weight between the two classes until the second has the share; the risk is that of the rows.
template <class E>
void NodeGrower<E>::answer_share(double share, int node, Branching& out) const {
  double* counts = out.counts.data() + static_cast<std::ptrdiff_t>(node) * 2;
  const double rows[2] = {counts[0], counts[1]}, weight = rows[0] + rows[1];
  counts[1] = share * weight;
  counts[0] = weight - counts[1];
  out.nodes[node].risk = weight - rows[counts[1] > counts[0]];
}

template <class E>
void NodeGrower<E>::answer_mean(double mean, Node& node) const {
  const double off = node.centre - mean;
  node.centre = mean;
  if (in_.problem.recipe.criterion == criterion_of<SquaredError>) node.risk += node.weight * off * off;
}

template <class E>
const std::vector<Range>& NodeGrower<E>::split(const Range& range, const Best& best, Branching& out) {
  record(range, best, out);
  record_competitors(range, best, out);
  const KnownEntries<E> known = in_.listed(best.column, range);
  const E* list = known.list;
  if (!best.levels && best.left > 0) record_cut(list + best.left - 1, list + best.left, range, out);
  parting_.set_known(best, known);
  surrogates_.find(range, best, known);
  const bool decide = in_.problem.recipe.surrogates.decide;
  parting_.set_missing(range, best, known,
                       [&](E entry) { return decide ? surrogates_.branch(range, entry) : -1; });
  surrogates_.record(range, out);
  parting_.part_own(range, best);
  measure_children(range, best, list, out);
  if (std::any_of(children_.begin(), children_.end(), [](const Range& child) { return child.live; }))
    parting_.part_others(range, children_, best.column);
  return children_;
}

template <class E>
void NodeGrower<E>::grow_handful(const Range& range, Branching& out)
  requires std::same_as<E, Handful::Entry>
{
  handful_->load(range);
  waiting_.assign(1, {range, handful_->all()});
  while (!waiting_.empty()) {
    const WaitingNode next = waiting_.back();
    waiting_.pop_back();
    split_handful(next.range, next.rows, out);
  }
}

// Splits a node of the handful; its children wait to be split.
template <class E>
void NodeGrower<E>::split_handful(const Range& range, Handful::Set rows, Branching& out)
  requires std::same_as<E, Handful::Entry>
{
  const Handful::Split split = handful_->best(rows, range);
  if (split.column < 0) return;
  Handful::Entry list[kMostPaired + 1];
  handful_->list(split.column, rows, list);
  Best best;
  best.column = split.column;
  best.value = split.value;
  best.left = std::popcount(split.left);
  record(range, best, out);
  record_cut(list + best.left - 1, list + best.left, range, out);
  const std::int32_t first = add_children(range.node, range.depth, 2, in_.problem.data.node_width(), out);
  Range children[2];
  for (int j = 0; j < 2; ++j) {
    children[j].node = first + j;
    children[j].count = j == 0 ? best.left : range.count - best.left;
    children[j].depth = range.depth + 1;
    measure(j == 0 ? list : list + best.left, children[j], out);
  }
  out.nodes[range.node].default_branch = default_branch(
      best, {own_weight(list, best.left), own_weight(list + best.left, range.count - best.left)},
      &out.nodes[first]);
  if (bounds_answers()) bound_children(range, best.column, children, 2, out);
  for (int j = 1; j >= 0; --j)
    if (children[j].live) waiting_.push_back({children[j], j == 0 ? split.left : rows & ~split.left});
}

template class NodeGrower<std::uint32_t>;
template class NodeGrower<std::uint64_t>;

}  // namespace bough
