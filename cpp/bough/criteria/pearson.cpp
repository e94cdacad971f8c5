#include "bough/criteria/pearson.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "bough/machine/log_gamma.hpp"

namespace bough {

Pearson pearson(const double* table, int n_rows, int width) {
  std::vector<double> row(n_rows, 0.0), column(width, 0.0);
  double total = 0;
  for (int j = 0; j < n_rows; ++j)
    for (int c = 0; c < width; ++c) {
      const double x = table[static_cast<std::ptrdiff_t>(j) * width + c];
      row[j] += x;
      column[c] += x;
      total += x;
    }
  double statistic = 0;
  for (int j = 0; j < n_rows; ++j)
    for (int c = 0; c < width; ++c) {
      const double expected = row[j] * column[c] / total;
      if (expected == 0) continue;
      const double d = table[static_cast<std::ptrdiff_t>(j) * width + c] - expected;
      statistic += d * d / expected;
    }
  const auto degrees_of = [](const std::vector<double>& margin) {
    const auto n = std::count_if(margin.begin(), margin.end(), [](double x) { return x > 0; });
    return std::max(0, static_cast<int>(n) - 1);
  };
  return {statistic, degrees_of(row) * degrees_of(column)};
}

namespace {

// The regularized incomplete gamma function of a = degrees / 2 at z = x / 2: exp(log_front) * factor is the
// lower tail where that is the smaller one (by its series), else the upper tail (by Lentz's continued
// fraction; Press et al., Numerical Recipes, section 6.2).
struct GammaTail {
  double log_front, factor;
  bool lower;
};

GammaTail gamma_tail(double a, double z) {
  const double log_front = a * std::log(z) - z - log_gamma(a);
  if (z < a + 1) {
    double term = 1 / a, total = term;
    for (double n = a + 1; term > total * 1e-17; ++n) total += term *= z / n;
    return {log_front, total, true};
  }
  constexpr double kTiny = 1e-300;
  double b = z + 1 - a, c = 1 / kTiny, d = 1 / b, h = d;
  for (int i = 1; i < 10000; ++i) {
    const double an = -i * (i - a);
    b += 2;
    d = 1 / (std::abs(an * d + b) < kTiny ? kTiny : an * d + b);
    c = std::abs(b + an / c) < kTiny ? kTiny : b + an / c;
    const double step = d * c;
    h *= step;
    if (std::abs(step - 1) < 1e-16) break;
  }
  return {log_front, h, false};
}

}  // namespace

double chi_square_survival(double x, int degrees) {
  if (degrees <= 0 || !(x > 0)) return 1.0;
  if (std::isinf(x)) return 0.0;
  const GammaTail tail = gamma_tail(degrees / 2.0, x / 2.0);
  const double share = std::exp(tail.log_front) * tail.factor;
  return tail.lower ? std::max(0.0, 1 - share) : std::clamp(share, 0.0, 1.0);
}

double chi_square_log_survival(double x, int degrees) {
  if (degrees <= 0 || !(x > 0)) return 0.0;
  if (std::isinf(x)) return -x;
  const GammaTail tail = gamma_tail(degrees / 2.0, x / 2.0);
  if (tail.lower) return std::log1p(-std::min(1.0, std::exp(tail.log_front) * tail.factor));
  return std::min(0.0, tail.log_front + std::log(tail.factor));
}

double f_log_survival(double x, double numerator, double denominator) {
  if (!(numerator > 0) || !(denominator > 0) || !(x > 0)) return 0.0;
  if (std::isinf(x)) return -x;
  // The regularized incomplete beta function of the denominator's share, by Lentz's continued fraction
  // (Press et al., section 6.4), or one less that of the complement where the fraction would be slow.
  const auto log_beta_share = [](double a, double b, double share, double rest) {
    constexpr double kTiny = 1e-300;
    const double log_front = a * std::log(share) + b * std::log(rest) + log_gamma(a + b) - log_gamma(a) -
                             log_gamma(b) - std::log(a);
    double c = 1, d = 1 - (a + b) * share / (a + 1);
    d = 1 / (std::abs(d) < kTiny ? kTiny : d);
    double h = d;
    for (int m = 1; m < 100000; ++m) {
      double step = 1;
      for (const double an : {m * (b - m) * share / ((a + 2 * m - 1) * (a + 2 * m)),
                              -(a + m) * (a + b + m) * share / ((a + 2 * m) * (a + 2 * m + 1))}) {
        d = 1 / (std::abs(1 + an * d) < kTiny ? kTiny : 1 + an * d);
        c = std::abs(1 + an / c) < kTiny ? kTiny : 1 + an / c;
        step = d * c;
        h *= step;
      }
      if (std::abs(step - 1) < 1e-16) break;
    }
    return log_front + std::log(h);
  };
  const double a = denominator / 2, b = numerator / 2, scale = denominator + numerator * x;
  const double share = denominator / scale, rest = numerator * x / scale;
  if (share < (a + 1) / (a + b + 2)) return std::min(0.0, log_beta_share(a, b, share, rest));
  return std::log1p(-std::min(1.0, std::exp(log_beta_share(b, a, rest, share))));
}

}  // namespace bough
