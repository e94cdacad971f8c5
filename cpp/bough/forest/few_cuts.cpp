#include "bough/forest/few_cuts.hpp"

#include <algorithm>
#include <cstring>

#include "bough/forest/cut_keys.hpp"
#include "bough/forest/row_table.hpp"

namespace bough {

namespace {

using namespace few;

// What follows for each cut from the keys in order: half of the columns at a time.
template <int N>
struct PlainSweep {
  using Doubles = double __attribute__((vector_size(8 * kHalf)));
  using Longs = std::int64_t __attribute__((vector_size(8 * kHalf)));

  BOUGH_INLINE static void run(const FewRows& rows, const Keys* key, int n_columns, double floor,
                               double* value, std::int64_t* at) {
    for (int half = 0; half < n_columns; half += kHalf) {
      Doubles left = {}, left_sum = {}, right = Doubles{} + rows.total_weight,
              right_sum = Doubles{} + rows.total_sum, most = Doubles{} + floor;
      Longs place = {};
      for (int i = 0; i + 1 < rows.n; ++i) {
        const HalfCut keys(key + i, half);
        Doubles w, s;
        for (int c = 0; c < kHalf; ++c) w[c] = rows.weight[keys.row(c)], s[c] = rows.sum[keys.row(c)];
        left += w;
        left_sum += s;
        right -= w;
        right_sum -= s;
        const Doubles d = left_sum * right - right_sum * left;
        const Doubles here = d * d / (left * right) / ((left + right) * rows.node_weight);
        HalfKeys differ;
        keys.differ(differ);
        const Longs better = (here > most) & __builtin_convertvector(differ, Longs);
        most = better ? here : most;
        place = better ? Longs{} + i : place;
      }
      std::memcpy(value + half, &most, sizeof most);
      std::memcpy(at + half, &place, sizeof place);
    }
  }
};

// kMost: the most rows that there may be.
template <template <int> class Sweep, class Reader, int kMost = FewRows::kMost>
BOUGH_INLINE void search_rows(const FewRows& rows, const FewCodes& codes, const int* columns, int n,
                              FewCut& best) {
  using Search = SweptColumns<Sweep, Reader>;
  constexpr double kEnough = std::numeric_limits<double>::infinity();
  if constexpr (kMost > 16)
    search_few<Search::template Of, 4, 6, 8, 12, 16, 24, 32>(rows.n, rows, codes, columns, n, kEnough, best);
  else
    search_few<Search::template Of, 4, 6, 8, 12, 16>(rows.n, rows, codes, columns, n, kEnough, best);
}

constexpr int kMostAnywhere = FewRows::kMost / 2;

void few_cuts_anywhere(const FewRows& rows, const FewCodes& codes, const int* columns, int n, FewCut& best) {
  search_rows<PlainSweep, CodeReader, kMostAnywhere>(rows, codes, columns, n, best);
}

#if defined(BOUGH_AVX2)
BOUGH_AVX2 void few_cuts_avx2(const FewRows& rows, const FewCodes& codes, const int* columns, int n,
                              FewCut& best) {
  search_rows<PlainSweep, CodeReader>(rows, codes, columns, n, best);
}
#endif

#if defined(BOUGH_LONG_REGISTERS)

// Reads the codes of kColumns columns out of registers that hold the first codes of a row, kVectors times 16.
template <int kVectors>
struct LongReader {
  static constexpr int kLong = 16;
  __mmask16 part[kVectors];
  alignas(64) std::int32_t column[kLong] = {};

  BOUGH_LONG_REGISTERS inline LongReader(const FewCodes& codes, const int* columns) {
    for (int v = 0; v < kVectors; ++v)
      part[v] = static_cast<__mmask16>(
          (1u << std::min(kLong, std::max(0, static_cast<int>(codes.width) - v * kLong))) - 1);
    std::copy_n(columns, kColumns, column);
  }
  BOUGH_LONG_REGISTERS inline void read(const std::uint32_t* row, Keys& to) const {
    const __m512i own = _mm512_load_si512(column);
    __m512i codes = _mm512_maskz_loadu_epi32(part[0], row);
    if constexpr (kVectors == 1)
      codes = _mm512_maskz_permutexvar_epi32(0xffff, own, codes);
    else
      codes = _mm512_permutex2var_epi32(codes, own, _mm512_maskz_loadu_epi32(part[1], row + kLong));
    using Longs = std::int32_t __attribute__((vector_size(4 * kLong)));
    to = __builtin_shufflevector(reinterpret_cast<Longs>(codes), Longs{}, 0, 1, 2, 3, 4, 5, 6, 7);
  }
};

// The same as PlainSweep: weights and sums of all rows are in registers, from which each column takes its
// own.
template <int N>
struct LongSweep {
  BOUGH_LONG_REGISTERS static inline void run(const FewRows& rows, const Keys* key, int, double floor,
                                              double* value, std::int64_t* at) {
    const RowTable<N> weights(rows.weight), sums(rows.sum);
    const __m512d node_weight = _mm512_set1_pd(rows.node_weight);
    __m512d left = _mm512_setzero_pd(), left_sum = left, right = _mm512_set1_pd(rows.total_weight),
            right_sum = _mm512_set1_pd(rows.total_sum);
    BestCuts best(floor);
    CutKeys keys(key);
    for (int i = 0; i + 1 < rows.n; ++i) {
      keys.advance();
      const __m512i row = keys.rows();
      const __m512d w = _mm512_castsi512_pd(weights.at(row)), s = _mm512_castsi512_pd(sums.at(row));
      left = _mm512_add_pd(left, w);
      left_sum = _mm512_add_pd(left_sum, s);
      right = _mm512_sub_pd(right, w);
      right_sum = _mm512_sub_pd(right_sum, s);
      const __m512d d = _mm512_sub_pd(_mm512_mul_pd(left_sum, right), _mm512_mul_pd(right_sum, left));
      __mmask8 may = keys.differ();
      const __m512d squares = _mm512_mul_pd(d, d), sides = _mm512_mul_pd(left, right),
                    unit = _mm512_mul_pd(_mm512_add_pd(left, right), node_weight);
      if constexpr (N > 8) {  // most cuts of more rows need no division
        may = best.may_exceed(may, squares, sides, unit);
        if (!may) continue;
      }
      best.take(may, squares, sides, unit, i);
    }
    best.store(value, at);
  }
};

BOUGH_LONG_REGISTERS void few_cuts_with_long_registers(const FewRows& rows, const FewCodes& codes,
                                                       const int* columns, int n, FewCut& best) {
  if (codes.width <= 16) return search_rows<LongSweep, LongReader<1>>(rows, codes, columns, n, best);
  if (codes.width <= 32) return search_rows<LongSweep, LongReader<2>>(rows, codes, columns, n, best);
  search_rows<LongSweep, CodeReader>(rows, codes, columns, n, best);
}
#endif

}  // namespace

std::vector<FewCutsKernel> runnable_few_cuts() {
  std::vector<FewCutsKernel> kernels{{kMostAnywhere, few_cuts_anywhere}};
#if defined(BOUGH_AVX2)
  if (has_avx2()) kernels.push_back({FewRows::kMost, few_cuts_avx2});
#endif
#if defined(BOUGH_LONG_REGISTERS)
  if (has_avx2() && has_long_registers()) kernels.push_back({FewRows::kMost, few_cuts_with_long_registers});
#endif
  return kernels;
}

}  // namespace bough
