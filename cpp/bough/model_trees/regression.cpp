#include "bough/model_trees/regression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace bough::model_trees {

namespace {

constexpr double kRidge = 1e-8;
constexpr double kCollinear = 1.5;  // a standardized coefficient above this is a sign of collinear columns

// The mean and the deviation of some numbers by their sums, as Weka has them.
struct Moments {
  double weight = 0, sum = 0, squares = 0;

  void add(double value, double its_weight) {
    const double weighted = its_weight * value;
    weight += its_weight;
    sum += weighted;
    squares += weighted * value;
  }
  double mean() const { return sum / weight; }
  // n: the number of cases that the weights stand for.
  double deviation(double n) const {
    if (n <= 1) return 0;
    const double variance = (squares - sum * sum / weight) / (weight - weight / n);
    return variance > 0 ? std::sqrt(variance) : 0;
  }
};

// Solves matrix · x = right by Gaussian elimination with partial pivoting, column by column; false where the
// matrix is singular. The matrix is n × n, row by row, and is overwritten.
bool eliminate(std::vector<double>& matrix, std::vector<double>& right) {
  const std::size_t n = right.size();
  std::vector<double> column(n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) column[i] = matrix[i * n + j];
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < std::min(i, j); ++k) sum += matrix[i * n + k] * column[k];
      column[i] -= sum;
      matrix[i * n + j] = column[i];
    }
    std::size_t pivot = j;
    for (std::size_t i = j + 1; i < n; ++i)
      if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
    if (pivot != j) {
      std::swap_ranges(&matrix[pivot * n], &matrix[pivot * n] + n, &matrix[j * n]);
      std::swap(right[pivot], right[j]);
    }
    if (matrix[j * n + j] == 0) return false;
    for (std::size_t i = j + 1; i < n; ++i) matrix[i * n + j] /= matrix[j * n + j];
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) right[i] -= right[k] * matrix[i * n + k];
  for (std::size_t k = n; k-- > 0;) {
    right[k] /= matrix[k * n + k];
    for (std::size_t i = 0; i < k; ++i) right[i] -= right[k] * matrix[i * n + k];
  }
  return true;
}

}  // namespace

int LinearModel::n_parameters() const {
  return 1 + static_cast<int>(std::count_if(coefficient.begin(), coefficient.end(),
                                            [](double each) { return each != 0; }));
}

double LinearModel::predict(const NumericRows& rows, std::uint32_t row) const {
  double value = 0;
  for (std::size_t i = 0; i < column.size(); ++i) value += coefficient[i] * rows.columns[column[i]][row];
  return value + intercept;
}

Regression::Regression(const NumericRows& data, std::span<const std::uint32_t> rows,
                       std::span<const int> columns)
    : columns_(columns.begin(), columns.end()) {
  y_.reserve(rows.size());
  for (const std::uint32_t row : rows) {
    y_.push_back(data.y[row]);
    if (data.weight) weight_.push_back(data.weight[row]);
    n_ += data.cases_of(row);
  }
  standardize(data, rows);
  tabulate();
}

void Regression::standardize(const NumericRows& data, std::span<const std::uint32_t> rows) {
  Moments of_y;
  for (std::size_t i = 0; i < y_.size(); ++i) of_y.add(y_[i], weight_.empty() ? 1 : weight_[i]);
  y_mean_ = of_y.mean();
  y_deviation_ = of_y.deviation(n_);
  for (const int column : columns_) {
    std::vector<double>& values = values_.emplace_back();
    values.reserve(rows.size());
    Moments moments;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      values.push_back(data.columns[column][rows[i]]);
      moments.add(values.back(), weight_.empty() ? 1 : weight_[i]);
    }
    const double mean = moments.mean(), deviation = moments.deviation(n_);
    mean_.push_back(mean);
    deviation_.push_back(deviation);
    std::vector<double>& scaled = scaled_.emplace_back(deviation == 0 ? 0 : rows.size());
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] = (values[i] - mean) / deviation;
  }
}

