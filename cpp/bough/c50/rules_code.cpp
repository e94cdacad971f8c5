#include <algorithm>

#include "bough/c50/rules.hpp"
#include "bough/quinlan/information.hpp"

namespace bough::c50 {

CodeLengths::CodeLengths(const Training& training)
    : training_(training),
      branch_bits_(training.n_attributes(), 0),
      n_used_levels_(training.n_attributes(), 0) {
  int most_values = 3;
  for (const Attribute& a : training.data.attributes) most_values = std::max(most_values, a.n_values());
  const std::int64_t size = std::max<std::int64_t>({training.n_cases, training.n_attributes() + 1,
                                                    training.n_classes(), most_values}) +
                            2;
  log_.assign(size, 0.0);
  log_factorial_.assign(size, 0.0);
  for (std::int64_t i = 2; i < size; ++i) {
    log_[i] = quinlan::log2_or_zero(static_cast<double>(i));
    log_factorial_[i] = log_factorial_[i - 1] + log_[i];
  }
  int possible = 0;
  for (int a = 0; a < training.n_attributes(); ++a) {
    if (training.skipped[a]) continue;
    ++possible;
    const Attribute& attribute = training.attribute(a);
    if (attribute.ordered())
      branch_bits_[a] = static_cast<float>(1 + 0.5 * log(attribute.n_values() - 1));
    else if (!attribute.numeric())
      branch_bits_[a] = level_bits(attribute, n_used_levels_[a]);
    else if (training.possible_cuts[a] > 1)
      branch_bits_[a] = static_cast<float>(1 + 0.5 * log(training.possible_cuts[a]));
  }
  attribute_bits_ = static_cast<float>(log(possible));
}

float CodeLengths::level_bits(const Attribute& attribute, int& n_used) const {
  std::vector<std::int64_t> count(attribute.n_levels, 0);
  for (Row i = 0; i < training_.n_cases; ++i)
    if (attribute.level[i] >= 0) ++count[attribute.level[i]];
  float sum = 0;
  for (const std::int64_t n : count) {
    if (n == 0) continue;
    sum = static_cast<float>(sum + (static_cast<double>(n) / training_.n_cases) *
                                       (log(training_.n_cases) - log(n)));
    ++n_used;
  }
  return sum;
}

float CodeLengths::bits(const Condition& condition) const {
  const Attribute& attribute = training_.attribute(condition.column);
  if (condition.test != Test::subset || attribute.ordered())
    return attribute_bits_ + branch_bits_[condition.column];
  const int used = n_used_levels_[condition.column];
  const int size = std::min(size_of(condition.levels), used - 1);
  const float code =
      static_cast<float>(log_factorial(used) - (log_factorial(size) + log_factorial(used - size)));
  return attribute_bits_ + code;
}

std::vector<std::vector<float>> normalised_costs(const Training& training,
                                                 const std::vector<double>& class_weight) {
  const int k = training.n_classes();
  std::vector<std::vector<float>> costs(k + 1, std::vector<float>(k, 1.0f));
  for (int c = 0; c < k; ++c) costs[c + 1][c] = 0.0f;
  if (!training.has_costs() || training.cost_weights) return costs;
  double average = 0;
  for (int predicted = 0; predicted < k; ++predicted) {
    const double share = class_weight[predicted] / training.n_cases;
    for (int actual = 0; actual < k; ++actual) {
      costs[predicted + 1][actual] = actual == predicted ? 0.0f : training.cost(predicted, actual);
      if (actual == predicted) continue;
      const double other = class_weight[actual] / training.n_cases;
      average += share * (other / (1 - share)) * training.cost(predicted, actual);
    }
  }
  // The plain average is too high, so it is brought halfway to 1.
  average = (average + 1) / 2;
  for (int predicted = 1; predicted <= k; ++predicted)
    for (float& cost : costs[predicted]) cost = static_cast<float>(cost / average);
  return costs;
}

}  // namespace bough::c50
