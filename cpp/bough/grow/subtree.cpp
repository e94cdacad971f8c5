#include "bough/grow/subtree.hpp"

#include <algorithm>
#include <utility>

namespace bough {

namespace {

constexpr std::size_t kNodesBetweenPolls = 192;

}  // namespace

Subtree::Subtree(const Problem& problem, const Rows& table, int most)
    : problem_(problem), table_(table), n_columns_(static_cast<int>(problem.data.columns.size())) {
  stride_ = static_cast<std::size_t>(most) + kListPadding;
  lists_ = make_buffer<Packed>(stride_ * n_columns_);
  std::fill_n(lists_.get(), stride_ * n_columns_, Packed{0});
  row_.resize(most);
  const std::size_t n_targets = table.n_targets, grid_width = table.grid_width;
  if (table.label) label_.resize(most * n_targets);
  if (table.y) y_.resize(most * n_targets);
  if (table.grid) grid_.resize(most * grid_width);
  if (table.weight) weight_.resize(most);
  if (table.own) own_.resize(most);
  if (table.cases) cases_.resize(most);
  local_.resize(problem.data.n_rows);
  Rows rows = table;
  rows.label = table.label ? label_.data() : nullptr;
  rows.y = table.y ? y_.data() : nullptr;
  rows.grid = table.grid ? grid_.data() : nullptr;
  rows.weight = table.weight ? weight_.data() : nullptr;
  rows.own = table.own ? own_.data() : nullptr;
  rows.cases = table.cases ? cases_.data() : nullptr;
  std::vector<Packed*> lists;
  for (int c = 0; c < n_columns_; ++c) lists.push_back(lists_.get() + stride_ * c);
  grower_ = std::make_unique<NodeGrower<Packed>>(problem, rows, std::move(lists), row_.data(), stride_, most,
                                                 nullptr);
}

Branching root_below(const Branching& trunk, const Range& at, int k) {
  Branching out;
  out.root_depth = at.depth;
  out.nodes.push_back(trunk.nodes[at.node]);
  out.root_risk = trunk.root_risk;
  out.counts.assign(trunk.counts.begin() + static_cast<std::ptrdiff_t>(at.node) * k,
                    trunk.counts.begin() + static_cast<std::ptrdiff_t>(at.node + 1) * k);
  return out;
}

template <class E>
Branching grow_below(NodeGrower<E>& grower, const Range& root, const Branching& trunk, const Range& at, int k,
                     std::vector<Range>& stack, Watch& watch) {
  Branching out = root_below(trunk, at, k);
  out.nodes.reserve(k ? root.count : 2 * root.count);  // of numbers nearly every row may become a leaf
  stack.assign(1, root);
  std::size_t nodes = 0;
  while (!stack.empty() && !watch.stopped()) {
    const Range range = stack.back();
    stack.pop_back();
    if constexpr (std::same_as<E, Handful::Entry>)
      if (grower.is_handful(range)) {
        grower.grow_handful(range, out);
        nodes += range.count;
        continue;
      }
    const Best best = grower.search(range, out);
    if (best.column < 0) continue;
    const std::vector<Range>& children = grower.split(range, best, out);
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      if (child->live) stack.push_back(*child);
    nodes += 1 + children.size();
    if (nodes < kNodesBetweenPolls) continue;
    nodes = 0;
    watch.poll();
  }
  return out;
}

template Branching grow_below(NodeGrower<std::uint32_t>&, const Range&, const Branching&, const Range&, int,
                              std::vector<Range>&, Watch&);
template Branching grow_below(NodeGrower<std::uint64_t>&, const Range&, const Branching&, const Range&, int,
                              std::vector<Range>&, Watch&);

Branching Subtree::grow(const Range& at, const std::vector<Long*>& lists, const Branching& trunk,
                        Watch& watch) {
  load(at, lists);
  Range root = at;
  root.node = root.begin = 0;
  return grow_below(*grower_, root, trunk, at, problem_.data.node_width(), stack_, watch);
}

// Copies the targets of a row to where those of index i are.
void Subtree::load_targets(int i, std::uint32_t row) {
  const std::size_t k = table_.n_targets, width = table_.grid_width;
  if (table_.label) std::copy_n(table_.labels_at(row), k, label_.data() + i * k);
  if (table_.y) std::copy_n(table_.ys_at(row), k, y_.data() + i * k);
  if (table_.grid) std::copy_n(table_.grids_at(row), width, grid_.data() + i * width);
}

void Subtree::load(const Range& at, const std::vector<Long*>& lists) {
  const Long* first = lists[0] + at.begin;
  for (int i = 0; i < at.count; ++i) {
    const std::uint32_t row = index_of(first[i]);
    local_[row] = static_cast<std::uint32_t>(i);
    row_[i] = row;
    if (table_.n_targets > 1) {
      load_targets(i, row);
    } else {
      if (table_.label) label_[i] = table_.label[row];
      if (table_.y) y_[i] = table_.y[row], grid_[i] = table_.grid[row];
    }
    if (table_.weight) weight_[i] = table_.weight[row];
    if (table_.own) own_[i] = table_.own[row];
    if (table_.cases) cases_[i] = table_.cases[row];
  }
  for (int c = 0; c < n_columns_; ++c) {
    const Long* from = lists[c] + at.begin;
    Packed* to = lists_.get() + stride_ * c;
    std::uint32_t rank = 0, last = code_of(from[0]);
    for (int i = 0; i < at.count; ++i) {
      const std::uint32_t code = code_of(from[i]);
      rank += code != last;
      last = code;
      const bool missing = code == EntryTraits<Long>::kMissing;
      to[i] = make_entry<Packed>(missing ? EntryTraits<Packed>::kMissing : rank, local_[index_of(from[i])],
                                 label_bit(from[i]));
    }
  }
}

}  // namespace bough
