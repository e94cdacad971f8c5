// The cells of histograms of gradients and hessians, as whole numbers of a unit that each tree chooses.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/histogram/kernels.hpp"

namespace bough {

// Sums in the units of the tree; size: of cases where they are counted, else the hessian.
struct CellSums {
  double gradient = 0, hessian = 0, size = 0;
};

// Both sums in one number, of rows rounded to at most 16 bits: fast, for large tables.
struct PackedGradients {
  using Number = PairOfSums;
  static constexpr int kWidth = 1;
  static constexpr bool kCountsCases = false;

  static void fill(const std::uint8_t* codes, int n_columns, const RowEntry* entries, std::int64_t count,
                   Number* cells) {
    add_pairs(codes, n_columns, entries, count, cells);
  }
  static void fill_wide(const std::uint16_t* codes, const RowEntry* entries, std::int64_t count,
                        Number* cells) {
    add_pairs_wide(codes, entries, count, cells);
  }
  static CellSums sums(const Number* cell) {
    const double hessian = static_cast<std::int32_t>(*cell);
    return {static_cast<double>(upper_sum(*cell)), hessian, hessian};
  }
  // Sums over all codes up to each of n.
  static void cumulate(const Number* cells, int n, double* gradient, double* hessian, double*) {
    Number run = 0;
    for (int b = 0; b < n; ++b) {
      run += cells[b];
      gradient[b] = upper_sum(run);
      hessian[b] = static_cast<std::int32_t>(run);
    }
  }
};

// Gradient, hessian and rows in numbers of their own, with all bits of the grid: for small tables, and where
// few rows have by far the largest gradients.
struct WideGradients {
  using Number = std::int64_t;
  static constexpr int kWidth = 3;
  static constexpr bool kCountsCases = true;

  struct Terms {
    std::int64_t gradient, hessian;
  };
  Terms terms(std::uint32_t row) const { return of_row[row]; }
  void operator()(const Terms& terms, Number* cell) const {
    cell[0] += terms.gradient;
    cell[1] += terms.hessian;
    cell[2] += 1;
  }

  void fill(const std::uint8_t* codes, int n_columns, const RowEntry* entries, std::int64_t count,
            Number* cells) const {
    add_rows(codes, n_columns, entries, count, kWidth, cells, *this);
  }
  void fill_wide(const std::uint16_t* codes, const RowEntry* entries, std::int64_t count,
                 Number* cells) const {
    add_rows_wide(codes, entries, count, kWidth, cells, *this);
  }
  static CellSums sums(const Number* cell) {
    return {static_cast<double>(cell[0]), static_cast<double>(cell[1]), static_cast<double>(cell[2])};
  }
  static void cumulate(const Number* cells, int n, double* gradient, double* hessian, double* size) {
    std::int64_t run[3] = {0, 0, 0};
    for (int b = 0; b < n; ++b) {
      for (int j = 0; j < 3; ++j) run[j] += cells[3 * b + j];
      gradient[b] = static_cast<double>(run[0]);
      hessian[b] = static_cast<double>(run[1]);
      size[b] = static_cast<double>(run[2]);
    }
  }

  std::vector<Terms> of_row;
};

}  // namespace bough
