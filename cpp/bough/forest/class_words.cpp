#include "bough/forest/class_words.hpp"

#include "bough/machine/processor.hpp"

#if defined(BOUGH_LONG_REGISTERS)
#include <immintrin.h>

// GCC's own header begins some results with what is undefined, all of which is overwritten.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace bough {

namespace {

#if defined(BOUGH_LONG_REGISTERS)

// Of some rows the class weights below the cut of each column, as the bytes of a word.
struct WordsBelow {
  __m512i below;
  std::uint64_t total;
  int end;  // the row after the last

  // Takes rows from `first` on while their weight fits in a byte.
  BOUGH_LONG_REGISTERS inline void sum(const CellRows& rows, int first, __m256 cuts,
                                       const std::int32_t* label, const double* weight) {
    below = _mm512_setzero_si512();
    total = 0;
    int all = 0;
    for (end = first; end < rows.n; ++end) {
      const std::uint32_t at = rows.index[end];
      const auto own = static_cast<std::int32_t>(weight[at]);
      all += own;
      if (all > ClassWordKernels::kMostWeight) break;
      const std::uint64_t word = static_cast<std::uint64_t>(own) << 8 * label[at];
      total += word;
      const __m256 cells = _mm256_loadu_ps(rows.cells_of(end));
      below = _mm512_mask_add_epi64(below, _mm256_cmp_ps_mask(cells, cuts, _CMP_LT_OQ), below,
                                    _mm512_set1_epi64(static_cast<std::int64_t>(word)));
    }
  }
};

BOUGH_LONG_REGISTERS void count_class_words(const CellRows& rows, const float* cut, const std::int32_t* label,
                                            const double* weight, int n_classes, std::int32_t* below) {
  const __m256 cuts = _mm256_loadu_ps(cut);
  __m256i counts[ClassWordKernels::kMostClasses];
  for (__m256i& count : counts) count = _mm256_setzero_si256();
  WordsBelow words;
  for (int first = 0; first < rows.n; first = words.end) {
    words.sum(rows, first, cuts, label, weight);
    for (int k = 0; k < n_classes; ++k) {
      const __m512i byte = _mm512_and_si512(words.below, _mm512_set1_epi64(0xff));
      counts[k] = _mm256_add_epi32(counts[k], _mm512_cvtepi64_epi32(byte));
      words.below = _mm512_srli_epi64(words.below, 8);
    }
  }
  for (int k = 0; k < n_classes; ++k)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(below + k * kLanes), counts[k]);
}

// Squares and products of bytes are summed in pairs.
BOUGH_LONG_REGISTERS void square_class_words(const CellRows& rows, const float* cut,
                                             const std::int32_t* label, const double* weight,
                                             const SquaresBelow& to) {
  WordsBelow words;
  words.sum(rows, 0, _mm256_loadu_ps(cut), label, weight);
  const __m512i below = words.below, all = _mm512_set1_epi64(static_cast<std::int64_t>(words.total));
  const __m512i byte = _mm512_set1_epi16(0xff);
  const __m512i even = _mm512_and_si512(below, byte), odd = _mm512_srli_epi16(below, 8);
  const __m512i squares = _mm512_add_epi32(_mm512_madd_epi16(even, even), _mm512_madd_epi16(odd, odd));
  const __m512i products = _mm512_add_epi32(_mm512_madd_epi16(even, _mm512_and_si512(all, byte)),
                                            _mm512_madd_epi16(odd, _mm512_srli_epi16(all, 8)));
  const auto write = [](__m512i sums, std::int32_t* numbers) BOUGH_LONG_REGISTERS {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(numbers), _mm512_cvtepi64_epi32(sums));
  };
  write(_mm512_sad_epu8(below, _mm512_setzero_si512()), to.weight);
  write(_mm512_add_epi32(squares, _mm512_srli_epi64(squares, 32)), to.squares);
  write(_mm512_add_epi32(products, _mm512_srli_epi64(products, 32)), to.products);
}

constexpr ClassWordKernels kClassWords{count_class_words, square_class_words};
#pragma GCC diagnostic pop

#endif

}  // namespace

const ClassWordKernels* class_word_kernels() {
#if defined(BOUGH_LONG_REGISTERS)
  if (has_avx2() && has_long_registers()) return &kClassWords;
#endif
  return nullptr;
}

}  // namespace bough
