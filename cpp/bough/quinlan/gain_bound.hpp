// An upper bound of the information that a cut gains, by which most cuts are passed over.
//
// Let a cut leave l and r of n cases on its sides, and l_c, r_c of the n_c cases of class c. What it gains is
// the sum over both sides of their cases times the divergence of their class shares from those of the node. A
// divergence is at most that of chi-square, so that it is at most the sum over the classes of
// (l_c r - r_c l)^2 / (n_c l r), in nats.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bough/quinlan/information.hpp"

namespace bough::quinlan {

template <class T>
class GainBound {
 public:
  // all: the class weights of the list, which stay as they are while the bound is used; known: their sum, by
  // which gains are divided; factor: by which they are multiplied after that. slack: what rounding may add to
  // a gain before that.
  GainBound(const std::vector<T>& all, double known, double factor, double slack)
      : all_(all.data()), k_(static_cast<int>(all.size())), known_(known), factor_(factor), slack_(slack) {
    if (k_ == 2 && all[0] > 0 && all[1] > 0) both_ = known / (static_cast<double>(all[0]) * all[1]);
    double fewest = known;
    for (const T weight : all)
      if (weight > 0) fewest = std::min<double>(fewest, weight);
    bits_per_case_ = std::log2(known / fewest) + 2;
  }

  // Gains less than the greatest one so far do not matter any more, nor do those that are not positive. Where
  // classes are many, every gain is computed.
  void raise(T gain) {
    if (!(gain > most_) || k_ >= kManyClasses) return;
    most_ = gain;
    bar_ = (most_ * (1 - kNear) / factor_ - slack_) * known_ * kLn2 * (1 - kNear);
  }

  // Whether the gain of a cut may matter: of two classes where every case weighs 1, by the cases of the
  // second class on both sides.
  bool may_matter(std::int64_t left_ones, std::int64_t right_ones, std::int64_t left,
                  std::int64_t right) const {
    const auto apart = static_cast<double>(left_ones * right - right_ones * left);
    return !(apart * apart * both_ < bar_ * (static_cast<double>(left) * static_cast<double>(right)));
  }

  // The same of more classes.
  bool may_matter(const std::int64_t* low, const std::int64_t* high, std::int64_t left,
                  std::int64_t right) const {
    if (!(bar_ > 0)) return true;
    double sum = 0;
    for (int c = 0; c < k_; ++c)
      if (low[c] + high[c] > 0) {
        const auto apart = static_cast<double>(low[c] * right - high[c] * left);
        sum += apart * apart / static_cast<double>(low[c] + high[c]);
      }
    return !(sum < bar_ * (static_cast<double>(left) * static_cast<double>(right)));
  }

  // The same for weights, which are summed in steps that round: the classes of both sides need not add up to
  // those of the list. Information is concave, so that it changes by at most its slope times what is missing.
  bool may_matter(const T* low, const T* high) const {
    if (!(bar_ > 0)) return true;
    double left = 0, right = 0;
    for (int c = 0; c < k_; ++c) left += low[c], right += high[c];
    double sum = 0, drift = 0;
    for (int c = 0; c < k_; ++c) {
      const double both = static_cast<double>(low[c]) + high[c];
      if (low[c] < 0 || high[c] < 0 || both < all_[c] * 0.5) return true;
      if (!(both > 0)) continue;
      const double apart = low[c] * right - high[c] * left;
      sum += apart * apart / both;
      drift += std::abs(both - all_[c]);
    }
    return !(sum < (bar_ - drift * bits_per_case_) * (left * right));
  }

 private:
  static constexpr double kNear = 1e-6;  // gains this near to each other may be taken for equal

  const T* all_;
  int k_;
  double known_, factor_, slack_;
  double both_ = 0;  // of two classes: known / (n_0 n_1)
  double bits_per_case_;
  T most_ = 0;
  double bar_ = -std::numeric_limits<double>::infinity();  // that chi-square must reach
};

}  // namespace bough::quinlan
