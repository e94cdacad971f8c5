#include "bough/boost/gain_scan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "bough/machine/processor.hpp"

#if defined(BOUGH_AVX2)
#include <immintrin.h>
#endif

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

constexpr int kPairLanes = 4;

// The first of n gains that is the best.
BOUGH_INLINE FoundCut first_of_best(double best, const double* gain, int n) {
  return {best, static_cast<int>(std::find(gain, gain + n, best) - gain)};
}

FoundCut best_of_pairs(const GainScan& s, const PairedSums* sums, int n, GainShift shift, double* gain) {
  double most = -1;
  for (int b = 0; b < n; ++b) {
    const double gl = sums[b].gradient_of() + shift.gradient, hl = sums[b].hessian_of() + shift.hessian;
    const double size = static_cast<double>(sums[b].count()) + shift.size;
    const bool large = (hl >= s.min_hessian) & (s.hessian - hl >= s.min_hessian) & (size >= s.min_size) &
                       (s.size - size >= s.min_size);
    gain[b] = large ? score_of_cut(s, gl, hl) : -1.0;
    most = gain[b] > most ? gain[b] : most;
  }
  return first_of_best(most, gain, n);
}

#if defined(BOUGH_AVX2)
// How many of the rows counted in sums a cut may have on the left.
struct RowsOfCut {
  std::int64_t least, most;

  RowsOfCut(const GainScan& s, const GainShift& shift)
      : least(static_cast<std::int64_t>(std::ceil(std::max(0.0, s.min_size - shift.size)))),
        most(static_cast<std::int64_t>(std::floor(s.size - s.min_size - shift.size))) {}
};

// The gains of four cuts, in the arithmetic of score_of_cut.
BOUGH_AVX2 inline __m256d gains_of_four(const GainScan& s, const RowsOfCut& rows, const PairedSums* sums,
                                        GainShift shift) {
  const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums)),
                second = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums + 2));
  // Cuts 0, 2, 1, 3.
  const __m256i gradients = _mm256_unpacklo_epi64(first, second),
                hessians = _mm256_unpackhi_epi64(first, second),
                unit = _mm256_set1_epi64x(static_cast<long long>(PairedSums::kBitsOfUnit));
  const __m256d gl = _mm256_add_pd(
      _mm256_sub_pd(
          _mm256_castsi256_pd(_mm256_or_si256(_mm256_srli_epi64(gradients, PairedSums::kCountBits), unit)),
          _mm256_set1_pd(0x1.8p52)),
      _mm256_set1_pd(shift.gradient));
  const __m256d hl = _mm256_add_pd(
      _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(hessians, unit)), _mm256_set1_pd(0x1p52)),
      _mm256_set1_pd(shift.hessian));
  const __m256d gr = _mm256_sub_pd(_mm256_set1_pd(s.gradient), gl),
                hr = _mm256_sub_pd(_mm256_set1_pd(s.hessian), hl), l2 = _mm256_set1_pd(s.l2),
                least = _mm256_set1_pd(s.min_hessian);
  const __m256d of_left = _mm256_add_pd(hl, l2), of_right = _mm256_add_pd(hr, l2);
  const __m256d value = _mm256_div_pd(_mm256_add_pd(_mm256_mul_pd(_mm256_mul_pd(gl, gl), of_right),
                                                    _mm256_mul_pd(_mm256_mul_pd(gr, gr), of_left)),
                                      _mm256_mul_pd(of_left, of_right));
  const __m256i count = _mm256_and_si256(gradients, _mm256_set1_epi64x(PairedSums::kMostRows));
  const __m256i few = _mm256_or_si256(_mm256_cmpgt_epi64(_mm256_set1_epi64x(rows.least), count),
                                      _mm256_cmpgt_epi64(count, _mm256_set1_epi64x(rows.most)));
  const __m256d large = _mm256_andnot_pd(
      _mm256_castsi256_pd(few),
      _mm256_and_pd(_mm256_cmp_pd(hl, least, _CMP_GE_OQ), _mm256_cmp_pd(hr, least, _CMP_GE_OQ)));
  return _mm256_permute4x64_pd(_mm256_blendv_pd(_mm256_set1_pd(-1), value, large), 0xd8);
}

// Cuts are taken by fours; the last four may have been taken before, in part.
BOUGH_AVX2 FoundCut best_of_pairs_avx2(const GainScan& s, const PairedSums* sums, int n, GainShift shift,
                                       double* gain) {
  const RowsOfCut rows(s, shift);
  __m256d most = _mm256_set1_pd(-1);
  for (int b = 0; b < n; b += kPairLanes) {
    const int first = std::min(b, n - kPairLanes);
    const __m256d gains = gains_of_four(s, rows, sums + first, shift);
    _mm256_storeu_pd(gain + first, gains);
    most = _mm256_max_pd(most, gains);
  }
  most = _mm256_max_pd(most, _mm256_permute4x64_pd(most, 0x4e));
  most = _mm256_max_pd(most, _mm256_permute_pd(most, 5));
  for (int b = 0; b + kPairLanes <= n; b += kPairLanes)
    if (const int found = _mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(gain + b), most, _CMP_EQ_OQ)))
      return {_mm256_cvtsd_f64(most), b + std::countr_zero(static_cast<unsigned>(found))};
  return first_of_best(_mm256_cvtsd_f64(most), gain, n);
}

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

FoundCut best_paired_cut(const GainScan& scan, const PairedSums* sums, int n, GainShift shift, double* gain) {
#if defined(BOUGH_AVX2)
  if (n >= kPairLanes && has_avx2()) return best_of_pairs_avx2(scan, sums, n, shift, gain);
#endif
  return best_of_pairs(scan, sums, n, shift, gain);
}

}  // namespace bough
