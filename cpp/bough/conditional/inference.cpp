#include "bough/conditional/inference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
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

// Up to this many levels all sets are tried whatever the target, since rounding may decide between them.
constexpr int kFewLevels = 12;

// Log criteria this close are tied, as in R's partykit.
const double kTied = std::sqrt(std::numeric_limits<double>::min());

void scale(std::vector<double>& values) {
  if (values.empty()) return;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double middle = *low / 2 + *high / 2, half = *high / 2 - *low / 2;
  for (double& value : values) value = half > 0 ? (value - middle) / half : 0;
}

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

double log_complement(double p) { return p < 1 ? std::log1p(-p) : -std::numeric_limits<double>::infinity(); }

}  // namespace

// The rows of a node whose value of a column is known, and the margins of the permutation distribution.
struct Inference::Sample {
  bool nominal = false;
  int n_levels = 0;
  int n_classes = 0;      // 0: numbers
  std::vector<double> x;  // values of the column
  std::vector<double> u;  // the same, scaled to [-1, 1]
  std::vector<std::int32_t> code;
  std::vector<std::int32_t> label;
  std::vector<double> y;  // about its mean
  std::vector<double> weight, cases;
  double total = 0;
  std::vector<double> class_share;
  double variance = 0;  // of y
  std::vector<double> level_weight;
  double spread = 0;                 // n / (n - 1) times the centred sum of squares of u
  std::vector<std::uint32_t> known;  // the rows
  int present_levels = 0, present_classes = 0;
  const std::uint32_t* complete_rows = nullptr;  // the rows last read, if all had a value

  std::size_t size() const { return weight.size(); }
  double factor() const { return total / (total - 1); }
  bool can_be_tested() const {
    const bool varies = n_classes ? present_classes > 1 : variance > 0;
    return total > 1 && varies && (nominal ? present_levels > 1 : spread > 0);
  }
  int degrees() const {
    const int of_y = n_classes ? present_classes - 1 : 1;
    return nominal ? (present_levels - 1) * of_y : of_y;
  }

  void read(const Column& values, std::span<const std::uint32_t> rows, const Target& target);
  void set_target_margins();
  void set_column_margins();
  void set_scaled();
  // The statistic of one group of rows: deviations of its sums of h(y) from what is expected, and the factor
  // of the covariance of h(y).
  double of_deviations(const double* deviation, double covariance, Statistic kind) const;
  double statistic(Statistic kind, std::vector<double>& sums) const;
};

