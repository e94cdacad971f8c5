// The rows of all leaves of a growing tree in the order of each column, as exact trees have them. Where rows
// are few, the sums on the left of each cut are taken from the rows themselves: histograms would be mostly
// empty.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/data/bins.hpp"
#include "bough/histogram/row_list.hpp"

namespace bough {

// A row in its lower half, and its code of the column in the upper half.
using SortedRow = std::uint32_t;

inline std::uint32_t row_of_sorted(SortedRow row) { return row & 0xffff; }
inline int code_of_sorted(SortedRow row) { return static_cast<int>(row >> 16); }

class SortedRows {
 public:
  static constexpr std::int64_t kMostRows =
      1024;  // of a table, so that two long registers hold a bit of each

  explicit SortedRows(const BinnedTable& bins) : bins_(bins) {}

  // Begins a tree, whose root has these rows.
  void start(const RowEntry* entries, std::int64_t count);

  // A leaf that is split: where its entries start, which are parted already, and how many of them go left and
  // right.
  struct Parted {
    std::int64_t begin, n_left, n_right;
    int depth;
  };
  void part(const RowEntry* entries, const Parted& leaf);

  // Whether the rows of leaves are kept in the order of a column: not if values are missing, levels have no
  // order, or the table has too many rows.
  bool has(int column) const { return !place_.empty() && place_[column] >= 0; }

  // The leaves that need no histogram, by their number of rows.
  std::int64_t few_rows(std::int64_t otherwise) const { return has_all_ ? few_rows_ : otherwise; }

  // The rows of a leaf, in the order of a column.
  const SortedRow* rows(int column, std::int64_t begin, int depth) const {
    return lists(depth) + place_[column] * n_rows() + begin;
  }

 private:
  std::size_t n_rows() const { return static_cast<std::size_t>(bins_.n_rows); }
  void sort_all();
  // Those of leaves at even depths and at odd ones, column by column.
  const SortedRow* lists(int depth) const { return depth == 0 ? root_ : lists_[depth % 2].data(); }

  const BinnedTable& bins_;
  bool has_all_ = false;  // all columns that are searched
  std::int64_t few_rows_ = 0;
  std::vector<int> place_;                 // of each column among those that have an order, or -1
  std::vector<SortedRow> all_, lists_[2];  // all rows of the table, and those of the leaves
  const SortedRow* root_ = nullptr;
  std::vector<std::uint32_t> bits_;  // of each row: whether it goes right, or is not in the tree
};

}  // namespace bough
