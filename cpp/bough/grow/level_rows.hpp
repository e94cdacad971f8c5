// Tables whose columns are all nominal: the rows of a node are counted by column, level and fold, so that one
// pass serves the tree of all rows and those without a fold.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bough/grow/problem.hpp"

namespace bough {

// The cells of a node: of each column, level and fold the rows of each class, or the number of rows and the
// sum of their numbers.
using LevelCounts = std::vector<std::int64_t>;

class LevelRows {
 public:
  // None if a column is not nominal or has a missing value, or if the cells are many beside the rows.
  static std::optional<LevelRows> of(const Data& data, const std::int32_t* fold, int n_folds);

  int n_rows() const { return n_rows_; }
  int n_columns() const { return static_cast<int>(n_levels_.size()); }
  int n_levels(int c) const { return n_levels_[c]; }
  // Those of rows; rows in no fold have one of their own, the last.
  int n_folds() const { return n_folds_; }
  int fold(std::uint32_t row) const { return fold_[row]; }
  int level(int c, std::uint32_t row) const { return level_[static_cast<std::size_t>(c) * n_rows_ + row]; }
  // The numbers of a cell: one a class; else two.
  int width() const { return width_; }
  // The numbers of all cells.
  std::size_t size() const { return start_.back(); }
  // The cells of a level, one a fold.
  const std::int64_t* cells(const LevelCounts& counts, int c, int level) const {
    return counts.data() + start_[c] + static_cast<std::size_t>(level) * stride();
  }

  // Adds rows to the cells of columns begin to end. number: of each of them; null: zeros, or classes.
  void count(const std::vector<std::uint32_t>& rows, const std::int64_t* number, int begin, int end,
             LevelCounts& counts) const;

  // The sums over the folds: of each level `width` numbers, one level after the other.
  LevelCounts totals(const LevelCounts& counts) const;
  const std::int64_t* total(const LevelCounts& totals, int c, int level) const {
    return totals.data() + start_[c] / n_folds_ + static_cast<std::size_t>(level) * width_;
  }

 private:
  std::size_t stride() const { return static_cast<std::size_t>(n_folds_) * width_; }
  bool read(const Data& data);

  int n_rows_ = 0, n_folds_ = 1, width_ = 2;
  bool classes_ = false;
  std::vector<int> n_levels_;
  std::vector<std::size_t> start_;     // of the cells of each column
  std::vector<std::uint16_t> level_;   // by column
  std::vector<std::uint16_t> offset_;  // of each row's number within the cells of a level
  std::vector<std::uint8_t> fold_;     // of each row
};

}  // namespace bough
