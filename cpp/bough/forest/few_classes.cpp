#include "bough/forest/few_classes.hpp"

#include <cstring>

#include "bough/forest/cut_keys.hpp"
#include "bough/forest/row_table.hpp"

namespace bough {

namespace {

using namespace few;

constexpr std::int64_t kLowHalf = 0xffffffff, kByte = 0xff;

// Half of the columns at a time.
struct HalfClassSweep {
  using Doubles = double __attribute__((vector_size(8 * kHalf)));
  using Longs = std::int64_t __attribute__((vector_size(8 * kHalf)));

  // Whole numbers below 2^52 as doubles: they become the last bits of one.
  BOUGH_INLINE static void to_doubles(const Longs& whole, Doubles& to) {
    constexpr double kWhole = 0x1p52;
    const Longs bits = whole | std::int64_t{0x4330000000000000};
    std::memcpy(&to, &bits, sizeof to);
    to -= kWhole;
  }

  BOUGH_INLINE static void run(const FewClassRows& rows, const Keys* key, int n_columns, double floor,
                               double* value, std::int64_t* at) {
    const auto squares_of_both = static_cast<std::int64_t>(rows.squares);
    for (int half = 0; half < n_columns; half += kHalf) {
      Longs counts = {}, sums = {}, squares = {}, place = {};
      Doubles most = Doubles{} + floor;
      for (int i = 0; i + 1 < rows.n; ++i) {
        const HalfCut keys(key + i, half);
        Longs unit, shift;
        for (int c = 0; c < kHalf; ++c) {
          const std::uint32_t row = keys.row(c);
          unit[c] = static_cast<std::int64_t>(rows.unit[row]);
          shift[c] = static_cast<std::int64_t>(rows.shift[row]);
        }
        const Longs w = unit & kLowHalf, before = (counts >> shift) & kByte;
        squares += w * (2 * before + w);
        counts += w << shift;
        sums += unit;
        Doubles wl, left, right;
        to_doubles(sums & kLowHalf, wl);
        to_doubles(squares, left);
        to_doubles(squares_of_both + squares - 2 * (sums >> 32), right);
        const Doubles wr = rows.weight - wl, sides = wl * wr;
        const Doubles fall = rows.weight * (wr * left + wl * right) - sides * rows.squares;
        const Doubles here = fall / sides / (rows.weight * rows.weight);
        HalfKeys differ;
        keys.differ(differ);
        const Longs allowed = (wl >= rows.least) & (wr >= rows.least);
        const Longs better = (here > most) & __builtin_convertvector(differ, Longs) & allowed;
        most = better ? here : most;
        place = better ? Longs{} + i : place;
      }
      std::memcpy(value + half, &most, sizeof most);
      std::memcpy(at + half, &place, sizeof place);
    }
  }
};

template <template <int> class Sweep>
BOUGH_INLINE void search_few_classes_by(const FewClassRows& rows, const FewCodes& codes, const int* columns,
                                        int n, double enough, FewCut& best) {
  search_few<SweptColumns<Sweep>::template Of, 4, 6, 8, 12, 16, 24, 32>(rows.n, rows, codes, columns, n,
                                                                        enough, best);
}

template <int N>
using AnyHalfSweep = HalfClassSweep;

// Without AVX2 rows are compared each with each instead.
void few_classes_anywhere(const FewClassRows& rows, const FewCodes& codes, const int* columns, int n,
                          double enough, FewCut& best) {
  SweptColumns<AnyHalfSweep>::Of<FewClassRows::kMost>::run(rows, codes, columns, n, enough, best);
}

#if defined(BOUGH_AVX2)
BOUGH_AVX2 void few_classes_avx2(const FewClassRows& rows, const FewCodes& codes, const int* columns, int n,
                                 double enough, FewCut& best) {
  search_few_classes_by<AnyHalfSweep>(rows, codes, columns, n, enough, best);
}
#endif

#if defined(BOUGH_LONG_REGISTERS)

// The same for all columns: what is read of the rows is in registers, from which each column takes its own.
template <int N>
struct LongClassSweep {
  BOUGH_LONG_REGISTERS static inline __m512d to_doubles(__m512i whole) {
    const __m512i bits = _mm512_or_si512(whole, _mm512_set1_epi64(0x4330000000000000));
    return _mm512_sub_pd(_mm512_castsi512_pd(bits), _mm512_set1_pd(0x1p52));
  }

