#include "bough/boost/cut_screen.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "bough/boost/exponential.hpp"
#include "bough/machine/processor.hpp"

#if defined(BOUGH_LONG_REGISTERS)
#include <immintrin.h>
#endif

namespace bough {

namespace {

// Gains are wrong by less than this share, of a dozen roundings to single precision and a reciprocal of 14
// bits.
constexpr double kRoundingOfGain = 0x1.1p-14;

constexpr double kGreatestL2 = 0x1p40;  // so that products stay in the range of single precision

// The power of two by which a positive sum comes to at most 2^30, so that 1,024 roundings do not matter.
double coarse_scale(double sum) {
  constexpr int kBits = 30;
  if (!(sum > 0)) return 1;
  int power;
  std::frexp(sum, &power);
  return std::ldexp(1.0, kBits - power);
}

BOUGH_INLINE void round_terms(const WideGradients::Terms* terms, std::size_t n_rows, double gradient_scale,
                              double hessian_scale, std::uint64_t* to) {
  for (std::size_t i = 0; i < n_rows; ++i)
    to[i] = (static_cast<std::uint64_t>(rounded(terms[i].gradient * gradient_scale)) << 32) +
            static_cast<std::uint64_t>(rounded(terms[i].hessian * hessian_scale));
}

#if defined(BOUGH_LONG_REGISTERS)
BOUGH_LONG_REGISTERS void round_terms_long(const WideGradients::Terms* terms, std::size_t n_rows,
                                           double gradient_scale, double hessian_scale, std::uint64_t* to) {
  round_terms(terms, n_rows, gradient_scale, hessian_scale, to);
}
#endif

std::int32_t coarse_hessian(std::uint64_t sums) { return static_cast<std::int32_t>(sums); }

#if defined(BOUGH_LONG_REGISTERS)
constexpr int kLanes = ScreenedColumn::kLanes;
constexpr __mmask16 kAllLanes = 0xffff;

std::int32_t coarse_gradient(std::uint64_t sums) { return static_cast<std::int32_t>(sums >> 32); }

// The sums of a column up to each row, and those of the node.
struct CoarseCuts {
  const SortedRow* rows;
  const std::uint64_t *sums, total;
  float l2;
};

BOUGH_LONG_REGISTERS BOUGH_INLINE __m512 singles(__m512i whole) {
  return _mm512_maskz_cvtepi32_ps(kAllLanes, whole);
}

// The gains of the cuts after 16 rows, of those `here`; 0 where there is none.
BOUGH_LONG_REGISTERS BOUGH_INLINE __m512 coarse_gains(const CoarseCuts& cuts, std::int64_t at,
                                                      __mmask16 here) {
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
                odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  const __m512i eight = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(here), cuts.sums + at),
                more = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(here >> 8), cuts.sums + at + 8);
  const __m512i left_gradient = _mm512_permutex2var_epi32(eight, odd, more),
                left_hessian = _mm512_permutex2var_epi32(eight, even, more),
                gradient = _mm512_set1_epi32(coarse_gradient(cuts.total)),
                hessian = _mm512_set1_epi32(coarse_hessian(cuts.total));
  const __m512 l2 = _mm512_set1_ps(cuts.l2), x = singles(left_gradient),
               y = singles(_mm512_sub_epi32(gradient, left_gradient)),
               of_left = _mm512_add_ps(singles(left_hessian), l2),
               of_right = _mm512_add_ps(singles(_mm512_sub_epi32(hessian, left_hessian)), l2);
  const __m512 value =
      _mm512_fmadd_ps(_mm512_mul_ps(x, x), of_right, _mm512_mul_ps(_mm512_mul_ps(y, y), of_left));
  const __m512i row = _mm512_maskz_loadu_epi32(here, cuts.rows + at),
                next = _mm512_maskz_loadu_epi32(here, cuts.rows + at + 1);
  const __mmask16 is_cut =
      _mm512_mask_test_epi32_mask(here, _mm512_xor_si512(row, next), _mm512_set1_epi32(~0xffff));
  return _mm512_maskz_mul_ps(is_cut, value,
                             _mm512_maskz_rcp14_ps(kAllLanes, _mm512_mul_ps(of_left, of_right)));
}

