#include "bough/grow/level_ends.hpp"

#include <algorithm>

namespace bough {

LevelEnds::LevelEnds(const LevelRows& rows, const Data& data, const std::vector<LevelTree>& trees, int most)
    : rows_(rows), data_(data), trees_(trees), most_(most), unsorted_(most) {
  const std::size_t stride = static_cast<std::size_t>(most) + kListPadding;
  memory_.resize(stride * rows.n_columns());
  for (int c = 0; c < rows.n_columns(); ++c) lists_.push_back(memory_.data() + stride * c);
  if (!data.n_classes) grid_.resize(data.n_rows);
}

Graft LevelEnds::grow(const LevelNodes& all, const LevelNode& own, Watch& watch) {
  const LevelTree& tree = trees_[own.tree];
  if (tree_ != own.tree) {
    tree_ = own.tree;
    table_ = tree.table;
    table_.grid = grid_.empty() ? nullptr : grid_.data();
    subtree_.emplace(tree.problem, table_, most_);
  }
  list_rows(all, own);
  Range range = own.range;
  range.begin = 0;
  if (!grid_.empty()) lay_on_grid(lists_[0], range, table_, false, own.spread, sums_);
  return {own.range.node, subtree_->grow(range, lists_, tree.trunk, watch)};
}

// Writes the sorted list of every column.
void LevelEnds::list_rows(const LevelNodes& all, const LevelNode& own) {
  const int count = own.range.count;
  for (int c = 0; c < rows_.n_columns(); ++c) {
    int n = 0;
    for (const std::uint32_t row : all.rows) {
      if (rows_.fold(row) == own.tree - 1) continue;
      const std::uint32_t bit = data_.n_classes == 2 ? data_.label[row] : 0;
      unsorted_[n++] = make_entry<std::uint64_t>(rows_.level(c, row), row, bit);
    }
    sort(lists_[c], count, c);
    std::fill_n(lists_[c] + count, kListPadding, std::uint64_t{0});
  }
}

// Sorts by level, and rows of a level as they are.
void LevelEnds::sort(std::uint64_t* list, int count, int c) {
  if (count < rows_.n_levels(c)) {
    std::copy_n(unsorted_.begin(), count, list);
    return std::sort(list, list + count);  // the row follows the level
  }
  end_.assign(rows_.n_levels(c) + 1, 0);
  for (int i = 0; i < count; ++i) ++end_[code_of(unsorted_[i]) + 1];
  for (int l = 0; l < rows_.n_levels(c); ++l) end_[l + 1] += end_[l];
  for (int i = 0; i < count; ++i) list[end_[code_of(unsorted_[i])]++] = unsorted_[i];
}

}  // namespace bough
