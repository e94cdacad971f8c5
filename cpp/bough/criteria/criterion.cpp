#include "bough/criteria/criterion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include "bough/criteria/median.hpp"

namespace bough {

namespace {

constexpr double kNoSplit = -std::numeric_limits<double>::infinity();
// What is left of a difference of logarithms below this share of the terms is rounding, not information.
constexpr double kRounding = 1e-12;

constexpr std::array<std::string_view, 10> kNames = {
    "misclassification", "gini",   "entropy",       "deviance",       "gain_ratio",
    "chi_square",        "twoing", "squared_error", "absolute_error", "poisson"};

double sum(const double* x, int n) {
  double total = 0;
  for (int i = 0; i < n; ++i) total += x[i];
  return total;
}

// left_c * weight_right - right_c * weight_left: zero where the child shares agree; changes only its sign in
// the mirror image.
inline double imbalance(const double* left, const double* right, int c, double wl, double wr) {
  return left[c] * wr - right[c] * wl;
}

double squared_imbalance(const double* left, const double* right, int k, double wl, double wr) {
  double total = 0;
  for (int c = 0; c < k; ++c) {
    const double d = imbalance(left, right, c, wl, wr);
    total += d * d;
  }
  return total;
}

double twoing(const double* left, const double* right, int k, double wl, double wr) {
  double total = 0;
  for (int c = 0; c < k; ++c) total += std::abs(imbalance(left, right, c, wl, wr));
  return total * total / 4;
}

double chi_square(const double* left, const double* right, int k, double wl, double wr) {
  double total = 0;
  for (int c = 0; c < k; ++c) {
    const double n = left[c] + right[c];
    if (n == 0) continue;
    const double d = imbalance(left, right, c, wl, wr);
    total += d * d / n;
  }
  return total / (wl * wr);
}

// The first place at which half of the weight is reached.
int lower_median(const double* weights, int k) {
  const double total = sum(weights, k);
  double below = weights[0];
  int median = 0;
  while (median + 1 < k && 2 * below < total) below += weights[++median];
  return median;
}

double correct_by_majority(const double* left, const double* right, int k) {
  double l = 0, r = 0, both = 0;
  for (int c = 0; c < k; ++c) {
    l = std::max(l, left[c]);
    r = std::max(r, right[c]);
    both = std::max(both, left[c] + right[c]);
  }
  return l + r - both;
}

}  // namespace

Criterion criterion_named(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) throw std::invalid_argument("unknown criterion " + std::string(name));
  return static_cast<Criterion>(found - kNames.begin());
}

XLog2X::XLog2X(std::size_t table_size) : table_(table_size) {
  for (std::size_t i = 0; i < table_size; ++i) table_[i] = direct(static_cast<double>(i));
}

double XLog2X::direct(double x) { return x > 0 ? x * std::log2(x) : 0.0; }

Judge::Judge(Criterion criterion, int width, std::size_t whole_counts)
    : criterion_(criterion),
      width_(width),
      xlog2x_(criterion == Criterion::entropy || criterion == Criterion::deviance ||
                      criterion == Criterion::gain_ratio
                  ? whole_counts
                  : 0) {}

Judge::Judge(std::vector<double> values)
    : criterion_(Criterion::absolute_error),
      width_(static_cast<int>(values.size())),
      xlog2x_(0),
      values_(std::move(values)) {}

// Bits needed for the classes of a node: w log2 w - sum of c log2 c.
double Judge::content(const double* counts, double& weight) const {
  double terms = 0;
  weight = 0;
  for (int c = 0; c < width_; ++c) {
    terms += xlog2x_(counts[c]);
    weight += counts[c];
  }
  return xlog2x_(weight) - terms;
}

// Bits saved by knowing the child; and the bits needed to tell the child.
double Judge::information(const double* children, int n_children, double& split_information) const {
  std::vector<double> total(width_, 0.0);
  double within = 0, weights = 0, weight;
  for (int j = 0; j < n_children; ++j) {
    const double* child = children + static_cast<std::ptrdiff_t>(j) * width_;
    for (int c = 0; c < width_; ++c) total[c] += child[c];
    within += content(child, weight);
    weights += xlog2x_(weight);
  }
  const double parent = content(total.data(), weight);
  split_information = xlog2x_(weight) - weights;
  const double saved = parent - within;
  return saved > kRounding * parent ? saved : 0.0;
}

