#include "bough/search/merging.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "bough/criteria/pearson.hpp"
#include "bough/machine/log_gamma.hpp"
#include "bough/search/search.hpp"

namespace bough {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// The logarithm of a p-value that is above another by no more than the rounding of sums that depend on the
// order of rows; what is not above it is a tie.
double tied_with(double log_p) { return std::isinf(log_p) ? log_p : log_p + 1e-10 * std::abs(log_p) + 1e-13; }

// G squared, 2 sum O ln(O / E), in place of Pearson's statistic.
double likelihood_ratio(const LevelTable& table) {
  std::vector<double> column(table.width, 0.0);
  double total = 0, sum = 0;
  const auto term = [](double x) { return x > 0 ? x * std::log(x) : 0.0; };
  for (int j = 0; j < table.n_rows; ++j) {
    const double* row = table.statistics + static_cast<std::ptrdiff_t>(j) * table.width;
    double weight = 0;
    for (int c = 0; c < table.width; ++c) {
      weight += row[c];
      column[c] += row[c];
      sum += term(row[c]);
    }
    total += weight;
    sum -= term(weight);
  }
  for (const double x : column) sum -= term(x);
  return std::max(0.0, 2 * (sum + term(total)));
}

double log_p_of_means(const LevelTable& table) {
  double weight = 0, sum = 0, squares = 0, cases = 0, between = 0;
  int groups = 0;
  for (int j = 0; j < table.n_rows; ++j) {
    const double* row = table.statistics + static_cast<std::ptrdiff_t>(j) * table.width;
    if (!(row[0] > 0)) continue;
    ++groups;
    weight += row[0];
    sum += row[1];
    squares += row[2];
    cases += table.cases[j];
    between += row[1] * (row[1] / row[0]);
  }
  const double within = squares - between;
  between -= sum * (sum / weight);
  // Differences that rounding can explain are none: groups are equal, or constant. It grows with the number
  // of rows, which is at most that of cases.
  constexpr double kMostRows = 1e8;
  const double rounding = squares * std::min(cases, kMostRows) * std::numeric_limits<double>::epsilon();
  const double free = cases - groups;
  if (groups < 2 || !(free > 0) || !(between > rounding)) return 0.0;
  if (!(within > rounding)) return -std::numeric_limits<double>::infinity();
  return f_log_survival(between / (groups - 1) / (within / free), groups - 1, free);
}

// Stirling numbers of the second kind, by their recurrence; beyond 200 levels in logarithms.
double log_partitions(int n, int k) {
  const bool small = n <= 200;
  std::vector<double> row(k + 1, small ? 0.0 : -std::numeric_limits<double>::infinity());
  row[0] = small ? 1.0 : 0.0;
  for (int i = 1; i <= n; ++i) {
    for (int j = std::min(i, k); j > 0; --j) {
      if (small) {
        row[j] = j * row[j] + row[j - 1];
        continue;
      }
      const double kept = std::log(j) + row[j], most = std::max(kept, row[j - 1]);
      if (std::isfinite(most)) row[j] = most + std::log(std::exp(kept - most) + std::exp(row[j - 1] - most));
    }
    row[0] = small ? 0.0 : -std::numeric_limits<double>::infinity();
  }
  return small ? std::log(row[k]) : row[k];
}

double log_choose(int n, int k) {
  if (k < 0 || k > n) return -std::numeric_limits<double>::infinity();
  return log_gamma(n + 1.0) - log_gamma(k + 1.0) - log_gamma(n - k + 1.0);
}

Criterion criterion_of_test(IndependenceTest test) {
  switch (test) {
    case IndependenceTest::pearson:
      return criterion_named("chi_square");
    case IndependenceTest::likelihood_ratio:
      return criterion_named("deviance");
    default:
      return criterion_named("squared_error");
  }
}

// Groups of rows in slots: a group lives in the slot of its first row, so slots are in the order of the
// groups.
class Merger {
 public:
  Merger(const LevelTable& table, MergingOrder order, const MergingRules& rules)
      : table_(table), order_(order), rules_(rules), n_(table.n_rows), members_(n_), alive_(n_) {
    sums_.assign(table.statistics, table.statistics + static_cast<std::ptrdiff_t>(n_) * table.width);
    cases_.assign(table.cases, table.cases + n_);
    std::iota(alive_.begin(), alive_.end(), 0);
    for (int i = 0; i < n_; ++i) members_[i] = {i};
    pairs_.assign(static_cast<std::size_t>(n_) * (nominal() ? n_ : 2), kUnknown);
  }

  MergedLevels run() {
    if (rules_.exhaustive) return run_exhaustive();
    std::vector<std::vector<int>> seen;
    while (alive_.size() > 2) {
      const Pair pair = most_similar();
      const bool similar = pair.log_p > rules_.merge_level;
      if (!similar && !any_small()) break;
      const int merged = merge(pair);
      if (!similar || members_[merged].size() < 3 || !split_again(merged)) continue;
      // Splitting again may lead back to an earlier partition, and would do so forever.
      std::vector<int> now = partition();
      if (std::find(seen.begin(), seen.end(), now) != seen.end()) break;
      seen.push_back(std::move(now));
    }
    return result();
  }

