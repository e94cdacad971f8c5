// The scan for every criterion, number of classes and weight. A gauge follows the moving cut with a few
// operations a row and tells what the criterion would say, up to rounding; only cuts that may be the best are
// judged exactly.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/grow/measure.hpp"
#include "bough/search/scan.hpp"
#include "bough/search/search.hpp"

namespace bough {

// Sums of squared class weights: Gini's value is (gauge - gauge of the node) / node weight.
struct GiniGauge {
  double squares_left = 0, squares_right = 0;
  double slip;  // what rounding may have taken from them; 0 where all squares are whole numbers below 2^53

  GiniGauge(const Judge&, const double* total, int width, int n) {
    for (int c = 0; c < width; ++c) squares_right += total[c] * total[c];
    slip = squares_right < 0x1p53 ? 0 : squares_right * n * 0x1p-51;
  }
  void move(double left, double right, double w) {
    squares_left += w * (2 * left + w);
    squares_right -= w * (2 * right - w);
  }
  double read(double wl, double wr) const { return (squares_left + slip) / wl + (squares_right + slip) / wr; }
  double unsplit(double weight) const { return squares_right / weight; }
  static constexpr double kUnit = 1;
};

// Sums of c log2 c: the information gained is (gauge - gauge of the node) / node weight.
template <bool kNats>
struct EntropyGauge {
  const XLog2X& xlog2x;
  double terms_left = 0, terms_right = 0;
  double slip;  // what rounding may have taken from them

  EntropyGauge(const Judge& judge, const double* total, int width, int n) : xlog2x(judge.xlog2x()) {
    double weight = 0;
    for (int c = 0; c < width; ++c) {
      terms_right += xlog2x(total[c]);
      weight += total[c];
    }
    slip = std::abs(xlog2x(weight)) * n * 0x1p-51;
  }
  void move(double left, double right, double w) {
    terms_left += xlog2x(left + w) - xlog2x(left);
    terms_right += xlog2x(right - w) - xlog2x(right);
  }
  double read(double wl, double wr) const {
    return slip + (terms_left - xlog2x(wl)) + (terms_right - xlog2x(wr));
  }
  double unsplit(double weight) const { return terms_right - xlog2x(weight); }
  static constexpr double kUnit = kNats ? 2 * 0.6931471805599453 : 1;
};

// d^2 / (left * right) with d the imbalance of sums and weights: squared error's value times the weights of
// the known rows and of the node.
struct SquaresGauge {
  double unit;

  SquaresGauge(const double* total, double node_weight) : unit(total[0] * node_weight) {}
  static double read(const double* left, const double* right) {
    const double d = left[1] * right[0] - right[1] * left[0];
    return d * d / (left[0] * right[0]);
  }
};

// An upper bound of what Poisson likelihood gains: the divergence is at most chi-square's.
struct PoissonGauge {
  double unit;

  PoissonGauge(const double* total, double node_weight) : unit(total[1] * node_weight) {}
  static double read(const double* left, const double* right) { return SquaresGauge::read(left, right); }
};

// What to ask of a cut before it is judged: its gauge must reach this.
class Bar {
 public:
  Bar(double unsplit, double unit) : unsplit_(unsplit), unit_(unit) {}
  void raise(double value) {
    const double gauge = value * unit_ + unsplit_;
    bar_ = gauge - kSlack * (std::abs(gauge) + std::abs(unsplit_));
  }
  bool reached_by(double gauge) const { return gauge >= bar_; }

 private:
  static constexpr double kSlack = 1e-10;
  double unsplit_, unit_;
  double bar_ = -std::numeric_limits<double>::infinity();
};

// What a scan is given besides its list.
struct ScanTask {
  const Rows& rows;
  const Judge& judge;
  LeafLimits limits;
  double node_weight;
  double* left;         // width zeros
  double* right;        // the statistics of all known rows
  double right_weight;  // and their weight
  double right_cases;   // and cases

