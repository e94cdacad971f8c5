#include "bough/boost/coded_trees.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "bough/boost/leaf_registers.hpp"

namespace bough {

namespace {

constexpr int kRows = CodedTrees::kRows;
constexpr int kRowsAhead = 32;  // rows whose memory is asked for before they are read

void read_values(const Column& column, std::int64_t begin, int count, double* values) {
  if (column.type == Column::Type::float64)
    for (int i = 0; i < count; ++i) {
      // The next rows of a matrix, whose columns lie next to each other.
      column.prefetch(begin + i + kRowsAhead);
      values[i] = column.at<double>(begin + i);
    }
  else
    for (int i = 0; i < count; ++i) values[i] = column.value(begin + i);
}

}  // namespace

CodedTrees::CodedTrees(const TreeNodes& sum, std::size_t first, std::size_t last)
    : n_scores_(sum.n_scores), width_(sum.width) {
  coders_.resize(sum.used.size());
  fits_ = 2 * sum.used.size() <= std::numeric_limits<decltype(Split::slot)>::max() + std::size_t{1};
  for (std::size_t j = 0; j < sum.used.size(); ++j) coders_[j].column = sum.used[j];
  for (std::size_t i = sum.first_node(first); i < sum.first_node(last); ++i) {
    const TreeNodes::Node& node = sum.nodes[i];
    if (sum.is_leaf(i)) continue;
    if (node.first_branch < 0)
      coders_[node.place].cuts.push_back(node.cut);
    else
      coders_[node.place].n_levels = static_cast<int>(node.cut);
  }
  for (ColumnCoder& coder : coders_) {
    if (coder.n_levels > 0) coder.place_of_levels = n_wide_++ * kRows;
    coder.place_cuts();
    fits_ &= coder.n_cuts <= kMostCuts;
    if (coder.n_cuts > 0) ascending_.push_back(static_cast<std::size_t>(&coder - coders_.data()));
  }
  std::sort(ascending_.begin(), ascending_.end(),
            [&](std::size_t a, std::size_t b) { return coders_[a].column < coders_[b].column; });
  for (std::size_t t = first; fits_ && t < last; ++t) add_tree(sum, t);
  values_.resize(values_.size() + kLeavesHeld);  // registers that hold the last values reach past them
}

// Adds for every level of a column whether it takes a branch; returns where these begin.
int CodedTrees::add_branches(const TreeNodes& sum, const TreeNodes::Node& node, int branch) {
  const auto begin = static_cast<int>(branch_.size());
  for (int level = 0; level <= coders_[node.place].n_levels; ++level)
    branch_.push_back(sum.branch[node.first_branch + level] == branch);
  return begin;
}

void CodedTrees::add_tree(const TreeNodes& sum, std::size_t t) {
  const std::size_t root = sum.first_node(t), end = sum.first_node(t + 1);
  // Children come after their parent.
  std::vector<int> n_leaves(end - root, 1), first(end - root, 0);
  const auto n_children = [&](const TreeNodes::Node& node) { return node.missing_branch == 2 ? 3 : 2; };
  for (std::size_t i = end; i-- > root;) {
    const TreeNodes::Node& node = sum.nodes[i];
    if (sum.is_leaf(i)) continue;
    n_leaves[i - root] = 0;
    for (int j = 0; j < n_children(node); ++j) n_leaves[i - root] += n_leaves[node.child + j - root];
  }
  Tree tree{splits_.size(), values_.size(), 0};
  fits_ &= n_leaves[0] <= 256;
  most_leaves_ = std::max(most_leaves_, n_leaves[0]);
  values_.resize(values_.size() + static_cast<std::size_t>(n_leaves[0]) * width_);
  for (std::size_t i = root; fits_ && i < end; ++i) {
    const TreeNodes::Node& node = sum.nodes[i];
    const int here = first[i - root];
    if (sum.is_leaf(i)) {
      std::copy_n(sum.value.begin() + static_cast<std::ptrdiff_t>(i * width_), width_,
                  values_.begin() + static_cast<std::ptrdiff_t>(tree.first_value +
                                                                static_cast<std::size_t>(here) * width_));
      continue;
    }
    int next = here;
    for (int j = 0; j < n_children(node); ++j) {
      first[node.child + j - root] = next;
      next += n_leaves[node.child + j - root];
    }
    const bool by_levels = node.first_branch >= 0;
    const auto add = [&](int slot, int cut, int child) {
      splits_.push_back({static_cast<std::uint16_t>(slot), static_cast<std::int8_t>(by_levels ? 0 : cut),
                         static_cast<std::uint8_t>(here),
                         static_cast<std::uint8_t>(first[node.child + child - root] - here),
                         by_levels ? add_branches(sum, node, child) : -1});
      ++tree.n_splits;
    };
    if (node.missing_branch == 2) add(2 * node.place, kMissingLast - 1, 2);
    const ColumnCoder& coder = coders_[node.place];
    const double* cuts = coder.cuts.data();
    const auto cut = by_levels ? 0 : std::lower_bound(cuts, cuts + coder.n_cuts, node.cut) - cuts;
    add(2 * node.place + (node.missing_branch == 0), kLeastCode + static_cast<int>(cut), 1);
  }
  trees_.push_back(tree);
}

// Where missing values come first: codes of their own, if there are any.
BOUGH_INLINE void CodedTrees::place_missing(std::size_t coder, Space& space) const {
  const std::int8_t* last = space.codes.data() + 2 * coder * kRows;
  std::int8_t* first = space.codes.data() + (2 * coder + 1) * kRows;
  for (int i = 0; i < kRows; ++i)
    first[i] = last[i] == kMissingLast ? static_cast<std::int8_t>(kLeastCode) : last[i];
  space.slots[2 * coder + 1] = first;
}

void CodedTrees::read_levels(const std::vector<Column>& columns, const Block& block, Space& space) const {
  for (const ColumnCoder& coder : coders_) {
    if (coder.n_levels == 0) continue;
    const Column& column = columns[coder.column];
    std::int32_t* levels = space.levels.data() + coder.place_of_levels;
    for (int i = 0; i < block.count; ++i) {
      const double x = column.value(block.begin + i);
      levels[i] = x == x ? static_cast<std::int32_t>(x) : coder.n_levels;
    }
    std::fill(levels + block.count, levels + kRows, 0);
  }
}

BOUGH_INLINE void CodedTrees::code_block(const std::vector<Column>& columns, const Block& block,
                                         Space& space) const {
  constexpr int kTile = 32;  // so that the rows of a matrix are read once
  space.values.resize(coders_.size() * kRows);
  for (int done = 0; done < block.count; done += kTile)
    for (const std::size_t j : ascending_)
      read_values(columns[coders_[j].column], block.begin + done, std::min(kTile, block.count - done),
                  space.values.data() + j * kRows + done);
  for (const std::size_t j : ascending_)
    if (coders_[j].code(space.values.data() + j * kRows, space.codes.data() + 2 * j * kRows))
      place_missing(j, space);
}

#if defined(BOUGH_LONG_REGISTERS)
BOUGH_LONG_REGISTERS void CodedTrees::code_rounded(const std::vector<Column>& columns, const Block& block,
                                                   Space& space) const {
  constexpr int kTile = RoundedCuts::kRows;
  space.rounded.resize(ascending_.size() * kTile);
  std::vector<RoundedColumn> wanted;
  for (const std::size_t j : ascending_)
    wanted.push_back(
        {coders_[j].column, coders_[j].rounded.base(), space.rounded.data() + wanted.size() * kTile});
  std::vector<std::uint8_t> missing(ascending_.size(), 0);
  for (int done = 0; done < block.count; done += kTile) {
    const RowRange rows{block.begin + done, std::min(kTile, block.count - done)};
    round_rows(columns, rows, wanted);
    for (std::size_t k = 0; k < ascending_.size(); ++k) {
      const ColumnCoder& coder = coders_[ascending_[k]];
      std::int8_t* codes = space.codes.data() + 2 * ascending_[k] * kRows + done;
      missing[k] |= coder.rounded.code(columns[coder.column], rows, wanted[k].values, codes);
    }
  }
  for (std::size_t k = 0; k < ascending_.size(); ++k)
    if (missing[k]) place_missing(ascending_[k], space);
}
#endif

// The codes by which a split parts some rows: of levels, their branches.
BOUGH_INLINE const std::int8_t* CodedTrees::codes_of(const Split& split, int begin, int count,
                                                     Space& space) const {
  if (split.first_branch < 0) return space.slots[split.slot] + begin;
  const std::int32_t* level = space.levels.data() + coders_[split.slot / 2].place_of_levels + begin;
  const std::uint8_t* branch = branch_.data() + split.first_branch;
  for (int i = 0; i < count; ++i) space.branches[i] = static_cast<std::int8_t>(branch[level[i]]);
  return space.branches.data();
}

// Finds the leaf of each row in a tree.
template <class Registers>
BOUGH_INLINE void CodedTrees::find_leaves(const Tree& tree, Space& space, std::uint8_t* leaf) const {
  const Split *begin = splits_.data() + tree.first_split, *end = begin + tree.n_splits;
  for (int done = 0; done < kRows; done += Registers::kRows) {
    Registers rows;
    for (const Split* split = begin; split != end; ++split)
      rows.step(codes_of(*split, done, Registers::kRows, space), split->cut, split->first, split->step);
    rows.write(leaf + done);
  }
  space.ahead.ask_for_part();
}

template <class Registers>
BOUGH_INLINE void CodedTrees::add_trees(std::int64_t first, std::int64_t last, Space& space) const {
  std::uint8_t* leaf = space.leaves.data();
  if (width_ > 1) {
    for (std::int64_t t = first; t < last; ++t) {
      find_leaves<Registers>(trees_[t], space, leaf);
      const double* values = values_.data() + trees_[t].first_value;
      for (int k = 0; k < width_; ++k) {
        double* score = space.scores.data() + static_cast<std::ptrdiff_t>(k) * kRows;
        for (int i = 0; i < kRows; ++i) score[i] += values[leaf[i] * width_ + k];
      }
    }
    return;
  }
  for (int k = 0; k < n_scores_; ++k) {
    double* score = space.scores.data() + (first + k) % n_scores_ * kRows;
    std::int64_t t = first + k;
    for (; t + (kTreesInStep - 1) * n_scores_ < last; t += kTreesInStep * n_scores_) {
      const double* values[kTreesInStep];
      for (int j = 0; j < kTreesInStep; ++j) {
        const Tree& tree = trees_[t + j * n_scores_];
        find_leaves<Registers>(tree, space, leaf + j * kRows);
        values[j] = values_.data() + tree.first_value;
      }
      Registers::add_four(values, most_leaves_, leaf, score);
    }
    for (; t < last; t += n_scores_) {
      find_leaves<Registers>(trees_[t], space, leaf);
      PlainSums::add_one(values_.data() + trees_[t].first_value, leaf, score);
    }
  }
}

// Adds to the scores of rows whose codes are known.
template <class Registers>
BOUGH_INLINE void CodedTrees::add_to_scores(const std::vector<Column>& columns, const Block& block,
                                            Space& space) const {
  read_levels(columns, block, space);
  for (int i = 0; i < block.count; ++i)
    for (int k = 0; k < n_scores_; ++k) space.scores[k * kRows + i] = block.scores[i * n_scores_ + k];
  space.ahead.start(block.next, block.last - block.first);
  for (const std::size_t j : ascending_) space.ahead.add(columns[coders_[j].column]);
  add_trees<Registers>(block.first, block.last, space);
  for (int i = 0; i < block.count; ++i)
    for (int k = 0; k < n_scores_; ++k) block.scores[i * n_scores_ + k] = space.scores[k * kRows + i];
}

#if defined(BOUGH_LONG_REGISTERS)
BOUGH_LONG_REGISTERS void CodedTrees::answer_by_long_registers(const std::vector<Column>& columns,
                                                               const Block& block, Space& space) const {
  code_rounded(columns, block, space);
  add_to_scores<LongRegisters>(columns, block, space);
}
#endif

#if defined(BOUGH_AVX2)
BOUGH_AVX2 void CodedTrees::answer_avx2(const std::vector<Column>& columns, const Block& block,
                                        Space& space) const {
  code_block(columns, block, space);
  add_to_scores<ShortRegisters>(columns, block, space);
}
#endif

void CodedTrees::add(const std::vector<Column>& columns, const Block& block, Space& space) const {
  space.slots.resize(2 * coders_.size());
  space.scores.resize(static_cast<std::size_t>(n_scores_) * kRows);
  space.codes.resize(2 * coders_.size() * kRows);
  space.levels.resize(n_wide_ * kRows);
  space.branches.resize(n_wide_ > 0 ? kRows : 0);
  space.leaves.resize(kTreesInStep * kRows);
  for (std::size_t j = 0; j < coders_.size(); ++j)
    space.slots[2 * j] = space.slots[2 * j + 1] = space.codes.data() + 2 * j * kRows;
#if defined(BOUGH_LONG_REGISTERS)
  if (has_long_registers()) return answer_by_long_registers(columns, block, space);
#endif
#if defined(BOUGH_AVX2)
  if (has_avx2()) return answer_avx2(columns, block, space);
#endif
  code_block(columns, block, space);
  add_to_scores<PlainRegisters>(columns, block, space);
}

}  // namespace bough
