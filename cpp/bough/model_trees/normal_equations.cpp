#include "bough/model_trees/normal_equations.hpp"

#include <algorithm>

namespace bough::model_trees {

namespace {

// A column of whose sum of squares no greater share is left once the columns before it explain it is dropped.
constexpr double kExplained = 1e-10;

}  // namespace

void NormalEquations::add(const double* const row[4], const double weight[4]) {
  const double *a = row[0], *b = row[1], *c = row[2], *d = row[3];
  for (int i = 0; i < size_; ++i) {
    const double fa = weight[0] * a[i], fb = weight[1] * b[i], fc = weight[2] * c[i], fd = weight[3] * d[i];
    double* sums = sums_.data() + static_cast<std::size_t>(i) * size_;
    for (int j = i; j < size_; ++j) sums[j] += (fa * a[j] + fb * b[j]) + (fc * c[j] + fd * d[j]);
  }
}

void NormalEquations::add(const double* row, double weight) {
  for (int i = 0; i < size_; ++i) {
    const double factor = weight * row[i];
    double* sums = sums_.data() + static_cast<std::size_t>(i) * size_;
    for (int j = i; j < size_; ++j) sums[j] += factor * row[j];
  }
}

double NormalEquations::solve(const std::vector<double>& penalty) {
  solved_ = sums_;
  const int y = size_ - 1;
  const auto at = [&](int i) { return solved_.data() + static_cast<std::size_t>(i) * size_; };
  const auto eliminate = [&](int k) {
    const double *pivots = at(k), pivot = pivots[k];
    for (int i = k + 1; i < size_; ++i) {
      const double factor = pivots[i] / pivot;
      double* row = at(i);
      for (int j = i; j < size_; ++j) row[j] -= factor * pivots[j];
    }
  };
  slope_.assign(y, 0);
  std::vector<bool> constant(y);
  eliminate(0);
  for (int k = 1; k < y; ++k) {
    // Of a constant column rounding errors are left, which are no reason for a slope, whatever the penalty.
    constant[k] = !(at(k)[k] > kExplained * sums_[static_cast<std::size_t>(k) * size_ + k]);
    at(k)[k] += penalty[k];
  }
  for (int k = 1; k < y; ++k) {
    const double squares = sums_[static_cast<std::size_t>(k) * size_ + k];
    if (!constant[k] && at(k)[k] > kExplained * squares) {
      eliminate(k);
    } else {
      at(k)[k] = 0;
    }
  }
  double error = at(y)[y];
  for (int k = y - 1; k > 0; --k) {
    const double* row = at(k);
    if (row[k] == 0) continue;
    double rest = row[y];
    for (int j = k + 1; j < y; ++j) rest -= row[j] * slope_[j];
    slope_[k] = rest / row[k];
    error -= penalty[k] * (slope_[k] * slope_[k]);
  }
  return std::max(error, 0.0);
}

double NormalEquations::intercept() const {
  double sum = sums_[size_ - 1];
  for (int k = 1; k < size_ - 1; ++k) sum -= slope_[k] * sums_[k];
  return sum / weight();
}

}  // namespace bough::model_trees