  bool allowed(double left_cases, double left_weight, double weight_right) const {
    return left_cases >= limits.min_cases && right_cases - left_cases >= limits.min_cases &&
           left_weight >= limits.min_weight && weight_right >= limits.min_weight;
  }
};

// Class weights under a criterion that has a gauge.
template <class Gauge, class E>
Cut best_class_cut(const E* list, int n, const ScanTask& task, double floor) {
  const Rows& rows = task.rows;
  Gauge gauge(task.judge, task.right, task.judge.width(), n);
  Bar bar(gauge.unsplit(task.right_weight), task.node_weight / Gauge::kUnit);
  bar.raise(floor);
  Cut best{floor, 0};
  double wl = 0, wr = task.right_weight, left_cases = 0;
  for (int i = 0; i < n - 1; ++i) {
    const std::uint32_t row = index_of(list[i]);
    const int c = rows.label[row];
    const double w = rows.weight_at(row);
    gauge.move(task.left[c], task.right[c], w);
    task.left[c] += w;
    task.right[c] -= w;
    wl += w;
    wr -= w;
    left_cases += rows.cases_at(row);
    if (code_of(list[i]) == code_of(list[i + 1])) continue;
    if (!bar.reached_by(gauge.read(wl, wr)) || !task.allowed(left_cases, wl, wr)) continue;
    const double value = task.judge.value(task.left, task.right, task.node_weight);
    if (!(value > best.value)) continue;
    best = {value, i + 1};
    bar.raise(value);
  }
  return best;
}

// Moments under a criterion that has a gauge.
template <class Gauge, class E>
Cut best_moment_cut(const E* list, int n, const ScanTask& task, double floor) {
  const Rows& rows = task.rows;
  double *left = task.left, *right = task.right;
  const Gauge gauge(right, task.node_weight);
  Bar bar(0, gauge.unit);
  bar.raise(floor);
  Cut best{floor, 0};
  double left_cases = 0;
  for (int i = 0; i < n - 1; ++i) {
    const std::uint32_t row = index_of(list[i]);
    const double w = rows.weight_at(row), g = rows.grid[row];
    left[0] += w;
    right[0] -= w;
    left[1] += g;
    right[1] -= g;
    left_cases += rows.cases_at(row);
    if (code_of(list[i]) == code_of(list[i + 1])) continue;
    if (!bar.reached_by(gauge.read(left, right)) || !task.allowed(left_cases, left[0], right[0])) continue;
    const double value = task.judge.value(left, right, task.node_weight);
    if (!(value > best.value)) continue;
    best = {value, i + 1};
    bar.raise(value);
  }
  return best;
}

// Class weights, every allowed cut judged.
template <class E>
Cut best_judged_cut(const E* list, int n, const ScanTask& task, double floor) {
  const Rows& rows = task.rows;
  Cut best{floor, 0};
  double wl = 0, wr = task.right_weight, left_cases = 0;
  for (int i = 0; i < n - 1; ++i) {
    const std::uint32_t row = index_of(list[i]);
    const double w = rows.weight_at(row);
    task.left[rows.label[row]] += w;
    task.right[rows.label[row]] -= w;
    wl += w;
    wr -= w;
    left_cases += rows.cases_at(row);
    if (code_of(list[i]) == code_of(list[i + 1])) continue;
    if (!task.allowed(left_cases, wl, wr)) continue;
    const double value = task.judge.value(task.left, task.right, task.node_weight);
    if (value > best.value) best = {value, i + 1};
  }
  return best;
}

template <class E>
Cut best_cut(const E* list, int n, const ScanTask& task, double floor) {
  switch (task.judge.criterion()) {
    case Criterion::gini:
      return best_class_cut<GiniGauge>(list, n, task, floor);
    case Criterion::entropy:
      return best_class_cut<EntropyGauge<false>>(list, n, task, floor);
    case Criterion::deviance:
      return best_class_cut<EntropyGauge<true>>(list, n, task, floor);
    case Criterion::squared_error:
      return best_moment_cut<SquaresGauge>(list, n, task, floor);
    case Criterion::poisson:
      return best_moment_cut<PoissonGauge>(list, n, task, floor);
    default:
      return best_judged_cut(list, n, task, floor);
  }
}

}  // namespace bough
