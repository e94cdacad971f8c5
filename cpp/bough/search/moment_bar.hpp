// What a cut must reach under squared error or Poisson to be evaluated.
#pragma once

#include "bough/machine/processor.hpp"

namespace bough {

// By the imbalance d = left sum * right weight - right sum * left weight. Tests multiply where bounds would
// divide; Poisson's are those of divergence.hpp.
struct MomentBar {
  double weight, sum;       // of all rows
  double bar = -1;          // least d^2 / (left weight * right weight)
  bool rates = false;       // Poisson
  double rate_squared = 0;  // 0: chi-square alone is compared

  // V: a number or a vector of numbers; Test: what comparing them gives.
  template <class V, class Test>
  BOUGH_INLINE void test(const V& wl, const V& sl, const V& wr, const V& sr, Test& reached) const {
    const V d = sl * wr - sr * wl, squares = d * d, weights = wl * wr;
    reached = squares >= bar * weights;
    if (rate_squared == 0) return;
    const V sums = sl * sr;
    reached &= squares * (2 * sums + rate_squared * weights) >= 6 * bar * (weights * sums);
  }

  // Poisson from now on; exponents of sums too far from 0 leave chi-square alone.
  void set_rates() {
    rates = true;
    const double rate = sum / weight;
    if (sum > 1e-60 && sum < 1e60 && rate > 1e-60 && rate < 1e60) rate_squared = rate * rate;
  }

  // What the logarithms of a value may add to it by rounding is taken from the bar.
  void raise(double value, double node_weight) {
    constexpr double kSlack = 2e-10, kRounded = 0x1p-48;
    const double bound = value * node_weight;
    bar =
        rates ? sum * (bound * (1 - kSlack) - kRounded * (40 * sum + weight)) : weight * bound * (1 - kSlack);
    if (!(bar > 0)) bar = -1;
  }
};

}  // namespace bough
