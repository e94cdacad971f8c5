// The cells of histograms of gradients and hessians, as whole numbers of a unit that each tree chooses.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "bough/histogram/kernels.hpp"

namespace bough {

// Sums in the units of the tree; size: of cases where they are counted, else the hessian.
struct CellSums {
  double gradient = 0, hessian = 0, size = 0;

  CellSums& operator+=(const CellSums& other) {
    gradient += other.gradient;
    hessian += other.hessian;
    size += other.size;
    return *this;
  }
};

// Sums over the codes up to each of some, which are listed.
struct CutSums {
  double *gradient, *hessian, *size;
  int* code;

  void write(int at, const double* run, int up_to) const {
    gradient[at] = run[0];
    hessian[at] = run[1];
    size[at] = run[2];
    code[at] = up_to;
  }
};

// Both sums in one number, of rows rounded to at most 16 bits: fast, for large tables.
struct PackedGradients {
  using Number = PairOfSums;
  static constexpr int kWidth = 1;
  static constexpr bool kCountsCases = false;
  static constexpr bool kIsWhole = true;    // sums of a node are below 2^31
  static constexpr bool kIsPaired = false;  // see PairedSums
  static constexpr int kFewRows = 0;

  static void fill(const std::uint8_t* codes, int n_columns, std::size_t stride, const RowEntry* entries,
                   std::int64_t count, Number* cells) {
    add_pairs(codes, n_columns, stride, entries, count, cells);
  }
  static void fill_wide(const std::uint16_t* codes, const RowEntry* entries, std::int64_t count,
                        Number* cells) {
    add_pairs_wide(codes, entries, count, cells);
  }
  using Size = std::int32_t;
  static Size size(const Number* cell) { return static_cast<std::int32_t>(*cell); }
  static CellSums sums(const Number* cell) {
    const double hessian = static_cast<std::int32_t>(*cell);
    return {static_cast<double>(upper_sum(*cell)), hessian, hessian};
  }
  static CellSums sums_of_rows(const RowEntry* entries, std::int64_t count) {
    CellSums sums;
    for (std::int64_t i = 0; i < count; ++i) {
      const Number pair = pair_of_entry(entries[i]);
      sums += PackedGradients::sums(&pair);
    }
    return sums;
  }
  // Sums over all codes up to each of n, as whole numbers.
  static void cumulate_whole(const Number* cells, int n, std::int32_t* gradient, std::int32_t* hessian) {
    cumulate_pairs(cells, n, gradient, hessian);
  }
  static int cumulate(const Number* cells, int n, const CutSums& sums) {
    Number run = 0;
    for (int b = 0; b < n; ++b) {
      run += cells[b];
      sums.gradient[b] = upper_sum(run);
      sums.hessian[b] = static_cast<std::int32_t>(run);
      sums.code[b] = b;
    }
    return n;
  }
};

// Gradient, hessian and rows in numbers of their own, with all bits of the grid: for small tables, and where
// few rows have by far the largest gradients. Numbers are whole and below 2^52, so that their sums are exact.
struct WideGradients : CellsOfRows<WideGradients, double> {
  static constexpr int kWidth = 3;
  static constexpr int width() { return kWidth; }
  static constexpr bool kCountsCases = true;
  static constexpr bool kIsWhole = false;
  static constexpr bool kIsPaired = false;
  // Of nodes with at most so many rows, each column is summed and searched at once: a histogram of all codes
  // would be mostly empty.
  static constexpr int kFewRows = 128;

  struct Terms {
    double gradient, hessian;
  };
  Terms terms(std::uint32_t row) const { return of_row[row]; }
  void operator()(const Terms& terms, Number* cell) const {
    cell[0] += terms.gradient;
    cell[1] += terms.hessian;
    cell[2] += 1;
  }

  using Size = double;
  static Size size(const Number* cell) { return cell[2]; }
  static CellSums sums(const Number* cell) { return {cell[0], cell[1], cell[2]}; }
  CellSums sums_of_rows(const RowEntry* entries, std::int64_t count) const {
    CellSums sums;
    for (std::int64_t i = 0; i < count; ++i) {
      const Terms& terms = of_row[row_of(entries[i])];
      sums += {terms.gradient, terms.hessian, 1};
    }
    return sums;
  }
  // Sums up to the codes that rows have: others change no sum.
  static int cumulate(const Number* cells, int n, const CutSums& sums) {
    Number run[kWidth] = {};
    int many = 0;
    for (int b = 0; b < n; ++b, cells += kWidth) {
      for (int j = 0; j < kWidth; ++j) run[j] += cells[j];
      sums.write(many, run, b);
      many += cells[2] > 0;
    }
    return many;
  }

  // The same for some rows of a column, whose codes are given; `cells` are 0 before and after. missing: the
  // sums of the code n.
  template <class Code>
  int cumulate_rows(const Code* codes, const RowEntry* entries, std::int64_t count, int n, Number* cells,
                    const CutSums& sums, CellSums& missing) const {
    std::uint64_t present[1024];  // as many words as 16 bits need
    std::fill_n(present, n / 64 + 1, 0);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint32_t row = row_of(entries[i]);
      const auto code = static_cast<std::size_t>(codes[row]);
      (*this)(of_row[row], cells + code * kWidth);
      present[code / 64] |= std::uint64_t{1} << code % 64;
    }
    Number run[kWidth] = {};
    int many = 0;
    for (int word = 0; word <= n / 64; ++word)
      for (std::uint64_t bits = present[word]; bits != 0; bits &= bits - 1) {
        const int code = word * 64 + std::countr_zero(bits);
        Number* cell = cells + static_cast<std::ptrdiff_t>(code) * kWidth;
        if (code == n) {
          missing = this->sums(cell);
        } else {
          for (int j = 0; j < kWidth; ++j) run[j] += cell[j];
          sums.write(many++, run, code);
        }
        for (int j = 0; j < kWidth; ++j) cell[j] = 0;
      }
    return many;
  }

  std::vector<Terms> of_row;
};

}  // namespace bough
