// Linear regression as in Weka: columns are standardized, a slight ridge keeps the equations solvable, and
// columns are dropped one by one while Akaike's criterion falls.
//
// Sums are formed in the order of the rows and equations are solved in JAMA's order of operations, because
// rounding decides which of two collinear columns is dropped.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bough/model_trees/numeric_rows.hpp"

namespace bough::model_trees {

class Regression {
 public:
  // Of some rows and columns.
  Regression(const NumericRows& data, std::span<const std::uint32_t> rows, std::span<const int> columns);

  LinearModel fit();

 private:
  // Coefficients of the chosen columns, by their places in columns_, and the intercept.
  struct Solution {
    std::vector<double> coefficient;
    double intercept = 0;
  };

  void standardize(const NumericRows& data, std::span<const std::uint32_t> rows);
  void tabulate();
  Solution solve(const std::vector<int>& chosen) const;
  double squared_error(const std::vector<int>& chosen, const Solution& solution);
  // Absolute coefficient in units of the standard deviations.
  double size(const std::vector<int>& chosen, const Solution& solution, std::size_t place) const;
  void drop_collinear(std::vector<int>& chosen, Solution& solution) const;
  void drop_by_akaike(std::vector<int>& chosen, Solution& solution);

  std::vector<int> columns_;
  double n_ = 0;                             // cases
  std::vector<double> y_, weight_;           // by row; weight_ is empty if all are 1
  std::vector<std::vector<double>> values_;  // by column
  std::vector<std::vector<double>> scaled_;  // by column
  std::vector<double> mean_, deviation_;     // by column
  double y_mean_ = 0, y_deviation_ = 0;
  std::vector<double> products_, with_y_;  // of the scaled columns, and of these with y
  std::vector<double> predicted_;
};

}  // namespace bough::model_trees
