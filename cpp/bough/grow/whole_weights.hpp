// Weights as whole numbers, so that their sums are exact.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace bough {

// As they are if they are whole, else on a grid of a power of two.
struct WholeWeights {
  std::vector<double> weight;  // empty: one each
  double unit = 1;
  bool given_whole = true;
  bool counts_rows = true;  // whether they are whole and a table may have as many rows as they sum to
};

// A table has fewer rows.
inline constexpr double kMostRows = 0x1p32;

inline WholeWeights whole_weights(const double* given, std::int64_t n_rows) {
  WholeWeights w;
  if (!given) return w;
  double total = 0;
  for (std::int64_t i = 0; i < n_rows; ++i) {
    total += given[i];
    w.given_whole &= given[i] == std::floor(given[i]);
  }
  w.given_whole &= total < 0x1p52;
  w.counts_rows = w.given_whole && total < kMostRows;
  w.weight.assign(given, given + n_rows);
  if (w.given_whole) return w;
  int power;
  std::frexp(total, &power);
  w.unit = std::ldexp(1.0, power - 52);
  for (double& x : w.weight) x = std::rint(std::ldexp(x, 52 - power));
  return w;
}

}  // namespace bough
