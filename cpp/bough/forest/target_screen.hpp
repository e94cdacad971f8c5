// A screen of cuts that are drawn, one of every column, under squared error of several targets: it bounds
// their values from above, those of eight columns at a time in single precision, so that few are evaluated.
//
// Sums are taken from the node's means, so that a cut with the weights l and r on its sides and the sums s on
// its left has the value sum(s^2) / (l r n_targets).
#pragma once

#include <cstdint>
#include <vector>

#include "bough/data/rows.hpp"
#include "bough/forest/forest_split.hpp"
#include "bough/forest/moment_screen.hpp"

namespace bough {

class TargetScreen {
 public:
  TargetScreen(int n_columns, int n_targets, std::size_t most_rows);

  // The extremes of all columns among some rows. cells: row by row; they may be read past the last column of
  // the last row.
  void find_extremes(const float* cells, const std::uint32_t* index, int n);
  float least(int column) const { return least_[column]; }
  float most(int column) const { return most_[column]; }
  float cut(int column) const { return cut_[column]; }
  void set_cut(int column, float cut) { cut_[column] = cut; }

  // Bounds the cuts of all columns. risk: of each target, the sum of its squared distances from the mean.
  // whole: weights are whole numbers, whose sums are exact.
  void bound_cuts(const float* cells, const std::uint32_t* index, int n, const Rows& rows,
                  const NodeSums& sums, const double* risk, bool whole);
  // The value of the cut of a column is not above this.
  double highest(int column) const;

 private:
  void take_rows(const std::uint32_t* index, int n, const Rows& rows, const NodeSums& sums,
                 const double* risk);

  int n_columns_, n_targets_;
  int width_, stride_;  // of a row: its targets and its weight; of a sum: all columns. Both are whole vectors
  std::vector<float> least_, most_, cut_;
  std::vector<float> row_, below_;           // of the node's rows; the sums below the cuts of all columns
  std::vector<double> mean_;                 // of each target
  double unit_ = 1, weight_ = 0;             // of sums; of the node
  double sum_slack_ = 0, weight_slack_ = 0;  // how far rounding may move them
};

}  // namespace bough
