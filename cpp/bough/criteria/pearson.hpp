// Pearson's chi-square test of independence, and the tails of the chi-square and the F distribution.
#pragma once

namespace bough {

// The statistic of a table of n_rows x width counts and its degrees of freedom (empty rows and columns
// aside).
struct Pearson {
  double statistic;
  int degrees;
};
Pearson pearson(const double* table, int n_rows, int width);

// Probability that a chi-square variable with `degrees` of freedom exceeds x.
double chi_square_survival(double x, int degrees);

// Its logarithm, which stays exact where the probability itself would be 0.
double chi_square_log_survival(double x, int degrees);

// Logarithm of the probability that an F variable with these degrees of freedom exceeds x.
double f_log_survival(double x, double numerator, double denominator);

}  // namespace bough