double Judge::value(const double* left, const double* right, double node_weight) const {
  const int k = width_;
  if (criterion_ == Criterion::absolute_error) {
    std::vector<double> both(left, left + k);
    for (int i = 0; i < k; ++i) both[i] += right[i];
    const double within = absolute_deviation(left, values_) + absolute_deviation(right, values_);
    return (absolute_deviation(both.data(), values_) - within) / node_weight;
  }
  if (uses_moments(criterion_)) {
    const double wl = left[0], wr = right[0];
    if (criterion_ == Criterion::squared_error)
      return squared_error_value(wl, left[1], wr, right[1], node_weight);
    // A rate of zero would call any event impossible.
    if (!zero_rates_ && (left[1] <= 0 || right[1] <= 0)) return kNoSplit;
    const double all = rate_likelihood(wl + wr, left[1] + right[1]);
    return std::max(0.0, rate_likelihood(wl, left[1]) + rate_likelihood(wr, right[1]) - all) / node_weight;
  }
  const double wl = sum(left, k), wr = sum(right, k);
  switch (criterion_) {
    case Criterion::gini:
      return squared_imbalance(left, right, k, wl, wr) / (wl * wr) / ((wl + wr) * node_weight);
    case Criterion::twoing:
      return twoing(left, right, k, wl, wr) / (wl * wr) / ((wl + wr) * node_weight);
    case Criterion::chi_square:
      return chi_square(left, right, k, wl, wr);
    case Criterion::misclassification:
      return correct_by_majority(left, right, k) / node_weight;
    default: {
      double w, both = 0, terms = 0;
      const double within = content(left, w) + content(right, w);
      for (int c = 0; c < k; ++c) terms += xlog2x_(left[c] + right[c]);
      both = xlog2x_(wl + wr) - terms;
      const double saved = both - within > kRounding * both ? (both - within) / node_weight : 0.0;
      if (criterion_ == Criterion::entropy) return saved;
      if (criterion_ == Criterion::deviance) return 2 * std::numbers::ln2 * saved;
      return saved / ((xlog2x_(wl + wr) - (xlog2x_(wl) + xlog2x_(wr))) / (wl + wr));
    }
  }
}

double Judge::n_ary_classes(const double* children, int n_children, double node_weight) const {
  const int k = width_;
  switch (criterion_) {
    case Criterion::chi_square:
      return pearson(children, n_children, k).statistic;
    case Criterion::twoing:
      return kNoSplit;  // twoing is defined for two children
    case Criterion::misclassification:
    case Criterion::gini: {
      std::vector<double> total(k, 0.0);
      double weight = 0, children_score = 0;
      const auto score = [&](const double* counts, double w) {
        if (criterion_ == Criterion::misclassification) return *std::max_element(counts, counts + k);
        double squares = 0;
        for (int c = 0; c < k; ++c) squares += counts[c] * counts[c];
        return squares / w;
      };
      for (int j = 0; j < n_children; ++j) {
        const double* child = children + static_cast<std::ptrdiff_t>(j) * k;
        const double w = sum(child, k);
        if (w == 0) continue;
        weight += w;
        for (int c = 0; c < k; ++c) total[c] += child[c];
        children_score += score(child, w);
      }
      const double saved = children_score - score(total.data(), weight);
      return (saved > kRounding * children_score ? saved : 0.0) / node_weight;
    }
    default: {
      double split_information, weight = 0;
      const double saved = information(children, n_children, split_information) / node_weight;
      if (criterion_ == Criterion::entropy) return saved;
      if (criterion_ == Criterion::deviance) return 2 * std::numbers::ln2 * saved;
      weight = sum(children, n_children * k);
      return split_information > 0 ? saved / (split_information / weight) : kNoSplit;
    }
  }
}

double Judge::n_ary_numbers(const double* children, int n_children, double node_weight) const {
  std::vector<double> total(width_, 0.0);
  double within = 0;
  const auto score = [&](const double* s) {
    if (criterion_ == Criterion::absolute_error) return -absolute_deviation(s, values_);
    return criterion_ == Criterion::poisson ? rate_likelihood(s[0], s[1]) : s[1] * s[1] / s[0];
  };
  for (int j = 0; j < n_children; ++j) {
    const double* child = children + static_cast<std::ptrdiff_t>(j) * width_;
    if ((uses_moments(criterion_) ? child[0] : sum(child, width_)) == 0) continue;
    if (criterion_ == Criterion::poisson && !zero_rates_ && child[1] <= 0) return kNoSplit;
    for (int c = 0; c < width_; ++c) total[c] += child[c];
    within += score(child);
  }
  const double saved = within - score(total.data());
  return (saved > kRounding * std::abs(within) ? saved : 0.0) / node_weight;
}

double Judge::value(const double* children, int n_children, double node_weight) const {
  if (n_children == 2) {
    const double* right = children + width_;
    const bool moments = uses_moments(criterion_);
    const double wl = moments ? children[0] : sum(children, width_);
    const double wr = moments ? right[0] : sum(right, width_);
    return wl > 0 && wr > 0 ? value(children, right, node_weight) : kNoSplit;
  }
  return judges_classes(criterion_) ? n_ary_classes(children, n_children, node_weight)
                                    : n_ary_numbers(children, n_children, node_weight);
}

