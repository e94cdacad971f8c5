#include "bough/forest/row_parting.hpp"

#if defined(BOUGH_LONG_REGISTERS)
#include <immintrin.h>
#endif

namespace bough {

namespace {

int part_rows_anywhere(std::uint32_t* index, const std::int32_t* code, int n, std::int32_t last,
                       std::uint32_t* spare) {
  return part_rows_from(0, index, n, [=](std::uint32_t, int i) { return code[i] > last; }, spare, 0, 0);
}

#if defined(BOUGH_LONG_REGISTERS)
// No vector is written beyond where the rows read so far ended.
BOUGH_LONG_REGISTERS int part_rows_with_long_registers(std::uint32_t* index, const std::int32_t* code, int n,
                                                       std::int32_t last, std::uint32_t* spare) {
  constexpr int kRows = 16;
  const __m512i most = _mm512_set1_epi32(last);
  int left = 0, right = 0, i = 0;
  for (; i + kRows <= n; i += kRows) {
    const __m512i rows = _mm512_loadu_si512(index + i);
    const __mmask16 over = _mm512_cmpgt_epi32_mask(_mm512_loadu_si512(code + i), most);
    _mm512_storeu_si512(index + left, _mm512_maskz_compress_epi32(static_cast<__mmask16>(~over), rows));
    _mm512_storeu_si512(spare + right, _mm512_maskz_compress_epi32(over, rows));
    const int n_right = __builtin_popcount(over);
    left += kRows - n_right;
    right += n_right;
  }
  return part_rows_from(
      i, index, n, [=](std::uint32_t, int at) { return code[at] > last; }, spare, left, right);
}
#endif

}  // namespace

std::vector<PartRows> runnable_row_partings() {
  std::vector<PartRows> partings{part_rows_anywhere};
#if defined(BOUGH_LONG_REGISTERS)
  if (has_avx2() && has_long_registers()) partings.push_back(part_rows_with_long_registers);
#endif
  return partings;
}

PartRows row_parting() {
  static const PartRows chosen = runnable_row_partings().back();
  return chosen;
}

}  // namespace bough
