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

constexpr int kCutLanes = 4, kManyCutLanes = 8;
constexpr std::int64_t kFewCuts = 32;

// By how much, relatively, products and a quotient may differ at most.
constexpr double kRoundingOfQuotient = 1 - 0x1p-50;

bool is_cut(const SortedRow* rows, std::int64_t at) {
  return code_of_sorted(rows[at]) != code_of_sorted(rows[at + 1]);
}

// The cuts after the rows first to last of a node. sums: up to each row.
struct SortedCuts {
  const GainScan& scan;
  const SortedRow* rows;
  const SumsOfRows* sums;
  std::int64_t first, last;
};

FoundCut best_of_sorted(const SortedCuts& cuts) {
  const GainScan& s = cuts.scan;
  FoundCut found;
  for (std::int64_t i = cuts.first; i < cuts.last; ++i) {
    const double gl = cuts.sums[i][0], hl = cuts.sums[i][1], gr = s.gradient - gl, hr = s.hessian - hl;
    if (!is_cut(cuts.rows, i) || !(hl >= s.min_hessian) || !(hr >= s.min_hessian)) continue;
    const double of_left = hl + s.l2, of_right = hr + s.l2;
    const double gain = (gl * gl * of_right + gr * gr * of_left) / (of_left * of_right);
    if (gain > found.gain) found = {gain, static_cast<int>(i)};
  }
  return found;
}

// The best of the gains that lanes found, each of a register that begins at a cut; of equals the first.
FoundCut first_of_lanes(const double* gain, const std::int64_t* start, const int* cut_of_lane, int n) {
  FoundCut found;
  for (int j = 0; j < n; ++j) {
    const int at = static_cast<int>(start[j]) + cut_of_lane[j];
    if (gain[j] > found.gain || (gain[j] == found.gain && gain[j] >= 0 && at < found.at))
      found = {gain[j], at};
  }
  return found;
}

// Goes through cuts by twice as many as a register has; the last ones may have been taken before. Only gains
// greater than a bound matter: may_reach(at, bound) says whether some of the cuts from `at` on may have a
// gain of that, by products, since a quotient takes as long as all the rest; best_of(cuts) finds the best.
template <int lanes, class MayReach, class Best>
BOUGH_INLINE FoundCut best_above(const SortedCuts& cuts, double bound, const MayReach& may_reach,
                                 const Best& best_of) {
  FoundCut found;
  found.gain = bound;
  double least = kRoundingOfQuotient * bound;
  bool any = false;
  for (std::int64_t i = cuts.first; i < cuts.last; i += 2 * lanes) {
    const std::int64_t one = std::min(i, cuts.last - lanes), other = std::min(i + lanes, cuts.last - lanes);
    if (!may_reach(one, other, least)) continue;
    const FoundCut best = best_of({cuts.scan, cuts.rows, cuts.sums, one, std::min(i + 2 * lanes, cuts.last)});
    if (!(best.gain > found.gain)) continue;
    found = best;
    any = true;
    least = kRoundingOfQuotient * best.gain;
  }
  return any ? found : FoundCut{};
}

#if defined(BOUGH_AVX2)
// Both sides of four cuts, in the order 0, 2, 1, 3.
struct FourCuts {
  __m256d hl, hr, of_left, of_right, value;  // the gain is value / (of_left * of_right)
};

BOUGH_AVX2 BOUGH_INLINE FourCuts four_cuts(const GainScan& s, const SumsOfRows* sums) {
  const __m256d two = _mm256_loadu_pd(reinterpret_cast<const double*>(sums)),
                more = _mm256_loadu_pd(reinterpret_cast<const double*>(sums + 2));
  const __m256d gl = _mm256_unpacklo_pd(two, more), hl = _mm256_unpackhi_pd(two, more),
                gr = _mm256_sub_pd(_mm256_set1_pd(s.gradient), gl),
                hr = _mm256_sub_pd(_mm256_set1_pd(s.hessian), hl), l2 = _mm256_set1_pd(s.l2),
                of_left = _mm256_add_pd(hl, l2), of_right = _mm256_add_pd(hr, l2);
  return {hl, hr, of_left, of_right,
          _mm256_add_pd(_mm256_mul_pd(_mm256_mul_pd(gl, gl), of_right),
                        _mm256_mul_pd(_mm256_mul_pd(gr, gr), of_left))};
}

