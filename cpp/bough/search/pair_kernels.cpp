#include "bough/search/pair_kernels.hpp"

#include <cstring>

#include "bough/machine/processor.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bough {

namespace {

constexpr int kTermShift = 6;
constexpr std::int32_t kCountMask = (1 << kTermShift) - 1;

// The values of cuts from the sums of terms on their left; V and F: vectors of whole numbers and of floats.
template <class V, class F>
BOUGH_INLINE void value_of_terms(const V& sum, int n, F& value) {
  const V left = sum & kCountMask, right = n - left;
  const F d = __builtin_convertvector(sum >> kTermShift, F);
  const F here = d * d / __builtin_convertvector(left * right, F);
  value = right > 0 ? here : F{} - 1;
}

// What lies left and right of the cuts above one row: sums, and the rows left of them as sets.
template <class V, class F>
struct SharesOfCuts {
  F left = {}, right = {}, excess = {};  // weight on both sides, and what the left has beyond its share
  V set = {};

  BOUGH_INLINE void value(F& value) const {
    const F here = excess * excess / (left * right);
    value = right > 0 ? here : F{} - 1;
  }
};

// The values of cuts from the sums of squared numbers of rows by class.
template <class V, class F>
BOUGH_INLINE void value_of_classes(const V& squares_left, const V& squares_right, const V& left, int n,
                                   F& value) {
  const V right = n - left;
  const F here = __builtin_convertvector(squares_left, F) / __builtin_convertvector(left, F) +
                 __builtin_convertvector(squares_right, F) / __builtin_convertvector(right, F);
  value = right > 0 ? here : F{} - 1;
}

// The best two cuts of some columns; V and F as above.
template <class V, class F>
struct HighestCuts {
  F highest = F{} - 1, second = F{} - 1;
  V set = {};

