#include "bough/criteria/pearson.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

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

// The regularized upper incomplete gamma function Q(degrees / 2, x / 2): by its series where the lower tail
// is the smaller one, by Lentz's continued fraction elsewhere (Press et al., Numerical Recipes, section 6.2).
double chi_square_survival(double x, int degrees) {
  if (degrees <= 0 || !(x > 0)) return 1.0;
  if (std::isinf(x)) return 0.0;
  const double a = degrees / 2.0, z = x / 2.0;
  const double front = std::exp(a * std::log(z) - z - std::lgamma(a));
  if (z < a + 1) {
    double term = 1 / a, total = term;
    for (double n = a + 1; term > total * 1e-17; ++n) total += term *= z / n;
    return std::max(0.0, 1 - front * total);
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
  return std::clamp(front * h, 0.0, 1.0);
}

}  // namespace bough
