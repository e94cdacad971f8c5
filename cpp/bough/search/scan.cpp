#include "bough/search/scan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "bough/data/entry.hpp"
#include "bough/machine/processor.hpp"
#include "bough/search/information_of_two.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bough {

namespace {

constexpr int kBlock = 128;

// One block of cuts: the highest d^2 / (left * right), or -1; adds the block's ones to `ones`.
template <class E>
double gini_block(const E* list, int n, int n_ones, int begin, int end, Allowed allowed, int& ones) {
  double peak = -1;
  for (int i = begin; i < end; ++i) {
    ones += static_cast<int>(label_bit(list[i]));
    const int left = i + 1;
    if (left < allowed.first || left > allowed.last || !cuttable(list, left)) continue;
    const double d = static_cast<double>(ones) * n - static_cast<double>(n_ones) * left;
    peak = std::max(peak, d * d / (static_cast<double>(left) * (n - left)));
  }
  return peak;
}

// The value of every cut of a block, -1 where it is not allowed; returns the highest.
double squares_block(const double* sums, const std::uint8_t* allowed, int begin, int count, double n,
                     double sum, const double* of_sides, double* value) {
  double peak = -1;
  for (int j = 0; j < count; ++j) {
    const double left = begin + j + 1;
    const double d = sums[j] * n - sum * left;
    value[j] = allowed[j] ? d * d * of_sides[begin + j + 1] : -1;
    peak = std::max(peak, value[j]);
  }
  return peak;
}

#if defined(__x86_64__)

BOUGH_AVX2 inline double highest(__m256d v) {
  const __m128d m = _mm_max_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
  return _mm_cvtsd_f64(_mm_max_sd(m, _mm_unpackhi_pd(m, m)));
}

// Eight cuts at a time in single precision; counts stay below 2^15, so products fit in 32 bits.
BOUGH_AVX2 double gini_block_avx2(const std::uint32_t* list, int n, int n_ones, int begin, int end,
                                  Allowed allowed, int& ones) {
  const __m256i vn = _mm256_set1_epi32(n), vn1 = _mm256_set1_epi32(n_ones), one = _mm256_set1_epi32(1);
  const __m256i below = _mm256_set1_epi32(allowed.first), above = _mm256_set1_epi32(allowed.last);
  const __m256 none = _mm256_set1_ps(-1);
  __m256 peak = none;
  __m256i left = _mm256_add_epi32(_mm256_set1_epi32(begin + 1), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  for (int i = begin; i < end; i += 8) {
    const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(list + i));
    const __m256i next = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(list + i + 1));
    const __m256i label = _mm256_and_si256(here, one);
    __m256i x = _mm256_add_epi32(label, _mm256_slli_si256(label, 4));
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
    const __m256i low_half = _mm256_shuffle_epi32(_mm256_permute2x128_si256(x, x, 0x08), 0xff);
    x = _mm256_add_epi32(_mm256_add_epi32(x, low_half), _mm256_set1_epi32(ones));
    ones += __builtin_popcount(
        static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32(here, 31)))));
    const __m256 d =
        _mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_mullo_epi32(x, vn), _mm256_mullo_epi32(vn1, left)));
    const __m256 sides = _mm256_cvtepi32_ps(_mm256_mullo_epi32(left, _mm256_sub_epi32(vn, left)));
    const __m256 value = _mm256_div_ps(_mm256_mul_ps(d, d), sides);
    __m256i refused = _mm256_cmpeq_epi32(_mm256_srli_epi32(here, 16), _mm256_srli_epi32(next, 16));
    refused = _mm256_or_si256(
        refused, _mm256_or_si256(_mm256_cmpgt_epi32(below, left), _mm256_cmpgt_epi32(left, above)));
    peak = _mm256_max_ps(peak, _mm256_blendv_ps(value, none, _mm256_castsi256_ps(refused)));
    left = _mm256_add_epi32(left, _mm256_set1_epi32(8));
  }
  const __m128 a = _mm_max_ps(_mm256_castps256_ps128(peak), _mm256_extractf128_ps(peak, 1));
  const __m128 b = _mm_max_ps(a, _mm_movehl_ps(a, a));
  return _mm_cvtss_f32(_mm_max_ss(b, _mm_shuffle_ps(b, b, 1)));
}

