#include "bough/conditional/sample.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

namespace bough::conditional {

namespace {

// The sum of the terms of n rows, in four parts that a processor adds side by side.
template <class Term>
double sum_of(std::size_t n, const Term& term) {
  double parts[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (int part = 0; part < 4; ++part) parts[part] += term(i + part);
  for (; i < n; ++i) parts[0] += term(i);
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

struct Range {
  double low, high;
};

// The least and the greatest of some values, infinite ones among them; no value is missing.
Range range_of(const std::vector<double>& values) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double low[4] = {infinity, infinity, infinity, infinity},
         high[4] = {-infinity, -infinity, -infinity, -infinity};
  std::size_t i = 0;
  const auto take = [&](int part, double value) {
    low[part] = value < low[part] ? value : low[part];
    high[part] = value > high[part] ? value : high[part];
  };
  for (; i + 4 <= values.size(); i += 4)
    for (int part = 0; part < 4; ++part) take(part, values[i + part]);
  for (; i < values.size(); ++i) take(0, values[i]);
  return {*std::min_element(low, low + 4), *std::max_element(high, high + 4)};
}

}  // namespace

// Memory is reserved once for a node: the columns are read into the same sample. Two columns without missing
// values have the same targets and margins of them, which are read once.
void Sample::read(const Column& values, std::span<const std::uint32_t> rows, const Target& target) {
  nominal = values.scale == Scale::nominal;
  n_levels = values.n_levels;
  n_classes = target.n_classes;
  known.resize(rows.size());
  x.resize(rows.size());
  std::size_t n = 0;
  const auto keep_known = [&](const auto& value_of) {
    for (const std::uint32_t row : rows) {
      const double value = value_of(row);
      known[n] = row;
      x[n] = value;
      n += value == value;
    }
  };
  if (values.type == Column::Type::float64)
    keep_known([&](std::uint32_t row) { return values.at<double>(row); });
  else
    keep_known([&](std::uint32_t row) { return values.value(row); });
  known.resize(n);
  x.resize(n);
  const auto gather = [&](auto& to, const auto& from, auto otherwise) {
    to.assign(n, otherwise);
    if (!from.empty())
      for (std::size_t i = 0; i < n; ++i) to[i] = from[known[i]];
  };
  const std::uint32_t* all = n == rows.size() ? rows.data() : nullptr;
  if (!all || all != complete_rows) {
    gather(label, target.label, 0);
    gather(y, target.y, 0.0);
    gather(weight, target.weight, 1.0);
    gather(cases, target.cases, 1.0);
    set_target_margins();
  }
  complete_rows = all;
  set_column_margins();
}

void Sample::set_target_margins() {
  present_classes = 0;
  total = std::accumulate(weight.begin(), weight.end(), 0.0);
  if (n_classes) {
    class_share.assign(n_classes, 0.0);
    for (std::size_t i = 0; i < size(); ++i) class_share[label[i]] += weight[i];
    for (double& share : class_share) {
      present_classes += share > 0;
      share /= total;
    }
  } else {
    double mean = 0, squares = 0;
    for (std::size_t i = 0; i < size(); ++i) mean += weight[i] * y[i];
    mean /= total;
    const auto [low, high] = std::minmax_element(y.begin(), y.end());
    const bool constant = y.empty() || *low == *high;
    for (double& each : y) each -= mean;
    for (std::size_t i = 0; i < size(); ++i) squares += weight[i] * y[i] * y[i];
    variance = constant ? 0 : squares / total;
  }
}

void Sample::set_column_margins() {
  present_levels = 0;
  level_weight.clear();
  if (nominal) {
    level_weight.assign(n_levels, 0.0);
    code.assign(x.begin(), x.end());
    for (std::size_t i = 0; i < size(); ++i) level_weight[code[i]] += weight[i];
    for (double w : level_weight) present_levels += w > 0;
    return;
  }
  set_scaled();
}

void Sample::set_scaled() {
  Range range = range_of(x);
  const bool finite = std::isfinite(range.low) && std::isfinite(range.high);
  if (!finite) {
    // Infinite values count as the greatest and the least finite value.
    std::vector<double> within;
    std::copy_if(x.begin(), x.end(), std::back_inserter(within),
                 [](double each) { return std::isfinite(each); });
    range = within.empty() ? Range{-1, 1} : range_of(within);
  }
  const auto [low, high] = range;
  const double middle = low / 2 + high / 2, half = high / 2 - low / 2;
  u.resize(x.size());
  if (finite && half > 0)
    for (std::size_t i = 0; i < size(); ++i) u[i] = (x[i] - middle) / half;
  else
    for (std::size_t i = 0; i < size(); ++i)
      u[i] = half > 0 ? (std::clamp(x[i], low, high) - middle) / half : (x[i] > high) - (x[i] < low);
  const double mean = sum_of(size(), [&](std::size_t i) { return weight[i] * u[i]; }) / total;
  for (double& each : u) each -= mean;
  const double squares = sum_of(size(), [&](std::size_t i) { return weight[i] * u[i] * u[i]; });
  const bool varies = std::any_of(u.begin(), u.end(), [&](double each) { return each != u[0]; });
  spread = varies ? factor() * squares : 0;
}

double Sample::of_deviations(const double* deviation, double covariance, Statistic kind) const {
  if (!(covariance > 0)) return 0;
  if (!n_classes) {
    const double square = deviation[0] * deviation[0] / (variance * covariance);
    return kind == Statistic::quadratic ? square : std::sqrt(square);
  }
  double sum = 0, most = 0;
  for (int c = 0; c < n_classes; ++c) {
    const double share = class_share[c];
    if (!(share > 0)) continue;
    sum += deviation[c] * deviation[c] / share;
    if (share < 1) most = std::max(most, deviation[c] * deviation[c] / (share * (1 - share)));
  }
  return kind == Statistic::quadratic ? sum / covariance : std::sqrt(most / covariance);
}

double Sample::statistic(Statistic kind, std::vector<double>& sums) const {
  const int width = n_classes ? n_classes : 1;
  if (!nominal) {
    sums.assign(width, 0.0);
    if (n_classes)
      for (std::size_t i = 0; i < size(); ++i) sums[label[i]] += weight[i] * u[i];
    else
      sums[0] = sum_of(size(), [&](std::size_t i) { return weight[i] * u[i] * y[i]; });
    return of_deviations(sums.data(), spread, kind);
  }
  sums.assign(static_cast<std::size_t>(n_levels) * width, 0.0);
  if (n_classes)
    for (std::size_t i = 0; i < size(); ++i)
      sums[static_cast<std::size_t>(code[i]) * width + label[i]] += weight[i];
  else
    for (std::size_t i = 0; i < size(); ++i) sums[code[i]] += weight[i] * y[i];
  double total_statistic = 0;
  for (int level = 0; level < n_levels; ++level) {
    const double n = level_weight[level];
    if (!(n > 0)) continue;
    double* deviation = sums.data() + static_cast<std::size_t>(level) * width;
    for (int c = 0; c < n_classes; ++c) deviation[c] -= n * class_share[c];
    if (kind == Statistic::quadratic)
      total_statistic += of_deviations(deviation, factor() * n, kind);
    else
      total_statistic =
          std::max(total_statistic, of_deviations(deviation, factor() * (n - n * n / total), kind));
  }
  return total_statistic;
}

}  // namespace bough::conditional