void Regression::tabulate() {
  const std::size_t p = columns_.size(), n = y_.size();
  products_.assign(p * p, 0);
  with_y_.assign(p, 0);
  std::vector<double> weighted(n);
  // Four sums at a time, each in the order of the rows.
  const auto sum_products = [&](const std::vector<const double*>& others, double* sums) {
    const double *a = others[0], *b = others[1], *c = others[2], *d = others[3];
    double sum_a = 0, sum_b = 0, sum_c = 0, sum_d = 0;
    for (std::size_t i = 0; i < n; ++i) {
      sum_a += weighted[i] * a[i];
      sum_b += weighted[i] * b[i];
      sum_c += weighted[i] * c[i];
      sum_d += weighted[i] * d[i];
    }
    sums[0] = sum_a, sums[1] = sum_b, sums[2] = sum_c, sums[3] = sum_d;
  };
  for (std::size_t i = 0; i < p; ++i) {
    if (deviation_[i] == 0) continue;
    for (std::size_t row = 0; row < n; ++row)
      weighted[row] = weight_.empty() ? scaled_[i][row] : scaled_[i][row] * weight_[row];
    std::vector<const double*> others;
    std::vector<double*> sums;
    for (std::size_t j = 0; j <= i; ++j) {
      if (deviation_[j] == 0) continue;
      others.push_back(scaled_[j].data());
      sums.push_back(&products_[i * p + j]);
    }
    others.push_back(y_.data());
    sums.push_back(&with_y_[i]);
    for (std::size_t first = 0; first < others.size(); first += 4) {
      std::vector<const double*> block(4, others[first]);
      const std::size_t size = std::min<std::size_t>(4, others.size() - first);
      std::copy_n(&others[first], size, block.begin());
      double found[4];
      sum_products(block, found);
      for (std::size_t k = 0; k < size; ++k) *sums[first + k] = found[k];
    }
    for (std::size_t j = 0; j < i; ++j) products_[j * p + i] = products_[i * p + j];
  }
}

Regression::Solution Regression::solve(const std::vector<int>& chosen) const {
  const std::size_t p = columns_.size(), k = chosen.size();
  Solution solution;
  // A singular matrix gets a greater ridge; a large enough one always helps.
  for (double ridge = kRidge;; ridge *= 10) {
    std::vector<double> matrix(k * k);
    solution.coefficient.resize(k);
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) matrix[i * k + j] = products_[chosen[i] * p + chosen[j]];
      matrix[i * k + i] += ridge;
      solution.coefficient[i] = with_y_[chosen[i]];
    }
    if (eliminate(matrix, solution.coefficient)) break;
  }
  solution.intercept = y_mean_;
  for (std::size_t i = 0; i < k; ++i) {
    solution.coefficient[i] /= deviation_[chosen[i]];
    solution.intercept -= solution.coefficient[i] * mean_[chosen[i]];
  }
  return solution;
}

double Regression::squared_error(const std::vector<int>& chosen, const Solution& solution) {
  const std::size_t n = y_.size();
  predicted_.assign(n, 0);
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const double coefficient = solution.coefficient[k];
    const double* values = values_[chosen[k]].data();
    for (std::size_t i = 0; i < n; ++i) predicted_[i] += coefficient * values[i];
  }
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double error = predicted_[i] + solution.intercept - y_[i];
    sum += weight_.empty() ? error * error : weight_[i] * (error * error);
  }
  return sum;
}

double Regression::size(const std::vector<int>& chosen, const Solution& solution, std::size_t place) const {
  if (y_deviation_ == 0) return 0;
  return std::abs(solution.coefficient[place] * deviation_[chosen[place]] / y_deviation_);
}

void Regression::drop_collinear(std::vector<int>& chosen, Solution& solution) const {
  while (true) {
    double greatest = kCollinear;
    std::size_t worst = chosen.size();
    for (std::size_t place = 0; place < chosen.size(); ++place) {
      const double its_size = size(chosen, solution, place);
      if (its_size > greatest) {
        greatest = its_size;
        worst = place;
      }
    }
    if (worst == chosen.size()) return;
    chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(worst));
    solution = solve(chosen);
  }
}

void Regression::drop_by_akaike(std::vector<int>& chosen, Solution& solution) {
  const double full = squared_error(chosen, solution);
  const double parameters = static_cast<double>(chosen.size()) + 1;
  double akaike = (n_ - parameters) + 2 * parameters, n_now = parameters;
  while (!chosen.empty()) {
    n_now -= 1;
    std::size_t least = 0;
    for (std::size_t place = 1; place < chosen.size(); ++place)
      if (size(chosen, solution, place) < size(chosen, solution, least)) least = place;
    std::vector<int> fewer = chosen;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(least));
    Solution without = solve(fewer);
    const double error = squared_error(fewer, without);
    // Of two models without any error the smaller one is kept.
    const double ratio = full > 0 ? error / full : error > 0 ? std::numeric_limits<double>::infinity() : 1;
    const double now = ratio * (n_ - parameters) + 2 * n_now;
    if (!(now < akaike)) return;
    akaike = now;
    chosen = std::move(fewer);
    solution = std::move(without);
  }
}

LinearModel Regression::fit() {
  std::vector<int> chosen;
  for (std::size_t place = 0; place < columns_.size(); ++place)
    if (deviation_[place] != 0) chosen.push_back(static_cast<int>(place));
  Solution solution = solve(chosen);
  drop_collinear(chosen, solution);
  drop_by_akaike(chosen, solution);
  LinearModel model{solution.intercept, {}, std::move(solution.coefficient)};
  for (const int place : chosen) model.column.push_back(columns_[place]);
  return model;
}

}  // namespace bough::model_trees