// Memory is reserved once for a node: the columns are read into the same sample. Two columns without missing
// values have the same targets and margins of them, which are read once.
void Inference::Sample::read(const Column& values, std::span<const std::uint32_t> rows,
                             const Target& target) {
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

void Inference::Sample::set_target_margins() {
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

void Inference::Sample::set_column_margins() {
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

void Inference::Sample::set_scaled() {
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

double Inference::Sample::of_deviations(const double* deviation, double covariance, Statistic kind) const {
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

double Inference::Sample::statistic(Statistic kind, std::vector<double>& sums) const {
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
  return known.nominal ? best_levels(column, known, min_cases, between) : best_cut(column, known, min_cases);
}

// The places of a sample by ascending value, of equal ones in their order. The ranks of all values of a
// column are found when it is first split.
std::vector<std::uint32_t> Inference::sorted(int column, const Sample& sample) const {
  std::vector<std::uint32_t>& ranks = ranks_[column];
  if (ranks.empty()) {
    const std::size_t n_rows = target_.n_classes ? target_.label.size() : target_.y.size();
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

Split Inference::best_cut(int column, Sample& sample, double min_cases) const {
  const std::vector<std::uint32_t> order = sorted(column, sample);
  const int width = sample.n_classes ? sample.n_classes : 1;
  std::vector<double> sums(width, 0.0), deviation(width, 0.0);
  double left = 0, left_cases = 0;
  const double all_cases = std::accumulate(sample.cases.begin(), sample.cases.end(), 0.0);
  Split best;
  for (std::size_t k = 0; k + 1 < order.size(); ++k) {
    const std::uint32_t i = order[k];
    const double x = sample.x[i], next = sample.x[order[k + 1]];
    left += sample.weight[i];
    left_cases += sample.cases[i];
    sums[sample.n_classes ? sample.label[i] : 0] += sample.weight[i] * (sample.n_classes ? 1 : sample.y[i]);
    if (!(x < next)) continue;
    if (left_cases < min_cases) continue;
    if (all_cases - left_cases < min_cases) break;
    for (int c = 0; c < width; ++c)
      deviation[c] = sums[c] - (sample.n_classes ? left * sample.class_share[c] : 0);
    const double covariance = sample.factor() * (left - left * left / sample.total);
    const double statistic = sample.of_deviations(deviation.data(), covariance, options_.split);
    if (statistic > best.statistic) {
      best.column = column;
      best.statistic = statistic;
      best.below = x;
      best.above = next;
    }
  }
  return best;
}

namespace {

// Levels in the order of their first principal component of class shares, about the mean; of numbers and of
// two classes this is the order of means, in which the best set is a range.
std::vector<int> level_order(const std::vector<double>& sums, const std::vector<double>& weight, int width) {
  const int n = static_cast<int>(weight.size());
  std::vector<double> mean(width, 0.0), axis(width, 0.0), next(width);
  double total = 0;
  for (int l = 0; l < n; ++l) {
    total += weight[l];
    for (int c = 0; c < width; ++c) mean[c] += sums[l * width + c];
  }
  for (double& each : mean) each /= total;
  const auto share = [&](int l, int c) { return sums[l * width + c] / weight[l] - mean[c]; };
  for (int c = 0; c < width; ++c) axis[c] = 1.0 / (1 + c);
  for (int step = 0; width > 1 && step < 100; ++step) {
    std::fill(next.begin(), next.end(), 0.0);
    for (int l = 0; l < n; ++l) {
      double along = 0;
      for (int c = 0; c < width; ++c) along += share(l, c) * axis[c];
      for (int c = 0; c < width; ++c) next[c] += weight[l] * along * share(l, c);
    }
    double length = 0;
    for (double each : next) length += each * each;
    if (!(length > 0)) break;
    for (int c = 0; c < width; ++c) axis[c] = next[c] / std::sqrt(length);
  }
  std::vector<double> score(n, 0.0);
  for (int l = 0; l < n; ++l)
    for (int c = 0; c < width; ++c) score[l] += share(l, c) * axis[c];
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return score[a] < score[b]; });
  return order;
}

}  // namespace

// The levels that occur in a sample, with their sums of h(y), weights and cases.
struct Inference::LevelSums {
  std::vector<std::int32_t> present;
  std::vector<double> sums, weight, cases;

  explicit LevelSums(const Sample& sample) {
    const int width = sample.n_classes ? sample.n_classes : 1;
    std::vector<std::int32_t> place(sample.n_levels, -1);
    for (std::int32_t level = 0; level < sample.n_levels; ++level)
      if (sample.level_weight[level] > 0) {
        place[level] = static_cast<std::int32_t>(present.size());
        present.push_back(level);
      }
    sums.assign(present.size() * width, 0.0);
    weight.assign(present.size(), 0.0);
    cases.assign(present.size(), 0.0);
    for (std::size_t i = 0; i < sample.size(); ++i) {
      const auto l = static_cast<std::size_t>(place[sample.code[i]]);
      sums[l * width + (sample.n_classes ? sample.label[i] : 0)] +=
          sample.weight[i] * (sample.n_classes ? 1 : sample.y[i]);
      weight[l] += sample.weight[i];
      cases[l] += sample.cases[i];
    }
  }
};

Split Inference::best_levels(int column, const Sample& sample, double min_cases,
                             const std::function<void()>& between) const {
  const int width = sample.n_classes ? sample.n_classes : 1;
  const LevelSums levels(sample);
  const std::vector<std::int32_t>& present = levels.present;
  const std::vector<double>&sums = levels.sums, &weight = levels.weight, &cases = levels.cases;
  const int n = static_cast<int>(present.size());
  const double all_cases = std::accumulate(cases.begin(), cases.end(), 0.0);
  std::vector<std::uint8_t> best_second;
  std::vector<double> right(width), deviation(width);
  double right_weight = 0, right_cases = 0;
  Split best;
  const auto add = [&](int l, double sign) {
    right_weight += sign * weight[l];
    right_cases += sign * cases[l];
    for (int c = 0; c < width; ++c) right[c] += sign * sums[static_cast<std::size_t>(l) * width + c];
  };
  const auto is_better = [&] {
    if (right_cases < min_cases || all_cases - right_cases < min_cases) return false;
    for (int c = 0; c < width; ++c)
      deviation[c] = right[c] - (sample.n_classes ? right_weight * sample.class_share[c] : 0);
    const double covariance = sample.factor() * (right_weight - right_weight * right_weight / sample.total);
    const double statistic = sample.of_deviations(deviation.data(), covariance, options_.split);
    if (!(statistic > best.statistic)) return false;
    best.statistic = statistic;
    best.column = column;
    return true;
  };
  // Of numbers and two classes a range in the order of means is best.
  const bool in_order = sample.n_classes ? sample.present_classes < 3 : true;
  if (n <= (in_order ? std::min(kFewLevels, options_.max_exhaustive) : options_.max_exhaustive)) {
    // The first level stays in the first branch. of_levels[l]: the sums of the levels of the set from l on,
    // of which the next set changes those up to its lowest level alone.
    std::uint32_t best_set = 0;
    std::vector<std::vector<double>> of_levels(n + 1, std::vector<double>(width + 2, 0.0));
    for (std::uint32_t set = 1; set < (std::uint32_t{1} << (n - 1)); ++set) {
      if (set % 1024 == 0) between();
      for (int l = std::countr_zero(set) + 1; l > 0; --l) {
        of_levels[l] = of_levels[l + 1];
        if (!((set >> (l - 1)) & 1)) continue;
        of_levels[l][width] += weight[l];
        of_levels[l][width + 1] += cases[l];
        for (int c = 0; c < width; ++c) of_levels[l][c] += sums[static_cast<std::size_t>(l) * width + c];
      }
      std::copy_n(of_levels[1].begin(), width, right.begin());
      right_weight = of_levels[1][width];
      right_cases = of_levels[1][width + 1];
      if (is_better()) best_set = set;
    }
    best_second.assign(n, 0);
    for (int l = 1; l < n; ++l) best_second[l] = (best_set >> (l - 1)) & 1;
  } else {
    const std::vector<int> order = level_order(sums, weight, width);
    for (int l = 0; l < n; ++l) add(l, 1);
    int n_first = 0;
    for (int k = 0; k + 1 < n; ++k) {
      add(order[k], -1);
      if (is_better()) n_first = k + 1;
    }
    best_second.assign(n, 1);
    for (int k = 0; k < n_first; ++k) best_second[order[k]] = 0;
    if (best_second[0])
      for (std::uint8_t& side : best_second) side = !side;
  }
  for (int l = 0; best.column >= 0 && l < n; ++l) {
    best.codes.push_back(present[l]);
    best.branches.push_back(best_second[l]);
  }
  return best;
}

namespace {

// The order in which partykit takes surrogates: by the criterion, and those tied with the best by the places
// of their statistics in ascending order. Of three or more tied columns these are not the ranks.
void order_surrogates(std::vector<Test>& candidates, bool by_statistic) {
  const double tied = std::numeric_limits<double>::epsilon();
  const auto criterion = [&](const Test& each) {
    return by_statistic ? std::log(std::max(each.statistic, tied)) : each.log_complement;
  };
  std::reverse(candidates.begin(), candidates.end());  // of equal columns the last comes first
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const Test& a, const Test& b) { return criterion(a) > criterion(b); });
  if (candidates.empty()) return;
  const double most = criterion(candidates[0]);
  const auto last = std::find_if(candidates.begin(), candidates.end(),
                                 [&](const Test& each) { return !(most - criterion(each) < tied); });
  std::sort(candidates.begin(), last, [](const Test& a, const Test& b) { return a.column < b.column; });
  const auto n = static_cast<std::size_t>(last - candidates.begin());
  std::vector<std::size_t> place(n), order(n);
  std::iota(place.begin(), place.end(), 0);
  std::stable_sort(place.begin(), place.end(), [&](std::size_t a, std::size_t b) {
    return candidates[a].statistic < candidates[b].statistic;
  });
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return place[a] > place[b]; });
  const std::vector<Test> by_column(candidates.begin(), last);
  for (std::size_t i = 0; i < n; ++i) candidates[i] = by_column[order[i]];
}

}  // namespace

std::vector<Surrogate> Inference::surrogates(const Split& split, std::span<const std::uint32_t> rows,
                                             const std::function<void()>& between) const {
  Target branches;
  branches.n_classes = 2;
  branches.label.assign(target_.n_classes ? target_.label.size() : target_.y.size(), 0);
  branches.weight = target_.weight;
  branches.cases = target_.cases;
  std::vector<std::uint32_t> routed;
  std::vector<std::int32_t> branch_of(columns_[split.column].n_levels, -1);
  for (std::size_t i = 0; i < split.codes.size(); ++i) branch_of[split.codes[i]] = split.branches[i];
  for (std::uint32_t row : rows) {
    const double value = columns_[split.column].value(row);
    if (!(value == value)) continue;
    branches.label[row] = split.codes.empty() ? value > split.below : branch_of[static_cast<int>(value)];
    routed.push_back(row);
  }
  std::vector<Test> candidates;
  Sample known;
  for (int column = 0; column < static_cast<int>(columns_.size()); ++column) {
    if (column == split.column) continue;
    between();
    known.read(columns_[column], routed, branches);
    if (!known.can_be_tested()) continue;
    Test& candidate = candidates.emplace_back(asymptotic_test(column, known, between));
    candidate.log_complement = log_complement(candidate.p_value);
  }
  order_surrogates(candidates, options_.min_statistic > 0);
  std::vector<Surrogate> found;
  for (const Test& candidate : candidates) {
    if (static_cast<int>(found.size()) == options_.n_surrogates) break;
    Surrogate surrogate{best_split(candidate.column, routed, branches, 1, between)};
    if (surrogate.split.column < 0) break;  // as in partykit, which tries the same column again
    // Lower values, or the set of the first level, go to the branch of most of their rows, as in partykit.
    const Column& column = columns_[candidate.column];
    double sides[2][2] = {{0, 0}, {0, 0}};
    std::vector<std::int32_t> side_of(column.n_levels, -1);
    for (std::size_t i = 0; i < surrogate.split.codes.size(); ++i)
      side_of[surrogate.split.codes[i]] = surrogate.split.branches[i];
    for (std::uint32_t row : routed) {
      const double value = column.value(row);
      if (!(value == value)) continue;
      const int side =
          surrogate.split.codes.empty() ? value > surrogate.split.below : side_of[static_cast<int>(value)];
      sides[side][branches.label[row]] += branches.weight.empty() ? 1 : branches.weight[row];
    }
    surrogate.turned = sides[0][0] < sides[0][1];
    found.push_back(std::move(surrogate));
  }
  return found;
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