 private:
  struct Pair {
    int first, second;  // positions in alive_
    double log_p;
  };

  bool nominal() const { return order_ == MergingOrder::nominal; }
  bool is_floating(int slot) const { return order_ == MergingOrder::floating && slot == n_ - 1; }

  MergedLevels run_exhaustive() {
    MergedLevels best = result();
    while (alive_.size() > 2) {
      merge(most_similar());
      MergedLevels next = result();
      if (next.tested && (!best.tested || best.log_p > tied_with(next.log_p))) best = std::move(next);
    }
    return best;
  }

  bool any_small() const {
    return std::any_of(alive_.begin(), alive_.end(), [&](int s) { return cases_[s] < rules_.min_cases; });
  }

  // Of equals the pair whose second group, then whose first group, comes first.
  Pair most_similar() {
    Pair best{-1, -1, kUnknown};
    double tied = kUnknown;
    const int n = static_cast<int>(alive_.size());
    for (int j = 1; j < n; ++j) {
      const bool any = nominal() || is_floating(alive_[j]);
      for (int i = any ? 0 : j - 1; i < j; ++i) {
        // Most pairs are known and no better: nothing else is done for them.
        if (cached(alive_[i], alive_[j]) <= tied) continue;
        const double log_p = log_p_of(alive_[i], alive_[j]);
        if (log_p <= tied) continue;
        best = {i, j, log_p};
        tied = tied_with(log_p);
      }
    }
    return best;
  }

  // i < j, or the same slot to be forgotten.
  double& cached(int i, int j) {
    if (nominal()) return pairs_[static_cast<std::size_t>(j) * n_ + i];
    return pairs_[static_cast<std::size_t>(i) * 2 + (is_floating(j) ? 1 : 0)];
  }

  double log_p_of(int i, int j) {
    double& kept = cached(i, j);
    if (!std::isnan(kept)) return kept;
    const int k = table_.width;
    two_.resize(2 * static_cast<std::size_t>(k));
    std::copy_n(sums(i), k, two_.begin());
    std::copy_n(sums(j), k, two_.begin() + k);
    const double cases[] = {cases_[i], cases_[j]};
    return kept = log_p_value({two_.data(), cases, 2, k}, rules_.test);
  }

  double* sums(int slot) { return sums_.data() + static_cast<std::ptrdiff_t>(slot) * table_.width; }

  // The cached p-values of a slot, and of the group before it with it, are no longer true.
  void forget(int position) {
    const int slot = alive_[position];
    if (!nominal()) {
      cached(slot, slot) = kUnknown;
      pairs_[static_cast<std::size_t>(slot) * 2 + 1] = kUnknown;
      if (position > 0) cached(alive_[position - 1], slot) = kUnknown;
      return;
    }
    for (int other = 0; other < n_; ++other) cached(slot, other) = cached(other, slot) = kUnknown;
  }

  int merge(const Pair& pair) {
    const int kept = alive_[pair.first], gone = alive_[pair.second];
    alive_.erase(alive_.begin() + pair.second);
    members_[kept].insert(members_[kept].end(), members_[gone].begin(), members_[gone].end());
    std::sort(members_[kept].begin(), members_[kept].end());
    for (int c = 0; c < table_.width; ++c) sums(kept)[c] += sums(gone)[c];
    cases_[kept] += cases_[gone];
    forget(pair.first);
    return kept;
  }

  // Adds up the rows of a group; returns its cases.
  double add_up(const std::vector<int>& members, double* sums) const {
    double cases = 0;
    for (const int row : members) {
      const double* added = table_.statistics + static_cast<std::ptrdiff_t>(row) * table_.width;
      for (int c = 0; c < table_.width; ++c) sums[c] += added[c];
      cases += table_.cases[row];
    }
    return cases;
  }

  // Splits a group in two if its best split is significant; whether it was.
  bool split_again(int slot) {
    if (!(rules_.split_level > -std::numeric_limits<double>::infinity())) return false;
    const std::vector<int> side = best_sides(members_[slot]);
    if (side.empty()) return false;
    std::vector<int> parts[2];
    for (std::size_t i = 0; i < side.size(); ++i) parts[side[i]].push_back(members_[slot][i]);
    if (parts[0].front() > parts[1].front()) std::swap(parts[0], parts[1]);
    const int k = table_.width;
    std::vector<double> both(2 * static_cast<std::size_t>(k), 0.0);
    const double cases[] = {add_up(parts[0], both.data()), add_up(parts[1], both.data() + k)};
    if (log_p_value({both.data(), cases, 2, k}, rules_.test) > rules_.split_level) return false;
    for (const int part : {0, 1}) {
      const int at = parts[part].front();
      std::copy_n(both.data() + static_cast<std::ptrdiff_t>(part) * k, k, sums(at));
      cases_[at] = cases[part];
      members_[at] = std::move(parts[part]);
      const auto place = std::lower_bound(alive_.begin(), alive_.end(), at);
      const int position = static_cast<int>(place - alive_.begin());
      if (part == 1) alive_.insert(place, at);
      forget(position);
    }
    return true;
  }

