#include "bough/c50/workshop.hpp"

#include <algorithm>

namespace bough::c50 {

Workshop::Workshop(const Problem& problem, const Settings& given, const Monitor& monitor)
    : data(problem),
      settings(given),
      team(given.n_threads),
      watch(monitor, given.trials),
      order(problem.n_rows),
      weight(problem.n_rows, 1.0f),
      n_cases(problem.n_rows),
      min_cases(given.min_cases),
      skipped(problem.attributes.size(), 0),
      tested(problem.attributes.size(), 0),
      possible_cuts(problem.attributes.size(), 0),
      distinct_values(problem.attributes.size()) {
  restore_order();
  cost_weights = has_costs() && problem.n_classes == 2;
  if (cost_weights) weigh_by_cost();
  if (!settings.subset)
    for (const Attribute& a : data.attributes)
      many_valued = many_valued && a.n_values() >= 0.3 * static_cast<double>(n_cases);
  set_error_deviation();
}

void Workshop::weigh_by_cost() {
  double sums[2] = {0, 0};
  for (Row i = 0; i < data.n_rows; ++i)
    sums[data.label[i]] += data.case_weight.empty() ? 1.0f : data.case_weight[i];
  const float average =
      static_cast<float>((sums[0] * cost(1, 0) + sums[1] * cost(0, 1)) / (sums[0] + sums[1]));
  weight_factor[0] = cost(1, 0) / average;
  weight_factor[1] = cost(0, 1) / average;
  min_cases *= std::min(weight_factor[0], weight_factor[1]);
}

// Interpolates in the table of one-sided deviations of the normal distribution that C4.5 and C5.0 carry.
void Workshop::set_error_deviation() {
  constexpr float kLevel[] = {0, 0.001f, 0.005f, 0.01f, 0.05f, 0.10f, 0.20f, 0.40f, 1.00f};
  constexpr float kDeviation[] = {4.0f, 3.09f, 2.58f, 2.33f, 1.65f, 1.28f, 0.84f, 0.25f, 0.00f};
  int i = 1;
  while (settings.confidence > kLevel[i]) ++i;
  const float deviation = kDeviation[i - 1] + (kDeviation[i] - kDeviation[i - 1]) *
                                                  (settings.confidence - kLevel[i - 1]) /
                                                  (kLevel[i] - kLevel[i - 1]);
  error_deviation = deviation * deviation;
  settings.confidence = std::max(settings.confidence, 1e-6f);
}

void Workshop::start_weights() {
  double average = 1;
  if (!data.case_weight.empty()) {
    average = 0;
    for (const float w : data.case_weight) average += w;
    average /= static_cast<double>(data.n_rows);
  }
  for (Row i = 0; i < data.n_rows; ++i) {
    weight[i] = cost_weights ? weight_factor[data.label[i]] : 1.0f;
    if (!data.case_weight.empty())
      weight[i] = static_cast<float>(weight[i] * (data.case_weight[i] / average));
  }
}

// Small problems take the average gain for the least, large ones a share of the description length, those
// between a mixture; a winnowing tree takes any gain.
void Workshop::set_gain_threshold() {
  const int per_class = n_cases / n_classes();
  average_weight = mdl_weight = 0;
  if (winnowing) return;
  const float share = per_class <= 500    ? 0.0f
                      : per_class >= 1000 ? 1.0f
                                          : static_cast<float>((per_class - 500) / 500.0);
  average_weight = static_cast<float>(1 - share);
  mdl_weight = static_cast<float>(0.9 * share);
}

Count Workshop::sum_weights(std::int64_t first, std::int64_t last) const {
  double sum = 0;
  for (std::int64_t i = first; i < last; ++i) sum += weight[order[i]];
  return static_cast<Count>(sum);
}

Count Workshop::sum_plain_weights(std::int64_t first, std::int64_t last) const {
  double sum = 0;
  for (std::int64_t i = first; i < last; ++i) sum += weight[order[i]] / weight_factor[data.label[order[i]]];
  return static_cast<Count>(sum);
}

void Workshop::class_weights(std::int64_t first, std::int64_t last, std::vector<double>& sums) const {
  std::fill(sums.begin(), sums.end(), 0.0);
  for (std::int64_t i = first; i < last; ++i) sums[data.label[order[i]]] += weight[order[i]];
}

}  // namespace bough::c50
