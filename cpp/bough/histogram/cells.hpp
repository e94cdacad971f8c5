// The cells of histograms for trees by a criterion: what a row adds to the cell of its code, and the
// statistics and cases that a cell stands for.
#pragma once

#include <cstdint>

#include "bough/grow/problem.hpp"
#include "bough/histogram/fit_grid.hpp"
#include "bough/histogram/kernels.hpp"

namespace bough {

// Two classes, every row of weight 1: rows of the second class and rows.
struct CellsOfTwo {
  using Number = PairOfSums;
  CellsOfTwo(const Data& data, const FitGrid&) : label_(data.label) {}

  int width() const { return 1; }
  RowEntry entry(std::uint32_t row) const { return entry_with_pair(row, label_[row], 1); }
  void fill(const std::uint8_t* codes, int n_columns, std::size_t stride, const RowEntry* entries,
            std::int64_t count, Number* cells) const {
    add_pairs(codes, n_columns, stride, entries, count, cells);
  }
  void fill_wide(const std::uint16_t* codes, const RowEntry* entries, std::int64_t count,
                 Number* cells) const {
    add_pairs_wide(codes, entries, count, cells);
  }
  static double cases(const Number* cell) { return lower_sum(*cell); }
  static void add_to(double* statistics, const Number* cell) {
    statistics[0] += static_cast<double>(lower_sum(*cell)) - upper_sum(*cell);
    statistics[1] += upper_sum(*cell);
  }

 private:
  const std::int32_t* label_;
};

// The weight of each class, then the cases.
struct CellsOfClasses : CellsOfRows<CellsOfClasses, double> {
  CellsOfClasses(const Data& data, const FitGrid& grid) : data_(data), grid_(grid) {}

  struct Terms {
    std::int32_t label;
    double weight, cases;
  };
  Terms terms(std::uint32_t row) const {
    return {data_.label[row], grid_.weight_at(row), data_.cases ? data_.cases[row] : 1.0};
  }
  void operator()(const Terms& terms, Number* cell) const {
    cell[terms.label] += terms.weight;
    cell[data_.n_classes] += terms.cases;
  }

  int width() const { return data_.n_classes + 1; }
  RowEntry entry(std::uint32_t row) const { return row; }
  double cases(const Number* cell) const { return cell[data_.n_classes]; }
  void add_to(double* statistics, const Number* cell) const {
    for (int k = 0; k < data_.n_classes; ++k) statistics[k] += cell[k];
  }

 private:
  const Data& data_;
  const FitGrid& grid_;
};

// Weight and sum of y, then the cases.
struct CellsOfNumbers : CellsOfRows<CellsOfNumbers, double> {
  CellsOfNumbers(const Data& data, const FitGrid& grid) : data_(data), grid_(grid) {}

  struct Terms {
    double weight, sum, cases;
  };
  Terms terms(std::uint32_t row) const {
    return {grid_.weight_at(row), grid_.sums[row], data_.cases ? data_.cases[row] : 1.0};
  }
  void operator()(const Terms& terms, Number* cell) const {
    cell[0] += terms.weight;
    cell[1] += terms.sum;
    cell[2] += terms.cases;
  }

  int width() const { return 3; }
  RowEntry entry(std::uint32_t row) const { return row; }
  static double cases(const Number* cell) { return cell[2]; }
  static void add_to(double* statistics, const Number* cell) {
    statistics[0] += cell[0];
    statistics[1] += cell[1];
  }

 private:
  const Data& data_;
  const FitGrid& grid_;
};

}  // namespace bough
