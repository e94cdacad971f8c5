// The columns of a node of few rows, and a cut of each, drawn side by side: the random numbers, the cells of
// the drawn columns, their extremes and the cuts take a few vectors, whatever is drawn. All is that of
// drawing one column after the other, to the bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bough/machine/random.hpp"

namespace bough {

// A node of few rows in a table that lies by rows, and its columns in the order in which they are drawn.
struct FewDrawRows {
  const float* cells;
  std::size_t width;
  const std::uint32_t* index;
  int n;
  const int* columns;  // `width` of them
  int n_drawn;
};

// What is drawn.
struct FewDraws {
  static constexpr int kMostRows = 32, kMostColumns = 32, kMostDrawn = 16;
  alignas(64) float cell[kMostRows * kMostDrawn];  // of the drawn columns, row by row
  alignas(64) float least[kMostDrawn], most[kMostDrawn];
  alignas(64) float cut[kMostDrawn];  // nothing is below those of columns that do not vary
  unsigned constant;                  // the draws, as bits, of columns that do not vary
  alignas(64) std::uint8_t order[kMostDrawn][kMostColumns];  // of the columns, after each draw
};

struct FewDrawKernels {
  // Draws columns, and a cut of each that varies. Returns false if one reaches too far for a cut to be a
  // number.
  bool (*draw)(const FewDrawRows& rows, const Random& random, FewDraws& to);
  // Writes the columns in the order that they have once `seen` of them are drawn.
  void (*write_order)(const FewDraws& draws, int seen, int n_columns, int* columns);
};

// The kernels, if this processor can run them.
const FewDrawKernels* few_draw_kernels();

}  // namespace bough
