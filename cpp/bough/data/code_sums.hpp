// Sums of what the rows of a node add, by the code of a column: its contingency table.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace bough {

// What a row adds: its weight to the entry of its class, or its weight, sum and square of y; and its cases.
// Arrays have an entry for each row of the node.
struct RowTermsView {
  const std::int32_t* entry = nullptr;  // null: moments of y
  int width = 3;                        // entries, or 3 moments
  const double* weight = nullptr;
  const double* sum = nullptr;
  const double* square = nullptr;
  const double* cases = nullptr;
};

struct CodeSums {
  std::vector<double> sums;         // (n_levels + 1) x (width + 1): the last row is that of missing values
  std::vector<std::int64_t> count;  // rows of each code
};

// column: the code of every row of the table, -1 if missing; rows: those of the node, n_rows of them.
inline CodeSums sums_by_code(const std::int32_t* column, std::int64_t n_column, const std::int64_t* rows,
                             std::int64_t n_rows, int n_levels, const RowTermsView& terms) {
  const int stride = terms.width + 1;
  CodeSums result{std::vector<double>(static_cast<std::size_t>(n_levels + 1) * stride, 0.0),
                  std::vector<std::int64_t>(n_levels + 1, 0)};
  for (std::int64_t i = 0; i < n_rows; ++i) {
    if (rows[i] < 0 || rows[i] >= n_column) throw std::invalid_argument("a row is out of range");
    std::int32_t code = column[rows[i]];
    if (code < 0) code = n_levels;
    if (code > n_levels) throw std::invalid_argument("a code is out of range");
    double* at = result.sums.data() + static_cast<std::ptrdiff_t>(code) * stride;
    if (terms.entry) {
      if (terms.entry[i] < 0 || terms.entry[i] >= terms.width)
        throw std::invalid_argument("an entry is out of range");
      at[terms.entry[i]] += terms.weight[i];
    } else {
      at[0] += terms.weight[i];
      at[1] += terms.sum[i];
      at[2] += terms.square[i];
    }
    at[terms.width] += terms.cases[i];
    ++result.count[code];
  }
  return result;
}

}  // namespace bough
