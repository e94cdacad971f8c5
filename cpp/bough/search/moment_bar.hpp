// What a cut must reach under squared error or Poisson to be evaluated.
#pragma once

#include <cstdint>
#include <cstring>

#include "bough/machine/processor.hpp"
#include "bough/machine/vectors.hpp"

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

// The weight and the sum on both sides of every cut of a list.
template <int kRoom>
struct SidesOfCuts {
  static constexpr int kMost = kRoom;
  double left_weight[kRoom], left_sum[kRoom], right_weight[kRoom], right_sum[kRoom];

  // Those of a vector of cuts that begins with cut j.
  template <class V>
  BOUGH_INLINE void read(int j, V& wl, V& sl, V& wr, V& sr) const {
    std::memcpy(&wl, left_weight + j, sizeof wl);
    std::memcpy(&sl, left_sum + j, sizeof sl);
    std::memcpy(&wr, right_weight + j, sizeof wr);
    std::memcpy(&sr, right_sum + j, sizeof sr);
  }
};

// Whether any of n cuts reaches the bar, and which ones if `may` is given. Vectors may be read past the last.
template <int kLanes, class Sides>
BOUGH_INLINE bool any_reaches(const Sides& sides, int n, const MomentBar& bar, std::int64_t* may = nullptr) {
  typename VectorsOf<kLanes>::Tests any = {};
  for (int j = 0; j < n; j += kLanes) {
    typename VectorsOf<kLanes>::Numbers wl, sl, wr, sr;
    sides.read(j, wl, sl, wr, sr);
    typename VectorsOf<kLanes>::Tests reached;
    bar.test(wl, sl, wr, sr, reached);
    if (may) std::memcpy(may + j, &reached, sizeof reached);
    any |= reached;
  }
  return any_of<kLanes>(any);
}

}  // namespace bough
