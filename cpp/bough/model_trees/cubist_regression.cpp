#include "bough/model_trees/cubist_regression.hpp"

#include <algorithm>
#include <cmath>

namespace bough::model_trees::cubist {

double estimated_error(double error, double n, float n_parameters) {
  if (n_parameters >= n) n_parameters = static_cast<float>(n - 1);
  return error * (n + n_parameters) / (n - n_parameters);
}

void Regression::choose_terms(const std::vector<double>& model) {
  terms_.assign(1, 0);
  for (int term = 1; term < static_cast<int>(model.size()); ++term)
    if (model[term] != 0) terms_.push_back(term);
}

void Regression::choose_active() {
  terms_.clear();
  for (int term = 0; term < static_cast<int>(zero_.size()); ++term)
    if (!zero_[term]) terms_.push_back(term);
}

float Regression::raw(const std::vector<double>& model, int row) const {
  double sum = model[0];
  for (std::size_t i = 1; i < terms_.size(); ++i) sum += model[terms_[i]] * input(terms_[i], row);
  return static_cast<float>(sum);
}

float Regression::limited(const std::vector<double>& model, int row) const {
  const float value = raw(model, row);
  return value < floor_ ? floor_ : value > ceiling_ ? ceiling_ : value;
}

std::vector<double> Regression::fit(std::span<const int> rows, const std::vector<bool>& usable) {
  const std::size_t n_terms = data_.columns.size() + 1;
  const double n = static_cast<double>(rows.size());
  std::vector<double> model(n_terms), mean(n_terms), variance(n_terms);
  zero_.assign(n_terms, true);
  zero_[0] = false;
  for (std::size_t c = 0; c < data_.columns.size(); ++c)
    if (data_.columns[c].continuous && data_.columns[c].used && usable[c]) zero_[c + 1] = false;
  choose_active();
  deviation_.assign(n_terms, 0);
  for (const int row : rows)
    for (const int term : terms_) {
      const double value = input(term, row);
      mean[term] += value;
      variance[term] += value * value;
    }
  for (const int term : terms_) {
    mean[term] /= n;
    variance[term] = (variance[term] - n * mean[term] * mean[term]) / (n - 1);
    if (term != 0 && variance[term] < 1e-6) zero_[term] = true;
  }
  choose_active();
  for (const int row : rows)
    for (const int term : terms_) deviation_[term] += std::abs(input(term, row) - mean[term]);
  for (const int term : terms_) deviation_[term] /= n;
  const int n_slopes = static_cast<int>(terms_.size()) - 1;
  if (n_slopes < 1 || n < 2 * n_slopes) {
    model[0] = mean[0];
    choose_terms(model);
    return model;
  }
  tabulate(rows);
  solve(model);
  simplify(rows, model);
  choose_terms(model);
  if (terms_.size() == 1) return model;
  const std::vector<int> kept = without_outliers(rows, model);
  if (kept.size() < rows.size()) {
    solve(model);
    simplify(kept, model);
  }
  return model;
}

// Removes the bias that limits of predictions cause, and takes rows of large errors out of the tables.
std::vector<int> Regression::without_outliers(std::span<const int> rows, std::vector<double>& model) {
  const double n = static_cast<double>(rows.size());
  std::vector<double> errors;
  double sum = 0, bias = 0;
  for (const int row : rows) {
    errors.push_back(y_[row] - limited(model, row));
    sum += std::abs(errors.back());
    bias += errors.back();
  }
  model[0] += bias / n;
  std::vector<int> kept;
  bool first = true;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (std::abs(errors[i]) > 5 * (sum / n)) {
      if (first) choose_active();
      first = false;
      remove(rows[i]);
    } else {
      kept.push_back(rows[i]);
    }
  }
  return kept;
}

void Regression::tabulate(std::span<const int> rows) {
  choose_active();
  const std::size_t size = zero_.size();
  products_.assign(size * size, 0);
  with_y_.assign(size, 0);
  for (const int row : rows) {
    const double y = y_[row];
    products_[0] += 1;
    with_y_[0] += y;
    for (std::size_t j = 1; j < terms_.size(); ++j) {
      const int term = terms_[j];
      const double value = input(term, row);
      with_y_[term] += value * y;
      products_[term * size] += value;
      for (std::size_t k = 1; k <= j; ++k)
        products_[term * size + terms_[k]] += value * input(terms_[k], row);
    }
  }
}

