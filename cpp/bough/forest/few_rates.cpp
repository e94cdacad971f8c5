#include "bough/forest/few_rates.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "bough/forest/cut_keys.hpp"
#include "bough/forest/row_table.hpp"
#include "bough/search/moment_bar.hpp"

namespace bough {

namespace {

using namespace few;

void few_rates_anywhere(const FewRows&, const FewCodes&, const int*, int, FewCut&) {}

#if defined(BOUGH_LONG_REGISTERS)

using RateLanes = double __attribute__((vector_size(8 * kColumns)));
using RateTests = std::int64_t __attribute__((vector_size(8 * kColumns)));

// The sums on both sides of the cuts of columns side by side, and which of these are allowed, as bits.
struct RateCuts {
  using OfCuts = double[FewRows::kMost][kColumns];
  alignas(64) OfCuts left_weight, left_sum, right_weight, right_sum;
  std::uint8_t allowed[FewRows::kMost];
};

// Sums up the sides of all cuts. Returns a value that some cut has, or more than one has by rounding; 0 where
// none is known.
template <int N>
BOUGH_LONG_REGISTERS inline double sum_rates(const FewRows& rows, const Keys* key, bool zero_rates,
                                             RateCuts& cuts) {
  const RowTable<N> weights(rows.weight), sums(rows.sum);
  const __m512d none = _mm512_setzero_pd(), total = _mm512_set1_pd(rows.total_weight),
                tilt = _mm512_set1_pd(rows.total_weight / rows.total_sum / 3),
                two_thirds = _mm512_set1_pd(2.0 / 3);
  __m512d left = none, left_sum = none, right = total, right_sum = _mm512_set1_pd(rows.total_sum),
          most = none;
  CutKeys keys(key);
  for (int i = 0; i + 1 < rows.n; ++i) {
    keys.advance();
    const __m512i row = keys.rows();
    const __m512d w = _mm512_castsi512_pd(weights.at(row)), s = _mm512_castsi512_pd(sums.at(row));
    _mm512_store_pd(cuts.left_weight[i], left = _mm512_add_pd(left, w));
    _mm512_store_pd(cuts.left_sum[i], left_sum = _mm512_add_pd(left_sum, s));
    _mm512_store_pd(cuts.right_weight[i], right = _mm512_sub_pd(right, w));
    _mm512_store_pd(cuts.right_sum[i], right_sum = _mm512_sub_pd(right_sum, s));
    __mmask8 allowed = _mm512_mask_cmp_pd_mask(keys.differ(), left, none, _CMP_GE_OQ);
    allowed = _mm512_mask_cmp_pd_mask(allowed, right, none, _CMP_GE_OQ);
    __mmask8 events = _mm512_mask_cmp_pd_mask(allowed, left_sum, none, _CMP_GT_OQ);
    events = _mm512_mask_cmp_pd_mask(events, right_sum, none, _CMP_GT_OQ);
    cuts.allowed[i] = zero_rates ? allowed : events;
    const __m512d d = _mm512_sub_pd(_mm512_mul_pd(left_sum, right), _mm512_mul_pd(right_sum, left)),
                  centre = _mm512_add_pd(_mm512_mul_pd(two_thirds, left), _mm512_mul_pd(tilt, left_sum)),
                  value =
                      _mm512_div_pd(_mm512_mul_pd(d, d), _mm512_mul_pd(centre, _mm512_sub_pd(total, centre)));
    most = _mm512_mask_max_pd(most, events, most, value);
  }
  alignas(64) double value[kColumns];
  _mm512_store_pd(value, most);
  return *std::max_element(value, value + kColumns) / (2 * rows.total_sum * rows.node_weight);
}

// Betters the best by the cuts of many columns from `first` on that reach the bar.
BOUGH_LONG_REGISTERS inline void take_rates(const FewRows& rows, const RateCuts& cuts, const Keys* key,
                                            int first, int many, double floor, MomentBar& bar, FewCut& best) {
  const unsigned own = (1u << many) - 1;
  bar.raise(std::max(best.value, floor), rows.node_weight);
  for (int i = 0; i + 1 < rows.n; ++i) {
    RateLanes wl, sl, wr, sr;
    std::memcpy(&wl, cuts.left_weight[i], sizeof wl);
    std::memcpy(&sl, cuts.left_sum[i], sizeof sl);
    std::memcpy(&wr, cuts.right_weight[i], sizeof wr);
    std::memcpy(&sr, cuts.right_sum[i], sizeof sr);
    RateTests reached;
    bar.test(wl, sl, wr, sr, reached);
    const auto bits = reinterpret_cast<__m512i>(reached);
    unsigned may = cuts.allowed[i] & own & _mm512_test_epi64_mask(bits, bits);
    for (; may; may &= may - 1) {
      const int c = std::countr_zero(may), order = first + c;
      const double left[2] = {wl[c], sl[c]}, right[2] = {wr[c], sr[c]};
      const double value = rows.evaluator->value(left, right, rows.node_weight);
      if (!(value > best.value || (value == best.value && order < best.order))) continue;
      best = {value, order, static_cast<int>(static_cast<std::uint32_t>(key[i][c]) & kPlaceMask),
              static_cast<int>(static_cast<std::uint32_t>(key[i + 1][c]) & kPlaceMask)};
      bar.raise(std::max(value, floor), rows.node_weight);
    }
  }
}

template <int N>
struct LongSearchOfRates {
  BOUGH_LONG_REGISTERS __attribute__((noinline)) static void run(const FewRows& rows, const FewCodes& codes,
                                                                 const int* columns, int n, FewCut& best) {
    constexpr double kSlack = 1e-9;
    Keys key[N];
    RateCuts cuts;
    MomentBar bar{rows.total_weight, rows.total_sum};
    bar.set_rates();
    for (int first = 0; first < n; first += kColumns) {
      const int many = std::min(kColumns, n - first);
      int own[kColumns];
      own_columns(columns, first, many, own);
      sorted_keys<N>(codes, own, rows.n, key);
      const double known = sum_rates<N>(rows, key, rows.evaluator->zero_rates(), cuts);
      const double floor = bar.rate_squared > 0 && std::isfinite(known) ? known * (1 - kSlack) : 0;
      const FewCut before = best;
      take_rates(rows, cuts, key, first, many, floor, bar, best);
      if (best.value >= floor) continue;
      best = before;  // rounding has hidden the cut that was known to be that good
      take_rates(rows, cuts, key, first, many, 0, bar, best);
    }
  }
};

BOUGH_LONG_REGISTERS void few_rates_with_long_registers(const FewRows& rows, const FewCodes& codes,
                                                        const int* columns, int n, FewCut& best) {
  search_few<LongSearchOfRates, 4, 8, 12, 16, 24, 32>(rows.n, rows, codes, columns, n, best);
}
#endif

}  // namespace

std::vector<FewCutsKernel> runnable_few_rates() {
  std::vector<FewCutsKernel> kernels{{0, few_rates_anywhere}};
#if defined(BOUGH_LONG_REGISTERS)
  if (has_avx2() && has_long_registers()) kernels.push_back({FewRows::kMost, few_rates_with_long_registers});
#endif
  return kernels;
}

}  // namespace bough
