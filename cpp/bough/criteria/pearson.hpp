// Pearson's chi-square test of independence.
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

}  // namespace bough
