// The rows of a node whose value of one column is known, and what their permutation distribution needs.
//
// The linear statistic is the sum over rows of w g(x) h(y): g is the number itself, the rank of an ordinal
// level, or an indicator of each nominal level; h is the number itself or an indicator of each class. Under
// permutation its mean and covariance are known (Strasser and Weber 1999). The indicators of classes and
// levels have the covariance of multinomial counts, whose generalized inverse is known, so no matrix is
// inverted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bough/data/column.hpp"

namespace bough::conditional {

enum class Statistic { quadratic, maximum };

// The rows: classes or numbers, weights and cases.
struct Target {
  std::vector<std::int32_t> label;  // empty: numbers
  int n_classes = 0;
  std::vector<double> y;
  std::vector<double> weight, cases;  // empty: 1 for each row

  std::size_t n_rows() const { return n_classes ? label.size() : y.size(); }
};

struct Sample {
  bool nominal = false;
  int n_levels = 0;
  int n_classes = 0;      // 0: numbers
  std::vector<double> x;  // values of the column
  std::vector<double> u;  // the same, scaled to [-1, 1]
  std::vector<std::int32_t> code;
  std::vector<std::int32_t> label;
  std::vector<double> y;  // about its mean
  std::vector<double> weight, cases;
  double total = 0;
  std::vector<double> class_share;
  double variance = 0;  // of y
  std::vector<double> level_weight;
  double spread = 0;                 // n / (n - 1) times the centred sum of squares of u
  std::vector<std::uint32_t> known;  // the rows
  int present_levels = 0, present_classes = 0;
  const std::uint32_t* complete_rows = nullptr;  // the rows last read, if all had a value

  std::size_t size() const { return weight.size(); }
  double factor() const { return total / (total - 1); }
  bool can_be_tested() const {
    const bool varies = n_classes ? present_classes > 1 : variance > 0;
    return total > 1 && varies && (nominal ? present_levels > 1 : spread > 0);
  }
  int degrees() const {
    const int of_y = n_classes ? present_classes - 1 : 1;
    return nominal ? (present_levels - 1) * of_y : of_y;
  }

  void read(const Column& values, std::span<const std::uint32_t> rows, const Target& target);
  void set_target_margins();
  void set_column_margins();
  void set_scaled();
  // The statistic of one group of rows: deviations of its sums of h(y) from what is expected, and the factor
  // of the covariance of h(y).
  double of_deviations(const double* deviation, double covariance, Statistic kind) const;
  double statistic(Statistic kind, std::vector<double>& sums) const;
};

}  // namespace bough::conditional
