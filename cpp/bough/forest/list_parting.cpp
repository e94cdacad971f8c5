#include "bough/forest/list_parting.hpp"

#include <cstring>

#include "bough/data/entry.hpp"
#include "bough/machine/processor.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bough {

namespace {

// Parts what begins at entry i, where so many are on the left and on the right already.
BOUGH_INLINE void part_rest(std::uint32_t* list, int i, int count, const SideBits& sides, int left, int right,
                            Kept kept, std::uint32_t* scratch) {
  for (; i < count; ++i) {
    const std::uint32_t entry = list[i];
    const int goes_left = sides.left(index_of(entry));
    list[left] = entry;
    scratch[right] = entry;
    left += goes_left;
    right += 1 - goes_left;
  }
  if (kept != Kept::left)
    std::memcpy(list + left, scratch, static_cast<std::size_t>(right) * sizeof(std::uint32_t));
}

void part_anywhere(std::uint32_t* list, int count, const SideBits& sides, Kept kept, std::uint32_t* scratch) {
  part_rest(list, 0, count, sides, 0, 0, kept, scratch);
}

#if defined(BOUGH_LONG_REGISTERS)

// The bits of all rows are in registers, from which each entry takes its own.
template <Kept kKept>
BOUGH_LONG_REGISTERS void part_from_registers(std::uint32_t* list, int count, const SideBits& sides,
                                              std::uint32_t* scratch) {
  constexpr bool kKeepLeft = kKept != Kept::right, kKeepRight = kKept != Kept::left;
  constexpr int kTables = SideBits::kMostRows / 512;
  static_assert(kTables == 8);
  __m512i table[kTables];
  for (int t = 0; t < kTables; ++t) table[t] = _mm512_load_si512(sides.bits() + 16 * t);
  const __m512i one = _mm512_set1_epi32(1);
  int left = 0, right = 0, i = 0;
  for (; i + 16 <= count; i += 16) {
    const __m512i entries = _mm512_loadu_si512(list + i);
    // The index begins at bit 1: bits 6 to 12 say which word, of which the lowest five choose within two
    // tables.
    const __m512i word = _mm512_maskz_srli_epi32(0xffff, entries, 6);
    const __mmask16 odd = _mm512_test_epi32_mask(entries, _mm512_set1_epi32(1 << 11)),
                    upper = _mm512_test_epi32_mask(entries, _mm512_set1_epi32(1 << 12));
    const __m512i low = _mm512_mask_mov_epi32(_mm512_permutex2var_epi32(table[0], word, table[1]), odd,
                                              _mm512_permutex2var_epi32(table[2], word, table[3]));
    const __m512i high = _mm512_mask_mov_epi32(_mm512_permutex2var_epi32(table[4], word, table[5]), odd,
                                               _mm512_permutex2var_epi32(table[6], word, table[7]));
    const __m512i own = _mm512_maskz_rorv_epi32(0xffff, _mm512_mask_mov_epi32(low, upper, high),
                                                _mm512_maskz_srli_epi32(0xffff, entries, 1));
    const __mmask16 goes_left = _mm512_test_epi32_mask(own, one);
    if constexpr (kKeepLeft)
      _mm512_storeu_si512(list + left, _mm512_maskz_compress_epi32(goes_left, entries));
    if constexpr (kKeepRight)
      _mm512_storeu_si512(scratch + right,
                          _mm512_maskz_compress_epi32(static_cast<__mmask16>(~goes_left), entries));
    const int n_left = __builtin_popcount(goes_left);
    left += n_left;
    right += 16 - n_left;
  }
  part_rest(list, i, count, sides, left, right, kKept, scratch);
}

BOUGH_LONG_REGISTERS void part_with_long_registers(std::uint32_t* list, int count, const SideBits& sides,
                                                   Kept kept, std::uint32_t* scratch) {
  if (kept == Kept::both) return part_from_registers<Kept::both>(list, count, sides, scratch);
  if (kept == Kept::left) return part_from_registers<Kept::left>(list, count, sides, scratch);
  part_from_registers<Kept::right>(list, count, sides, scratch);
}
#endif

}  // namespace

std::vector<PartList> runnable_list_partings() {
  std::vector<PartList> partings{part_anywhere};
#if defined(BOUGH_LONG_REGISTERS)
  if (has_avx2() && has_long_registers()) partings.push_back(part_with_long_registers);
#endif
  return partings;
}

bool parts_lists_by_vectors() { return list_parting() != part_anywhere; }

PartList list_parting() {
  static const PartList chosen = runnable_list_partings().back();
  return chosen;
}

}  // namespace bough
