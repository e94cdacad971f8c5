#include "bough/boost/coded_trees.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace bough {

namespace {

constexpr int kRows = CodedTrees::kRows;
constexpr int kLeastCode = -128, kMissingLast = 127;

constexpr int kRowsAhead = 32;  // rows whose memory is asked for before they are read

constexpr int kStep = 64;                 // rows whose leaves a register holds at most
constexpr int kFirstFound = 256 * kStep;  // before it, every leaf stands as often as a register holds

// A leaf of a side for each row, or one leaf for all of them: then every step reads the same place.
struct Leaves {
  const std::uint8_t* leaf;
  std::ptrdiff_t stride;
};

// The leaf of each row: that of the right side where its code is greater, else that of the left side. Strides
// that are known let a register keep a leaf that is the same for all rows.
template <int left_stride, int right_stride>
BOUGH_INLINE void select_from(const std::int8_t* __restrict code, std::int8_t cut,
                              const std::uint8_t* __restrict left, const std::uint8_t* __restrict right,
                              std::uint8_t* __restrict out) {
  for (int i = 0; i < kRows; ++i) {
    const std::uint8_t if_left = left[left_stride == 0 ? 0 : i], if_right = right[right_stride == 0 ? 0 : i];
    out[i] = code[i] > cut ? if_right : if_left;
  }
}

BOUGH_INLINE void select(const std::int8_t* code, std::int8_t cut, Leaves left, Leaves right,
                         std::uint8_t* out) {
  if (left.stride == 0 && right.stride == 0)
    select_from<0, 0>(code, cut, left.leaf, right.leaf, out);
  else if (left.stride == 0)
    select_from<0, kStep>(code, cut, left.leaf, right.leaf, out);
  else if (right.stride == 0)
    select_from<kStep, 0>(code, cut, left.leaf, right.leaf, out);
  else
    select_from<kStep, kStep>(code, cut, left.leaf, right.leaf, out);
}

BOUGH_INLINE void select_levels(const std::int32_t* __restrict level, const std::uint8_t* branch, Leaves left,
                                Leaves right, std::uint8_t* __restrict out) {
  for (int step = 0; step < kRows; step += kStep, left.leaf += left.stride, right.leaf += right.stride)
    for (int i = 0; i < kStep; ++i) {
      const std::uint8_t if_left = left.leaf[i], if_right = right.leaf[i];
      out[step + i] = branch[level[step + i]] ? if_right : if_left;
    }
}

// Keeps a loop of loads from anywhere as it is: made of vectors, such loads are taken apart and put together.
BOUGH_INLINE void keep_scalar() {
#if defined(__GNUC__)
  asm volatile("");
#endif
}

BOUGH_INLINE void add_values(const double* value, const std::uint8_t* __restrict leaf,
                             double* __restrict score) {
  for (int i = 0; i < kRows; ++i) {
    keep_scalar();
    score[i] += value[leaf[i]];
  }
}

// The same for trees that follow each other.
BOUGH_INLINE void add_values_of_four(const double* const* value, const std::uint8_t* __restrict leaf,
                                     double* __restrict score) {
  const double *a = value[0], *b = value[1], *c = value[2], *d = value[3];
  for (int i = 0; i < kRows; ++i) {
    keep_scalar();
    score[i] = score[i] + a[leaf[i]] + b[leaf[kRows + i]] + c[leaf[2 * kRows + i]] + d[leaf[3 * kRows + i]];
  }
}

// The number of cuts that each value reaches: those in the cells before its own, and within it those that
// a search by halves finds, whose first step is given.
template <int first_step>
BOUGH_INLINE void count_reached(const double* values, const std::int32_t* cell, const std::uint8_t* before,
                                const double* cuts, std::int32_t* __restrict reached) {
  for (int i = 0; i < kRows; ++i) {
    keep_scalar();
    const double x = values[i];
    std::int64_t n = before[cell[i]];
    for (int step = first_step; step > 0; step >>= 1)
      n += static_cast<std::int64_t>(x >= cuts[n + step - 1]) * step;
    reached[i] = static_cast<std::int32_t>(n);
  }
}

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

BOUGH_INLINE int CodedTrees::Coder::cell(double x) const {
  // Every step keeps the order of values, so that values in a later cell are greater.
  double at = (x - least) * scale;
  at = at > 0 ? at : 0;
  at = at < kCells - 1 ? at : kCells - 1;
  return static_cast<int>(at);
}

void CodedTrees::Coder::place_cuts() {
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  double most = -HUGE_VAL;
  least = HUGE_VAL;
  for (const double cut : cuts)
    if (std::isfinite(cut)) {
      least = std::min(least, cut);
      most = std::max(most, cut);
    }
  if (!std::isfinite(least)) least = 0;
  const double wanted = kCells / (most - least);
  scale = std::isfinite(wanted) && wanted > 0 ? wanted : 0;
  std::vector<int> here(kCells, 0);
  for (const double cut : cuts) ++here[cell(cut)];
  before.assign(kCells, 0);
  for (int c = 1; c < kCells; ++c) before[c] = static_cast<std::uint8_t>(before[c - 1] + here[c - 1]);
  const auto most_here = static_cast<unsigned>(*std::max_element(here.begin(), here.end()));
  step = static_cast<int>(std::bit_floor(most_here));
  n_cuts = static_cast<int>(cuts.size());
  cuts.insert(cuts.end(), kMostCuts + 1, std::numeric_limits<double>::quiet_NaN());
}

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
  for (Coder& coder : coders_) {
    if (coder.n_levels > 0) coder.place_of_levels = n_wide_++ * kRows;
    coder.place_cuts();
    fits_ &= coder.n_cuts <= kMostCuts;
  }
  for (std::size_t t = first; fits_ && t < last; ++t) add_tree(sum, t);
}

