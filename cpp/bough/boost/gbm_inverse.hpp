// The inverse of a square matrix as gbm computes it: Crout's factors L U without pivots, U with ones on its
// diagonal. Each sum has gbm's order, since the last bits decide the steps where the matrix is nearly
// singular.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bough {

class GbmMatrix {
 public:
  explicit GbmMatrix(int n) : n_(n), cells_(static_cast<std::size_t>(n) * n, 0.0) {}

  double& operator()(int row, int column) { return cells_[static_cast<std::size_t>(row) * n_ + column]; }
  double operator()(int row, int column) const { return cells_[static_cast<std::size_t>(row) * n_ + column]; }

  // Has infinities or NaN where the matrix is singular.
  GbmMatrix inverse() const {
    GbmMatrix both = factors();
    invert_lower(both);
    invert_upper(both);
    GbmMatrix product(n_);
    for (int row = 0; row < n_; ++row)
      for (int column = 0; column < n_; ++column)
        for (int k = std::max(row, column); k < n_; ++k)
          product(row, column) += (k == row ? 1.0 : both(row, k)) * both(k, column);
    return product;
  }

 private:
  // L on and below the diagonal, U above it.
  GbmMatrix factors() const {
    GbmMatrix both = *this;
    const auto inner = [&](int row, int column, int before) {
      double sum = 0;
      for (int k = 0; k < before; ++k) sum += both(row, k) * both(k, column);
      return sum;
    };
    for (int i = 0; i < n_; ++i) {
      for (int row = i; row < n_; ++row) both(row, i) -= inner(row, i, i);
      for (int column = i + 1; column < n_; ++column)
        both(i, column) = (both(i, column) - inner(i, column, i)) / both(i, i);
    }
    return both;
  }

  static void invert_lower(GbmMatrix& both) {
    for (int column = 0; column < both.n_; ++column)
      for (int row = column; row < both.n_; ++row) {
        double value = row == column ? 1 : 0;
        for (int k = column; k < row; ++k) value -= both(row, k) * both(k, column);
        both(row, column) = value / both(row, row);
      }
  }

  static void invert_upper(GbmMatrix& both) {
    for (int row = 0; row < both.n_; ++row)
      for (int column = row + 1; column < both.n_; ++column) {
        double sum = 0;
        for (int k = row; k < column; ++k) sum += both(k, column) * (k == row ? 1.0 : both(row, k));
        both(row, column) = -sum;
      }
  }

  int n_;
  std::vector<double> cells_;
};

}  // namespace bough
