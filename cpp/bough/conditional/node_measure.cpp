#include "bough/conditional/node_measure.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "bough/grow/measure.hpp"

namespace bough::conditional {

namespace {

void measure_counts(const ShownRows& shown, std::span<const std::uint32_t> rows, double* counts,
                    NodeMeasure& node) {
  std::fill_n(counts, shown.n_classes, 0.0);
  for (const std::uint32_t row : rows) counts[shown.label[row]] += shown.weight_at(row);
  node.total_weight = std::accumulate(counts, counts + shown.n_classes, 0.0);
  for (int c = 0; c < shown.n_classes; ++c) counts[c] *= shown.weight_unit;
  const double most = *std::max_element(counts, counts + shown.n_classes);
  const double total = node.total_weight * shown.weight_unit;
  node.risk = total - most;
  node.pure = most >= total;
}

// The term of a row in the sum of y over its node.
double grid_term(const ShownRows& shown, const NodeMeasure& node, double scale, std::uint32_t row) {
  const double off = shown.y[row] - node.origin, weight = shown.weight_at(row);
  return shown.whole_weights ? weight * std::rint(off * scale) : std::rint(weight * off * scale);
}

double squared_error(const ShownRows& shown, std::span<const std::uint32_t> rows, double mean) {
  double sum = 0;
  for (const std::uint32_t row : rows) {
    const double off = shown.y[row] - mean;
    sum += shown.weight_at(row) * shown.weight_unit * (off * off);
  }
  return sum;
}

double poisson_deviance(const ShownRows& shown, std::span<const std::uint32_t> rows, double mean) {
  if (mean == 0) return 0;
  double sum = 0;
  for (const std::uint32_t row : rows) {
    const double y = shown.y[row];
    const double term = y * std::log((y > 0 ? y : mean) / mean) - (y - mean);
    sum += shown.weight_at(row) * shown.weight_unit * term;
  }
  return std::max(0.0, 2 * sum);
}

void measure_numbers(const ShownRows& shown, std::span<const std::uint32_t> rows, double* answer,
                     NodeMeasure& node) {
  double low = shown.y[rows[0]], high = low;
  for (const std::uint32_t row : rows) {
    low = std::min(low, shown.y[row]);
    high = std::max(high, shown.y[row]);
    node.total_weight += shown.weight_at(row);
  }
  *answer = low;
  node.pure = low == high;
  if (node.pure) return;
  const bool from_zero = shown.criterion.reads_rates();
  node.origin = from_zero ? 0 : low / 2 + high / 2;
  node.exponent = grid_exponent(node.total_weight, from_zero ? high : high / 2 - low / 2);
  const double scale = power_of_two(node.exponent);
  double sum = 0;
  for (const std::uint32_t row : rows) sum += grid_term(shown, node, scale, row);
  *answer = node.origin + std::ldexp(sum / node.total_weight, -node.exponent);
  node.risk = from_zero ? poisson_deviance(shown, rows, *answer) : squared_error(shown, rows, *answer);
}

}  // namespace

NodeMeasure measure(const ShownRows& shown, std::span<const std::uint32_t> rows, double* statistics) {
  NodeMeasure node;
  std::fill_n(statistics, shown.width(), 0.0);
  if (rows.empty()) return node;
  for (const std::uint32_t row : rows) {
    node.weight += shown.own_at(row);
    node.cases += shown.cases_at(row);
  }
  if (shown.n_classes)
    measure_counts(shown, rows, statistics, node);
  else
    measure_numbers(shown, rows, statistics, node);
  return node;
}

double gain_of(const Evaluator& evaluator, const ShownRows& shown, const NodeMeasure& node,
               std::span<const std::uint32_t> rows, const std::int8_t* branch) {
  const int width = evaluator.width();
  std::vector<double> children(static_cast<std::size_t>(width) * 3, 0.0);  // the third: rows not routed
  const double scale = power_of_two(node.exponent);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double* child = children.data() + static_cast<std::ptrdiff_t>(branch[i] < 0 ? 2 : branch[i]) * width;
    if (shown.n_classes) {
      child[shown.label[rows[i]]] += shown.weight_at(rows[i]);
    } else {
      child[0] += shown.weight_at(rows[i]);
      child[1] += grid_term(shown, node, scale, rows[i]);
    }
  }
  double value = evaluator.value(children.data(), 2, node.total_weight);
  if (!std::isfinite(value)) return 0;
  if (evaluator.criterion()->power_of_y)
    value = std::ldexp(value, -evaluator.criterion()->power_of_y * node.exponent);
  else if (evaluator.criterion()->grows_with_weight)
    value *= shown.weight_unit;
  return value * (node.total_weight * shown.weight_unit / node.weight);
}

}  // namespace bough::conditional
