#include "bough/predict/four_levels.hpp"

namespace bough {

constexpr std::int64_t kCacheLine = 64;

// Rows on their way, and the pieces where they stand; there is room to write a whole register at the end.
struct FourLevels::OnTheirWay {
  static constexpr std::size_t kRoom = kRows + 16;
  alignas(64) std::uint32_t row[kRoom];
  alignas(64) std::int32_t piece[kRoom];
  int n;
  const char *next, *next_end;  // what is still to be asked for of the rows that follow
};

#if defined(BOUGH_LONG_REGISTERS)

namespace {

// Writes the leaves of rows that have arrived; the others close up. Returns how many these are.
BOUGH_LONG_REGISTERS int keep_those_on_their_way(std::uint32_t* row, std::int32_t* piece, int n,
                                                 std::int32_t* leaf) {
  int n_on = 0;
  for (int i = 0; i < n; i += 16) {
    const auto there = static_cast<__mmask16>(n - i < 16 ? (1u << (n - i)) - 1 : 0xffffu);
    const __m512i rows = _mm512_load_si512(row + i), to = _mm512_load_si512(piece + i);
    const __mmask16 on = _mm512_mask_cmpge_epi32_mask(there, to, _mm512_setzero_si512());
    _mm512_mask_i32scatter_epi32(leaf, static_cast<__mmask16>(there & ~on), rows,
                                 _mm512_xor_si512(to, _mm512_set1_epi32(-1)), 4);
    _mm512_storeu_si512(row + n_on, _mm512_maskz_compress_epi32(on, rows));
    _mm512_storeu_si512(piece + n_on, _mm512_maskz_compress_epi32(on, to));
    n_on += __builtin_popcount(on);
  }
  return n_on;
}

}  // namespace

BOUGH_LONG_REGISTERS bool FourLevels::all_known(const char* rows, std::int64_t stride, int n_rows) const {
  __mmask16 missing = 0;
  for (int i = 0; i < n_rows; ++i, rows += stride) {
    const RowRegisters row(rows, in_registers_);
    missing = static_cast<__mmask16>(missing | _mm512_cmp_ps_mask(row.first, row.second, _CMP_UNORD_Q));
  }
  return missing == 0;
}

// Takes every row down the piece where it stands.
BOUGH_LONG_REGISTERS void FourLevels::step_down(const char* rows, std::int64_t stride, OnTheirWay& on) const {
  const PieceCuts* cuts = cuts_.data();
  const PieceColumns* columns = columns_.data();
  const Exits* exits = exits_.data();
  for (int i = 0; i < on.n; ++i) {
    const auto piece = static_cast<std::uint32_t>(on.piece[i]);
    __builtin_prefetch(exits + piece);
    if (on.next < on.next_end) {
      __builtin_prefetch(on.next, 0, 2);
      on.next += kCacheLine;
    }
    const RowRegisters row(rows + on.row[i] * stride, in_registers_);
    on.piece[i] = exits[piece].to[piece_end(reached(row, cuts[piece], columns[piece]))];
  }
}

BOUGH_LONG_REGISTERS void FourLevels::walk(const char* rows, std::int64_t stride, int n_rows, int n_next,
                                           std::int32_t* leaf) const {
  OnTheirWay on;
  on.n = n_rows;
  on.next = rows + n_rows * stride;
  on.next_end = on.next + n_next * stride;
  for (int i = 0; i < n_rows; ++i) {
    on.row[i] = static_cast<std::uint32_t>(i);
    on.piece[i] = 0;
  }
  while (on.n > 0) {
    step_down(rows, stride, on);
    on.n = keep_those_on_their_way(on.row, on.piece, on.n, leaf);
  }
}

#else

bool FourLevels::all_known(const char*, std::int64_t, int) const { return false; }
void FourLevels::walk(const char*, std::int64_t, int, int, std::int32_t*) const {}

#endif

}  // namespace bough
