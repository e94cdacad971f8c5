// A block holds the few rows of a small subtree: their targets and weights copied, and of each column that is
// asked for, the place of every row in its order. All that fits in the cache, and the rows of any node below
// are put in order without being compared.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bough/entry.hpp"
#include "bough/forest/order.hpp"
#include "bough/forest/plan.hpp"
#include "bough/forest/view.hpp"

namespace bough {

class Block {
 public:
  static constexpr int kMostRows = 2048;
  static_assert(kMostRows <= kMaxPackedRows);

  explicit Block(const ForestPlan& plan);

  // Of nominal columns the codes become the ranks drawn for a tree.
  void set_ranks(const std::vector<std::vector<std::uint32_t>>& ranks) { ranks_ = &ranks; }

  // Takes the rows of a node.
  void load(const std::uint32_t* rows, int n, const RowView& table);

  const RowView& view() const { return view_; }
  std::uint32_t row(std::uint32_t index) const { return row_[index]; }
  int size() const { return size_; }

  // The entries of some of the rows in the order of a column, missing last.
  const std::uint32_t* ordered(int column, const std::uint32_t* index, int n);
  // The code of a row in a column that was ordered before; kMissing where there is no value.
  std::uint32_t code(int column, std::uint32_t index) const {
    return code_of(entry_[at(column) + place_[at(column) + index]]);
  }
  // The values of a column, by index.
  const float* values(int column) const { return value_.get() + at(column); }
  const std::uint16_t* places(int column) const { return place_.get() + at(column); }
  const std::uint32_t* entries(int column) const { return entry_.get() + at(column); }

 private:
  std::size_t at(int column) const { return static_cast<std::size_t>(column) * kMostRows; }
  template <class T>
  void copy_rows(const T* rows, T* columns) const;
  void sort(int column);

  const ForestPlan& plan_;
  const std::vector<std::vector<std::uint32_t>>* ranks_ = nullptr;
  int size_ = 0;
  RowView view_;
  std::vector<std::uint32_t> row_, out_;
  std::vector<std::int32_t> label_;
  std::vector<double> y_, grid_, weight_, cases_;
  std::vector<std::uint64_t> counted_, keys_, spare_, marks_;
  std::vector<bool> sorted_;
  std::unique_ptr<std::uint16_t[]> place_;
  std::unique_ptr<std::uint32_t[]> entry_;
  std::unique_ptr<std::uint32_t[]> code_;  // of every row in the table, by column
  std::unique_ptr<float[]> value_;
};

}  // namespace bough
