#include "bough/boost/sorted_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "bough/machine/processor.hpp"

#if defined(BOUGH_AVX2)
#include <immintrin.h>
#endif

namespace bough {

namespace {

typedef double SumsOfRows __attribute__((vector_size(16)));  // gradient, hessian

constexpr int kCutLanes = 4;

bool is_cut(const SortedRow* rows, std::int64_t at) {
  return code_of_sorted(rows[at]) != code_of_sorted(rows[at + 1]);
}

// Cuts after the rows first to last. sums: up to each row.
FoundCut best_of_sorted(const GainScan& s, const SortedRow* rows, const SumsOfRows* sums, std::int64_t first,
                        std::int64_t last) {
  FoundCut found;
  for (std::int64_t i = first; i < last; ++i) {
    const double gl = sums[i][0], hl = sums[i][1], gr = s.gradient - gl, hr = s.hessian - hl;
    if (!is_cut(rows, i) || !(hl >= s.min_hessian) || !(hr >= s.min_hessian)) continue;
    const double of_left = hl + s.l2, of_right = hr + s.l2;
    const double gain = (gl * gl * of_right + gr * gr * of_left) / (of_left * of_right);
    if (gain > found.gain) found = {gain, static_cast<int>(i)};
  }
  return found;
}

#if defined(BOUGH_AVX2)
// The same four at a time; the last four may have been taken before, in part.
BOUGH_AVX2 FoundCut best_of_sorted_avx2(const GainScan& s, const SortedRow* rows, const SumsOfRows* sums,
                                        std::int64_t first, std::int64_t last) {
  const __m256d gradient = _mm256_set1_pd(s.gradient), hessian = _mm256_set1_pd(s.hessian),
                l2 = _mm256_set1_pd(s.l2), least = _mm256_set1_pd(s.min_hessian);
  __m256d most = _mm256_set1_pd(-1);
  __m256i where = _mm256_setzero_si256();
  for (std::int64_t i = first; i < last; i += kCutLanes) {
    const std::int64_t at = std::min(i, last - kCutLanes);
    const __m256d two = _mm256_loadu_pd(reinterpret_cast<const double*>(sums + at)),
                  more = _mm256_loadu_pd(reinterpret_cast<const double*>(sums + at + 2));
    // Cuts 0, 2, 1, 3.
    const __m256d gl = _mm256_unpacklo_pd(two, more), hl = _mm256_unpackhi_pd(two, more);
    const __m256d gr = _mm256_sub_pd(gradient, gl), hr = _mm256_sub_pd(hessian, hl);
    const __m256d of_left = _mm256_add_pd(hl, l2), of_right = _mm256_add_pd(hr, l2);
    const __m256d value = _mm256_div_pd(_mm256_add_pd(_mm256_mul_pd(_mm256_mul_pd(gl, gl), of_right),
                                                      _mm256_mul_pd(_mm256_mul_pd(gr, gr), of_left)),
                                        _mm256_mul_pd(of_left, of_right));
    const __m128i codes = _mm_srli_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(rows + at)), 16),
                  next = _mm_srli_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(rows + at + 1)), 16);
    const __m256i same = _mm256_cvtepi32_epi64(_mm_shuffle_epi32(_mm_cmpeq_epi32(codes, next), 0xd8));
    const __m256d large =
        _mm256_and_pd(_mm256_cmp_pd(hl, least, _CMP_GE_OQ), _mm256_cmp_pd(hr, least, _CMP_GE_OQ));
    const __m256d better = _mm256_andnot_pd(_mm256_castsi256_pd(same),
                                            _mm256_and_pd(large, _mm256_cmp_pd(value, most, _CMP_GT_OQ)));
    most = _mm256_blendv_pd(most, value, better);
    where = _mm256_blendv_epi8(where, _mm256_set1_epi64x(at), _mm256_castpd_si256(better));
  }
  double gain[kCutLanes];
  std::int64_t start[kCutLanes];
  _mm256_storeu_pd(gain, most);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(start), where);
  constexpr int kLaneCut[] = {0, 2, 1, 3};
  FoundCut found;
  for (int j = 0; j < kCutLanes; ++j) {
    const int at = static_cast<int>(start[j]) + kLaneCut[j];
    if (gain[j] > found.gain || (gain[j] == found.gain && gain[j] >= 0 && at < found.at))
      found = {gain[j], at};
  }
  return found;
}

