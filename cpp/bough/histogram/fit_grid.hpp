// The grid of a fit on bins: weights and targets as whole numbers, once for all trees, so that sums are exact
// in any order and the histogram of a child is that of its parent less that of its sibling. The rule is the
// one of docs/architecture.md: powers of two and floor.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "bough/grow/measure.hpp"

namespace bough {

struct FitGrid {
  // y: null for classes. weight: null for one each.
  FitGrid(const double* y, const double* given, std::int64_t n_rows) {
    set_weights(given, n_rows);
    if (y) set_target(y, n_rows);
  }

  double weight_at(std::int64_t row) const { return weight.empty() ? 1.0 : weight[row]; }

  std::vector<double> weight;  // whole numbers; empty: one each
  int weight_exponent = 0;     // a weight w stands for w / 2^weight_exponent
  double total_weight = 0;
  double origin = 0;                       // of y
  int exponent = 0, squares_exponent = 0;  // of sums and of squares
  std::vector<double> sums, squares;       // what each row adds

 private:
  void set_weights(const double* given, std::int64_t n_rows) {
    total_weight = static_cast<double>(n_rows);
    if (!given) return;
    double most = 0;
    bool whole = true;
    total_weight = 0;
    for (std::int64_t i = 0; i < n_rows; ++i) {
      most = std::max(most, given[i]);
      whole &= given[i] == std::floor(given[i]);
      total_weight += given[i];
    }
    weight.assign(given, given + n_rows);
    whole_ = whole && total_weight < 0x1p52;
    if (whole_) return;
    weight_exponent = grid_exponent(static_cast<double>(n_rows), most);
    total_weight = 0;
    for (double& w : weight) total_weight += w = std::floor(std::ldexp(w, weight_exponent));
  }

  void set_target(const double* y, std::int64_t n_rows) {
    const auto [low, high] = std::minmax_element(y, y + n_rows);
    origin = *low / 2 + *high / 2;
    const double radius = *high / 2 - *low / 2;
    sums.assign(n_rows, 0.0);
    squares.assign(n_rows, 0.0);
    if (!(radius > 0)) return;
    exponent = grid_exponent(total_weight, radius);
    squares_exponent = grid_exponent(total_weight, radius * radius);
    for (std::int64_t i = 0; i < n_rows; ++i) {
      const double d = y[i] - origin, w = weight_at(i);
      if (whole_) {
        sums[i] = w * std::floor(std::ldexp(d, exponent));
        squares[i] = w * std::floor(std::ldexp(d * d, squares_exponent));
      } else {
        sums[i] = std::floor(std::ldexp(w * d, exponent));
        squares[i] = std::floor(std::ldexp(w * d * d, squares_exponent));
      }
    }
  }

  bool whole_ = true;
};

}  // namespace bough
