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

// A bit of each row of a table; two long registers hold them.
struct RowMarks {
  static constexpr std::size_t kWords = 32, kMostRows = 32 * kWords;
  std::uint32_t words[kWords];
};

class SortedRows {
 public:
  static constexpr std::int64_t kMostRows = RowMarks::kMostRows;  // of a table

  explicit SortedRows(const BinnedTable& bins) : bins_(bins) {}

  // Begins a tree, whose root has these rows.
  void start(const RowEntry* entries, std::int64_t count);

  // A leaf that is split: where its entries start, which are parted already, how many of them go left and
  // right, and which children are searched, so that their rows are wanted.
  struct Parted {
    std::int64_t begin = 0, n_left = 0, n_right = 0;
    int depth = 0;
    bool wants_left = true, wants_right = true;
  };
  // Marks the rows that go right, then parts the rows in the order of each column that is not shared.
  // rows: of the leaf, those that go left first.
  const RowMarks& mark(const RowEntry* rows, const Parted& leaf);
  const RowMarks& mark(const SortedRow* rows, const Parted& leaf);
  void part(const Parted& leaf);

  // Parts the rows of a leaf in the order of some columns, which are `stride` rows apart.
  static void part(const SortedRow* from, SortedRow* to, std::size_t stride, std::size_t n_columns,
                   const RowMarks& marks, const Parted& leaf);

  // Whether the rows of leaves are kept in the order of a column: not if values are missing, levels have no
  // order, or the table has too many rows.
  bool has(int column) const { return !place_.empty() && place_[column] >= 0; }

  // Whether they are kept for any column, in this tree.
  bool keeps_rows() const { return !all_.empty(); }

  // Whether that is so for all columns that are searched; how many these are, and which columns they are.
  bool has_all() const { return has_all_; }
  const std::vector<int>& columns() const { return columns_; }
  // All rows of the table in the order of a column.
  const SortedRow* all_rows(std::size_t place) const { return all_.data() + place * n_rows(); }

  // Lets another thread part the rows of a tree in the order of all but the first columns; with all of them
  // nothing is shared. `take_back` parts them here too, as the leaves are by now.
  void share(std::size_t n_own);
  void take_back();

  // Where a column is among those that have an order.
  std::size_t place(int column) const { return static_cast<std::size_t>(place_[column]); }

  // The rows of a leaf, in the order of a column.
  const SortedRow* rows(int column, std::int64_t begin, int depth) const {
    return lists(depth) + place_[column] * n_rows() + begin;
  }

 private:
  template <class Row>
  const RowMarks& mark_rows(const Row* rows, const Parted& leaf);
  std::size_t n_rows() const { return static_cast<std::size_t>(bins_.n_rows); }
  void sort_all();
  // Those of leaves at even depths and at odd ones, column by column.
  const SortedRow* lists(int depth) const { return depth == 0 ? root_ : lists_[depth % 2].data(); }

  const BinnedTable& bins_;
  bool has_all_ = false;  // all columns that are searched
  std::size_t n_own_ = 0;
  std::vector<int> place_;                 // of each column among those that have an order, or -1
  std::vector<SortedRow> all_, lists_[2];  // all rows of the table, and those of the leaves
  const SortedRow* root_ = nullptr;
  std::vector<int> columns_;    // that have an order
  std::vector<Parted> parted_;  // the leaves of the tree that were split, where columns are shared
  RowMarks marks_;              // of the rows that go right, or are not in the tree
};

}  // namespace bough