void Regression::remove(int row) {
  const std::size_t size = zero_.size();
  const double y = y_[row];
  products_[0] -= 1;
  with_y_[0] -= y;
  for (std::size_t j = 1; j < terms_.size(); ++j) {
    const int term = terms_[j];
    const double value = input(term, row);
    with_y_[term] -= value * y;
    products_[term * size] -= value;
    for (std::size_t k = 1; k <= j; ++k) products_[term * size + terms_[k]] -= value * input(terms_[k], row);
  }
}

// Triangular form with ones on the diagonal; false if terms had to be left out because no pivot was found.
bool Regression::reduce(std::vector<double>& a, std::vector<double>& b) {
  const std::size_t n = terms_.size(), size = zero_.size();
  bool regular = true;
  for (std::size_t j = 0; j < n; ++j) {
    const double least = static_cast<double>(n) * std::abs(products_[terms_[j] * size + terms_[j]]) * 1e-12;
    std::size_t best = j;
    double pivot = std::abs(a[j * n + j]);
    for (std::size_t k = j + 1; k < n; ++k)
      if (std::abs(a[k * n + j]) > pivot) {
        best = k;
        pivot = std::abs(a[k * n + j]);
      }
    if (pivot < least) {
      zero_[terms_[j]] = true;
      regular = false;
      continue;
    }
    if (best != j) {
      std::swap_ranges(&a[best * n], &a[best * n] + n, &a[j * n]);
      std::swap(b[best], b[j]);
    }
    const double divisor = a[j * n + j];
    for (std::size_t k = j; k < n; ++k) a[j * n + k] /= divisor;
    b[j] /= divisor;
    for (std::size_t k = j + 1; k < n; ++k) {
      const double factor = -a[k * n + j];
      for (std::size_t c = 0; c < n; ++c) a[k * n + c] += factor * a[j * n + c];
      b[k] += factor * b[j];
    }
  }
  return regular;
}

void Regression::solve(std::vector<double>& model) {
  const std::size_t size = zero_.size();
  std::vector<double> a, b;
  while (true) {
    const std::size_t n = terms_.size();
    std::fill(model.begin() + 1, model.end(), 0);
    if (n <= 1) {
      model[0] = with_y_[0] / products_[0];
      return;
    }
    a.assign(n * n, 0);
    b.assign(n, 0);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k <= j; ++k)
        a[j * n + k] = a[k * n + j] = products_[terms_[j] * size + terms_[k]];
      b[j] = with_y_[terms_[j]];
    }
    if (reduce(a, b)) break;
    choose_active();
  }
  const std::size_t n = terms_.size();
  for (std::size_t j = n - 1; j-- > 0;)
    for (std::size_t k = j + 1; k < n; ++k) b[j] -= a[j * n + k] * b[k];
  for (std::size_t j = 0; j < n; ++j) model[terms_[j]] = b[j];
}

double Regression::mean_error(std::span<const int> rows, const std::vector<double>& model) {
  choose_terms(model);
  double sum = 0;
  for (const int row : rows) sum += std::abs(y_[row] - limited(model, row));
  return sum / static_cast<double>(rows.size());
}

void Regression::simplify(std::span<const int> rows, std::vector<double>& model) {
  const double n = static_cast<double>(rows.size());
  const std::vector<bool> all = zero_;
  std::vector<double> best = model;
  double best_error = 1e10;
  while (true) {
    bool stable = true;
    int dropped = 0;
    double least = 0;
    for (std::size_t i = 1; i < terms_.size(); ++i) {
      const double contribution = std::abs(model[terms_[i]] * deviation_[terms_[i]]);
      if (!dropped || contribution < least) {
        dropped = terms_[i];
        least = contribution;
      }
      if (contribution > 1000 * deviation_[0]) stable = false;
    }
    if (stable && n >= 2 * (static_cast<double>(terms_.size()) - 1)) {
      const double error = mean_error(rows, model);
      const double adjusted = estimated_error(error, n, static_cast<float>(terms_.size() - 1));
      if (adjusted <= best_error) {
        best_error = adjusted;
        best = model;
      }
    }
    if (!dropped) break;
    model[dropped] = 0;
    zero_[dropped] = true;
    choose_active();
    solve(model);
  }
  model = best;
  zero_ = all;
}

}  // namespace bough::model_trees::cubist