CodedTrees::Side CodedTrees::add_split(const Split& split, Tree& tree) {
  splits_.push_back(split);
  most_splits_ = std::max<std::size_t>(most_splits_, tree.n_splits + 1);
  return {kFirstFound + kRows * tree.n_splits++, kStep};
}

void CodedTrees::add_tree(const TreeNodes& sum, std::size_t t) {
  const std::size_t root = sum.first_node(t), end = sum.first_node(t + 1);
  Tree tree{splits_.size(), values_.size(), 0};
  std::vector<Side> sides(end - root);
  int n_leaves = 0;
  for (std::size_t i = root; i < end; ++i)
    if (sum.is_leaf(i)) {
      sides[i - root] = {n_leaves++ * kStep, 0};
      values_.insert(values_.end(), sum.value.begin() + static_cast<std::ptrdiff_t>(i * width_),
                     sum.value.begin() + static_cast<std::ptrdiff_t>((i + 1) * width_));
    }
  fits_ &= n_leaves <= 256;
  for (std::size_t i = end; fits_ && i-- > root;) {
    const TreeNodes::Node& node = sum.nodes[i];
    if (sum.is_leaf(i)) continue;
    const Coder& coder = coders_[node.place];
    Split split{static_cast<std::uint16_t>(2 * node.place + (node.missing_branch == 0)), 0, -1,
                sides[node.child - root], sides[node.child + 1 - root]};
    if (node.first_branch < 0) {
      const double* cuts = coder.cuts.data();
      const auto cut = std::lower_bound(cuts, cuts + coder.n_cuts, node.cut) - cuts;
      split.cut = static_cast<std::int8_t>(kLeastCode + cut);
    } else {
      split.first_branch = static_cast<std::int32_t>(branch_.size());
      for (int level = 0; level <= coder.n_levels; ++level)
        branch_.push_back(sum.branch[node.first_branch + level] == 1);
    }
    sides[i - root] = add_split(split, tree);
    if (node.missing_branch == 2) {
      Split apart{static_cast<std::uint16_t>(2 * node.place), kMissingLast - 1, -1, sides[i - root],
                  sides[node.child + 2 - root]};
      if (node.first_branch >= 0) {
        apart.first_branch = static_cast<std::int32_t>(branch_.size());
        for (int level = 0; level <= coder.n_levels; ++level)
          branch_.push_back(sum.branch[node.first_branch + level] == 2);
      }
      sides[i - root] = add_split(apart, tree);
    }
  }
  trees_.push_back(tree);
}

BOUGH_INLINE void CodedTrees::code_block(const std::vector<Column>& columns, const Block& block,
                                         Space& space) const {
  constexpr int kTile = 32;  // so that the rows of a matrix are read once
  for (int done = 0; done < block.count; done += kTile)
    for (std::size_t j = 0; j < coders_.size(); ++j)
      if (coders_[j].is_used())
        read_values(columns[coders_[j].column], block.begin + done, std::min(kTile, block.count - done),
                    space.values.data() + j * kRows + done);
  space.slots.resize(2 * coders_.size());
  for (std::size_t j = 0; j < coders_.size(); ++j) {
    const Coder& coder = coders_[j];
    if (!coder.is_used()) continue;
    const double* values = space.values.data() + j * kRows;
    if (coder.n_levels > 0) {
      std::int32_t* levels = space.levels.data() + coder.place_of_levels;
      for (int i = 0; i < block.count; ++i)
        levels[i] = values[i] == values[i] ? static_cast<std::int32_t>(values[i]) : coder.n_levels;
      std::fill(levels + block.count, levels + kRows, 0);
    }
    std::int8_t* last = space.codes.data() + 2 * j * kRows;
    std::int32_t cell[kRows], code[kRows];
    for (int i = 0; i < kRows; ++i) cell[i] = coder.cell(values[i]);
    const auto count = [&]<int first_step>() {
      count_reached<first_step>(values, cell, coder.before.data(), coder.cuts.data(), code);
    };
    if (coder.step <= 1)
      count.template operator()<1>();
    else if (coder.step == 2)
      count.template operator()<2>();
    else
      count.template operator()<kMostCuts / 2 + 1>();
    int missing = 0;
    for (int i = 0; i < kRows; ++i) {
      const bool known = values[i] == values[i];
      missing += !known;
      last[i] = static_cast<std::int8_t>(known ? kLeastCode + code[i] : kMissingLast);
    }
    space.slots[2 * j] = space.slots[2 * j + 1] = last;
    if (missing == 0) continue;
    std::int8_t* first = last + kRows;
    for (int i = 0; i < kRows; ++i)
      first[i] = last[i] == kMissingLast ? static_cast<std::int8_t>(kLeastCode) : last[i];
    space.slots[2 * j + 1] = first;
  }
}

