// Information in bits, summed over cases.
#pragma once

#include <cmath>

#include "bough/c50/problem.hpp"

namespace bough::c50 {

constexpr double kLog2 = 0.69314718055994530942;

inline double log_of(double x) { return x <= 0 ? 0.0 : std::log(x) / kLog2; }

// N log N less the same of each part; every part is rounded to single precision first.
inline double total_info(const double* parts, int n_parts) {
  double sum = 0, total = 0;
  for (int i = 0; i < n_parts; ++i) {
    const Count n = static_cast<Count>(parts[i]);
    sum += n * log_of(n);
    total += n;
  }
  return total * log_of(total) - sum;
}

}  // namespace bough::c50
