// Cuts of a column for a search in registers. Cuts and values are rounded to single precision, which keeps
// their order: only a value that then equals a cut is compared in double precision. The middle cut is
// subtracted first, so that values far from 0 do not become equal by rounding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bough/data/column.hpp"
#include "bough/machine/processor.hpp"

namespace bough {

// Codes of 8 bits: that of a value that reaches no cut, and of a missing one where these come last.
constexpr int kLeastCode = -128, kMissingLast = 127;

class RoundedCuts {
 public:
  static constexpr int kRows = 128;  // that are rounded and coded at a time

  RoundedCuts() = default;
  explicit RoundedCuts(std::span<const double> cuts);  // ascending

  double base() const { return base_; }  // what is subtracted before rounding

#if defined(BOUGH_LONG_REGISTERS)
  // Writes the codes of kRows values, kMissingLast where one is missing; returns whether one is. The values
  // in `rounded` are those of the rows of a column; past the last row there may be any.
  BOUGH_LONG_REGISTERS bool code(const Column& column, const RowRange& rows, const float* rounded,
                                 std::int8_t* codes) const;
#endif

 private:
#if defined(BOUGH_LONG_REGISTERS)
  template <int height>
  BOUGH_LONG_REGISTERS bool search(const Column& column, const RowRange& rows, const float* rounded,
                                   std::int8_t* codes) const;
#endif

  std::vector<double> cuts_;
  double base_ = 0;
  int height_ = 0;            // of the search tree of the cuts
  std::vector<float> pivot_;  // its nodes level by level, the root at 1; NaN where there are no more cuts
};

#if defined(BOUGH_LONG_REGISTERS)
// Where the rounded values of a column go, RoundedCuts::kRows of them.
struct RoundedColumn {
  int column;
  double base;
  float* values;
};

// Reads and rounds RoundedCuts::kRows rows of some columns, which ascend; the last row is repeated. Numbers
// that lie next to each other in every row, as in a matrix, are read together.
BOUGH_LONG_REGISTERS void round_rows(const std::vector<Column>& columns, const RowRange& rows,
                                     std::span<const RoundedColumn> wanted);
#endif

}  // namespace bough
