// Exponential and logarithm by our own arithmetic, so that a boosted model does not depend on the library of
// the platform. Loops over them can be turned into vector instructions; both are right to about 1e-14.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace bough {

// A double plus this holds its nearest whole number in its lowest bits.
constexpr double kRounder = 0x1.8p52;

// The nearest whole number of a double below 2^31; halves go to the even one.
inline std::int64_t rounded(double x) {
  return std::bit_cast<std::int64_t>(x + kRounder) - std::bit_cast<std::int64_t>(kRounder);
}

inline double exp_of(double x) {
  x = x > 708.0 ? 708.0 : x;
  x = x < -708.0 ? -708.0 : x;
  const double shifted = x * 1.4426950408889634 + kRounder;
  const double power = shifted - kRounder;
  const double r = (x - power * 0x1.62e42fee00000p-1) - power * 0x1.a39ef35793c76p-33;
  double sum = 1.0 / 39916800.0;
  sum = sum * r + 1.0 / 3628800.0;
  sum = sum * r + 1.0 / 362880.0;
  sum = sum * r + 1.0 / 40320.0;
  sum = sum * r + 1.0 / 5040.0;
  sum = sum * r + 1.0 / 720.0;
  sum = sum * r + 1.0 / 120.0;
  sum = sum * r + 1.0 / 24.0;
  sum = sum * r + 1.0 / 6.0;
  sum = sum * r + 0.5;
  sum = sum * r + 1.0;
  sum = sum * r + 1.0;
  const std::int64_t bits = std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(kRounder);
  return sum * std::bit_cast<double>((bits + 1023) << 52);
}

// Of a positive number; minus infinity at 0.
inline double log_of(double x) {
  if (!(x > 0)) return -HUGE_VAL;
  int power;
  double m = std::frexp(x, &power);
  if (m < 0.70710678118654752) {
    m *= 2;
    --power;
  }
  const double s = (m - 1) / (m + 1), square = s * s;
  double sum = 0;
  for (int k = 21; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
  return 2 * s * sum + power * 0.69314718055994531;
}

}  // namespace bough