// Whether one of four cuts may have a gain of at least a bound, which is not negative: by products, since a
// quotient takes as long as all the rest.
BOUGH_AVX2 inline __m256d may_reach(const GainScan& s, const SumsOfRows* sums, __m256d bound) {
  const __m256d two = _mm256_loadu_pd(reinterpret_cast<const double*>(sums)),
                more = _mm256_loadu_pd(reinterpret_cast<const double*>(sums + 2));
  const __m256d gl = _mm256_unpacklo_pd(two, more), hl = _mm256_unpackhi_pd(two, more);
  const __m256d gr = _mm256_sub_pd(_mm256_set1_pd(s.gradient), gl),
                hr = _mm256_sub_pd(_mm256_set1_pd(s.hessian), hl);
  const __m256d of_left = _mm256_add_pd(hl, _mm256_set1_pd(s.l2)),
                of_right = _mm256_add_pd(hr, _mm256_set1_pd(s.l2));
  const __m256d wanted = _mm256_mul_pd(bound, _mm256_mul_pd(of_left, of_right));
  return _mm256_cmp_pd(_mm256_add_pd(_mm256_mul_pd(_mm256_mul_pd(gl, gl), of_right),
                                     _mm256_mul_pd(_mm256_mul_pd(gr, gr), of_left)),
                       wanted, _CMP_GE_OQ);
}

// The same where only gains greater than a bound matter.
BOUGH_AVX2 FoundCut best_above_avx2(const GainScan& s, const SortedRow* rows, const SumsOfRows* sums,
                                    std::int64_t first, std::int64_t last, double bound) {
  constexpr double kRounding = 1 - 0x1p-50;  // more than products and a quotient differ by
  FoundCut found;
  found.gain = bound;
  __m256d least = _mm256_set1_pd(kRounding * bound);
  bool any = false;
  for (std::int64_t i = first; i < last; i += 2 * kCutLanes) {
    const std::int64_t one = std::min(i, last - kCutLanes), other = std::min(i + kCutLanes, last - kCutLanes);
    const __m256d may = _mm256_or_pd(may_reach(s, sums + one, least), may_reach(s, sums + other, least));
    if (_mm256_movemask_pd(may) == 0) continue;
    const FoundCut best = best_of_sorted_avx2(s, rows, sums, one, std::min(i + 2 * kCutLanes, last));
    if (!(best.gain > found.gain)) continue;
    found = best;
    any = true;
    least = _mm256_set1_pd(kRounding * best.gain);
  }
  return any ? found : FoundCut{};
}
#endif

}  // namespace

FoundCut best_sorted_cut(const GainScan& scan, const SortedRow* rows, std::int64_t n,
                         const WideGradients::Terms* terms, double bound) {
  const auto least = static_cast<std::int64_t>(std::ceil(std::max(1.0, scan.min_size)));
  const std::int64_t first = least - 1, last = n - least;
  if (first >= last) return {};
  SumsOfRows sums[SortedRows::kMostRows];
  const auto of_row = [&](std::int64_t i) {
    SumsOfRows own;
    std::memcpy(&own, terms + row_of_sorted(rows[i]), sizeof own);
    return own;
  };
  // From both ends, so that a sum does not wait for the one before it: sums of whole numbers are exact.
  SumsOfRows low = {0, 0}, high = {scan.gradient, scan.hessian};
  for (std::int64_t i = 0; i < first; ++i) {
    low += of_row(i);
    high -= of_row(n - 1 - i);
  }
  high -= of_row(last);
  std::int64_t i = first, j = last - 1;
  for (; i < j; ++i, --j) {
    sums[i] = low += of_row(i);
    sums[j] = high;
    high -= of_row(j);
  }
  if (i == j) sums[i] = high;
#if defined(BOUGH_AVX2)
  if (last - first >= kCutLanes && has_avx2())
    return bound < 0 ? best_of_sorted_avx2(scan, rows, sums, first, last)
                     : best_above_avx2(scan, rows, sums, first, last, bound);
#endif
  const FoundCut found = best_of_sorted(scan, rows, sums, first, last);
  return found.gain > bound ? found : FoundCut{};
}

}  // namespace bough
