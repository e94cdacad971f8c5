// A number of each of a few rows, kept in registers, from which each lane of a vector takes that of its own
// row.
#pragma once

#include <cstdint>

#include "bough/machine/processor.hpp"

#if defined(BOUGH_LONG_REGISTERS)
#include <immintrin.h>

namespace bough {

// Of at most N rows, numbers of 64 bits: the memory read holds N of them, rounded up to a multiple of eight.
template <int N>
struct RowTable {
  static constexpr int kParts = N <= 32 ? 4 : 8;
  __m512i part[kParts];

  BOUGH_LONG_REGISTERS explicit inline RowTable(const void* from) {
    for (int i = 0; i < kParts; ++i)
      part[i] = 8 * i < N ? _mm512_load_si512(static_cast<const std::uint64_t*>(from) + 8 * i)
                          : _mm512_setzero_si512();
  }
  // The numbers of eight rows. Bits of a row above those of an index below N do not count.
  BOUGH_LONG_REGISTERS inline __m512i at(__m512i row) const {
    if constexpr (N <= 8) return _mm512_maskz_permutexvar_epi64(0xff, row, part[0]);
    const __m512i low = _mm512_permutex2var_epi64(part[0], row, part[1]);
    if constexpr (N <= 16) return low;
    const __mmask8 odd_pair = _mm512_test_epi64_mask(row, _mm512_set1_epi64(16));
    const __m512i lower =
        _mm512_mask_mov_epi64(low, odd_pair, _mm512_permutex2var_epi64(part[2], row, part[3]));
    if constexpr (N <= 32) {
      return lower;
    } else {
      const __m512i upper = _mm512_mask_mov_epi64(_mm512_permutex2var_epi64(part[4], row, part[5]), odd_pair,
                                                  _mm512_permutex2var_epi64(part[6], row, part[7]));
      return _mm512_mask_mov_epi64(lower, _mm512_test_epi64_mask(row, _mm512_set1_epi64(32)), upper);
    }
  }
};

}  // namespace bough

#endif
