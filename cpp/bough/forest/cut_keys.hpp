// The keys beside each cut of few rows, and the best cuts so far, of eight columns side by side.
#pragma once

#include <cstdint>
#include <cstring>

#include "bough/forest/few_keys.hpp"
#include "bough/machine/processor.hpp"

#if defined(BOUGH_LONG_REGISTERS)
#include <immintrin.h>

namespace bough {

// Begins before the first cut; `advance` goes on to the next one.
class CutKeys {
 public:
  BOUGH_LONG_REGISTERS explicit inline CutKeys(const few::Keys* key) : key_(key) { load(); }

  BOUGH_LONG_REGISTERS inline void advance() {
    left_ = right_;
    ++key_;
    load();
  }
  // The row that comes last on the left of the cut of each column, as the lowest bits of a number.
  BOUGH_LONG_REGISTERS inline __m512i rows() const { return _mm512_maskz_cvtepi32_epi64(0xff, left_); }
  // The columns whose values beside the cut are different.
  BOUGH_LONG_REGISTERS inline __mmask8 differ() const {
    return _mm256_cmpneq_epi32_mask(_mm256_srli_epi32(left_, few::kPlaceBits),
                                    _mm256_srli_epi32(right_, few::kPlaceBits));
  }

 private:
  BOUGH_LONG_REGISTERS inline void load() { std::memcpy(&right_, key_, sizeof right_); }

  const few::Keys* key_;
  __m256i left_, right_;
};

// Values are fall / sides / unit.
class BestCuts {
 public:
  BOUGH_LONG_REGISTERS explicit inline BestCuts(double floor) : most_(_mm512_set1_pd(floor)) {}

  // The columns whose value may exceed the best one: most cuts need no division.
  BOUGH_LONG_REGISTERS inline __mmask8 may_exceed(__mmask8 may, __m512d fall, __m512d sides,
                                                  __m512d unit) const {
    const __m512d slack = _mm512_set1_pd(1 - 1e-9);
    const __m512d bar = _mm512_mul_pd(_mm512_mul_pd(_mm512_mul_pd(most_, slack), sides), unit);
    return _mm512_mask_cmp_pd_mask(may, fall, bar, _CMP_NLT_UQ);
  }
  // Takes cut i in the columns where its value does.
  BOUGH_LONG_REGISTERS inline void take(__mmask8 may, __m512d fall, __m512d sides, __m512d unit, int i) {
    const __m512d here = _mm512_div_pd(_mm512_div_pd(fall, sides), unit);
    const __mmask8 better = _mm512_mask_cmp_pd_mask(may, here, most_, _CMP_GT_OQ);
    most_ = _mm512_mask_mov_pd(most_, better, here);
    place_ = _mm512_mask_set1_epi64(place_, better, i);
  }
  BOUGH_LONG_REGISTERS inline void store(double* value, std::int64_t* at) const {
    _mm512_store_pd(value, most_);
    _mm512_store_si512(at, place_);
  }

 private:
  __m512d most_;
  __m512i place_ = {};
};

}  // namespace bough

#endif
