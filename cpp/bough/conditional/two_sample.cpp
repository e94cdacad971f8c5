#include "bough/conditional/two_sample.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace bough::conditional {

Split best_cut(int column, const Sample& sample, const std::vector<std::uint32_t>& order, double min_cases,
               Statistic kind) {
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
    const double statistic = sample.of_deviations(deviation.data(), covariance, kind);
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

// Up to this many levels all sets are tried whatever the target, since rounding may decide between them.
constexpr int kFewLevels = 12;

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

// The levels that occur in a sample, with their sums of h(y), weights and cases, and the set of them that
// goes to the second branch while sets are tried.
class LevelSearch {
 public:
  LevelSearch(const Sample& sample, double min_cases, Statistic kind)
      : sample_(sample), min_cases_(min_cases), kind_(kind), width_(sample.n_classes ? sample.n_classes : 1) {
    std::vector<std::int32_t> place(sample.n_levels, -1);
    for (std::int32_t level = 0; level < sample.n_levels; ++level)
      if (sample.level_weight[level] > 0) {
        place[level] = static_cast<std::int32_t>(present_.size());
        present_.push_back(level);
      }
    sums_.assign(present_.size() * width_, 0.0);
    weight_.assign(present_.size(), 0.0);
    cases_.assign(present_.size(), 0.0);
    for (std::size_t i = 0; i < sample.size(); ++i) {
      const auto l = static_cast<std::size_t>(place[sample.code[i]]);
      sums_[l * width_ + (sample.n_classes ? sample.label[i] : 0)] +=
          sample.weight[i] * (sample.n_classes ? 1 : sample.y[i]);
      weight_[l] += sample.weight[i];
      cases_[l] += sample.cases[i];
    }
    all_cases_ = std::accumulate(cases_.begin(), cases_.end(), 0.0);
    right_.assign(width_, 0.0);
    deviation_.assign(width_, 0.0);
  }

  int n_levels() const { return static_cast<int>(present_.size()); }

  // Tries all sets. The first level stays in the first branch.
  void try_all(const std::function<void()>& between) {
    const int n = n_levels();
    std::uint32_t best_set = 0;
    // of_levels[l]: the sums of the levels of the set from l on, of which the next set changes those up to
    // its lowest level alone.
    std::vector<std::vector<double>> of_levels(n + 1, std::vector<double>(width_ + 2, 0.0));
    for (std::uint32_t set = 1; set < (std::uint32_t{1} << (n - 1)); ++set) {
      if (set % 1024 == 0) between();
      for (int l = std::countr_zero(set) + 1; l > 0; --l) {
        of_levels[l] = of_levels[l + 1];
        if (!((set >> (l - 1)) & 1)) continue;
        of_levels[l][width_] += weight_[l];
        of_levels[l][width_ + 1] += cases_[l];
        for (int c = 0; c < width_; ++c) of_levels[l][c] += sums_[static_cast<std::size_t>(l) * width_ + c];
      }
      std::copy_n(of_levels[1].begin(), width_, right_.begin());
      right_weight_ = of_levels[1][width_];
      right_cases_ = of_levels[1][width_ + 1];
      if (is_better()) best_set = set;
    }
    second_.assign(n, 0);
    for (int l = 1; l < n; ++l) second_[l] = (best_set >> (l - 1)) & 1;
  }

  // Tries the ranges in the order of means.
  void try_in_order() {
    const int n = n_levels();
    const std::vector<int> order = level_order(sums_, weight_, width_);
    for (int l = 0; l < n; ++l) add(l, 1);
    int n_first = 0;
    for (int k = 0; k + 1 < n; ++k) {
      add(order[k], -1);
      if (is_better()) n_first = k + 1;
    }
    second_.assign(n, 1);
    for (int k = 0; k < n_first; ++k) second_[order[k]] = 0;
    if (second_[0])
      for (std::uint8_t& side : second_) side = !side;
  }

  // The best split of those tried.
  Split best(int column) const {
    Split found;
    if (!(statistic_ > 0)) return found;
    found.column = column;
    found.statistic = statistic_;
    found.codes = present_;
    found.branches.assign(second_.begin(), second_.end());
    return found;
  }

 private:
  void add(int l, double sign) {
    right_weight_ += sign * weight_[l];
    right_cases_ += sign * cases_[l];
    for (int c = 0; c < width_; ++c) right_[c] += sign * sums_[static_cast<std::size_t>(l) * width_ + c];
  }

  // Whether the set is better than those before it, in which case its statistic is kept.
  bool is_better() {
    if (right_cases_ < min_cases_ || all_cases_ - right_cases_ < min_cases_) return false;
    for (int c = 0; c < width_; ++c)
      deviation_[c] = right_[c] - (sample_.n_classes ? right_weight_ * sample_.class_share[c] : 0);
    const double covariance =
        sample_.factor() * (right_weight_ - right_weight_ * right_weight_ / sample_.total);
    const double statistic = sample_.of_deviations(deviation_.data(), covariance, kind_);
    if (!(statistic > statistic_)) return false;
    statistic_ = statistic;
    return true;
  }

  const Sample& sample_;
  double min_cases_;
  Statistic kind_;
  int width_;
  std::vector<std::int32_t> present_;
  std::vector<double> sums_, weight_, cases_;
  double all_cases_ = 0;
  std::vector<double> right_, deviation_;  // of the set being tried
  double right_weight_ = 0, right_cases_ = 0;
  double statistic_ = 0;
  std::vector<std::uint8_t> second_;  // whether each level is in the best set
};

}  // namespace

Split best_levels(int column, const Sample& sample, double min_cases, Statistic kind, int max_exhaustive,
                  const std::function<void()>& between) {
  LevelSearch search(sample, min_cases, kind);
  // Of numbers and two classes a range in the order of means is best.
  const bool in_order = !sample.n_classes || sample.present_classes < 3;
  if (search.n_levels() <= (in_order ? std::min(kFewLevels, max_exhaustive) : max_exhaustive))
    search.try_all(between);
  else
    search.try_in_order();
  return search.best(column);
}

}  // namespace bough::conditional
