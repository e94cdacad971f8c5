// A criterion turns the statistics of a split's children into one number: the larger, the better the split.
//
// Statistics of classes are the weights of the k classes. Statistics of numbers are (weight, sum), the sum
// measured from any origin and in any unit, which the caller undoes; under absolute error they are the
// weights of the distinct values of y. Weights and sums are whole multiples of a grid, so they add without
// rounding, and a split and its mirror image get the same value to the last bit.
#pragma once

#include <string_view>
#include <vector>

namespace bough {

enum class Criterion {
  misclassification,
  gini,
  entropy,
  deviance,
  gain_ratio,
  chi_square,
  twoing,
  squared_error,
  absolute_error,
  poisson,
};

// Fall in variance per unit of weight, from the weights and sums of two children.
inline double squared_error_value(double wl, double sl, double wr, double sr, double node_weight) {
  const double d = sl * wr - sr * wl;
  return d * d / (wl * wr) / ((wl + wr) * node_weight);
}

// Throws std::invalid_argument for a name that is none of the above.
Criterion criterion_named(std::string_view name);

constexpr bool judges_classes(Criterion c) { return c < Criterion::squared_error; }

// Whether statistics are (weight, sum) rather than a weight for each class or value.
constexpr bool uses_moments(Criterion c) { return c == Criterion::squared_error || c == Criterion::poisson; }

// x log2 x, from a table where x is a small whole number.
class XLog2X {
 public:
  explicit XLog2X(std::size_t table_size = 4096);
  double operator()(double x) const {
    const auto i = static_cast<std::size_t>(x);
    return i < table_.size() && static_cast<double>(i) == x ? table_[i] : direct(x);
  }
  static double direct(double x);

 private:
  std::vector<double> table_;
};

class Judge {
 public:
  // width: number of classes; 2 for moments. whole_counts: counts up to this are looked up in tables.
  Judge(Criterion criterion, int width, std::size_t whole_counts = 4096);

  // For absolute error: the distinct values of y, ascending.
  explicit Judge(std::vector<double> values);

  // Under Poisson, lets a child have no events at all.
  void allow_zero_rates() { zero_rates_ = true; }

  Criterion criterion() const { return criterion_; }
  int width() const { return width_; }
  const XLog2X& xlog2x() const { return xlog2x_; }

  // Impurity of one node per unit of weight. Where moments are used, statistics are (weight, sum, sum of
  // squares).
  double impurity(const double* statistics) const;

  // Mean of numbers; their (lower) weighted median under absolute error.
  double centre(const double* statistics) const;

  // The value of a split into children, each a row of `width` statistics. node_weight is the weight of the
  // node with its missing cases: what is gained for the known cases counts in proportion to their share of
  // the node.
  double value(const double* children, int n_children, double node_weight) const;

  // The same for two children; the hot case.
  double value(const double* left, const double* right, double node_weight) const;

 private:
  double information(const double* children, int n_children, double& split_information) const;
  double content(const double* counts, double& weight) const;
  double n_ary_classes(const double* children, int n_children, double node_weight) const;
  double n_ary_numbers(const double* children, int n_children, double node_weight) const;

  Criterion criterion_;
  int width_;
  bool zero_rates_ = false;
  XLog2X xlog2x_;
  std::vector<double> values_;
};

// Sum of the distances of the values from their (lower) weighted median; the weights must not all be zero.
double absolute_deviation(const double* weights, const std::vector<double>& values);

// Weight times log-likelihood rate: s ln(s / w), 0 where s is 0.
double rate_likelihood(double weight, double sum);

// Pearson's statistic of a table of n_rows x width counts and its degrees of freedom (empty rows and columns
// aside).
struct Pearson {
  double statistic;
  int degrees;
};
Pearson pearson(const double* table, int n_rows, int width);

// Probability that a chi-square variable with `degrees` of freedom exceeds x.
double chi_square_survival(double x, int degrees);

}  // namespace bough
