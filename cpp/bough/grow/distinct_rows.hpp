// Tables in which the same rows come again and again: their distinct rows, each with the number of times that
// it occurs. Sums over rows are whole numbers, so the tree of the distinct rows is that of all rows to the
// bit.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "bough/grow/problem.hpp"
#include "bough/machine/watch.hpp"

namespace bough {

// Whether sums of numbers and of their squares do not depend on the order of the rows: they are whole.
bool sums_are_exact(const Data& data);

// The columns and the target of each distinct row, in the order in which they first occur.
class DistinctRows {
 public:
  // None if the rows are mostly different, or if the recipe reads more of them than their sums.
  static std::optional<DistinctRows> of(const Data& data, const Recipe& recipe, Watch& watch);

  // Of each row of the table which distinct row it is.
  const std::vector<std::uint32_t>& id() const { return id_; }
  int size() const { return static_cast<int>(first_.size()); }

  // How often each occurs in the table, then outside each fold.
  std::vector<std::vector<double>> weights(const std::int32_t* fold, int n_folds) const;
  // They with these weights, in place of the rows of the table.
  Data data(const Data& table, const double* weight) const;

 private:
  bool collect(const Data& data, Watch& watch);
  void copy(const Data& data);

  std::vector<std::uint32_t> id_;
  std::vector<std::uint32_t> first_;  // row of each
  std::deque<std::vector<char>> cells_;
  std::vector<Column> columns_;
  std::vector<std::int32_t> label_;
  std::vector<double> y_;
};

}  // namespace bough
