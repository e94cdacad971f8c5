// The leaves of the rows of a block in one tree, in registers as far as these reach, and sums of the values
// of leaves. Sums add doubles in the order of the trees.
#pragma once

#include <algorithm>
#include <cstdint>

#include "bough/boost/column_coder.hpp"
#include "bough/machine/processor.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bough {

constexpr int kTreesInStep = 4;  // whose values are added in one pass over the rows
constexpr int kLeavesHeld = 32;  // of a tree, whose values registers can hold

// Sums by one load of the value of each leaf. The leaves of the rows in one tree lie next to each other.
struct PlainSums {
  static constexpr int kBlock = ColumnCoder::kRows;

  static BOUGH_INLINE void add_one(const double* value, const std::uint8_t* __restrict leaf,
                                   double* __restrict score) {
    for (int i = 0; i < kBlock; ++i) {
      keep_scalar();
      score[i] += value[leaf[i]];
    }
  }
  static BOUGH_INLINE void add_four(const double* const* value, int /*most_leaves*/,
                                    const std::uint8_t* __restrict leaf, double* __restrict score) {
    const double *a = value[0], *b = value[1], *c = value[2], *d = value[3];
    for (int i = 0; i < kBlock; ++i) {
      keep_scalar();
      score[i] =
          score[i] + a[leaf[i]] + b[leaf[kBlock + i]] + c[leaf[2 * kBlock + i]] + d[leaf[3 * kBlock + i]];
    }
  }
};

// A step moves the rows on that are at a leaf and whose code is greater than a cut.
struct PlainRegisters : PlainSums {
  static constexpr int kRows = 128;
  std::uint8_t leaf[kRows] = {};

  BOUGH_INLINE void step(const std::int8_t* code, std::int8_t cut, std::uint8_t first, std::uint8_t step) {
    for (int i = 0; i < kRows; ++i)
      leaf[i] = static_cast<std::uint8_t>(leaf[i] + (code[i] > cut && leaf[i] == first ? step : 0));
  }
  BOUGH_INLINE void write(std::uint8_t* to) const { std::copy_n(leaf, kRows, to); }
};

#if defined(BOUGH_AVX2)
struct ShortRegisters : PlainSums {
  static constexpr int kMany = 8, kLong = 32, kRows = kMany * kLong;
  __m256i leaf[kMany];

  BOUGH_AVX2 ShortRegisters() {
    for (__m256i& each : leaf) each = _mm256_setzero_si256();
  }
  BOUGH_AVX2 void step(const std::int8_t* code, std::int8_t cut, std::uint8_t first, std::uint8_t step) {
    const __m256i cuts = _mm256_set1_epi8(cut), firsts = _mm256_set1_epi8(static_cast<char>(first)),
                  steps = _mm256_set1_epi8(static_cast<char>(step));
    for (int j = 0; j < kMany; ++j) {
      const __m256i codes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(code + j * kLong));
      const __m256i moves =
          _mm256_and_si256(_mm256_cmpgt_epi8(codes, cuts), _mm256_cmpeq_epi8(leaf[j], firsts));
      leaf[j] = _mm256_add_epi8(leaf[j], _mm256_and_si256(moves, steps));
    }
  }
  BOUGH_AVX2 void write(std::uint8_t* to) const {
    for (int j = 0; j < kMany; ++j) _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + j * kLong), leaf[j]);
  }
};
#endif

#if defined(BOUGH_LONG_REGISTERS)
struct LongRegisters {
  static constexpr int kMany = 8, kLong = 64, kRows = kMany * kLong;
  __m512i leaf[kMany];

  BOUGH_LONG_REGISTERS LongRegisters() {
    for (__m512i& each : leaf) each = _mm512_setzero_si512();
  }
  BOUGH_LONG_REGISTERS void step(const std::int8_t* code, std::int8_t cut, std::uint8_t first,
                                 std::uint8_t step) {
    const __m512i cuts = _mm512_set1_epi8(cut), firsts = _mm512_set1_epi8(static_cast<char>(first)),
                  steps = _mm512_set1_epi8(static_cast<char>(step));
    for (int j = 0; j < kMany; ++j) {
      const __mmask64 here = _mm512_cmpeq_epi8_mask(leaf[j], firsts);
      const __mmask64 moves = _mm512_mask_cmpgt_epi8_mask(here, _mm512_loadu_si512(code + j * kLong), cuts);
      leaf[j] = _mm512_mask_add_epi8(leaf[j], moves, leaf[j], steps);
    }
  }
  BOUGH_LONG_REGISTERS void write(std::uint8_t* to) const {
    for (int j = 0; j < kMany; ++j) _mm512_storeu_si512(to + j * kLong, leaf[j]);
  }

  // Looks up eight leaves at a time in registers that hold the values of all, if a tree has few. What lies
  // past its values is read and not used.
  BOUGH_LONG_REGISTERS static void add_four(const double* const* value, int most_leaves,
                                            const std::uint8_t* leaf, double* score) {
    if (most_leaves > kLeavesHeld) return PlainSums::add_four(value, most_leaves, leaf, score);
    __m512d held[kTreesInStep][4];
    for (int t = 0; t < kTreesInStep; ++t)
      for (int j = 0; j < 4; ++j) held[t][j] = _mm512_loadu_pd(value[t] + 8 * j);
    const __m512i upper_half = _mm512_set1_epi64(kLeavesHeld / 2);
    for (int i = 0; i < kRows; i += 8) {
      __m512d sum = _mm512_loadu_pd(score + i);
      for (int t = 0; t < kTreesInStep; ++t) {
        const __m512i at = _mm512_maskz_cvtepu8_epi64(
            0xff, _mm_loadl_epi64(reinterpret_cast<const __m128i*>(leaf + t * kRows + i)));
        const __m512d low = _mm512_permutex2var_pd(held[t][0], at, held[t][1]),
                      high = _mm512_permutex2var_pd(held[t][2], at, held[t][3]);
        sum = _mm512_add_pd(sum, _mm512_mask_blend_pd(_mm512_test_epi64_mask(at, upper_half), low, high));
      }
      _mm512_storeu_pd(score + i, sum);
    }
  }
};
static_assert(LongRegisters::kRows == ColumnCoder::kRows);
#endif

}  // namespace bough