BOUGH_LONG_REGISTERS void scan_long(const CoarseCuts& cuts, const CutRange& all, ScreenedColumn& column) {
  __m512 most = _mm512_setzero_ps(), second = _mm512_setzero_ps();
  __m512i where = _mm512_setzero_si512();
  for (std::int64_t at = all.first; at < all.last; at += kLanes) {
    const std::int64_t left = all.last - at;
    const auto here = static_cast<__mmask16>(left < kLanes ? (1U << left) - 1 : kAllLanes);
    const __m512 gain = coarse_gains(cuts, at, here);
    const __mmask16 better = _mm512_cmp_ps_mask(gain, most, _CMP_GT_OQ);
    second = _mm512_maskz_max_ps(kAllLanes, second, _mm512_maskz_min_ps(kAllLanes, most, gain));
    where = _mm512_mask_mov_epi32(where, better, _mm512_set1_epi32(static_cast<std::int32_t>(at)));
    most = _mm512_mask_mov_ps(most, better, gain);
  }
  _mm512_store_ps(column.most, most);
  _mm512_store_ps(column.second, second);
  _mm512_store_si512(column.at, where);
}

BOUGH_LONG_REGISTERS float greatest_long(const std::vector<ScreenedColumn>& columns) {
  __m512 most = _mm512_setzero_ps();
  for (const ScreenedColumn& column : columns)
    most = _mm512_maskz_max_ps(kAllLanes, most, _mm512_load_ps(column.most));
  float lanes[kLanes];
  _mm512_storeu_ps(lanes, most);
  return *std::max_element(lanes, lanes + kLanes);
}

BOUGH_LONG_REGISTERS std::uint32_t reaching_long(const float* gains, float bound) {
  return _mm512_cmp_ps_mask(_mm512_load_ps(gains), _mm512_set1_ps(bound), _CMP_GE_OQ);
}
#endif

// The greatest gain of all columns; 0 on processors that screen none.
double greatest_gain([[maybe_unused]] const std::vector<ScreenedColumn>& columns) {
#if defined(BOUGH_LONG_REGISTERS)
  if (has_long_registers()) return greatest_long(columns);
#endif
  return 0;
}

// Which lanes have a gain that reaches the bound.
std::uint32_t reaching([[maybe_unused]] const float* gains, [[maybe_unused]] float bound) {
#if defined(BOUGH_LONG_REGISTERS)
  if (has_long_registers()) return reaching_long(gains, bound);
#endif
  return 0;
}

}  // namespace

CutRange CutRange::of(const GainScan& scan, std::int64_t n_rows) {
  const auto least = static_cast<std::int64_t>(std::ceil(std::max(1.0, scan.min_size)));
  return {least - 1, n_rows - least};
}

void CoarseTerms::take(const WideGradients::Terms* terms, std::size_t n_rows, double sizes, double hessians) {
  of_row_.resize(n_rows);
  hessian_scale_ = coarse_scale(hessians);
#if defined(BOUGH_LONG_REGISTERS)
  if (has_long_registers())
    return round_terms_long(terms, n_rows, coarse_scale(sizes), hessian_scale_, of_row_.data());
#endif
  round_terms(terms, n_rows, coarse_scale(sizes), hessian_scale_, of_row_.data());
}

bool CutScreen::is_useful() {
#if defined(BOUGH_LONG_REGISTERS)
  return has_long_registers();
#else
  return false;
#endif
}

CutScreen::CutScreen(const GainScan& node, std::int64_t n_rows, const CoarseTerms& terms,
                     std::vector<ScreenedColumn>& columns)
    : n_rows_(n_rows),
      all_(CutRange::of(node, n_rows)),
      terms_(terms),
      l2_(node.l2 * terms.hessian_scale()),
      min_hessian_(node.min_hessian * terms.hessian_scale()),
      columns_(columns) {}