BOUGH_AVX2 double gini_block_avx2(const std::uint64_t* list, int n, int n_ones, int begin, int end,
                                  Allowed allowed, int& ones) {
  const __m256d vn = _mm256_set1_pd(n), vn1 = _mm256_set1_pd(n_ones);
  const __m256d below = _mm256_set1_pd(allowed.first), above = _mm256_set1_pd(allowed.last);
  const __m256d none = _mm256_set1_pd(-1);
  __m256d peak = none;
  __m256d left = _mm256_add_pd(_mm256_set1_pd(begin + 1), _mm256_setr_pd(0, 1, 2, 3));
  for (int i = begin; i < end; i += 4) {
    const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(list + i));
    const __m256i next = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(list + i + 1));
    const auto bits =
        static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_slli_epi64(here, 63))));
    // Byte j of entry b counts the ones among the lowest j + 1 bits of b.
    static constexpr std::uint32_t kPrefix[16] = {
        0x00000000, 0x01010101, 0x01010100, 0x02020201, 0x01010000, 0x02020101, 0x02020100, 0x03030201,
        0x01000000, 0x02010101, 0x02010100, 0x03020201, 0x02010000, 0x03020101, 0x03020100, 0x04030201};
    const __m128i x = _mm_add_epi32(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(static_cast<int>(kPrefix[bits]))),
                                    _mm_set1_epi32(ones));
    ones += __builtin_popcount(bits);
    const __m256d d = _mm256_sub_pd(_mm256_mul_pd(_mm256_cvtepi32_pd(x), vn), _mm256_mul_pd(vn1, left));
    const __m256d value = _mm256_div_pd(_mm256_mul_pd(d, d), _mm256_mul_pd(left, _mm256_sub_pd(vn, left)));
    const __m256d equal =
        _mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_srli_epi64(here, 32), _mm256_srli_epi64(next, 32)));
    const __m256d outside =
        _mm256_or_pd(_mm256_cmp_pd(left, below, _CMP_LT_OQ), _mm256_cmp_pd(left, above, _CMP_GT_OQ));
    peak = _mm256_max_pd(peak, _mm256_blendv_pd(value, none, _mm256_or_pd(equal, outside)));
    left = _mm256_add_pd(left, _mm256_set1_pd(4));
  }
  return highest(peak);
}

BOUGH_AVX2 double squares_block_avx2(const double* sums, const std::uint8_t* allowed, int begin, int count,
                                     double n, double sum, const double* of_sides, double* values) {
  const __m256d vn = _mm256_set1_pd(n), vs = _mm256_set1_pd(sum), none = _mm256_set1_pd(-1);
  __m256d peak = none, left = _mm256_add_pd(_mm256_set1_pd(begin + 1), _mm256_setr_pd(0, 1, 2, 3));
  int j = 0;
  for (; j + 4 <= count; j += 4) {
    const __m256d d = _mm256_sub_pd(_mm256_mul_pd(_mm256_loadu_pd(sums + j), vn), _mm256_mul_pd(vs, left));
    const __m256d value = _mm256_mul_pd(_mm256_mul_pd(d, d), _mm256_loadu_pd(of_sides + begin + j + 1));
    std::int32_t four;
    __builtin_memcpy(&four, allowed + j, 4);
    const __m256i refused =
        _mm256_cmpeq_epi64(_mm256_cvtepu8_epi64(_mm_cvtsi32_si128(four)), _mm256_setzero_si256());
    const __m256d allowed_value = _mm256_blendv_pd(value, none, _mm256_castsi256_pd(refused));
    _mm256_storeu_pd(values + j, allowed_value);
    peak = _mm256_max_pd(peak, allowed_value);
    left = _mm256_add_pd(left, _mm256_set1_pd(4));
  }
  return std::max(highest(peak),
                  squares_block(sums + j, allowed + j, begin + j, count - j, n, sum, of_sides, values + j));
}

#endif

template <class E>
double gini_peak(const E* list, int n, int n_ones, int begin, int end, Allowed allowed, int& ones) {
#if defined(__x86_64__)
  if (has_avx2()) return gini_block_avx2(list, n, n_ones, begin, end, allowed, ones);
#endif
  return gini_block(list, n, n_ones, begin, end, allowed, ones);
}

double squares_peak(const double* sums, const std::uint8_t* allowed, int begin, int count, double n,
                    double sum, const double* of_sides, double* value) {
#if defined(__x86_64__)
  if (count >= 8 && has_avx2())
    return squares_block_avx2(sums, allowed, begin, count, n, sum, of_sides, value);
#endif
  return squares_block(sums, allowed, begin, count, n, sum, of_sides, value);
}

