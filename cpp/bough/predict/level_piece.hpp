// Four levels of a tree of thresholds, whose cuts a row meets at once: its values are in vector registers,
// from which those that the fifteen cuts ask for are picked, and one comparison says which of them it
// reaches. What is left is to follow four bits to one of sixteen ends. That takes the processor less than
// four steps from node to node, each of which waits for the one before.
#pragma once

#include <array>
#include <cstdint>

#include "bough/machine/processor.hpp"

#if defined(BOUGH_LONG_REGISTERS)
#include <immintrin.h>
#endif

namespace bough {

// Nodes of a piece are numbered from 1, node i has the children 2i and 2i + 1, and the ends follow the cuts.
constexpr int kPieceCuts = 16, kPieceEnds = 16;
constexpr std::size_t kMostPieceColumns = 32;  // that two registers hold

struct alignas(64) PieceCuts {
  float of[kPieceCuts];
};
struct alignas(16) PieceColumns {
  std::uint8_t of[kPieceCuts];
};
using PieceNodes = std::array<std::int32_t, kPieceCuts + kPieceEnds>;  // that stand at each number

// Which columns are in the first and in the second register, as bits.
struct RegisterColumns {
  explicit RegisterColumns(std::size_t n_columns)
      : first(n_columns < 16 ? (1u << n_columns) - 1 : 0xffffu),
        second(n_columns < 16 ? 0u : (1u << (n_columns - 16)) - 1) {}

  std::uint32_t first, second;
};

// Whether this processor takes rows of so many columns down pieces.
inline bool pieces_usable(std::size_t n_columns) {
  return n_columns <= kMostPieceColumns && has_avx2() && has_long_registers();
}

// Writes the piece that begins at a node. step_of(node) has the members `cut`, `first` (the left child; of a
// leaf the leaf itself) and `column`. What is below the cut goes to the first child, other rows to the next
// node. A leaf above the last level stands there in place of all nodes below it, as no number reaches its
// cut, which is NaN.
template <class StepOf>
void write_piece(const StepOf& step_of, std::int32_t root, PieceCuts& cuts, PieceColumns& columns,
                 PieceNodes& nodes) {
  nodes[0] = nodes[1] = root;
  cuts.of[0] = step_of(root).cut;
  columns.of[0] = 0;
  for (int i = 1; i < kPieceCuts; ++i) {
    const auto& step = step_of(nodes[i]);
    cuts.of[i] = step.cut;
    columns.of[i] = static_cast<std::uint8_t>(step.column);
    const auto first = static_cast<std::int32_t>(step.first);
    nodes[2 * i] = first;
    nodes[2 * i + 1] = first + static_cast<std::int32_t>(first != nodes[i]);
  }
}

#if defined(BOUGH_LONG_REGISTERS)

// The values of a row.
struct RowRegisters {
  BOUGH_LONG_REGISTERS RowRegisters(const char* row, RegisterColumns columns)
      : first(_mm512_maskz_loadu_ps(static_cast<__mmask16>(columns.first), row)),
        second(_mm512_maskz_loadu_ps(static_cast<__mmask16>(columns.second), row + sizeof(first))) {}

  __m512 first, second;
};

// Which cuts of a piece a row reaches, as bits.
BOUGH_LONG_REGISTERS inline std::uint32_t reached(const RowRegisters& row, const PieceCuts& cuts,
                                                  const PieceColumns& columns) {
  const __m512i column =
      _mm512_maskz_cvtepu8_epi32(0xffff, _mm_load_si128(reinterpret_cast<const __m128i*>(columns.of)));
  const __m512 value = _mm512_permutex2var_ps(row.first, column, row.second);
  return _mm512_cmp_ps_mask(value, _mm512_load_ps(cuts.of), _CMP_GE_OQ);
}

// The end that a row comes to. A level takes two instructions, where compilers write three.
inline std::uint32_t piece_end(std::uint32_t reached_cuts) {
  std::uint32_t node = 1;
  asm("btl %0, %1\n\tadcl %0, %0\n\tbtl %0, %1\n\tadcl %0, %0\n\t"
      "btl %0, %1\n\tadcl %0, %0\n\tbtl %0, %1\n\tadcl %0, %0"
      : "+&r"(node)
      : "r"(reached_cuts)
      : "cc");
  return node - kPieceCuts;
}

#endif

}  // namespace bough