// Sums up to each row after which a cut may lie, of n columns side by side, so that a sum does not wait for
// the one before it; for the same reason from both ends, once the total is known.
template <std::size_t n>
void CutScreen::sum_up(const SortedRow* const* rows, std::uint64_t* sums) {
  const std::uint64_t* terms = terms_.of_row();
  std::uint64_t low[n] = {}, high[n];
  const auto term = [&](std::size_t k, std::int64_t i) { return terms[row_of_sorted(rows[k][i])]; };
  if (total_ == 0) {
    for (std::int64_t i = 0; i < n_rows_; ++i)
      for (std::size_t k = 0; k < n; ++k) sums[k * kBuffer + i] = low[k] += term(k, i);
    total_ = low[0];
    return;
  }
  std::fill_n(high, n, total_);
  std::int64_t i = 0, j = n_rows_ - 1;
  for (; i < all_.first; ++i, --j)
    for (std::size_t k = 0; k < n; ++k) {
      low[k] += term(k, i);
      high[k] -= term(k, j);
    }
  for (; i < j; ++i, --j)
    for (std::size_t k = 0; k < n; ++k) {
      sums[k * kBuffer + i] = low[k] += term(k, i);
      sums[k * kBuffer + j] = high[k];
      high[k] -= term(k, j);
    }
  for (std::size_t k = 0; k < n; ++k) sums[k * kBuffer + j] = high[k];
}

void CutScreen::sum_up(const SortedRow* const* rows, std::size_t n_columns, std::uint64_t* sums) {
  if (n_columns == kAtOnce)
    sum_up<kAtOnce>(rows, sums);
  else
    sum_up<1>(rows, sums);
  for (std::size_t k = 0; k < n_columns; ++k, sums += kBuffer)
    least_hessian_ = std::min(
        {least_hessian_, coarse_hessian(sums[all_.first]), coarse_hessian(total_ - sums[all_.last - 1])});
}

// Columns are scanned once the next ones are summed up: registers do not wait then for the numbers that they
// are loaded from.
void CutScreen::screen(const std::vector<const SortedRow*>& rows) {
  columns_.resize(rows.size());
  if (all_.is_empty()) return;
  for (std::size_t begin = 0; begin < rows.size() + kAtOnce; begin += kAtOnce) {
    if (begin < rows.size())
      sum_up(rows.data() + begin, std::min(kAtOnce, rows.size() - begin),
             sums_ + begin % (2 * kAtOnce) * kBuffer);
    if (begin > 0) scan(rows, begin - kAtOnce, std::min(begin, rows.size()));
  }
  set_bound();
}

void CutScreen::scan([[maybe_unused]] const std::vector<const SortedRow*>& rows,
                     [[maybe_unused]] std::size_t begin, [[maybe_unused]] std::size_t end) {
#if defined(BOUGH_LONG_REGISTERS)
  for (std::size_t c = begin; c < end; ++c)
    scan_long({rows[c], sums_ + c % (2 * kAtOnce) * kBuffer, total_, static_cast<float>(l2_)}, all_,
              columns_[c]);
#endif
}

// A sum x of coarse gradients is wrong by at most e, half of the number of rows, and so is one of hessians.
// With l2 this is D, and at least `least` on either side of a cut, so that e is at most a share r of it. Then
// the root of a gain x^2 / D + y^2 / E is wrong by at most the share r and by e * sqrt(1 / D + 1 / E), by the
// triangle inequality.
void CutScreen::set_bound() {
  const double error = static_cast<double>(n_rows_) / 2, hessian = least_hessian_ - error;
  // The least hessian of the limits must not exclude any cut.
  if (!(hessian > 0) || !(hessian >= min_hessian_) || !(l2_ <= kGreatestL2)) return;
  const double least = hessian + l2_, share = error / least, apart = error * std::sqrt(2 / least);
  const double certain =
      std::sqrt(greatest_gain(columns_) * (1 - kRoundingOfGain)) * (1 - share) - apart;  // of an exact gain
  const double root = std::max(0.0, certain - apart) / (1 + share);
  bound_ = static_cast<float>(root * root * (1 - kRoundingOfGain));
}

CutRange CutScreen::may_be_best(std::size_t which) const {
  if (all_.is_empty() || !(bound_ > 0)) return all_;
  const ScreenedColumn& column = columns_[which];
  std::uint32_t lanes = reaching(column.most, bound_);
  if (lanes == 0) return {};
  if (reaching(column.second, bound_) != 0) return all_;
  CutRange range{all_.last, all_.first};
  for (; lanes != 0; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    range.first = std::min<std::int64_t>(range.first, column.at[lane] + lane);
    range.last = std::max<std::int64_t>(range.last, column.at[lane] + lane + 1);
  }
  return range;
}

}  // namespace bough
