#include "bough/search/grouping.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace bough {

namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();

// What a group adds to the sum that the best partition makes least.
class GroupCost {
 public:
  GroupCost(const ContingencyTable& table, const Evaluator& evaluator, const LeafLimits& limits)
      : evaluator_(evaluator), limits_(limits), total_(evaluator.width(), 0.0) {
    const int k = evaluator.width();
    for (int j = 0; j < table.n_rows; ++j)
      for (int c = 0; c < k; ++c) total_[c] += table.statistics[static_cast<std::ptrdiff_t>(j) * k + c];
    if (evaluator.criterion()->name == "gain_ratio") criterion_ = criterion_named("entropy");
  }

  double operator()(const double* statistics, double cases) const {
    if (!large_enough(evaluator_, limits_, statistics, cases) || cases < limits_.min_cases)
      return kImpossible;
    const double weight = evaluator_.weight(statistics);
    if (criterion_->impurity) return weight * criterion_->impurity(evaluator_, statistics);
    // Chi-square is W (sum of n^2 / (weight of the group * weight of the class) - 1).
    double sum = 0;
    for (std::size_t c = 0; c < total_.size(); ++c)
      if (statistics[c] > 0) sum += statistics[c] * (statistics[c] / total_[c]);
    return -sum / weight;
  }

 private:
  const Evaluator& evaluator_;
  const LeafLimits& limits_;
  std::vector<double> total_;
  Criterion criterion_ = evaluator_.criterion();
};

Partition evaluated(const ContingencyTable& table, const Evaluator& evaluator, std::vector<int> group,
                    int n_groups) {
  const int k = evaluator.width();
  std::vector<double> sums(static_cast<std::size_t>(n_groups) * k, 0.0);
  for (int j = 0; j < table.n_rows; ++j)
    for (int c = 0; c < k; ++c)
      sums[static_cast<std::size_t>(group[j]) * k + c] +=
          table.statistics[static_cast<std::ptrdiff_t>(j) * k + c];
  return {evaluator.value(sums.data(), n_groups, table.node_weight), std::move(group)};
}

// Groups are numbered in the order of their first rows.
void renumber(std::vector<int>& group, int n_groups) {
  std::vector<int> number(n_groups, -1);
  int next = 0;
  for (int& each : group) {
    if (number[each] < 0) number[each] = next++;
    each = number[each];
  }
}

}  // namespace

bool is_additive(Criterion criterion) {
  return criterion->name == "chi_square" || criterion->name == "gain_ratio" ||
         (criterion->impurity != nullptr && !criterion.reads_values());
}

std::vector<Partition> best_ranges(const ContingencyTable& table, const Evaluator& evaluator,
                                   const LeafLimits& limits, int max_groups, const int* order,
                                   const std::function<void()>& between) {
  const int n = table.n_rows, k = evaluator.width();
  max_groups = std::min(max_groups, n);
  if (max_groups < 2) return {};
  const GroupCost cost(table, evaluator, limits);
  // costs[j (j + 1) / 2 + i]: of the rows i to j.
  std::vector<double> costs(static_cast<std::size_t>(n) * (n + 1) / 2), sums(k);
  for (int j = 0; j < n; ++j) {
    double cases = 0;
    std::fill(sums.begin(), sums.end(), 0.0);
    double* of_end = costs.data() + static_cast<std::size_t>(j) * (j + 1) / 2;
    for (int i = j; i >= 0; --i) {
      const int row = order ? order[i] : i;
      const double* added = table.statistics + static_cast<std::ptrdiff_t>(row) * k;
      for (int c = 0; c < k; ++c) sums[c] += added[c];
      cases += table.cases[row];
      of_end[i] = cost(sums.data(), cases);
    }
    between();
  }
  // least[j]: of the rows 0 to j in g groups; begins[g - 2][j]: where the last of them begins.
  std::vector<double> least(n), next(n);
  for (int j = 0; j < n; ++j) least[j] = costs[static_cast<std::size_t>(j) * (j + 1) / 2];
  std::vector<std::vector<int>> begins;
  std::vector<Partition> found;
  for (int g = 2; g <= max_groups; ++g) {
    std::vector<int>& begin = begins.emplace_back(n, -1);
    for (int j = 0; j < n; ++j) {
      const double* of_end = costs.data() + static_cast<std::size_t>(j) * (j + 1) / 2;
      next[j] = kImpossible;
      for (int i = g - 1; i <= j; ++i) {
        const double sum = least[i - 1] + of_end[i];
        if (sum < next[j]) next[j] = sum, begin[j] = i;
      }
    }
    between();
    std::swap(least, next);
    found.emplace_back();
    if (least[n - 1] == kImpossible) continue;
    std::vector<int> group(n);
    for (int end = n - 1, which = g - 1; end >= 0; --which) {
      const int first = which > 0 ? begins[which - 1][end] : 0;
      for (int i = first; i <= end; ++i) group[order ? order[i] : i] = which;
      end = first - 1;
    }
    if (order) renumber(group, g);
    found.back() = evaluated(table, evaluator, std::move(group), g);
  }
  return found;
}

std::vector<Partition> best_groups(const ContingencyTable& table, const Evaluator& evaluator,
                                   const LeafLimits& limits, int max_groups) {
  const int n = table.n_rows, k = evaluator.width();
  max_groups = std::min(max_groups, n);
  if (max_groups < 2) return {};
  const GroupCost cost(table, evaluator, limits);
  const std::uint32_t all = (1u << n) - 1;
  std::vector<double> costs(all + 1, 0.0), sums((static_cast<std::size_t>(all) + 1) * k, 0.0),
      cases(all + 1, 0.0);
  for (std::uint32_t set = 1; set <= all; ++set) {
    const std::uint32_t rest = set & (set - 1);
    int row = 0;
    while (!(set >> row & 1u)) ++row;
    for (int c = 0; c < k; ++c)
      sums[static_cast<std::size_t>(set) * k + c] =
          sums[static_cast<std::size_t>(rest) * k + c] +
          table.statistics[static_cast<std::ptrdiff_t>(row) * k + c];
    cases[set] = cases[rest] + table.cases[row];
    costs[set] = cost(sums.data() + static_cast<std::size_t>(set) * k, cases[set]);
  }
  // least[set]: of the set in g groups; taken[g - 2][set]: the group of its first row.
  std::vector<double> least = costs, next(all + 1);
  std::vector<std::vector<std::uint32_t>> taken;
  std::vector<Partition> found;
  for (int g = 2; g <= max_groups; ++g) {
    std::vector<std::uint32_t>& take = taken.emplace_back(all + 1, 0);
    for (std::uint32_t set = 1; set <= all; ++set) {
      next[set] = kImpossible;
      const std::uint32_t first = set & (~set + 1), others = set ^ first;
      // Every subset of the others may join the first row but all of them.
      for (std::uint32_t left = others; left != 0; left = (left - 1) & others) {
        const double sum = costs[set ^ left] + least[left];
        if (sum < next[set]) next[set] = sum, take[set] = set ^ left;
      }
    }
    std::swap(least, next);
    found.emplace_back();
    if (least[all] == kImpossible) continue;
    std::vector<int> group(n);
    std::uint32_t left = all;
    for (int which = 0; which < g; ++which) {
      const std::uint32_t own = which + 1 < g ? taken[g - which - 2][left] : left;
      for (int row = 0; row < n; ++row)
        if (own >> row & 1u) group[row] = which;
      left ^= own;
    }
    found.back() = evaluated(table, evaluator, std::move(group), g);
  }
  return found;
}

}  // namespace bough
