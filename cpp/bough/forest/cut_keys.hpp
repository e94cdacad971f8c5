// The keys beside each cut of few rows, of eight columns side by side.
#pragma once

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

}  // namespace bough

#endif
