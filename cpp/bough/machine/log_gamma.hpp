// The logarithm of the gamma function, for several threads at once: that of the standard library may write
// the sign to a variable that all threads share.
#pragma once

#include <cmath>

namespace bough {

inline double log_gamma(double x) {
#if defined(__GLIBC__) || defined(__APPLE__)
  int sign;
  return ::lgamma_r(x, &sign);
#else
  return std::lgamma(x);
#endif
}

}  // namespace bough
