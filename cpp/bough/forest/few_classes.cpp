#include "bough/forest/few_classes.hpp"

#include <cstring>

#include "bough/forest/row_table.hpp"

namespace bough {

namespace {

using namespace few;

constexpr std::int64_t kLowHalf = 0xffffffff, kByte = 0xff;

// Half of the columns at a time.
struct HalfClassSweep {
  static constexpr int kHalf = kColumns / 2;
  using Doubles = double __attribute__((vector_size(8 * kHalf)));
  using Longs = std::int64_t __attribute__((vector_size(8 * kHalf)));
  using HalfKeys = std::int32_t __attribute__((vector_size(4 * kHalf)));

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
        HalfKeys own, next;
        std::memcpy(&own, reinterpret_cast<const std::int32_t*>(key + i) + half, sizeof own);
        std::memcpy(&next, reinterpret_cast<const std::int32_t*>(key + i + 1) + half, sizeof next);
        Longs unit, shift;
        for (int c = 0; c < kHalf; ++c) {
          const std::uint32_t row = static_cast<std::uint32_t>(own[c]) & kPlaceMask;
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
        const Longs differs = __builtin_convertvector((own >> kPlaceBits) != (next >> kPlaceBits), Longs);
        const Longs better = (here > most) & differs & (wl >= rows.least) & (wr >= rows.least);
        most = better ? here : most;
        place = better ? Longs{} + i : place;
      }
      std::memcpy(value + half, &most, sizeof most);
      std::memcpy(at + half, &place, sizeof place);
    }
  }
};

template <class Sweep, int N>
BOUGH_INLINE void search_classes_of(const FewClassRows& rows, const FewCodes& codes, const int* columns,
                                    int n, double enough, FewCut& best) {
  Keys key[N];
  alignas(64) double value[kColumns];
  alignas(64) std::int64_t at[kColumns];
  for (int first = 0; first < n && best.value < enough; first += kColumns) {
    const int many = std::min(kColumns, n - first);
    int own[kColumns];
    own_columns(columns, first, many, own);
    sorted_keys<N>(codes, own, rows.n, key);
    Sweep::run(rows, key, many, best.value, value, at);
    take_first(value, at, key, first, many, best, enough);
  }
}

template <template <int> class Sweep>
BOUGH_INLINE void search_few_classes_by(const FewClassRows& rows, const FewCodes& codes, const int* columns,
                                        int n, double enough, FewCut& best) {
  if (rows.n <= 4) return search_classes_of<Sweep<4>, 4>(rows, codes, columns, n, enough, best);
  if (rows.n <= 6) return search_classes_of<Sweep<6>, 6>(rows, codes, columns, n, enough, best);
  if (rows.n <= 8) return search_classes_of<Sweep<8>, 8>(rows, codes, columns, n, enough, best);
  if (rows.n <= 12) return search_classes_of<Sweep<12>, 12>(rows, codes, columns, n, enough, best);
  if (rows.n <= 16) return search_classes_of<Sweep<16>, 16>(rows, codes, columns, n, enough, best);
  if (rows.n <= 24) return search_classes_of<Sweep<24>, 24>(rows, codes, columns, n, enough, best);
  search_classes_of<Sweep<32>, 32>(rows, codes, columns, n, enough, best);
}

template <int N>
using AnyHalfSweep = HalfClassSweep;

// Without AVX2 rows are compared each with each instead.
void few_classes_anywhere(const FewClassRows& rows, const FewCodes& codes, const int* columns, int n,
                          double enough, FewCut& best) {
  search_classes_of<HalfClassSweep, FewClassRows::kMost>(rows, codes, columns, n, enough, best);
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
                  least = _mm512_set1_pd(rows.least), slack = _mm512_set1_pd(1 - 1e-9),
                  scale = _mm512_mul_pd(all, all);
    __m512i counts = _mm512_setzero_si512(), sums = counts, squares = counts, place = counts;
    __m512d most = _mm512_set1_pd(floor);
    __m256i own;
    std::memcpy(&own, key, sizeof own);
    for (int i = 0; i + 1 < rows.n; ++i) {
      __m256i next;
      std::memcpy(&next, key + i + 1, sizeof next);
      const __m512i row = _mm512_maskz_cvtepi32_epi64(0xff, own), unit = units.at(row),
                    shift = shifts.at(row);
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
      __mmask8 may =
          _mm256_cmpneq_epi32_mask(_mm256_srli_epi32(own, kPlaceBits), _mm256_srli_epi32(next, kPlaceBits));
      own = next;
      may = _mm512_mask_cmp_pd_mask(may, wl, least, _CMP_GE_OQ);
      may = _mm512_mask_cmp_pd_mask(may, wr, least, _CMP_GE_OQ);
      const __m512d sides = _mm512_mul_pd(wl, wr);
      const __m512d fall =
          _mm512_sub_pd(_mm512_mul_pd(all, _mm512_add_pd(_mm512_mul_pd(wr, left), _mm512_mul_pd(wl, right))),
                        _mm512_mul_pd(sides, unsplit));
      // Most cuts need no division.
      const __m512d bar = _mm512_mul_pd(_mm512_mul_pd(_mm512_mul_pd(most, slack), sides), scale);
      may = _mm512_mask_cmp_pd_mask(may, fall, bar, _CMP_NLT_UQ);
      if (!may) continue;
      const __m512d here = _mm512_div_pd(_mm512_div_pd(fall, sides), scale);
      const __mmask8 better = _mm512_mask_cmp_pd_mask(may, here, most, _CMP_GT_OQ);
      most = _mm512_mask_mov_pd(most, better, here);
      place = _mm512_mask_set1_epi64(place, better, i);
    }
    _mm512_store_pd(value, most);
    _mm512_store_si512(at, place);
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

const FewClassesKernel& few_classes_kernel() {
  static const FewClassesKernel chosen = runnable_few_classes().back();
  return chosen;
}

}  // namespace bough
