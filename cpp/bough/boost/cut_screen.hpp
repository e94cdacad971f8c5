// Columns of few rows are screened in single precision, by sums rounded to 32 bits. Only cuts that may be
// the best of all columns are then evaluated by exact sums, so that the split found is that of all cuts.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "bough/boost/gain_scan.hpp"
#include "bough/boost/gradient_cells.hpp"
#include "bough/boost/sorted_rows.hpp"

namespace bough {

// The cuts after the rows from first to before last, in the order of a column.
struct CutRange {
  std::int64_t first = 0, last = 0;

  bool is_empty() const { return first >= last; }
  // All cuts that leave enough rows on both sides.
  static CutRange of(const GainScan& scan, std::int64_t n_rows);
};

// The best gains of a column in single precision: those of every 16th cut, side by side.
struct ScreenedColumn {
  static constexpr int kLanes = 16;
  ScreenedColumn() {}  // leaves numbers open that are all written

  alignas(64) float most[kLanes], second[kLanes];
  alignas(64) std::int32_t at[kLanes];  // where each of the best is
};

// The gradient of each row in the upper half of a number and its hessian in the lower half, both rounded to a
// coarser grid. They are added at once, and no sum overflows its half.
class CoarseTerms {
 public:
  // sizes, hessians: sums of the absolute gradients and of the hessians of all rows of a tree.
  void take(const WideGradients::Terms* terms, std::size_t n_rows, double sizes, double hessians);

  const std::uint64_t* of_row() const { return of_row_.data(); }
  double hessian_scale() const { return hessian_scale_; }

 private:
  std::vector<std::uint64_t> of_row_;
  double hessian_scale_ = 1;
};

// The screen of the columns of a node.
class CutScreen {
 public:
  // Whether this processor gains by a screen.
  static bool is_useful();

  // node: in units of the exact sums. n_rows: at most SortedRows::kMostRows.
  CutScreen(const GainScan& node, std::int64_t n_rows, const CoarseTerms& terms,
            std::vector<ScreenedColumn>& columns);

  // Screens columns, whose rows are in the order of each; l1 is 0.
  void screen(const std::vector<const SortedRow*>& rows);

  // Which cuts of a column may be the best of all columns; empty: none.
  CutRange may_be_best(std::size_t column) const;

 private:
  static constexpr std::size_t kAtOnce = 2;  // columns that are summed up side by side
  // Buffers do not begin at the same place of a page.
  static constexpr std::size_t kBuffer = SortedRows::kMostRows + 24;

  void sum_up(const SortedRow* const* rows, std::size_t n_columns, std::uint64_t* sums);
  template <std::size_t n>
  void sum_up(const SortedRow* const* rows, std::uint64_t* sums);
  void scan(const std::vector<const SortedRow*>& rows, std::size_t begin, std::size_t end);
  void set_bound();

  const std::int64_t n_rows_;
  const CutRange all_;
  const CoarseTerms& terms_;
  const double l2_, min_hessian_;  // in units of the coarse sums
  std::vector<ScreenedColumn>& columns_;
  std::uint64_t total_ = 0;                                                // the coarse sums of the node
  std::int32_t least_hessian_ = std::numeric_limits<std::int32_t>::max();  // of a side of a cut
  float bound_ = 0;  // gains below this are not the best
  std::uint64_t sums_[2 * kAtOnce * kBuffer];
};

}  // namespace bough
