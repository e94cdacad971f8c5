#include "bough/grow/lists.hpp"

#include "bough/machine/processor.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bough {

namespace {

#if defined(BOUGH_LONG_REGISTERS)

// Longer lists are on their way from memory while what lies before is parted.
constexpr int kStreamedEntries = 1 << 15, kEntriesAhead = 512;

using Words = std::uint32_t __attribute__((vector_size(64)));

// Say which of 16 or 8 entries go left, as bits: from bytes in memory,
struct SidesInBytes {
  const Sides<std::uint32_t>& sides;

  BOUGH_LONG_REGISTERS __mmask16 going_left(__m512i entries) const {
    const Words index = (reinterpret_cast<Words>(entries) & 0xffffu) >> 1;
    const __m512i side = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), 0xffff,
                                                     reinterpret_cast<__m512i>(index), sides.bytes(), 1);
    return _mm512_test_epi32_mask(side, _mm512_set1_epi32(1));
  }
};

// from bits in eight registers, of which an instruction picks words from two,
struct SidesInRegisters {
  __m512i words[8];

  BOUGH_LONG_REGISTERS explicit SidesInRegisters(const PackedSides& bits) {
    for (int i = 0; i < 8; ++i) words[i] = _mm512_load_si512(bits.of + 8 * i);
  }

  BOUGH_LONG_REGISTERS __mmask16 going_left(__m512i entries) const {
    const Words entry = reinterpret_cast<Words>(entries);
    const __m512i word = reinterpret_cast<__m512i>(entry >> 6), bit = reinterpret_cast<__m512i>(entry >> 1);
    const __mmask16 odd_pair = _mm512_test_epi32_mask(entries, _mm512_set1_epi32(1 << 11)),
                    upper_half = _mm512_test_epi32_mask(entries, _mm512_set1_epi32(1 << 12));
    const __m512i lower =
                      _mm512_mask_blend_epi32(odd_pair, _mm512_permutex2var_epi32(words[0], word, words[1]),
                                              _mm512_permutex2var_epi32(words[2], word, words[3])),
                  upper =
                      _mm512_mask_blend_epi32(odd_pair, _mm512_permutex2var_epi32(words[4], word, words[5]),
                                              _mm512_permutex2var_epi32(words[6], word, words[7]));
    const __m512i own = _mm512_mask_blend_epi32(upper_half, lower, upper);
    return _mm512_test_epi32_mask(_mm512_maskz_rorv_epi32(0xffff, own, bit), _mm512_set1_epi32(1));
  }
};

// or from bits in memory.
struct SidesInBits {
  const Sides<std::uint64_t>& sides;

  BOUGH_LONG_REGISTERS __mmask8 going_left(__m512i entries) const {
    using Half = std::uint32_t __attribute__((vector_size(32)));
    const Half row = reinterpret_cast<Half>(_mm512_maskz_cvtepi64_epi32(0xff, entries)) >> 1;
    const __m256i word = _mm256_mmask_i32gather_epi32(_mm256_setzero_si256(), 0xff,
                                                      reinterpret_cast<__m256i>(row >> 5), sides.bits(), 4);
    return _mm256_test_epi32_mask(word, reinterpret_cast<__m256i>((Half{} + 1) << (row & 31)));
  }
};

BOUGH_LONG_REGISTERS inline __m512i packed(__mmask16 which, __m512i entries) {
  return _mm512_maskz_compress_epi32(which, entries);
}
BOUGH_LONG_REGISTERS inline __m512i packed(__mmask8 which, __m512i entries) {
  return _mm512_maskz_compress_epi64(which, entries);
}

// Left rows go to the front of the list, the others to the scratch; returns the number of those.
template <class E, bool kKeepLeft, bool kKeepRight, class Lookup>
BOUGH_LONG_REGISTERS int part_by_long_registers(E* list, int count, const Sides<E>& sides,
                                                const Lookup& lookup, E* scratch) {
  constexpr int kLanes = 64 / sizeof(E);
  const int ahead = sizeof(E) == 8 && count >= kStreamedEntries ? kEntriesAhead : 0;
  int left = 0, right = 0, i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m512i entries = _mm512_loadu_si512(list + i);
    if (sizeof(E) == 8) __builtin_prefetch(list + i + ahead);
    const auto goes_left = lookup.going_left(entries);
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

// Returns the number of rows that go right.
template <class E, class Lookup>
BOUGH_LONG_REGISTERS int part_by_lookup(E* list, int count, const Sides<E>& sides, const Lookup& lookup,
                                        Kept kept, E* scratch) {
  if (kept == Kept::both) return part_by_long_registers<E, true, true>(list, count, sides, lookup, scratch);
  if (kept == Kept::left) return part_by_long_registers<E, true, false>(list, count, sides, lookup, scratch);
  return part_by_long_registers<E, false, true>(list, count, sides, lookup, scratch);
}

BOUGH_LONG_REGISTERS int part_own_way(std::uint32_t* list, int count, const Sides<std::uint32_t>& sides,
                                      const PackedSides& bits, Kept kept, std::uint32_t* scratch) {
  if (sides.in_registers()) return part_by_lookup(list, count, sides, SidesInRegisters(bits), kept, scratch);
  return part_by_lookup(list, count, sides, SidesInBytes{sides}, kept, scratch);
}
BOUGH_LONG_REGISTERS int part_own_way(std::uint64_t* list, int count, const Sides<std::uint64_t>& sides,
                                      const PackedSides&, Kept kept, std::uint64_t* scratch) {
  return part_by_lookup(list, count, sides, SidesInBits{sides}, kept, scratch);
}

BOUGH_LONG_REGISTERS void pack(const Sides<std::uint32_t>& sides, PackedSides& bits) {
  for (std::size_t i = 0; i < sides.n_rows(); i += 64)
    bits.of[i / 64] = _mm512_test_epi8_mask(_mm512_loadu_si512(sides.bytes() + i), _mm512_set1_epi8(1));
}

#endif

}  // namespace

bool parts_by_vectors() {
#if defined(BOUGH_LONG_REGISTERS)
  return has_avx2() && has_long_registers();
#else
  return false;
#endif
}

template <class E>
void pack_sides([[maybe_unused]] const Sides<E>& sides, [[maybe_unused]] PackedSides& bits) {
#if defined(BOUGH_LONG_REGISTERS)
  if constexpr (sizeof(E) == 4)
    if (sides.in_registers()) pack(sides, bits);
#endif
}

template <class E>
void part_by_vectors(E* list, int count, const Sides<E>& sides, [[maybe_unused]] const PackedSides& bits,
                     Kept kept, E* scratch) {
#if defined(BOUGH_LONG_REGISTERS)
  const int n_right = part_own_way(list, count, sides, bits, kept, scratch);
  if (kept != Kept::left)
    std::memcpy(list + (count - n_right), scratch, static_cast<std::size_t>(n_right) * sizeof(E));
#else
  part(list, count, sides, kept, scratch);
#endif
}

template void pack_sides(const Sides<std::uint32_t>&, PackedSides&);
template void pack_sides(const Sides<std::uint64_t>&, PackedSides&);
template void part_by_vectors(std::uint32_t*, int, const Sides<std::uint32_t>&, const PackedSides&, Kept,
                              std::uint32_t*);
template void part_by_vectors(std::uint64_t*, int, const Sides<std::uint64_t>&, const PackedSides&, Kept,
                              std::uint64_t*);

}  // namespace bough
