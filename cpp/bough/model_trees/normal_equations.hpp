// Least squares with a ridge, from sums of products over rows.
#pragma once

#include <cstddef>
#include <vector>

namespace bough::model_trees {

// A row is the numbers (1, x1, ..., xp, y). Sums are kept for each pair of them.
class NormalEquations {
 public:
  explicit NormalEquations(int n_columns)
      : size_(n_columns + 2), sums_(static_cast<std::size_t>(size_) * size_) {}

  void clear() { sums_.assign(sums_.size(), 0); }
  // Adds four rows, of which some may have weight 0.
  void add(const double* const row[4], const double weight[4]);
  void add(const double* row, double weight);
  double weight() const { return sums_[0]; }

  // The squared error of the model of least squared error plus penalty[k] times the square of slope k, for
  // each column k from 1 on. Columns that are constant, or sums of others before them, get the slope 0.
  double solve(const std::vector<double>& penalty);
  // Of the last solution.
  const std::vector<double>& slopes() const { return slope_; }
  double intercept() const;

 private:
  int size_;
  std::vector<double> sums_;    // upper triangle, row by row
  std::vector<double> solved_;  // the same after elimination
  std::vector<double> slope_;
};

}  // namespace bough::model_trees