  BOUGH_LONG_REGISTERS static inline void run(const FewClassRows& rows, const Keys* key, int, double floor,
                                              double* value, std::int64_t* at) {
    const RowTable<N> units(rows.unit), shifts(rows.shift);
    const __m512i low_half = _mm512_set1_epi64(kLowHalf), byte = _mm512_set1_epi64(kByte),
                  both = _mm512_set1_epi64(static_cast<std::int64_t>(rows.squares));
    const __m512d all = _mm512_set1_pd(rows.weight), unsplit = _mm512_set1_pd(rows.squares),
                  least = _mm512_set1_pd(rows.least), scale = _mm512_mul_pd(all, all);
    __m512i counts = _mm512_setzero_si512(), sums = counts, squares = counts;
    BestCuts best(floor);
    CutKeys keys(key);
    for (int i = 0; i + 1 < rows.n; ++i) {
      keys.advance();
      const __m512i row = keys.rows(), unit = units.at(row), shift = shifts.at(row);
      const __m512i before = _mm512_and_si512(_mm512_maskz_srlv_epi64(0xff, counts, shift), byte);
      // Of a product the lower halves count.
      const __m512i rise = _mm512_add_epi64(_mm512_add_epi64(before, before), unit);
      squares = _mm512_add_epi64(squares, _mm512_maskz_mul_epu32(0xff, unit, rise));
      counts =
          _mm512_add_epi64(counts, _mm512_maskz_sllv_epi64(0xff, _mm512_and_si512(unit, low_half), shift));
      sums = _mm512_add_epi64(sums, unit);
      // Twice the products: the weight takes fewer than 31 bits.
      const __m512i twice = _mm512_maskz_srli_epi64(0xff, sums, 31);
      const __m512d wl = to_doubles(_mm512_and_si512(sums, low_half)), wr = _mm512_sub_pd(all, wl),
                    left = to_doubles(squares),
                    right = to_doubles(_mm512_sub_epi64(_mm512_add_epi64(both, squares), twice));
      __mmask8 may = keys.differ();
      may = _mm512_mask_cmp_pd_mask(may, wl, least, _CMP_GE_OQ);
      may = _mm512_mask_cmp_pd_mask(may, wr, least, _CMP_GE_OQ);
      const __m512d sides = _mm512_mul_pd(wl, wr);
      const __m512d fall =
          _mm512_sub_pd(_mm512_mul_pd(all, _mm512_add_pd(_mm512_mul_pd(wr, left), _mm512_mul_pd(wl, right))),
                        _mm512_mul_pd(sides, unsplit));
      may = best.may_exceed(may, fall, sides, scale);
      if (may) best.take(may, fall, sides, scale, i);
    }
    best.store(value, at);
  }
};

BOUGH_LONG_REGISTERS void few_classes_with_long_registers(const FewClassRows& rows, const FewCodes& codes,
                                                          const int* columns, int n, double enough,
                                                          FewCut& best) {
  search_few_classes_by<LongClassSweep>(rows, codes, columns, n, enough, best);
}
#endif

}  // namespace

std::vector<FewClassesKernel> runnable_few_classes() {
  std::vector<FewClassesKernel> kernels{{0, few_classes_anywhere}};
#if defined(BOUGH_AVX2)
  if (has_avx2()) kernels.push_back({FewClassRows::kMost, few_classes_avx2});
#endif
#if defined(BOUGH_LONG_REGISTERS)
  if (has_avx2() && has_long_registers())
    kernels.push_back({FewClassRows::kMost, few_classes_with_long_registers});
#endif
  return kernels;
}

}  // namespace bough