double Judge::impurity(const double* s) const {
  if (criterion_ == Criterion::absolute_error) return absolute_deviation(s, values_) / sum(s, width_);
  if (uses_moments(criterion_)) {
    if (criterion_ == Criterion::squared_error)
      return std::max(0.0, s[2] / s[0] - (s[1] / s[0]) * (s[1] / s[0]));
    // Half the mean deviance, up to the part that no split changes.
    return -rate_likelihood(s[0], s[1]) / s[0];
  }
  const double weight = sum(s, width_);
  switch (criterion_) {
    case Criterion::misclassification:
      return (weight - *std::max_element(s, s + width_)) / weight;
    case Criterion::entropy:
    case Criterion::gain_ratio: {
      double w;
      return std::max(0.0, content(s, w) / weight);
    }
    case Criterion::deviance: {
      double w;
      return std::max(0.0, 2 * std::numbers::ln2 * content(s, w) / weight);
    }
    default: {
      double squares = 0;
      for (int c = 0; c < width_; ++c) squares += (s[c] / weight) * (s[c] / weight);
      return 1 - squares;
    }
  }
}

double absolute_deviation(const double* weights, const std::vector<double>& values) {
  const int k = static_cast<int>(values.size());
  const double median = values[lower_median(weights, k)];
  // Whole numbers, as growth has them, are summed exactly; others, which a caller may give, as they are.
  const auto whole = [](double x) { return x == std::floor(x) && std::abs(x) < 0x1p53; };
  if (std::all_of(values.begin(), values.end(), whole) && std::all_of(weights, weights + k, whole)) {
    Wide exact = 0;
    for (int i = 0; i < k; ++i) exact += wide(weights[i]) * wide(std::abs(values[i] - median));
    return static_cast<double>(exact);
  }
  double deviation = 0;
  for (int i = 0; i < k; ++i) deviation += weights[i] * std::abs(values[i] - median);
  return deviation;
}

double Judge::centre(const double* s) const {
  return criterion_ == Criterion::absolute_error ? values_[lower_median(s, width_)] : s[1] / s[0];
}

double rate_likelihood(double weight, double sum) { return sum > 0 ? sum * std::log(sum / weight) : 0.0; }

Pearson pearson(const double* table, int n_rows, int width) {
  std::vector<double> row(n_rows, 0.0), column(width, 0.0);
  double total = 0;
  for (int j = 0; j < n_rows; ++j)
    for (int c = 0; c < width; ++c) {
      const double x = table[static_cast<std::ptrdiff_t>(j) * width + c];
      row[j] += x;
      column[c] += x;
      total += x;
    }
  double statistic = 0;
  for (int j = 0; j < n_rows; ++j)
    for (int c = 0; c < width; ++c) {
      const double expected = row[j] * column[c] / total;
      if (expected == 0) continue;
      const double d = table[static_cast<std::ptrdiff_t>(j) * width + c] - expected;
      statistic += d * d / expected;
    }
  const auto spare = [](const std::vector<double>& margin) {
    const auto n = std::count_if(margin.begin(), margin.end(), [](double x) { return x > 0; });
    return std::max(0, static_cast<int>(n) - 1);
  };
  return {statistic, spare(row) * spare(column)};
}

// The regularized upper incomplete gamma function Q(degrees / 2, x / 2): by its series where the lower tail
// is the smaller one, by Lentz's continued fraction elsewhere (Press et al., Numerical Recipes, section 6.2).
double chi_square_survival(double x, int degrees) {
  if (degrees <= 0 || !(x > 0)) return 1.0;
  if (std::isinf(x)) return 0.0;
  const double a = degrees / 2.0, z = x / 2.0;
  const double front = std::exp(a * std::log(z) - z - std::lgamma(a));
  if (z < a + 1) {
    double term = 1 / a, total = term;
    for (double n = a + 1; term > total * 1e-17; ++n) total += term *= z / n;
    return std::max(0.0, 1 - front * total);
  }
  constexpr double kTiny = 1e-300;
  double b = z + 1 - a, c = 1 / kTiny, d = 1 / b, h = d;
  for (int i = 1; i < 10000; ++i) {
    const double an = -i * (i - a);
    b += 2;
    d = 1 / (std::abs(an * d + b) < kTiny ? kTiny : an * d + b);
    c = std::abs(b + an / c) < kTiny ? kTiny : b + an / c;
    const double step = d * c;
    h *= step;
    if (std::abs(step - 1) < 1e-16) break;
  }
  return std::clamp(front * h, 0.0, 1.0);
}

}  // namespace bough