  BOUGH_INLINE void take(const F& value, const V& left) {
    const V higher = value > highest;
    const F lower = higher ? highest : value;
    second = lower > second ? lower : second;
    highest = higher ? value : highest;
    set = higher ? left : set;
  }
  BOUGH_INLINE void write(const PairedCuts& cuts, int begin) const {
    std::memcpy(cuts.highest + begin, &highest, sizeof highest);
    std::memcpy(cuts.second + begin, &second, sizeof second);
    std::memcpy(cuts.set + begin, &set, sizeof set);
  }
};

// Calls cut(own codes, first column, value, set) for the cuts above every row, as many columns at a
// time as a vector has lanes, and writes down what it says of them.
template <class V, class F, class CutOf>
BOUGH_INLINE void each_cut(const PairedRows& rows, const PairedCuts& cuts, const CutOf& cut) {
  for (int begin = 0; begin < rows.stride; begin += static_cast<int>(sizeof(V) / 4)) {
    HighestCuts<V, F> best;
    for (int i = 0; i < rows.n; ++i) {
      V own, set = {};
      F here;
      std::memcpy(&own, rows.code[i] + begin, sizeof own);
      cut(own, begin, here, set);
      std::memcpy(cuts.value + i * rows.stride + begin, &here, sizeof here);
      best.take(here, set);
    }
    best.write(cuts, begin);
  }
}

using Ints = std::int32_t __attribute__((vector_size(32)));
using Floats = float __attribute__((vector_size(32)));

BOUGH_INLINE void rows_below(const PairedRows& rows, int j, int begin, const Ints& own, Ints& below) {
  Ints other;
  std::memcpy(&other, rows.code[j] + begin, sizeof other);
  below = other <= own;
}

BOUGH_INLINE void squares_of_pairs(const PairedRows& rows, const PairedCuts& cuts) {
  each_cut<Ints, Floats>(
      rows, cuts, [&](const Ints& own, int begin, Floats& here, Ints& set) __attribute__((always_inline)) {
        Ints sum = {};
        for (int j = 0; j < rows.n; ++j) {
          Ints below;
          rows_below(rows, j, begin, own, below);
          sum += below & rows.term[j];
          set |= below & static_cast<std::int32_t>(rows.bit[j]);
        }
        value_of_terms(sum, rows.n, here);
      });
}

BOUGH_INLINE void weights_of_pairs(const PairedRows& rows, const PairedCuts& cuts) {
  each_cut<Ints, Floats>(
      rows, cuts, [&](const Ints& own, int begin, Floats& here, Ints& set) __attribute__((always_inline)) {
        SharesOfCuts<Ints, Floats> shares;
        for (int j = 0; j < rows.n; ++j) {
          Ints below;
          rows_below(rows, j, begin, own, below);
          const Floats none = {}, weight = none + rows.weight[j], excess = none + rows.excess[j];
          shares.left += below ? weight : none;
          shares.right += below ? none : weight;
          shares.excess += below ? excess : none;
          shares.set |= below & static_cast<std::int32_t>(rows.bit[j]);
        }
        shares.value(here);
        set = shares.set;
      });
}

BOUGH_INLINE void add_squares(const Ints& words, Ints& squares) {
  for (int b = 0; b < kClassesOfWord; ++b) {
    const Ints count = words >> (8 * b) & 255;
    squares += count * count;
  }
}

BOUGH_INLINE void classes_of_pairs(const PairedRows& rows, const PairedCuts& cuts) {
  each_cut<Ints, Floats>(
      rows, cuts, [&](const Ints& own, int begin, Floats& here, Ints& set) __attribute__((always_inline)) {
        Ints left = {}, right = {}, n_left = {};
        for (int w = 0, j = 0; w < rows.n_words; ++w) {
          Ints counts = {};
          for (; j < rows.word_end[w]; ++j) {
            Ints below;
            rows_below(rows, j, begin, own, below);
            counts += below & rows.term[j];
            n_left -= below;
            set |= below & static_cast<std::int32_t>(rows.bit[j]);
          }
          add_squares(counts, left);
          add_squares(rows.of_all[w] - counts, right);
        }
        value_of_classes(left, right, n_left, rows.n, here);
      });
}

namespace pairs_anywhere {
void squares(const PairedRows& rows, const PairedCuts& cuts) { squares_of_pairs(rows, cuts); }
void weights(const PairedRows& rows, const PairedCuts& cuts) { weights_of_pairs(rows, cuts); }
void classes(const PairedRows& rows, const PairedCuts& cuts) { classes_of_pairs(rows, cuts); }
constexpr PairKernels kAll{squares, weights, classes, 8};
}  // namespace pairs_anywhere

#if defined(BOUGH_AVX2)
namespace pairs_avx2 {
BOUGH_AVX2 void squares(const PairedRows& rows, const PairedCuts& cuts) { squares_of_pairs(rows, cuts); }
BOUGH_AVX2 void weights(const PairedRows& rows, const PairedCuts& cuts) { weights_of_pairs(rows, cuts); }
BOUGH_AVX2 void classes(const PairedRows& rows, const PairedCuts& cuts) { classes_of_pairs(rows, cuts); }
constexpr PairKernels kAll{squares, weights, classes, 16};
}  // namespace pairs_avx2
#endif

#if defined(BOUGH_LONG_REGISTERS)
// The same, 16 columns at a time: what is not below is left out of a sum by a mask.
namespace pairs_long {
using LongInts = std::int32_t __attribute__((vector_size(64)));
using LongFloats = float __attribute__((vector_size(64)));

// The loops of each_cut once more: an intrinsic function cannot be called in a lambda that asks for nothing.
BOUGH_LONG_REGISTERS inline __mmask16 rows_below(const PairedRows& rows, int j, int begin, __m512i own) {
  return _mm512_cmpge_epi32_mask(own, _mm512_loadu_si512(rows.code[j] + begin));
}
BOUGH_LONG_REGISTERS inline __m512i with_row(__m512i set, __mmask16 below, const PairedRows& rows, int j) {
  return _mm512_mask_or_epi32(set, below, set, _mm512_set1_epi32(static_cast<int>(rows.bit[j])));
}

BOUGH_LONG_REGISTERS void squares(const PairedRows& rows, const PairedCuts& cuts) {
  for (int begin = 0; begin < rows.stride; begin += kPairLanes) {
    HighestCuts<LongInts, LongFloats> best;
    for (int i = 0; i < rows.n; ++i) {
      const __m512i own = _mm512_loadu_si512(rows.code[i] + begin);
      __m512i sum = _mm512_setzero_si512(), set = sum;
      for (int j = 0; j < rows.n; ++j) {
        const __mmask16 below = rows_below(rows, j, begin, own);
        sum = _mm512_mask_add_epi32(sum, below, sum, _mm512_set1_epi32(rows.term[j]));
        set = with_row(set, below, rows, j);
      }
      LongFloats here;
      value_of_terms(reinterpret_cast<LongInts>(sum), rows.n, here);
      std::memcpy(cuts.value + i * rows.stride + begin, &here, sizeof here);
      best.take(here, reinterpret_cast<LongInts>(set));
    }
    best.write(cuts, begin);
  }
}

BOUGH_LONG_REGISTERS void weights(const PairedRows& rows, const PairedCuts& cuts) {
  for (int begin = 0; begin < rows.stride; begin += kPairLanes) {
    HighestCuts<LongInts, LongFloats> best;
    for (int i = 0; i < rows.n; ++i) {
      const __m512i own = _mm512_loadu_si512(rows.code[i] + begin);
      __m512i set = _mm512_setzero_si512();
      __m512 left = _mm512_setzero_ps(), right = left, excess = left;
      for (int j = 0; j < rows.n; ++j) {
        const __mmask16 below = rows_below(rows, j, begin, own);
        const __m512 weight = _mm512_set1_ps(rows.weight[j]);
        left = _mm512_mask_add_ps(left, below, left, weight);
        right = _mm512_mask_add_ps(right, static_cast<__mmask16>(~below), right, weight);
        excess = _mm512_mask_add_ps(excess, below, excess, _mm512_set1_ps(rows.excess[j]));
        set = with_row(set, below, rows, j);
      }
      const SharesOfCuts<LongInts, LongFloats> of{left, right, excess, reinterpret_cast<LongInts>(set)};
      LongFloats here;
      of.value(here);
      std::memcpy(cuts.value + i * rows.stride + begin, &here, sizeof here);
      best.take(here, of.set);
    }
    best.write(cuts, begin);
  }
}

// The sum of the products of the four bytes of each word.
BOUGH_LONG_REGISTERS inline __m512i products_of_bytes(__m512i a, __m512i b) {
  const __m512i all = _mm512_set1_epi32(-1);  // registers without a mask would be read before they are set
  return _mm512_madd_epi16(_mm512_maskz_maddubs_epi16(~__mmask32{0}, a, b), _mm512_srli_epi16(all, 15));
}

BOUGH_LONG_REGISTERS void classes(const PairedRows& rows, const PairedCuts& cuts) {
  const __m512i ones = _mm512_set1_epi8(1);
  for (int begin = 0; begin < rows.stride; begin += kPairLanes) {
    HighestCuts<LongInts, LongFloats> best;
    for (int i = 0; i < rows.n; ++i) {
      const __m512i own = _mm512_loadu_si512(rows.code[i] + begin);
      __m512i set = _mm512_setzero_si512(), left = set, right = set, n_left = set;
      for (int w = 0, j = 0; w < rows.n_words; ++w) {
        __m512i counts = _mm512_setzero_si512();
        for (; j < rows.word_end[w]; ++j) {
          const __mmask16 below = rows_below(rows, j, begin, own);
          counts = _mm512_mask_add_epi32(counts, below, counts, _mm512_set1_epi32(rows.term[j]));
          set = with_row(set, below, rows, j);
        }
        const __m512i others = _mm512_sub_epi32(_mm512_set1_epi32(rows.of_all[w]), counts);
        left = _mm512_add_epi32(left, products_of_bytes(counts, counts));
        right = _mm512_add_epi32(right, products_of_bytes(others, others));
        n_left = _mm512_add_epi32(n_left, products_of_bytes(counts, ones));
      }
      LongFloats here;
      value_of_classes(reinterpret_cast<LongInts>(left), reinterpret_cast<LongInts>(right),
                       reinterpret_cast<LongInts>(n_left), rows.n, here);
      std::memcpy(cuts.value + i * rows.stride + begin, &here, sizeof here);
      best.take(here, reinterpret_cast<LongInts>(set));
    }
    best.write(cuts, begin);
  }
}
constexpr PairKernels kAll{squares, weights, classes, kMostPaired};
}  // namespace pairs_long
#endif

}  // namespace

std::vector<const PairKernels*> runnable_pair_kernels() {
  std::vector<const PairKernels*> sets{&pairs_anywhere::kAll};
#if defined(BOUGH_AVX2)
  if (has_avx2()) sets.push_back(&pairs_avx2::kAll);
#endif
#if defined(BOUGH_LONG_REGISTERS)
  if (has_avx2() && has_long_registers()) sets.push_back(&pairs_long::kAll);
#endif
  return sets;
}

}  // namespace bough
