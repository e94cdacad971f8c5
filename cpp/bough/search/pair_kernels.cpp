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

BOUGH_INLINE void squares_of_pairs(const PairedRows& rows, const PairedCuts& cuts) {
  constexpr int kLanes = 8;
  using Ints = std::int32_t __attribute__((vector_size(4 * kLanes)));
  using Floats = float __attribute__((vector_size(4 * kLanes)));
  for (int begin = 0; begin < rows.stride; begin += kLanes) {
    HighestCuts<Ints, Floats> best;
    for (int i = 0; i < rows.n; ++i) {
      Ints own, sum = {}, set = {};
      std::memcpy(&own, rows.code[i] + begin, sizeof own);
      for (int j = 0; j < rows.n; ++j) {
        Ints other;
        std::memcpy(&other, rows.code[j] + begin, sizeof other);
        const Ints below = other <= own;
        sum += below & rows.term[j];
        set |= below & static_cast<std::int32_t>(rows.bit[j]);
      }
      Floats here;
      value_of_terms(sum, rows.n, here);
      std::memcpy(cuts.value + i * rows.stride + begin, &here, sizeof here);
      best.take(here, set);
    }
    best.write(cuts, begin);
  }
}

namespace pairs_anywhere {
void squares(const PairedRows& rows, const PairedCuts& cuts) { squares_of_pairs(rows, cuts); }
constexpr PairKernels kAll{squares, 8};
}  // namespace pairs_anywhere

#if defined(BOUGH_AVX2)
namespace pairs_avx2 {
BOUGH_AVX2 void squares(const PairedRows& rows, const PairedCuts& cuts) { squares_of_pairs(rows, cuts); }
constexpr PairKernels kAll{squares, 16};
}  // namespace pairs_avx2
#endif

#if defined(BOUGH_LONG_REGISTERS)
namespace pairs_long {
// The same, 16 columns at a time: what is not below is left out of a sum by a mask.
BOUGH_LONG_REGISTERS void squares(const PairedRows& rows, const PairedCuts& cuts) {
  using Ints = std::int32_t __attribute__((vector_size(64)));
  using Floats = float __attribute__((vector_size(64)));
  for (int begin = 0; begin < rows.stride; begin += kPairLanes) {
    HighestCuts<Ints, Floats> best;
    for (int i = 0; i < rows.n; ++i) {
      const __m512i own = _mm512_loadu_si512(rows.code[i] + begin);
      __m512i sum = _mm512_setzero_si512(), set = sum;
      for (int j = 0; j < rows.n; ++j) {
        const __mmask16 below = _mm512_cmpge_epi32_mask(own, _mm512_loadu_si512(rows.code[j] + begin));
        sum = _mm512_mask_add_epi32(sum, below, sum, _mm512_set1_epi32(rows.term[j]));
        set = _mm512_mask_or_epi32(set, below, set, _mm512_set1_epi32(static_cast<int>(rows.bit[j])));
      }
      Floats here;
      value_of_terms(reinterpret_cast<Ints>(sum), rows.n, here);
      std::memcpy(cuts.value + i * rows.stride + begin, &here, sizeof here);
      best.take(here, reinterpret_cast<Ints>(set));
    }
    best.write(cuts, begin);
  }
}
constexpr PairKernels kAll{squares, kMostPaired};
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

const PairKernels& pair_kernels() {
  static const PairKernels& chosen = *runnable_pair_kernels().back();
  return chosen;
}

}  // namespace bough