// Sums of y up to each entry of the block, and which of its cuts are allowed.
template <class E>
double running_sums(const E* list, int begin, int count, const double* y, double sum, Allowed allowed,
                    double* sums, std::uint8_t* may) {
  const E* q = list + begin;
  int j = 0;
  for (; j + 4 <= count; j += 4) {  // sums of whole numbers are exact, so they may be taken in any order
    const double a = y[index_of(q[j])], b = y[index_of(q[j + 1])], c = y[index_of(q[j + 2])],
                 d = y[index_of(q[j + 3])];
    const double ab = a + b, cd = c + d;
    sums[j] = sum + a;
    sums[j + 1] = sum + ab;
    sums[j + 2] = sum + (ab + c);
    sum += ab + cd;
    sums[j + 3] = sum;
  }
  for (; j < count; ++j) sums[j] = sum += y[index_of(q[j])];
  for (int i = 0; i < count; ++i) may[i] = code_of(q[i]) != code_of(q[i + 1]);
  for (int i = 0; i < std::min(count, allowed.first - 1 - begin); ++i) may[i] = 0;
  for (int i = std::max(0, allowed.last - begin); i < count; ++i) may[i] = 0;
  return sum;
}

// Bounds every block of cuts by its highest d^2 / (left * right); returns the highest of all, -1 if there is
// none.
template <class E>
double find_peaks(const E* list, int n, int n_ones, Allowed allowed, ScanSpace& space) {
  if (allowed.first > allowed.last || code_of(list[0]) == code_of(list[n - 1])) return -1;
  const int n_blocks = (n - 1 + kBlock - 1) / kBlock;
  space.peak.resize(n_blocks);
  space.start.resize(n_blocks);
  double peak = -1;
  int ones = 0;
  for (int b = 0; b < n_blocks; ++b) {
    space.start[b] = ones;
    space.peak[b] = gini_peak(list, n, n_ones, b * kBlock, std::min(n, (b + 1) * kBlock), allowed, ones);
    peak = std::max(peak, space.peak[b]);
  }
  return peak;
}

// What rounding takes from a peak at most; single precision is good to 4e-6.
template <class E>
constexpr double kPeakMargin = sizeof(E) == 4 ? 4e-6 : 1e-12;

// A cut of two classes: the counts of both sides, and by how much these are apart.
struct TwoClassCut {
  double left[2], right[2], n_left, n_right, d;
};

// Visits the cuts whose d^2 / (left * right) reaches the bar, in ascending order; visiting one may raise the
// bar.
template <class E, class Visit>
void for_high_cuts(const E* list, int n, int n_ones, Allowed allowed, const AnswerRule& rule,
                   const ScanSpace& space, const double& bar, const Visit& visit) {
  const int n_blocks = (n - 1 + kBlock - 1) / kBlock;
  for (int b = 0; b < n_blocks; ++b) {
    if (space.peak[b] < bar) continue;
    double l1 = space.start[b];
    for (int i = b * kBlock; i < std::min(n - 1, (b + 1) * kBlock); ++i) {
      l1 += label_bit(list[i]);
      const double nl = i + 1;
      if (nl < allowed.first || nl > allowed.last || !cuttable(list, i + 1)) continue;
      const double d = l1 * n - static_cast<double>(n_ones) * nl;
      if (d * d < bar * (nl * (n - nl))) continue;
      const TwoClassCut cut{{nl - l1, l1}, {(n - nl) - (n_ones - l1), n_ones - l1}, nl, n - nl, d};
      if (rule.any && !rule.permits(l1 / nl, cut.right[1] / (n - nl))) continue;
      visit(i + 1, cut);
    }
  }
}

}  // namespace

const double* ScanSpace::reciprocals(int n) {
  if (n != reciprocals_of) {
    reciprocal.resize(n);
    for (int left = 1; left < n; ++left) reciprocal[left] = 1.0 / (static_cast<double>(left) * (n - left));
    reciprocals_of = n;
  }
  return reciprocal.data();
}

template <class E>
Cut best_gini_cut(const E* list, int n, int n_ones, int min_cases, const AnswerRule& rule, double node_weight,
                  const Evaluator& evaluator, double floor, ScanSpace& space) {
  Cut best{floor, 0};
  const Allowed allowed{min_cases, n - min_cases};
  const double peak = find_peaks(list, n, n_ones, allowed, space), rest = 1 - kPeakMargin<E>;
  const auto bar_at = [&](double value) { return value * n * node_weight / 2 * rest; };
  // The highest cut may be one that the rule forbids; then the bar rises with what is found.
  double bar = rule.any ? bar_at(floor) : std::max(peak * rest, bar_at(floor));
  if (peak < 0 || peak < bar) return best;
  for_high_cuts(list, n, n_ones, allowed, rule, space, bar, [&](int left, const TwoClassCut& cut) {
    const double value = evaluator.value(cut.left, cut.right, node_weight);
    if (!(value > best.value)) return;
    best = {value, left};
    if (rule.any) bar = bar_at(value);
  });
  return best;
}

