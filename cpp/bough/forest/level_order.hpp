// The order in which a tree cuts the levels of its nominal columns: one for each tree and column, so that a
// nominal column is searched and parted as if it were numbers.
//
// Levels are ordered by their share of a class, or by their mean. With few rows a level that fits noise:
// nodes then find in the rows the very order that was made of them. So each level's share is drawn from what
// is known of it after the tree's rows, in the normal model of random effects: a level of many rows has
// nearly its own share, one of few rows nearly any. How much levels differ at all is estimated from the same
// rows by moments; where they do not, the order is entirely random.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "bough/forest/coded.hpp"
#include "bough/forest/plan.hpp"
#include "bough/machine/random.hpp"

namespace bough {

class LevelOrder {
 public:
  explicit LevelOrder(const ForestPlan& plan);

  // Draws the orders of a tree from its rows, each taken once.
  void draw(const std::uint32_t* rows, int n, Random& random);

  // The rank of each level, the last that of missing values; empty where codes are kept as they are.
  const std::vector<std::vector<std::uint32_t>>& ranks() const { return ranks_; }
  // The columns of the table, with ranks for the codes of the tree's rows.
  const std::vector<CodedColumn>& columns() const { return columns_; }

 private:
  // The weight of the rows of a level, and the sum of their targets from the mean.
  struct Level {
    double n = 0, sum = 0;
  };

  // Where the label or y of a row is that the order is drawn from.
  std::size_t target_at(std::uint32_t row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(plan_.data.n_targets()) + of_targets_;
  }
  int drawn_class(const std::uint32_t* rows, int n, Random& random) const;
  void read_targets(const std::uint32_t* rows, int n, Random& random);
  bool draws_targets() const;
  void sum_levels(const std::uint32_t* rows, int n);
  void order(int column, std::vector<Level>& levels, const std::uint32_t* rows, int n, Random& random);

  const ForestPlan& plan_;
  std::vector<std::vector<std::uint32_t>> ranks_, codes_;
  std::vector<CodedColumn> columns_;
  std::vector<double> target_, weight_;  // of each of a tree's rows
  std::size_t of_targets_ = 0;           // the one of several targets that was drawn
  std::vector<double> weighted_;         // the target of each times its weight
  double mean_ = 0;                      // that is still to be taken from the targets
  // Sums over all rows, in their order: the weights, the weighted targets and their squares.
  double all_weight_ = 0, all_sum_ = 0, all_squares_ = 0;
  static constexpr int kTogether = 4;  // columns whose levels are summed side by side
  std::vector<int> together_;
  std::vector<Level> level_[kTogether];
  std::vector<std::pair<double, std::uint32_t>> score_;
};

}  // namespace bough