// The last four cuts may have been taken before, in part.
BOUGH_AVX2 FoundCut best_of_sorted_avx2(const SortedCuts& cuts) {
  const __m256d least = _mm256_set1_pd(cuts.scan.min_hessian);
  __m256d most = _mm256_set1_pd(-1);
  __m256i where = _mm256_setzero_si256();
  for (std::int64_t i = cuts.first; i < cuts.last; i += kCutLanes) {
    const std::int64_t at = std::min(i, cuts.last - kCutLanes);
    const FourCuts four = four_cuts(cuts.scan, cuts.sums + at);
    const __m256d value = _mm256_div_pd(four.value, _mm256_mul_pd(four.of_left, four.of_right));
    const auto* rows = reinterpret_cast<const __m128i*>(cuts.rows + at);
    const auto* after = reinterpret_cast<const __m128i*>(cuts.rows + at + 1);
    const __m128i codes = _mm_srli_epi32(_mm_loadu_si128(rows), 16),
                  next = _mm_srli_epi32(_mm_loadu_si128(after), 16);
    const __m256i same = _mm256_cvtepi32_epi64(_mm_shuffle_epi32(_mm_cmpeq_epi32(codes, next), 0xd8));
    const __m256d large =
        _mm256_and_pd(_mm256_cmp_pd(four.hl, least, _CMP_GE_OQ), _mm256_cmp_pd(four.hr, least, _CMP_GE_OQ));
    const __m256d better = _mm256_andnot_pd(_mm256_castsi256_pd(same),
                                            _mm256_and_pd(large, _mm256_cmp_pd(value, most, _CMP_GT_OQ)));
    most = _mm256_blendv_pd(most, value, better);
    where = _mm256_blendv_epi8(where, _mm256_set1_epi64x(at), _mm256_castpd_si256(better));
  }
  double gain[kCutLanes];
  std::int64_t start[kCutLanes];
  _mm256_storeu_pd(gain, most);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(start), where);
  constexpr int kCutOfLane[] = {0, 2, 1, 3};
  return first_of_lanes(gain, start, kCutOfLane, kCutLanes);
}

BOUGH_AVX2 BOUGH_INLINE __m256d four_may_reach(const GainScan& s, const SumsOfRows* sums, __m256d bound) {
  const FourCuts four = four_cuts(s, sums);
  return _mm256_cmp_pd(four.value, _mm256_mul_pd(bound, _mm256_mul_pd(four.of_left, four.of_right)),
                       _CMP_GE_OQ);
}

BOUGH_AVX2 FoundCut best_above_avx2(const SortedCuts& cuts, double bound) {
  const auto may_reach = [&](std::int64_t one, std::int64_t other, double least) BOUGH_AVX2 {
    const __m256d all = _mm256_set1_pd(least);
    return _mm256_movemask_pd(_mm256_or_pd(four_may_reach(cuts.scan, cuts.sums + one, all),
                                           four_may_reach(cuts.scan, cuts.sums + other, all))) != 0;
  };
  return best_above<kCutLanes>(cuts, bound, may_reach, best_of_sorted_avx2);
}
#endif

#if defined(BOUGH_LONG_REGISTERS)
// The same with eight cuts, in the order 0, 4, 1, 5, 2, 6, 3, 7.
struct EightCuts {
  __m512d hl, hr, of_left, of_right, value;
};

BOUGH_LONG_REGISTERS BOUGH_INLINE EightCuts eight_cuts(const GainScan& s, const SumsOfRows* sums) {
  const __m512d four = _mm512_loadu_pd(reinterpret_cast<const double*>(sums)),
                more = _mm512_loadu_pd(reinterpret_cast<const double*>(sums + 4));
  const __m512d gl = _mm512_maskz_unpacklo_pd(0xff, four, more),
                hl = _mm512_maskz_unpackhi_pd(0xff, four, more),
                gr = _mm512_sub_pd(_mm512_set1_pd(s.gradient), gl),
                hr = _mm512_sub_pd(_mm512_set1_pd(s.hessian), hl), l2 = _mm512_set1_pd(s.l2),
                of_left = _mm512_add_pd(hl, l2), of_right = _mm512_add_pd(hr, l2);
  return {hl, hr, of_left, of_right,
          _mm512_add_pd(_mm512_mul_pd(_mm512_mul_pd(gl, gl), of_right),
                        _mm512_mul_pd(_mm512_mul_pd(gr, gr), of_left))};
}

BOUGH_LONG_REGISTERS FoundCut best_of_sorted_long(const SortedCuts& cuts) {
  const __m512d least = _mm512_set1_pd(cuts.scan.min_hessian);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  __m512d most = _mm512_set1_pd(-1);
  __m512i where = _mm512_setzero_si512();
  for (std::int64_t i = cuts.first; i < cuts.last; i += kManyCutLanes) {
    const std::int64_t at = std::min(i, cuts.last - kManyCutLanes);
    const EightCuts eight = eight_cuts(cuts.scan, cuts.sums + at);
    const __m512d value = _mm512_div_pd(eight.value, _mm512_mul_pd(eight.of_left, eight.of_right));
    const __m256i rows = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(cuts.rows + at)),
                  next = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(cuts.rows + at + 1));
    const __m256i differences = _mm256_permutevar8x32_epi32(_mm256_xor_si256(rows, next), order);
    const __mmask8 cut = _mm256_test_epi32_mask(differences, _mm256_set1_epi32(~0xffff)),
                   large = _mm512_mask_cmp_pd_mask(_mm512_mask_cmp_pd_mask(cut, eight.hl, least, _CMP_GE_OQ),
                                                   eight.hr, least, _CMP_GE_OQ),
                   better = _mm512_mask_cmp_pd_mask(large, value, most, _CMP_GT_OQ);
    most = _mm512_mask_mov_pd(most, better, value);
    where = _mm512_mask_mov_epi64(where, better, _mm512_set1_epi64(at));
  }
  double gain[kManyCutLanes];
  std::int64_t start[kManyCutLanes];
  _mm512_storeu_pd(gain, most);
  _mm512_storeu_si512(start, where);
  constexpr int kCutOfLane[] = {0, 4, 1, 5, 2, 6, 3, 7};
  return first_of_lanes(gain, start, kCutOfLane, kManyCutLanes);
}

