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
  for (std::size_t i = 1; i < terms_.size(); ++i)
    sum += model[terms_[i]] * data_.columns[terms_[i] - 1].value[row];
  return static_cast<float>(sum);
}

namespace {

// Rows are predicted some at a time, term by term.
constexpr std::size_t kRowsAtOnce = 256;

template <class AddTerm>
void predict_in_blocks(const std::vector<double>& model, std::size_t n, float* to, const AddTerm& add_term) {
  double sum[kRowsAtOnce];
  for (std::size_t first = 0; first < n; first += kRowsAtOnce) {
    const std::size_t many = std::min(kRowsAtOnce, n - first);
    std::fill_n(sum, many, model[0]);
    for (int term = 1; term < static_cast<int>(model.size()); ++term)
      if (model[term] != 0) add_term(term, first, many, sum);
    for (std::size_t i = 0; i < many; ++i) to[first + i] = static_cast<float>(sum[i]);
  }
}

}  // namespace

void Regression::predict(const std::vector<double>& model, std::span<const int> rows,
                         std::vector<float>& to) const {
  to.resize(rows.size());
  predict_in_blocks(model, rows.size(), to.data(),
                    [&](int term, std::size_t first, std::size_t many, double* sum) {
                      const float* value = data_.columns[term - 1].value.data();
                      const int* row = rows.data() + first;
                      for (std::size_t i = 0; i < many; ++i) sum[i] += model[term] * value[row[i]];
                    });
}

void Regression::predict_packed(const std::vector<double>& model) {
  predicted_.resize(n_kept_);
  predict_in_blocks(model, n_kept_, predicted_.data(),
                    [&](int term, std::size_t first, std::size_t many, double* sum) {
                      const float* value = packed(term) + first;
                      for (std::size_t i = 0; i < many; ++i) sum[i] += model[term] * value[i];
                    });
}

void Regression::pack(std::span<const int> rows) {
  n_packed_ = n_kept_ = rows.size();
  place_.assign(zero_.size(), 0);
  packed_.resize(terms_.size() * rows.size());
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    const int term = terms_[t];
    place_[term] = static_cast<int>(t);
    const float* value = term == 0 ? y_.data() : data_.columns[term - 1].value.data();
    float* to = packed(term);
    for (std::size_t i = 0; i < rows.size(); ++i) to[i] = value[rows[i]];
  }
}

std::vector<double> Regression::fit(std::span<const int> rows, const std::vector<bool>& usable) {
  const std::size_t n_terms = data_.columns.size() + 1;
  const double n = static_cast<double>(rows.size());
  std::vector<double> model(n_terms), mean(n_terms);
  zero_.assign(n_terms, true);
  zero_[0] = false;
  for (std::size_t c = 0; c < data_.columns.size(); ++c)
    if (data_.columns[c].continuous && data_.columns[c].used && usable[c]) zero_[c + 1] = false;
  choose_active();
  pack(rows);
  deviation_.assign(n_terms, 0);
  for (const int term : terms_) {
    double sum = 0, squares = 0;
    for (const double value : std::span(packed(term), n_packed_)) {
      sum += value;
      squares += value * value;
    }
    mean[term] = sum / n;
    const double variance = (squares - n * mean[term] * mean[term]) / (n - 1);
    if (term != 0 && variance < 1e-6) zero_[term] = true;
  }
  choose_active();
  for (const int term : terms_) {
    for (const float value : std::span(packed(term), n_packed_))
      deviation_[term] += std::abs(value - mean[term]);
    deviation_[term] /= n;
  }
  const int n_slopes = static_cast<int>(terms_.size()) - 1;
  if (n_slopes < 1 || n < 2 * n_slopes) {
    model[0] = mean[0];
    return model;
  }
  tabulate();
  solve(model);
  simplify(model);
  choose_terms(model);
  if (terms_.size() > 1 && drop_outliers(model)) {
    solve(model);
    simplify(model);
  }
  return model;
}

// Removes the bias that limits of predictions cause, and takes rows of large errors out of the tables;
// returns whether there are any.
bool Regression::drop_outliers(std::vector<double>& model) {
  const double n = static_cast<double>(n_packed_);
  predict_packed(model);
  const float* y = packed(0);
  std::vector<double> errors(n_packed_);
  double sum = 0, bias = 0;
  for (std::size_t i = 0; i < n_packed_; ++i) {
    errors[i] = y[i] - limited(predicted_[i]);
    sum += std::abs(errors[i]);
    bias += errors[i];
  }
  model[0] += bias / n;
  choose_active();
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < n_packed_; ++i) {
    if (std::abs(errors[i]) > 5 * (sum / n))
      remove(i);
    else
      kept.push_back(i);
  }
  if (kept.size() == n_packed_) return false;
  for (const int term : terms_) {
    float* value = packed(term);
    for (std::size_t k = 0; k < kept.size(); ++k) value[k] = value[kept[k]];
  }
  n_kept_ = kept.size();
  return true;
}

void Regression::tabulate() {
  choose_active();
  const std::size_t size = zero_.size(), k = terms_.size();
  // The lower triangle, row by row: the intercept comes first.
  std::vector<double> row(k), sums(k * (k + 1) / 2), with_y(k);
  std::vector<const float*> value;
  for (const int term : terms_) value.push_back(packed(term));
  row[0] = 1;
  for (std::size_t i = 0; i < n_packed_; ++i) {
    const double y = value[0][i];
    for (std::size_t j = 1; j < k; ++j) row[j] = value[j][i];
    double* sum = sums.data();
    for (std::size_t j = 0; j < k; ++j) {
      const double at_j = row[j];
      with_y[j] += at_j * y;
      for (std::size_t l = 0; l <= j; ++l) sum[l] += at_j * row[l];
      sum += j + 1;
    }
  }
  products_.assign(size * size, 0);
  with_y_.assign(size, 0);
  const double* sum = sums.data();
  for (std::size_t j = 0; j < k; ++j) {
    with_y_[terms_[j]] = with_y[j];
    for (std::size_t l = 0; l <= j; ++l) products_[terms_[j] * size + terms_[l]] = *sum++;
  }
}

void Regression::remove(std::size_t i) {
  const std::size_t size = zero_.size();
  const double y = packed(0)[i];
  products_[0] -= 1;
  with_y_[0] -= y;
  for (std::size_t j = 1; j < terms_.size(); ++j) {
    const int term = terms_[j];
    const double value = packed(term)[i];
    with_y_[term] -= value * y;
    products_[term * size] -= value;
    for (std::size_t k = 1; k <= j; ++k) products_[term * size + terms_[k]] -= value * packed(terms_[k])[i];
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

double Regression::mean_error(const std::vector<double>& model) {
  choose_terms(model);
  predict_packed(model);
  const float* y = packed(0);
  double sum = 0;
  for (std::size_t i = 0; i < n_kept_; ++i) sum += std::abs(y[i] - limited(predicted_[i]));
  return sum / static_cast<double>(n_kept_);
}

void Regression::simplify(std::vector<double>& model) {
  const double n = static_cast<double>(n_kept_);
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
      const double error = mean_error(model);
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