template <class E>
Cut best_information_cut(const E* list, int n, int n_ones, int min_cases, const AnswerRule& rule,
                         double node_weight, const Evaluator& evaluator, double floor, ScanSpace& space) {
  Cut best{floor, 0};
  const Allowed allowed{min_cases, n - min_cases};
  const double peak = find_peaks(list, n, n_ones, allowed, space);
  if (peak < 0) return best;
  const InformationOfTwo bound(n, n_ones, node_weight, evaluator);
  const auto bar_at = [&](double value) { return bound.least_squares(value) * (1 - kPeakMargin<E>); };
  double bar = bar_at(floor);
  // No cut below this is better than the highest.
  if (!rule.any) bar = std::max(bar, bound.squares_of_as_good(peak) * (1 - kPeakMargin<E>));
  if (peak < bar) return best;
  for_high_cuts(list, n, n_ones, allowed, rule, space, bar, [&](int left, const TwoClassCut& cut) {
    if (!bound.may_exceed(best.value, cut.n_left, cut.left[1], cut.n_right, cut.right[1], cut.d)) return;
    const double value = evaluator.value(cut.left, cut.right, node_weight);
    if (!(value > best.value)) return;
    best = {value, left};
    bar = std::max(bar, bar_at(value));
  });
  return best;
}

template <class E>
Cut best_squares_cut(const E* list, int n, const double* y, double sum, int min_cases, const AnswerRule& rule,
                     double node_weight, double floor, ScanSpace& space) {
  Cut best{floor, 0};
  const Allowed allowed{min_cases, n - min_cases};
  if (allowed.first > allowed.last || code_of(list[0]) == code_of(list[n - 1])) return best;
  if (n <= kFew) return best_squares_of_few(list, n, y, sum, allowed, rule, node_weight, floor);
  const int n_blocks = (n - 1 + kBlock - 1) / kBlock;
  space.peak.resize(n_blocks);
  space.start.resize(n_blocks);
  const double* of_sides = space.reciprocals(n);
  double sums[kBlock], value[kBlock], peak = -1, running = 0;
  std::uint8_t may[kBlock + 4];
  const auto scan_block = [&](int b, double before) {
    const int begin = b * kBlock, count = std::min(kBlock, n - 1 - begin);
    running = running_sums(list, begin, count, y, before, allowed, sums, may);
    return squares_peak(sums, may, begin, count, n, sum, of_sides, value);
  };
  for (int b = 0; b < n_blocks; ++b) {
    space.start[b] = running;
    space.peak[b] = scan_block(b, running);
    peak = std::max(peak, space.peak[b]);
  }
  // Sums are below 2^53, so d is off by a few n at most; near the peak d^2 is at least peak * (n - 1).
  // The highest cut may be one that the rule forbids; then the bar rises with what is found.
  const double high = rule.any ? floor * n * node_weight : std::max(peak, floor * n * node_weight);
  constexpr double kClear = 0.998;  // holds where d is good to 1e-4, which is tested without a root
  if (peak < kClear * high && high * (n - 1) > 1e11 * n * n) return best;
  const auto bar_at = [n](double value) {
    const double off = value > 0 ? 16.0 * n / std::sqrt(value * (n - 1)) : 1;
    return off < 0.1 ? value * (1 - 1e-12 - 4 * off) : 0;
  };
  double bar = bar_at(high);
  if (peak < bar) return best;
  for (int b = 0; b < n_blocks; ++b) {
    if (space.peak[b] < bar) continue;
    if (n_blocks > 1) scan_block(b, space.start[b]);
    const int begin = b * kBlock, count = std::min(kBlock, n - 1 - begin);
    for (int j = 0; j < count; ++j) {
      if (value[j] < bar) continue;
      const double nl = begin + j + 1;
      if (rule.any && !rule.permits(sums[j] / nl, (sum - sums[j]) / (n - nl))) continue;
      const double exact = SquaredError::value(nl, sums[j], n - nl, sum - sums[j], node_weight);
      if (!(exact > best.value)) continue;
      best = {exact, begin + j + 1};
      if (rule.any) bar = bar_at(exact * n * node_weight);
    }
  }
  return best;
}

template Cut best_gini_cut(const std::uint32_t*, int, int, int, const AnswerRule&, double, const Evaluator&,
                           double, ScanSpace&);
template Cut best_gini_cut(const std::uint64_t*, int, int, int, const AnswerRule&, double, const Evaluator&,
                           double, ScanSpace&);
template Cut best_information_cut(const std::uint32_t*, int, int, int, const AnswerRule&, double,
                                  const Evaluator&, double, ScanSpace&);
template Cut best_squares_cut(const std::uint32_t*, int, const double*, double, int, const AnswerRule&,
                              double, double, ScanSpace&);
template Cut best_information_cut(const std::uint64_t*, int, int, int, const AnswerRule&, double,
                                  const Evaluator&, double, ScanSpace&);
template Cut best_squares_cut(const std::uint64_t*, int, const double*, double, int, const AnswerRule&,
                              double, double, ScanSpace&);

}  // namespace bough
