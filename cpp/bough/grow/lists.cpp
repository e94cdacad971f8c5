#include "bough/grow/lists.hpp"

#include "bough/machine/processor.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bough {

namespace {

#if defined(BOUGH_LONG_REGISTERS)

// Which of 16 or 8 entries go left, as bits.
BOUGH_LONG_REGISTERS inline __mmask16 going_left(__m512i entries, const Sides<std::uint32_t>& sides) {
  using Words = std::uint32_t __attribute__((vector_size(64)));
  const Words index = (reinterpret_cast<Words>(entries) & 0xffffu) >> 1;
  const __m512i side = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), 0xffff,
                                                   reinterpret_cast<__m512i>(index), sides.bytes(), 1);
  return _mm512_test_epi32_mask(side, _mm512_set1_epi32(1));
}
BOUGH_LONG_REGISTERS inline __mmask8 going_left(__m512i entries, const Sides<std::uint64_t>& sides) {
  using Words = std::uint32_t __attribute__((vector_size(32)));
  const Words row = reinterpret_cast<Words>(_mm512_maskz_cvtepi64_epi32(0xff, entries)) >> 1;
  const __m256i word = _mm256_mmask_i32gather_epi32(_mm256_setzero_si256(), 0xff,
                                                    reinterpret_cast<__m256i>(row >> 5), sides.bits(), 4);
  return _mm256_test_epi32_mask(word, reinterpret_cast<__m256i>((Words{} + 1) << (row & 31)));
}

BOUGH_LONG_REGISTERS inline __m512i packed(__mmask16 which, __m512i entries) {
  return _mm512_maskz_compress_epi32(which, entries);
}
BOUGH_LONG_REGISTERS inline __m512i packed(__mmask8 which, __m512i entries) {
  return _mm512_maskz_compress_epi64(which, entries);
}

// Left rows go to the front of the list, the others to the scratch; returns the number of those.
template <class E, bool kKeepLeft, bool kKeepRight>
BOUGH_LONG_REGISTERS int part_by_long_registers(E* list, int count, const Sides<E>& sides, E* scratch) {
  constexpr int kLanes = 64 / sizeof(E);
  int left = 0, right = 0, i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m512i entries = _mm512_loadu_si512(list + i);
    const auto goes_left = going_left(entries, sides);
    if constexpr (kKeepLeft) _mm512_storeu_si512(list + left, packed(goes_left, entries));
    if constexpr (kKeepRight)
      _mm512_storeu_si512(scratch + right, packed(static_cast<decltype(goes_left)>(~goes_left), entries));
    const int n_left = __builtin_popcount(goes_left);
    left += n_left;
    right += kLanes - n_left;
  }
  for (; i < count; ++i) {
    const E entry = list[i];
    const int goes_left = static_cast<int>(sides.left(index_of(entry)));
    if constexpr (kKeepLeft) list[left] = entry;
    if constexpr (kKeepRight) scratch[right] = entry;
    left += goes_left;
    right += 1 - goes_left;
  }
  return right;
}

#endif

template <class E>
using Parts = int (*)(E* list, int count, const Sides<E>& sides, E* scratch);

}  // namespace

bool parts_by_vectors() {
#if defined(BOUGH_LONG_REGISTERS)
  return has_avx2() && has_long_registers();
#else
  return false;
#endif
}

template <class E>
void part_by_vectors(E* list, int count, const Sides<E>& sides, Kept kept, E* scratch) {
#if defined(BOUGH_LONG_REGISTERS)
  const Parts<E> parts = kept == Kept::both   ? &part_by_long_registers<E, true, true>
                         : kept == Kept::left ? &part_by_long_registers<E, true, false>
                                              : &part_by_long_registers<E, false, true>;
  const int n_right = parts(list, count, sides, scratch);
  if (kept != Kept::left)
    std::memcpy(list + (count - n_right), scratch, static_cast<std::size_t>(n_right) * sizeof(E));
#else
  part(list, count, sides, kept, scratch);
#endif
}

template void part_by_vectors(std::uint32_t*, int, const Sides<std::uint32_t>&, Kept, std::uint32_t*);
template void part_by_vectors(std::uint64_t*, int, const Sides<std::uint64_t>&, Kept, std::uint64_t*);

}  // namespace bough
