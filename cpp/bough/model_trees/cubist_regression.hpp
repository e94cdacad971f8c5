// The linear regression of Cubist: terms are dropped one by one, the model of least adjusted error is kept,
// and rows far from it are left out of a second fit.
#pragma once

#include <span>
#include <vector>

#include "bough/model_trees/cubist.hpp"

namespace bough::model_trees::cubist {

// An error per case that is raised for the number of parameters.
double estimated_error(double error, double n, float n_parameters);

class Regression {
 public:
  // y: the target, which may differ from that of the data; limits: of predictions.
  Regression(const Data& data, const std::vector<float>& y, float floor, float ceiling)
      : data_(data), y_(y), floor_(floor), ceiling_(ceiling) {}

  // Fits rows by the columns that may be used: the intercept, then a coefficient for each column.
  std::vector<double> fit(std::span<const int> rows, const std::vector<bool>& usable);

  // Notes the terms that a model has; raw predictions use these alone.
  void choose_terms(const std::vector<double>& model);
  float raw(const std::vector<double>& model, int row) const;
  float limited(float value) const { return value < floor_ ? floor_ : value > ceiling_ ? ceiling_ : value; }
  // The raw predictions of some rows.
  void predict(const std::vector<double>& model, std::span<const int> rows, std::vector<float>& to) const;

 private:
  // The values of a term for the rows of the fit, one after the other. The target is term 0, column c term
  // c + 1.
  float* packed(int term) { return packed_.data() + static_cast<std::size_t>(place_[term]) * n_packed_; }

  void choose_active();
  void pack(std::span<const int> rows);
  void tabulate();
  void remove(std::size_t i);
  void solve(std::vector<double>& model);
  bool reduce(std::vector<double>& a, std::vector<double>& b);
  void simplify(std::vector<double>& model);
  double mean_error(const std::vector<double>& model);
  void predict_packed(const std::vector<double>& model);
  bool drop_outliers(std::vector<double>& model);

  const Data& data_;
  const std::vector<float>& y_;
  float floor_, ceiling_;
  std::vector<bool> zero_;                 // terms that are left out
  std::vector<int> terms_;                 // in use; the first is the intercept
  std::vector<double> deviation_;          // mean absolute deviation of each term
  std::vector<double> products_, with_y_;  // sums of products of the terms, and with y
  std::vector<float> packed_, predicted_;
  std::vector<int> place_;    // of each term among the packed ones
  std::size_t n_packed_ = 0;  // rows of the fit
  std::size_t n_kept_ = 0;    // the first of them, which are no outliers
};

}  // namespace bough::model_trees::cubist