  // The side of each member in the best split of a group in two, which contiguous levels do not leave; empty:
  // none is large enough.
  std::vector<int> best_sides(const std::vector<int>& members) const {
    const bool floats = order_ == MergingOrder::floating && members.back() == n_ - 1;
    const int n = static_cast<int>(members.size()) - (floats ? 1 : 0), k = table_.width;
    std::vector<double> statistics, cases;
    double weight = 0;
    for (const int row : members) {
      const double* added = table_.statistics + static_cast<std::ptrdiff_t>(row) * k;
      statistics.insert(statistics.end(), added, added + k);
      cases.push_back(table_.cases[row]);
      weight += rules_.test == IndependenceTest::f ? added[0] : std::accumulate(added, added + k, 0.0);
    }
    const Evaluator evaluator(criterion_of_test(rules_.test), k);
    const LeafLimits limits{rules_.min_cases, 0.0, rules_.min_cases, {}};
    if (nominal()) {
      const ContingencyTable all{statistics.data(), cases.data(), n, weight};
      return best_subset(all, evaluator, limits, rules_.max_exhaustive).branch;
    }
    if (!floats)
      return best_threshold({statistics.data(), cases.data(), n, weight}, evaluator, limits).branch;
    // The floating row joins the lowest level, joins the highest, or comes before all and may be alone.
    Found best;
    const double* last = statistics.data() + static_cast<std::ptrdiff_t>(n) * k;
    for (const int with : {-1, 0, n - 1}) {
      std::vector<double> rows(statistics.begin(), statistics.begin() + static_cast<std::ptrdiff_t>(n) * k);
      std::vector<double> counts(cases.begin(), cases.begin() + n);
      if (with < 0) {
        rows.insert(rows.begin(), last, last + k);
        counts.insert(counts.begin(), cases[n]);
      } else {
        for (int c = 0; c < k; ++c) rows[static_cast<std::size_t>(with) * k + c] += last[c];
        counts[with] += cases[n];
      }
      const int size = static_cast<int>(counts.size());
      const Found found = best_threshold({rows.data(), counts.data(), size, weight}, evaluator, limits);
      if (!found.any() || !(found.value > best.value)) continue;
      best = found;
      const int side = best.branch[std::max(with, 0)];
      if (with < 0) best.branch.erase(best.branch.begin());
      best.branch.push_back(side);
    }
    return best.branch;
  }

  std::vector<int> partition() const {
    std::vector<int> group(n_, 0);
    for (std::size_t g = 0; g < alive_.size(); ++g)
      for (const int row : members_[alive_[g]]) group[row] = static_cast<int>(g);
    return group;
  }

  MergedLevels result() {
    MergedLevels merged;
    merged.group = partition();
    merged.n_groups = static_cast<int>(alive_.size());
    if (merged.n_groups < 2 || any_small()) return merged;
    std::vector<double> statistics, cases;
    for (const int slot : alive_) {
      statistics.insert(statistics.end(), sums(slot), sums(slot) + table_.width);
      cases.push_back(cases_[slot]);
    }
    merged.tested = true;
    merged.log_p = log_p_value({statistics.data(), cases.data(), merged.n_groups, table_.width}, rules_.test);
    if (rules_.bonferroni && merged.log_p < 0)
      merged.log_multiplier = log_multiplier(n_, merged.n_groups, order_, rules_.exhaustive);
    return merged;
  }

  const LevelTable& table_;
  const MergingOrder order_;
  const MergingRules& rules_;
  const int n_;
  std::vector<std::vector<int>> members_;
  std::vector<int> alive_;
  std::vector<double> sums_, cases_, pairs_, two_;
};

}  // namespace

double log_p_value(const LevelTable& table, IndependenceTest test) {
  if (test == IndependenceTest::f) return log_p_of_means(table);
  const Pearson found = pearson(table.statistics, table.n_rows, table.width);
  const bool by_ratio = test == IndependenceTest::likelihood_ratio;
  return chi_square_log_survival(by_ratio ? likelihood_ratio(table) : found.statistic, found.degrees);
}

double log_multiplier(int n_levels, int n_groups, MergingOrder order, bool exhaustive) {
  const double c = n_levels;
  if (exhaustive)
    return std::log(order == MergingOrder::nominal ? c * (c * c - 1) / 6 : std::max(1.0, c * (c - 1) / 2));
  if (order == MergingOrder::nominal) return log_partitions(n_levels, n_groups);
  if (order == MergingOrder::ordinal) return log_choose(n_levels - 1, n_groups - 1);
  // The floating level is alone beside n_groups - 1 others, or in one of n_groups.
  const double alone = log_choose(n_levels - 2, n_groups - 2);
  const double joined = std::log(n_groups) + log_choose(n_levels - 2, n_groups - 1);
  const double most = std::max(alone, joined);
  return most + std::log(std::exp(alone - most) + std::exp(joined - most));
}

MergedLevels merge_levels(const LevelTable& table, MergingOrder order, const MergingRules& rules) {
  return Merger(table, order, rules).run();
}

}  // namespace bough
