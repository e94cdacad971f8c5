// Rows of numbers: what linear models are fitted to. Missing values are replaced and levels are indicators
// already.
#pragma once

#include <cstdint>
#include <vector>

namespace bough::model_trees {

struct NumericRows {
  std::int64_t n_rows = 0;
  std::vector<const double*> columns;  // n_rows numbers each
  const double* y = nullptr;
  const double* weight = nullptr;  // null: 1 each
  const double* cases = nullptr;   // null: 1 each

  double weight_of(std::uint32_t row) const { return weight ? weight[row] : 1; }
  double cases_of(std::uint32_t row) const { return cases ? cases[row] : 1; }
};

// A linear function of some columns, in ascending order.
struct LinearModel {
  double intercept = 0;
  std::vector<int> column;
  std::vector<double> coefficient;

  // Number of terms that are not zero, and the intercept.
  int n_parameters() const;

  // The products are added first, the intercept last.
  double predict(const NumericRows& rows, std::uint32_t row) const;
};

}  // namespace bough::model_trees
