// The cells of histograms of gradients and hessians of few rows: the sums of WideGradients as two whole
// numbers, of which one holds the number of rows too.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "bough/boost/gain_scan.hpp"
#include "bough/boost/gradient_cells.hpp"
#include "bough/boost/sorted_rows.hpp"

namespace bough {

struct SmallGradients : CellsOfRows<SmallGradients, std::uint64_t> {
  static constexpr int kWidth = PairedSums::kWidth;
  static constexpr int width() { return kWidth; }
  static constexpr bool kCountsCases = true;
  static constexpr bool kIsWhole = false;
  static constexpr bool kIsPaired = true;
  static constexpr int kFewRows = 128;

  using Terms = PairedSums;
  const Terms& terms(std::uint32_t row) const { return of_row[row]; }
  void operator()(const Terms& terms, Number* cell) const { terms.add_to(cell); }

  // Takes over the terms of some rows, which must stay; returns whether their sums fit.
  bool take(const std::vector<WideGradients::Terms>& all, const std::vector<std::uint32_t>& rows) {
    constexpr std::int64_t kBound = std::int64_t{1} << 51;
    apart_of_row = all.data();
    if (rows.size() > PairedSums::kMostRows) return false;
    of_row.resize(all.size());
    std::int64_t gradients = 0, hessians = 0;  // whole numbers, whose sums do not wait for each other
    for (const std::uint32_t row : rows) {
      const WideGradients::Terms& each = all[row];
      if (!(each.hessian >= 0)) return false;
      gradients += static_cast<std::int64_t>(std::abs(each.gradient));
      hessians += static_cast<std::int64_t>(each.hessian);
      of_row[row] = PairedSums::of_row(each.gradient, each.hessian);
    }
    sizes = static_cast<double>(gradients);
    return gradients < kBound && hessians < kBound;
  }

  using Size = std::int64_t;
  static Size size(const Number* cell) { return PairedSums::count(cell[0]); }
  static CellSums sums(const Number* cell) {
    return {static_cast<double>(static_cast<std::int64_t>(cell[0]) >> PairedSums::kCountBits),
            static_cast<double>(cell[1]), static_cast<double>(size(cell))};
  }
  CellSums sums_of_rows(const RowEntry* entries, std::int64_t count) const {
    Number all[kWidth] = {};
    for (std::int64_t i = 0; i < count; ++i) of_row[row_of(entries[i])].add_to(all);
    return sums(all);
  }

  CellSums sums_of_sorted_rows(const SortedRow* rows, std::int64_t count) const {
    Number all[kWidth] = {};
    for (std::int64_t i = 0; i < count; ++i) of_row[row_of_sorted(rows[i])].add_to(all);
    return sums(all);
  }

  // Sums up to the codes of n that rows have: others change no sum. Returns their number.
  static int cumulate_pairs(const Number* cells, int n, PairedSums* sums, int* code) {
    PairedSums run = PairedSums::nothing();
    int many = 0;
    for (int b = 0; b < n; ++b, cells += kWidth) {
      run.add(cells);
      sums[many] = run;
      code[many] = b;
      many += PairedSums::count(cells[0]) != 0;
    }
    return many;
  }

  // The same for some rows of a column, whose codes are given; `cells` are 0 before and after. missing: the
  // sums of the code n.
  template <class Code>
  int cumulate_rows(const Code* codes, const RowEntry* entries, std::int64_t count, int n, Number* cells,
                    PairedSums* sums, int* code_of, CellSums& missing) const {
    std::uint64_t present[1024];  // as many words as 16 bits need
    std::fill_n(present, n / 64 + 1, 0);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint32_t row = row_of(entries[i]);
      const auto code = static_cast<std::size_t>(codes[row]);
      of_row[row].add_to(cells + code * kWidth);
      present[code / 64] |= std::uint64_t{1} << code % 64;
    }
    if (Number* cell = cells + static_cast<std::ptrdiff_t>(n) * kWidth; present[n / 64] >> n % 64 & 1) {
      missing = this->sums(cell);
      cell[0] = cell[1] = 0;
      present[n / 64] ^= std::uint64_t{1} << n % 64;
    }
    PairedSums run = PairedSums::nothing();
    int many = 0;
    for (int word = 0; word <= n / 64; ++word)
      for (std::uint64_t bits = present[word]; bits != 0; bits &= bits - 1) {
        const int code = word * 64 + std::countr_zero(bits);
        Number* cell = cells + static_cast<std::ptrdiff_t>(code) * kWidth;
        run.add(cell);
        cell[0] = cell[1] = 0;
        sums[many] = run;
        code_of[many++] = code;
      }
    return many;
  }

  std::vector<Terms> of_row;
  const WideGradients::Terms* apart_of_row = nullptr;  // in two numbers each
  double sizes = 0;                                    // the sum of the absolute gradients of the rows
};

}  // namespace bough
