// Takes sparse rows down a tree together. Most rows are 0 in the column that a node asks for, and take the
// same way: a path is followed once for all of them, and of each column on it only the stored numbers are
// looked at, which tell the rows that leave the path. Few rows are cheaper one by one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bough/data/sparse_rows.hpp"

namespace bough {

// The stored numbers of a block of rows, column by column. T: what a tree compares.
template <class T>
class BlockColumns {
 public:
  struct Entry {
    std::uint32_t row;  // of the block
    T value;
  };

  // Loads rows begin to end of the columns that are used. converted: a stored number as T, by its place.
  template <class Converted>
  void load(const SparseRows& table, std::int64_t begin, std::int64_t end, const std::vector<bool>& used,
            const Converted& converted) {
    start_.assign(static_cast<std::size_t>(table.n_columns) + 1, 0);
    for (std::int64_t i = table.start[begin]; i < table.start[end]; ++i)
      if (used[table.column[i]]) ++start_[table.column[i] + 1];
    std::int64_t n_columns = 0;
    for (std::size_t c = 0; c + 1 < start_.size(); ++c) {
      n_columns += start_[c + 1] > 0;
      start_[c + 1] += start_[c];
    }
    entries_.resize(start_.back());
    next_.assign(start_.begin(), start_.end() - 1);
    for (std::int64_t row = begin; row < end; ++row)
      for (std::int64_t i = table.start[row]; i < table.start[row + 1]; ++i)
        if (used[table.column[i]])
          entries_[next_[table.column[i]]++] = {static_cast<std::uint32_t>(row - begin), converted(i)};
    n_rows_ = static_cast<std::uint32_t>(end - begin);
    mean_ = n_columns ? static_cast<int>(static_cast<std::int64_t>(entries_.size()) / n_columns) : 0;
  }

  const Entry* begin(std::uint32_t column) const { return entries_.data() + start_[column]; }
  const Entry* end(std::uint32_t column) const { return entries_.data() + start_[column + 1]; }
  std::uint32_t n_rows() const { return n_rows_; }
  int mean_entries() const { return mean_; }  // of a column that has any

 private:
  std::vector<std::uint32_t> start_, next_;
  std::vector<Entry> entries_;
  std::uint32_t n_rows_ = 0;
  int mean_ = 0;
};

// Tree: step(node) is what a node asks; of a step, is_leaf(), is_plain() (a number of one column is
// compared), column(), child() and right(value) are asked. walk_from(node, row) takes one row on and returns
// its leaf, leaf(node) is the answer of a leaf.
template <class Tree, class T>
class ZeroPaths {
 public:
  ZeroPaths(const Tree& tree, const BlockColumns<T>& columns)
      : tree_(tree),
        columns_(columns),
        path_of_(columns.n_rows(), 0),
        least_(columns.mean_entries() / 2 + 8) {}

  // Writes the leaf of each of the rows at[0..n) of the block.
  template <class Leaf>
  void walk(const std::uint32_t* at, int n, Leaf* leaf) {
    result_.resize(columns_.n_rows());
    rows_.assign(at, at + n);
    pieces_.push_back({0, 0});
    while (!pieces_.empty()) {
      const Piece piece = pieces_.back();
      pieces_.pop_back();
      together_.assign(rows_.begin() + piece.begin, rows_.end());
      rows_.resize(piece.begin);
      follow(piece.node);
    }
    for (int i = 0; i < n; ++i) leaf[i] = static_cast<Leaf>(result_[at[i]]);
  }

 private:
  // Rows that are at a node, from a place of the list to where those of the piece before begin.
  struct Piece {
    std::uint32_t node;
    std::ptrdiff_t begin;
  };

  // Takes the rows together down the path of zeros from a node; those that leave it are put aside.
  void follow(std::uint32_t node) {
    auto left = static_cast<int>(together_.size());
    if (left < least_) {
      for (const std::uint32_t row : together_) result_[row] = tree_.walk_from(node, row);
      return;
    }
    ++path_;
    for (const std::uint32_t row : together_) path_of_[row] = path_;
    auto step = tree_.step(node);
    for (; !step.is_leaf() && step.is_plain() && left >= least_; step = tree_.step(node)) {
      const bool zeros_right = step.right(T{0});
      const auto n_before = static_cast<std::ptrdiff_t>(rows_.size());
      for (auto entry = columns_.begin(step.column()), end = columns_.end(step.column()); entry < end;
           ++entry)
        if (path_of_[entry->row] == path_ && step.right(entry->value) != zeros_right) {
          path_of_[entry->row] = 0;
          rows_.push_back(entry->row);
        }
      if (const auto n_left = static_cast<std::ptrdiff_t>(rows_.size()); n_left > n_before) {
        pieces_.push_back({step.child() + !zeros_right, n_before});
        left -= static_cast<int>(n_left - n_before);
      }
      node = step.child() + zeros_right;
    }
    for (const std::uint32_t row : together_)
      if (path_of_[row] == path_)
        result_[row] = step.is_leaf() ? tree_.leaf(node) : tree_.walk_from(node, row);
  }

  const Tree& tree_;
  const BlockColumns<T>& columns_;
  std::vector<std::uint32_t> path_of_;  // of each row: the number of the path that it is on
  std::uint32_t path_ = 0;
  int least_;  // rows that are worth to be taken together
  std::vector<std::uint32_t> rows_, together_;
  std::vector<Piece> pieces_;
  std::vector<std::uint32_t> result_;  // of each row
};

}  // namespace bough
