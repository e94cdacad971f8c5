#include "bough/boost/gain_scan.hpp"

#include <algorithm>

#include "bough/machine/processor.hpp"

namespace bough {

namespace {

BOUGH_INLINE void gains_of(const GainScan& s, const double* gradient, const double* hessian,
                           const double* size, int n, GainShift shift, double* gain) {
  for (int b = 0; b < n; ++b) {
    const double gl = gradient[b] + shift.gradient, hl = hessian[b] + shift.hessian,
                 nl = size[b] + shift.size;
    const double gr = s.gradient - gl, hr = s.hessian - hl, nr = s.size - nl;
    const double left = beyond(gl, s.l1), right = beyond(gr, s.l1), of_left = hl + s.l2, of_right = hr + s.l2;
    // The sum of two quotients by one division.
    const double value = (left * left * of_right + right * right * of_left) / (of_left * of_right);
    const bool large =
        (hl >= s.min_hessian) & (hr >= s.min_hessian) & (nl >= s.min_size) & (nr >= s.min_size);
    gain[b] = large ? value : -1.0;
  }
}

#if defined(BOUGH_AVX2)
BOUGH_AVX2 void gains_avx2(const GainScan& s, const double* gradient, const double* hessian,
                           const double* size, int n, GainShift shift, double* gain) {
  gains_of(s, gradient, hessian, size, n, shift, gain);
}
#endif

}  // namespace

double scan_gains(const GainScan& scan, const double* gradient, const double* hessian, const double* size,
                  int n, GainShift shift, double* gain) {
#if defined(BOUGH_AVX2)
  if (has_avx2())
    gains_avx2(scan, gradient, hessian, size, n, shift, gain);
  else
#endif
    gains_of(scan, gradient, hessian, size, n, shift, gain);
  double most[4] = {-1, -1, -1, -1};
  int b = 0;
  for (; b + 4 <= n; b += 4)
    for (int j = 0; j < 4; ++j) most[j] = gain[b + j] > most[j] ? gain[b + j] : most[j];
  for (; b < n; ++b) most[0] = gain[b] > most[0] ? gain[b] : most[0];
  return std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
}

}  // namespace bough