// Finds the leaf of each row in a tree that has splits.
BOUGH_INLINE void CodedTrees::find_leaves(const Tree& tree, Space& space, std::uint8_t* leaf) const {
  std::uint8_t* leaves = space.leaves.data();
  for (int s = 0; s < tree.n_splits; ++s) {
    const Split& split = splits_[tree.first_split + s];
    const bool is_last = s + 1 == tree.n_splits;
    std::uint8_t* out = is_last ? leaf : leaves + kFirstFound + static_cast<std::ptrdiff_t>(s) * kRows;
    const Leaves left{leaves + split.left.place, split.left.stride},
        right{leaves + split.right.place, split.right.stride};
    if (split.first_branch >= 0)
      select_levels(space.levels.data() + coders_[split.slot / 2].place_of_levels,
                    branch_.data() + split.first_branch, left, right, out);
    else
      select(space.slots[split.slot], split.cut, left, right, out);
  }
  if (tree.n_splits == 0) std::fill_n(leaf, kRows, 0);
}

BOUGH_INLINE void CodedTrees::add_trees(std::int64_t first, std::int64_t last, Space& space) const {
  std::uint8_t* leaf = space.leaves.data() + kFirstFound + most_splits_ * kRows;
  if (width_ > 1) {
    for (std::int64_t t = first; t < last; ++t) {
      find_leaves(trees_[t], space, leaf);
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
    for (; t + (kTreesAtOnce - 1) * n_scores_ < last; t += kTreesAtOnce * n_scores_) {
      const double* values[kTreesAtOnce];
      for (int j = 0; j < kTreesAtOnce; ++j) {
        const Tree& tree = trees_[t + j * n_scores_];
        find_leaves(tree, space, leaf + j * kRows);
        values[j] = values_.data() + tree.first_value;
      }
      add_values_of_four(values, leaf, score);
    }
    for (; t < last; t += n_scores_) {
      find_leaves(trees_[t], space, leaf);
      add_values(values_.data() + trees_[t].first_value, leaf, score);
    }
  }
}

BOUGH_INLINE void CodedTrees::answer(const std::vector<Column>& columns, const Block& block,
                                     Space& space) const {
  code_block(columns, block, space);
  for (int i = 0; i < block.count; ++i)
    for (int k = 0; k < n_scores_; ++k) space.scores[k * kRows + i] = block.scores[i * n_scores_ + k];
  add_trees(block.first, block.last, space);
  for (int i = 0; i < block.count; ++i)
    for (int k = 0; k < n_scores_; ++k) block.scores[i * n_scores_ + k] = space.scores[k * kRows + i];
}

#if defined(BOUGH_LONG_REGISTERS)
BOUGH_LONG_REGISTERS void CodedTrees::answer_by_long_registers(const std::vector<Column>& columns,
                                                               const Block& block, Space& space) const {
  answer(columns, block, space);
}
#endif

#if defined(BOUGH_AVX2)
BOUGH_AVX2 void CodedTrees::answer_avx2(const std::vector<Column>& columns, const Block& block,
                                        Space& space) const {
  answer(columns, block, space);
}
#endif

void CodedTrees::add(const std::vector<Column>& columns, const Block& block, Space& space) const {
  space.values.resize(coders_.size() * kRows);
  space.scores.resize(static_cast<std::size_t>(n_scores_) * kRows);
  space.codes.resize(2 * coders_.size() * kRows);
  space.levels.resize(n_wide_ * kRows);
  if (space.leaves.empty()) {
    space.leaves.resize(kFirstFound + (most_splits_ + kTreesAtOnce) * kRows);
    for (int i = 0; i < kFirstFound; ++i) space.leaves[i] = static_cast<std::uint8_t>(i / kStep);
  }
#if defined(BOUGH_LONG_REGISTERS)
  if (has_long_registers()) return answer_by_long_registers(columns, block, space);
#endif
#if defined(BOUGH_AVX2)
  if (has_avx2()) return answer_avx2(columns, block, space);
#endif
  answer(columns, block, space);
}

}  // namespace bough