BOUGH_LONG_REGISTERS FoundCut best_above_long(const SortedCuts& cuts, double bound) {
  const auto may_reach = [&](std::int64_t one, std::int64_t other, double least) BOUGH_LONG_REGISTERS {
    const __m512d all = _mm512_set1_pd(least);
    const auto mask = [&](std::int64_t at) BOUGH_LONG_REGISTERS {
      const EightCuts eight = eight_cuts(cuts.scan, cuts.sums + at);
      const __m512d wanted = _mm512_mul_pd(all, _mm512_mul_pd(eight.of_left, eight.of_right));
      return _mm512_cmp_pd_mask(eight.value, wanted, _CMP_GE_OQ);
    };
    return (mask(one) | mask(other)) != 0;
  };
  return best_above<kManyCutLanes>(cuts, bound, may_reach, best_of_sorted_long);
}
#endif

// The rows of a node in the order of a column.
struct RowsInOrder {
  const SortedRow* rows;
  std::int64_t count;
  const WideGradients::Terms* terms;

  SumsOfRows operator[](std::int64_t i) const {
    SumsOfRows own;
    std::memcpy(&own, terms + row_of_sorted(rows[i]), sizeof own);
    return own;
  }

  // Four sums, so that one does not wait for the one before it: those of whole numbers are exact.
  SumsOfRows sum(std::int64_t begin, std::int64_t end) const {
    SumsOfRows parts[4] = {};
    std::int64_t i = begin;
    for (; i + 4 <= end; i += 4)
      for (int j = 0; j < 4; ++j) parts[j] += (*this)[i + j];
    for (; i < end; ++i) parts[0] += (*this)[i];
    return parts[0] + parts[1] + (parts[2] + parts[3]);
  }
};

// Writes the sums up to the rows of a range, which has few; those before are summed, or those behind.
void write_few_sums(const GainScan& scan, const RowsInOrder& rows, const CutRange& range, SumsOfRows* sums) {
  const std::int64_t behind = rows.count - range.first;
  SumsOfRows low = {scan.gradient, scan.hessian};
  if (range.first <= behind)
    low = rows.sum(0, range.first);
  else
    low -= rows.sum(range.first, rows.count);
  for (std::int64_t i = range.first; i < range.last; ++i) sums[i] = low += rows[i];
}

// The same from both ends of the range, so that a sum does not wait for the one before it.
void write_sums(const GainScan& scan, const RowsInOrder& rows, const CutRange& range, SumsOfRows* sums) {
  SumsOfRows low = rows.sum(0, range.first), high = {scan.gradient, scan.hessian};
  high -= rows.sum(range.last, rows.count);
  std::int64_t i = range.first, j = range.last - 1;
  for (; i < j; ++i, --j) {
    sums[i] = low += rows[i];
    sums[j] = high;
    high -= rows[j];
  }
  if (i == j) sums[i] = high;
}

}  // namespace

FoundCut best_sorted_cut(const GainScan& scan, const SortedRow* rows, std::int64_t n,
                         const WideGradients::Terms* terms, const CutRange& range, double bound) {
  const std::int64_t first = range.first, last = range.last;
  if (range.is_empty()) return {};
  SumsOfRows sums[SortedRows::kMostRows];
  if (last - first <= kFewCuts)
    write_few_sums(scan, {rows, n, terms}, range, sums);
  else
    write_sums(scan, {rows, n, terms}, range, sums);
  const SortedCuts cuts{scan, rows, sums, first, last};
#if defined(BOUGH_LONG_REGISTERS)
  if (last - first >= kManyCutLanes && has_avx2() && has_long_registers())
    return bound < 0 ? best_of_sorted_long(cuts) : best_above_long(cuts, bound);
#endif
#if defined(BOUGH_AVX2)
  if (last - first >= kCutLanes && has_avx2())
    return bound < 0 ? best_of_sorted_avx2(cuts) : best_above_avx2(cuts, bound);
#endif
  const FoundCut found = best_of_sorted(cuts);
  return found.gain > bound ? found : FoundCut{};
}

}  // namespace bough
