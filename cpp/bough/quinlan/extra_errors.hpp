// The errors that a leaf is expected to make beyond those it makes on the cases it was grown on: at the upper
// limit of the confidence interval of its error rate (Quinlan 1993, chapter 4).
#pragma once

#include <algorithm>
#include <cmath>

namespace bough::quinlan {

// Quinlan's own programs hold numbers as 32-bit floats and interpolate the normal deviate from a table of a
// few of its values.
class QuinlanErrors {
 public:
  using Number = float;

  float operator()(float n, float e) const {
    if (e < 1e-6) return without_errors(n);
    if (e < 0.9999 && n > least_interpolated_) {
      const float none = without_errors(n);
      return none + e * ((*this)(n, 1.0f) - none);
    }
    if (e + 0.5 >= n) return static_cast<float>(0.67 * (n - e));
    const float rate = static_cast<float>(
        (e + 0.5 + square_ / 2 + std::sqrt(square_ * ((e + 0.5) * (1 - (e + 0.5) / n) + square_ / 4))) /
        (n + square_));
    return n * rate - e;
  }

 protected:
  // least_interpolated: leaves of more cases than this, but less than one error, lie between none and one.
  QuinlanErrors(float confidence, float least_confidence, float least_interpolated)
      : confidence_(std::max(confidence, least_confidence)), least_interpolated_(least_interpolated) {
    constexpr float kLevel[] = {0, 0.001f, 0.005f, 0.01f, 0.05f, 0.10f, 0.20f, 0.40f, 1.00f};
    constexpr float kDeviate[] = {4.0f, 3.09f, 2.58f, 2.33f, 1.65f, 1.28f, 0.84f, 0.25f, 0.00f};
    int i = 1;
    while (i < 8 && confidence > kLevel[i]) ++i;
    const float z = kDeviate[i - 1] + (kDeviate[i] - kDeviate[i - 1]) * (confidence - kLevel[i - 1]) /
                                          (kLevel[i] - kLevel[i - 1]);
    square_ = z * z;
  }

 private:
  float without_errors(float n) const {
    return static_cast<float>(n * (1 - std::exp(std::log(static_cast<double>(confidence_)) / n)));
  }

  float confidence_, least_interpolated_, square_;
};

// C4.5, release 8.
class Release8Errors : public QuinlanErrors {
 public:
  // The deviate is ignored: the program has its own table.
  Release8Errors(double confidence, double) : QuinlanErrors(static_cast<float>(confidence), 0, 0) {}

  static bool no_more(double a, double b) { return a <= b; }
  static bool no_less(float a, float b) { return a >= b; }
  // Where no value is known, no branch has cases.
  static float share_if_none_known(int) { return 0; }
};

class C50Errors : public QuinlanErrors {
 public:
  explicit C50Errors(float confidence) : QuinlanErrors(confidence, 1e-6f, 1) {}
};

// Weka: with the exact deviate, and other limits for leaves of few cases.
class WekaErrors {
 public:
  using Number = double;

  WekaErrors(double confidence, double deviate) : confidence_(confidence), z_(deviate) {}

  double operator()(double n, double e) const {
    if (confidence_ > 0.5) return 0;
    if (e < 1) {
      const double none = n * (1 - std::pow(confidence_, 1 / n));
      return e == 0 ? none : none + e * ((*this)(n, 1) - none);
    }
    if (e + 0.5 >= n) return std::max(n - e, 0.0);
    const double f = (e + 0.5) / n;
    const double rate = (f + z_ * z_ / (2 * n) + z_ * std::sqrt(f / n - f * f / n + z_ * z_ / (4 * n * n))) /
                        (1 + z_ * z_ / n);
    return rate * n - e;
  }

  static bool no_more(double a, double b) { return a - b < 1e-6 || a <= b; }
  static bool no_less(double a, double b) { return b - a < 1e-6 || a >= b; }
  // Where no value is known, all branches get the same.
  static double share_if_none_known(int n_branches) { return 1.0 / n_branches; }

 private:
  double confidence_, z_;
};

}  // namespace bough::quinlan
