#include "bough/conditional/inference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "bough/conditional/distribution.hpp"
#include "bough/criteria/pearson.hpp"
#include "bough/data/entry.hpp"
#include "bough/data/presort.hpp"
#include "bough/machine/radix_sort.hpp"
#include "bough/machine/random.hpp"

namespace bough::conditional {

namespace {

// Log criteria this close are tied, as in R's partykit.
const double kTied = std::sqrt(std::numeric_limits<double>::min());

void scale(std::vector<double>& values) {
  if (values.empty()) return;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double middle = *low / 2 + *high / 2, half = *high / 2 - *low / 2;
  for (double& value : values) value = half > 0 ? (value - middle) / half : 0;
}

}  // namespace

double log_complement(double p) { return p < 1 ? std::log1p(-p) : -std::numeric_limits<double>::infinity(); }

Inference::Inference(std::vector<Column> columns, Target target, const Options& options)
    : columns_(std::move(columns)), target_(std::move(target)), options_(options), ranks_(columns_.size()) {
  scale(target_.y);
}

Test Inference::asymptotic_test(int column, const Sample& sample,
                                const std::function<void()>& between) const {
  Test result;
  std::vector<double> sums;
  result.column = column;
  result.statistic = sample.statistic(options_.test, sums);
  if (options_.test == Statistic::quadratic) {
    result.p_value = chi_square_survival(result.statistic, sample.degrees());
  } else {
    std::vector<double> levels;
    for (double w : sample.level_weight)
      if (w > 0) levels.push_back(w / sample.total);
    result.p_value = maximum_survival(result.statistic, levels, sample.class_share, between);
  }
  return result;
}

Test Inference::test(int column, const Sample& sample, std::uint64_t stream,
                     const std::function<void()>& between) const {
  if (!sample.can_be_tested()) return {};
  if (options_.n_resamples == 0) return asymptotic_test(column, sample, between);
  Test result;
  std::vector<double> sums;
  result.column = column;
  result.statistic = sample.statistic(options_.test, sums);
  // Whole weights are cases, each of which is permuted on its own.
  Sample permuted = sample;
  Random random(options_.seed, stream * columns_.size() + column);
  std::int64_t reached = 0;
  const double observed = result.statistic * (1 - 1e-10);
  for (std::int64_t draw = 0; draw < options_.n_resamples; ++draw) {
    for (auto i = static_cast<std::uint32_t>(sample.size()); i > 1; --i) {
      const std::uint32_t j = random.below(i);
      if (sample.n_classes)
        std::swap(permuted.label[i - 1], permuted.label[j]);
      else
        std::swap(permuted.y[i - 1], permuted.y[j]);
    }
    reached += permuted.statistic(options_.test, sums) >= observed;
    between();
  }
  result.p_value = static_cast<double>(reached) / static_cast<double>(options_.n_resamples);
  return result;
}

Split Inference::best_split(int column, std::span<const std::uint32_t> rows, const Target& target,
                            double min_cases, const std::function<void()>& between) const {
  Sample known;
  known.read(columns_[column], rows, target);
  if (!known.can_be_tested()) return {};
  if (known.nominal)
    return best_levels(column, known, min_cases, options_.split, options_.max_exhaustive, between);
  return best_cut(column, known, sorted(column, known), min_cases, options_.split);
}

// The places of a sample by ascending value, of equal ones in their order. The ranks of all values of a
// column are found when it is first split.
std::vector<std::uint32_t> Inference::sorted(int column, const Sample& sample) const {
  std::vector<std::uint32_t>& ranks = ranks_[column];
  if (ranks.empty()) {
    const std::size_t n_rows = target_.n_rows();
    std::vector<std::uint32_t> all(n_rows);
    std::iota(all.begin(), all.end(), 0);
    Team team(1);
    const SortedColumns sorted = presort({columns_[column]}, all, nullptr, team);
    const std::uint64_t* list = sorted.lists[0];
    ranks.assign(n_rows, 0);
    std::uint32_t rank = 0;
    for (std::size_t k = 0; k < n_rows && code_of(list[k]) != kMissingCode; ++k) {
      if (k && code_of(list[k - 1]) != code_of(list[k])) ++rank;
      ranks[index_of(list[k])] = rank;
    }
  }
  const std::size_t n = sample.size();
  std::vector<std::uint64_t> keys(n), scratch(n);
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t rank = ranks[sample.known[i]];
    keys[i] = std::uint64_t{rank} << 32 | i;
    most = std::max(most, rank);
  }
  const int bits = std::max(1, static_cast<int>(std::bit_width(most)));
  const std::uint64_t* found =
      radix_sort(keys.data(), scratch.data(), static_cast<std::int64_t>(n), 32, bits);
  std::vector<std::uint32_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint32_t>(found[i]);
  return order;
}

Found Inference::search(std::span<const std::uint32_t> rows, std::uint64_t stream,
                        const std::function<void()>& between) const {
  Found found;
  Sample known;
  for (int column = 0; column < static_cast<int>(columns_.size()); ++column) {
    known.read(columns_[column], rows, target_);
    const Test result = test(column, known, stream, between);
    if (result.column >= 0) found.tests.push_back(result);
    between();
  }
  const auto n = static_cast<double>(found.tests.size());
  std::vector<double> criterion;
  const bool by_statistic = options_.min_statistic > 0;
  for (Test& each : found.tests) {
    each.log_complement = log_complement(each.p_value) * (options_.bonferroni ? n : 1);
    each.p_value = -std::expm1(each.log_complement);
    criterion.push_back(by_statistic ? each.statistic : each.log_complement);
  }
  if (found.tests.empty()) return found;
  const double most = *std::max_element(criterion.begin(), criterion.end());
  // p-values that cannot be told apart are ordered by the statistic.
  const auto is_tied = [&](double value) { return value == most || most - value < kTied; };
  // Of equal columns the last is taken, as in partykit.
  std::vector<int> order(found.tests.size());
  std::iota(order.rbegin(), order.rend(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    if (is_tied(criterion[a]) && is_tied(criterion[b]))
      return found.tests[a].statistic > found.tests[b].statistic;
    return criterion[a] > criterion[b];
  });
  const double least = by_statistic ? options_.min_statistic : std::log1p(-options_.significance);
  double cases = 0;
  for (std::uint32_t row : rows) cases += target_.cases.empty() ? 1 : target_.cases[row];
  const double min_cases = std::max(options_.min_cases, std::ceil(options_.min_share * cases));
  for (int k = 0; k < std::min<int>(options_.n_tries, static_cast<int>(order.size())); ++k) {
    if (!(criterion[order[k]] > least)) break;
    found.split = best_split(found.tests[order[k]].column, rows, target_, min_cases, between);
    if (found.split.column < 0) continue;
    if (options_.n_surrogates > 0) found.surrogates = surrogates(found.split, rows, between);
    break;
  }
  return found;
}
}  // namespace bough::conditional
