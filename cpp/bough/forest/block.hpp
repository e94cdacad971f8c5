// A block holds the few rows of a small subtree: their cells, targets and weights copied, and of each column
// that is asked for in order, the rank of every row in it. All that fits in the cache, and the rows of any
// node below are put in order without being compared.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bough/data/entry.hpp"
#include "bough/forest/cells.hpp"
#include "bough/forest/list_parting.hpp"
#include "bough/forest/listed_cuts.hpp"
#include "bough/forest/order.hpp"
#include "bough/forest/plan.hpp"
#include "bough/forest/view.hpp"
#include "bough/machine/buffer.hpp"
#include "bough/machine/radix_sort.hpp"

namespace bough {

class Block {
 public:
  explicit Block(const ForestPlan& plan);

  // The most rows it can take.
  int most_rows() const { return most_rows_; }

  // Of nominal columns the codes become the ranks drawn for a tree.
  void set_ranks(const std::vector<std::vector<std::uint32_t>>& ranks) { ranks_ = &ranks; }

  // Takes the rows of a node.
  void load(const std::uint32_t* rows, int n, const RowView& table);

  const RowView& view() const { return view_; }
  std::uint32_t row(std::uint32_t index) const { return row_[index]; }

  // The entries of some of the rows in the order of a column, missing last.
  const std::uint32_t* ordered(int column, const std::uint32_t* index, int n);
  // The codes of a column in the table, by index.
  Cells<std::uint32_t> codes(int column) const { return {code_.get() + column, sorted_.size()}; }
  // The codes of all columns, row by row.
  const std::uint32_t* code_rows() const { return code_.get(); }
  // The values of a column, by index.
  Cells<float> values(int column) const { return {value_.get() + column, sorted_.size()}; }
  // The values of all columns, row by row.
  const float* value_rows() const { return value_.get(); }
  const std::uint16_t* ranks(int column) const { return rank_.get() + at(column); }
  const std::uint32_t* entries(int column) const { return entry_.get() + at(column); }

  // Whether it keeps lists of the columns, in each of which a node has the same places as in the list of its
  // rows. Columns of few codes have none: rows are counted by code, and put in order where that is asked for.
  bool keeps_lists() const { return list_ != nullptr; }
  bool has_list(int column) const { return plan_.coded.columns[column].n_codes > kMostSummedCodes; }
  const std::uint32_t* list(int column) const { return list_.get() + at(column); }
  // The codes of a column of few.
  const std::uint8_t* few_codes(int column) const { return few_code_.get() + at(column); }
  // Some of its rows, which must ascend, in the order of such a column, missing last.
  const std::uint32_t* ordered_by_few(int column, const std::uint32_t* index, int n);
  // Whether two rows have one code in a column.
  bool has_ties(int column) const { return ties_[column]; }
  const PackedRows& packed_rows() const { return *packed_; }
  // Parts the lists of n columns as a node was parted: its rows are `index`, of which the first `left` are on
  // the left, and its places begin at `begin`.
  void part_lists(const int* columns, int n, const std::uint32_t* index, int begin, int count, int left,
                  Kept kept);

 private:
  std::size_t at(int column) const { return static_cast<std::size_t>(column) * most_rows_; }
  template <class T>
  void copy_rows(const T* from, T* to) const;
  void load_targets(const Rows& from, std::uint32_t row, int i);
  template <class Code>
  void fetch_codes(int column, Code* to) const;
  const std::uint64_t* sorted_keys(int column);
  void sort(int column);
  void make_list(int column);
  void make_list_of_short(int column);
  void make_list_of_long(int column);

  const ForestPlan& plan_;
  int most_rows_;
  const std::vector<std::vector<std::uint32_t>>* ranks_ = nullptr;
  int size_ = 0;
  RowView view_;
  std::vector<std::uint32_t> row_, out_;
  std::vector<std::int32_t> label_;
  std::vector<double> y_, grid_, weight_, cases_;
  std::vector<std::uint64_t> counted_, keys_, spare_, marks_;
  std::vector<bool> sorted_;
  Buffer<std::uint16_t> rank_;
  Buffer<std::uint32_t> entry_;
  Buffer<std::uint32_t> code_;  // of each row and column in the table, row by row
  Buffer<float> value_;
  Buffer<std::uint32_t> list_;
  std::vector<char> ties_;
  Buffer<std::uint8_t> few_code_;  // of each row and column of few codes, column by column
  std::vector<std::uint32_t> short_keys_, short_spare_;
  std::optional<PackedRows> packed_;
  SideBits sides_;
  const PartList part_list_ = list_parting();
};

}  // namespace bough
