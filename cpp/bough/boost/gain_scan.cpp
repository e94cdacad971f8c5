#include "bough/boost/gain_scan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/machine/processor.hpp"

namespace bough {

namespace {

// By how much, relatively, a score in single precision may be below another that is less: 16 roundings each.
constexpr float kScreenError = 4e-6F;

BOUGH_INLINE double score_of_cut(const GainScan& s, double gl, double hl) {
  const double gr = s.gradient - gl, hr = s.hessian - hl;
  const double left = beyond(gl, s.l1), right = beyond(gr, s.l1), of_left = hl + s.l2, of_right = hr + s.l2;
  // The sum of two quotients by one division.
  return (left * left * of_right + right * right * of_left) / (of_left * of_right);
}

BOUGH_INLINE void gains_of(const GainScan& s, const double* gradient, const double* hessian,
                           const double* size, int n, GainShift shift, double* gain) {
  for (int b = 0; b < n; ++b) {
    const double gl = gradient[b] + shift.gradient, hl = hessian[b] + shift.hessian,
                 nl = size[b] + shift.size;
    const double hr = s.hessian - hl, nr = s.size - nl;
    const double value = score_of_cut(s, gl, hl);
    const bool large =
        (hl >= s.min_hessian) & (hr >= s.min_hessian) & (nl >= s.min_size) & (nr >= s.min_size);
    gain[b] = large ? value : -1.0;
  }
}

// The totals of a node as whole numbers. Sums wrap around in the entries after the last, whose hessian is too
// small.
struct WholeScan {
  std::uint32_t gradient, hessian, gradient_shift, hessian_shift;
  std::int32_t least;  // hessian of a side
  float l2;
};

// Writes a score for each of n cuts, rounded up to lanes, or -1 where a side is too small; returns the best.
BOUGH_INLINE float screen(const WholeScan& s, const std::int32_t* __restrict gradient,
                          const std::int32_t* __restrict hessian, int n, float* __restrict score) {
  float most[kScreenLanes];
  for (float& each : most) each = -1;
  for (int b = 0; b < n; b += kScreenLanes)
    for (int j = 0; j < kScreenLanes; ++j) {
      const std::uint32_t gl = static_cast<std::uint32_t>(gradient[b + j]) + s.gradient_shift,
                          hl = static_cast<std::uint32_t>(hessian[b + j]) + s.hessian_shift;
      const auto left_hessian = static_cast<std::int32_t>(hl),
                 right_hessian = static_cast<std::int32_t>(s.hessian - hl);
      const auto left = static_cast<float>(static_cast<std::int32_t>(gl)),
                 right = static_cast<float>(static_cast<std::int32_t>(s.gradient - gl));
      const float of_left = static_cast<float>(left_hessian) + s.l2,
                  of_right = static_cast<float>(right_hessian) + s.l2;
      const float value = (left * left * of_right + right * right * of_left) / (of_left * of_right);
      const bool large = (left_hessian >= s.least) & (right_hessian >= s.least);
      score[b + j] = large ? value : -1.0F;
      most[j] = score[b + j] > most[j] ? score[b + j] : most[j];
    }
  return *std::max_element(most, most + kScreenLanes);
}

// The first of the best cuts: those near the best of the screened ones are computed again.
BOUGH_INLINE FoundCut best_of_screened(const GainScan& scan, const WholeScan& s, const std::int32_t* gradient,
                                       const std::int32_t* hessian, int n, float* screened) {
  FoundCut found;
  const float most = screen(s, gradient, hessian, n, screened);
  if (most < 0) return found;
  const float near = most * (1 - kScreenError);
  for (int first = 0; first < n; first += kScreenLanes) {
    std::int32_t any = 0;
    for (int j = 0; j < kScreenLanes; ++j) any |= screened[first + j] >= near ? 1 : 0;
    if (any == 0) continue;
    for (int b = first; b < std::min(n, first + kScreenLanes); ++b) {
      if (!(screened[b] >= near)) continue;
      const double gain =
          score_of_cut(scan, static_cast<double>(gradient[b]) + static_cast<std::int32_t>(s.gradient_shift),
                       static_cast<double>(hessian[b]) + static_cast<std::int32_t>(s.hessian_shift));
      if (gain > found.gain) found = {gain, b};
    }
  }
  return found;
}

#if defined(BOUGH_AVX2)
BOUGH_AVX2 FoundCut best_avx2(const GainScan& scan, const WholeScan& s, const std::int32_t* gradient,
                              const std::int32_t* hessian, int n, float* screened) {
  return best_of_screened(scan, s, gradient, hessian, n, screened);
}

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

FoundCut best_whole_cut(const GainScan& scan, std::int32_t* gradient, std::int32_t* hessian, int n,
                        std::int32_t gradient_shift, std::int32_t hessian_shift, float* screened) {
  const double least = std::ceil(std::max(scan.min_hessian, scan.min_size));
  constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::max();
  const WholeScan s{static_cast<std::uint32_t>(static_cast<std::int32_t>(scan.gradient)),
                    static_cast<std::uint32_t>(static_cast<std::int32_t>(scan.hessian)),
                    static_cast<std::uint32_t>(gradient_shift),
                    static_cast<std::uint32_t>(hessian_shift),
                    least < kNone ? static_cast<std::int32_t>(least) : kNone,
                    static_cast<float>(scan.l2)};
  std::fill_n(gradient + n, kScreenLanes, 0);
  std::fill_n(hessian + n, kScreenLanes, std::numeric_limits<std::int32_t>::min());
#if defined(BOUGH_AVX2)
  if (has_avx2()) return best_avx2(scan, s, gradient, hessian, n, screened);
#endif
  return best_of_screened(scan, s, gradient, hessian, n, screened);
}

}  // namespace bough
