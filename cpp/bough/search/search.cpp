#include "bough/search/search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "bough/search/bar.hpp"

namespace bough {

namespace {

struct Totals {
  std::vector<double> statistics;
  double cases = 0;
};

Totals totals(const ContingencyTable& table, int width) {
  Totals t{std::vector<double>(width, 0.0)};
  for (int i = 0; i < table.n_rows; ++i) {
    for (int c = 0; c < width; ++c)
      t.statistics[c] += table.statistics[static_cast<std::ptrdiff_t>(i) * width + c];
    t.cases += table.cases[i];
  }
  return t;
}

// The branch of a level must not depend on how the subset was found: the first row is always in branch 0.
void orient(std::vector<int>& branch) {
  if (branch[0] == 0) return;
  for (int& b : branch) b = 1 - b;
}

// Scans the cuts of the rows in the given order.
void scan_order(const ContingencyTable& table, const Evaluator& evaluator, const LeafLimits& limits,
                const Totals& all, const std::vector<int>& order, Found& best) {
  ThresholdScan scan(evaluator, limits, all.statistics.data(), all.cases, table.node_weight);
  for (int row : order)
    scan.add(table.statistics + static_cast<std::ptrdiff_t>(row) * evaluator.width(), table.cases[row]);
  if (scan.best_row() < 0 || !(scan.best_value() > best.value)) return;
  best.value = scan.best_value();
  best.branch.assign(table.n_rows, 1);
  for (int i = 0; i <= scan.best_row(); ++i) best.branch[order[i]] = 0;
  orient(best.branch);
}

std::vector<int> ordered_by(const std::vector<double>& key) {
  std::vector<int> order(key.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key[a] < key[b]; });
  return order;
}

// Of equal keys the last comes first.
std::vector<int> ordered_from_the_last(const std::vector<double>& key) {
  std::vector<int> order(key.size());
  std::iota(order.rbegin(), order.rend(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key[a] < key[b]; });
  return order;
}

std::vector<double> shares(const ContingencyTable& table, const Evaluator& evaluator, int c) {
  std::vector<double> share(table.n_rows);
  for (int i = 0; i < table.n_rows; ++i) {
    const double* row = table.statistics + static_cast<std::ptrdiff_t>(i) * evaluator.width();
    share[i] = row[c] / evaluator.weight(row);
  }
  return share;
}

// Mean of each row, or its (lower) median under absolute error.
std::vector<double> centres(const ContingencyTable& table, const Evaluator& evaluator) {
  std::vector<double> centre(table.n_rows);
  for (int i = 0; i < table.n_rows; ++i)
    centre[i] = evaluator.centre(table.statistics + static_cast<std::ptrdiff_t>(i) * evaluator.width());
  return centre;
}

// Score of each row on the first principal component of the class shares, rows weighted by their weight.
std::vector<double> principal_scores(const ContingencyTable& table, const Evaluator& evaluator,
                                     const Totals& all) {
  const int k = evaluator.width(), m = table.n_rows;
  const double weight = evaluator.weight(all.statistics.data());
  std::vector<double> deviation(static_cast<std::size_t>(m) * k),
      covariance(static_cast<std::size_t>(k) * k, 0.0);
  for (int i = 0; i < m; ++i) {
    const double* row = table.statistics + static_cast<std::ptrdiff_t>(i) * k;
    const double w = evaluator.weight(row);
    double* d = deviation.data() + static_cast<std::ptrdiff_t>(i) * k;
    for (int c = 0; c < k; ++c) d[c] = row[c] / w - all.statistics[c] / weight;
    for (int a = 0; a < k; ++a)
      for (int b = 0; b < k; ++b) covariance[static_cast<std::size_t>(a) * k + b] += w * d[a] * d[b];
  }
  std::vector<double> axis(k), next(k);
  for (int c = 0; c < k; ++c)
    axis[c] = 1.0 / ((table.classes ? table.classes[c] : c) + 1);  // no class is orthogonal to it by symmetry
  for (int step = 0; step < 50; ++step) {
    double norm = 0;
    for (int a = 0; a < k; ++a) {
      next[a] = 0;
      for (int b = 0; b < k; ++b) next[a] += covariance[static_cast<std::size_t>(a) * k + b] * axis[b];
      norm += next[a] * next[a];
    }
    if (norm == 0) break;
    for (int c = 0; c < k; ++c) axis[c] = next[c] / std::sqrt(norm);
  }
  std::vector<double> score(m, 0.0);
  for (int i = 0; i < m; ++i)
    for (int c = 0; c < k; ++c) score[i] += deviation[static_cast<std::size_t>(i) * k + c] * axis[c];
  return score;
}

// The two sides of a set of levels, as levels move between them one at a time.
class MovingSides {
 public:
  MovingSides(const ContingencyTable& table, const Evaluator& evaluator, const Totals& all)
      : table_(table),
        evaluator_(evaluator),
        left_(evaluator.width(), 0.0),
        right_(all.statistics),
        all_cases_(all.cases),
        // Sums of squares bound Gini's value. They are rounded with every move.
        bounded_(evaluator.criterion() == criterion_of<Gini> && table.n_rows <= kMostBounded),
        bound_(evaluator, right_.data(), 1 << std::min(table.n_rows, kMostBounded)),
        right_weight_(evaluator.weight(right_.data())),
        bar_(bounded_ ? bound_.unsplit(right_weight_) : 0, Gini::Bound::unit(table.node_weight)) {}

  // Moves a level to the left, or back.
  void move(int level, bool to_left) {
    const int k = evaluator_.width();
    const double sign = to_left ? 1 : -1;
    const double* row = table_.statistics + static_cast<std::ptrdiff_t>(level) * k;
    double *left = left_.data(), *right = right_.data();
    for (int c = 0; c < k; ++c) {
      const double moved = sign * row[c];
      if (bounded_) {
        bound_.move(left[c], right[c], moved);
        left_weight_ += moved;
        right_weight_ -= moved;
      }
      left[c] += moved;
      right[c] -= moved;
    }
    left_cases_ += sign * table_.cases[level];
  }
  bool large_enough(const LeafLimits& limits) const {
    return bough::large_enough(evaluator_, limits, left_.data(), left_cases_) &&
           bough::large_enough(evaluator_, limits, right_.data(), all_cases_ - left_cases_);
  }
  bool may_be_best() const {
    return !bounded_ || bar_.reached_by(bound_.of_sides(left_weight_, right_weight_));
  }
  double value() const { return evaluator_.value(left_.data(), right_.data(), table_.node_weight); }
  void raise(double best) { bar_.raise(best); }

 private:
  static constexpr int kMostBounded = 16;

  const ContingencyTable& table_;
  const Evaluator& evaluator_;
  std::vector<double> left_, right_;
  double left_cases_ = 0, all_cases_;
  bool bounded_;
  Gini::Bound bound_;
  double left_weight_ = 0, right_weight_;
  Bar bar_;
};

// Tries all sets without the last row, in the order of their bit masks or in that of the Gray code, which
// moves one row at a time; the first of equals wins.
Found all_subsets(const ContingencyTable& table, const Evaluator& evaluator, const LeafLimits& limits,
                  const Totals& all, bool by_mask) {
  const int m = table.n_rows;
  Found best;
  MovingSides sides(table, evaluator, all);
  std::uint32_t inside = 0, best_inside = 0;
  for (std::uint32_t t = 1; t < (1u << (m - 1)); ++t) {
    const std::uint32_t subset = by_mask ? t : t ^ (t >> 1);
    for (std::uint32_t changed = subset ^ inside; changed != 0; changed &= changed - 1) {
      const int moved = std::countr_zero(changed);
      sides.move(moved, (subset >> moved) & 1);
    }
    inside = subset;
    if (!sides.may_be_best() || !sides.large_enough(limits)) continue;
    const double value = sides.value();
    if (value > best.value) {
      best.value = value;
      best_inside = subset;
      sides.raise(value);
    }
  }
  if (!best.any()) return best;
  best.branch.resize(m);
  for (int i = 0; i < m; ++i) best.branch[i] = (best_inside >> i) & 1 ? 0 : 1;
  orient(best.branch);
  return best;
}

}  // namespace

bool large_enough(const Evaluator& evaluator, const LeafLimits& limits, const double* statistics,
                  double cases) {
  return cases > 0 && cases >= limits.min_cases && evaluator.weight(statistics) >= limits.min_weight;
}

ThresholdScan::ThresholdScan(const Evaluator& evaluator, const LeafLimits& limits, const double* total,
                             double total_cases, double node_weight)
    : evaluator_(evaluator),
      limits_(limits),
      total_(total),
      total_cases_(total_cases),
      node_weight_(node_weight),
      left_(evaluator.width(), 0.0),
      right_(evaluator.width(), 0.0) {}

void ThresholdScan::end_row(double cases) {
  ++row_;
  cases_ += cases;
  const double rest = total_cases_ - cases_;
  if (cases_ < limits_.min_cases || rest < limits_.min_cases || rest <= 0) return;
  for (int i = 0; i < evaluator_.width(); ++i) right_[i] = total_[i] - left_[i];
  if (limits_.min_weight > 0 && (evaluator_.weight(left_.data()) < limits_.min_weight ||
                                 evaluator_.weight(right_.data()) < limits_.min_weight))
    return;
  if (limits_.answers.any && !limits_.answers.permits(answer_of(evaluator_.criterion(), left_.data()),
                                                      answer_of(evaluator_.criterion(), right_.data())))
    return;
  const double value = evaluator_.value(left_.data(), right_.data(), node_weight_);
  if (value > best_) {
    best_ = value;
    best_row_ = row_;
  }
}

Found best_threshold(const ContingencyTable& table, const Evaluator& evaluator, const LeafLimits& limits) {
  const Totals all = totals(table, evaluator.width());
  std::vector<int> order(table.n_rows);
  std::iota(order.begin(), order.end(), 0);
  Found best;
  scan_order(table, evaluator, limits, all, order, best);
  return best;
}

// As in C4.5, at least two branches must be large enough; the others may be small.
Found best_complete(const ContingencyTable& table, const Evaluator& evaluator, const LeafLimits& limits) {
  Found found;
  const LeafLimits every{limits.min_cases_leaf, limits.min_weight};
  int large = 0;
  for (int i = 0; i < table.n_rows; ++i) {
    const double* row = table.statistics + static_cast<std::ptrdiff_t>(i) * evaluator.width();
    if (table.cases[i] > 0 && !large_enough(evaluator, every, row, table.cases[i])) return found;
    large += large_enough(evaluator, limits, row, table.cases[i]);
  }
  if (large < 2) return found;
  found.value = evaluator.value(table.statistics, table.n_rows, table.node_weight);
  found.branch.resize(table.n_rows);
  std::iota(found.branch.begin(), found.branch.end(), 0);
  return found;
}

Found best_one_vs_rest(const ContingencyTable& table, const Evaluator& evaluator, const LeafLimits& limits) {
  const int k = evaluator.width();
  const Totals all = totals(table, k);
  Found best;
  int chosen = -1;
  std::vector<double> rest(k);
  for (int i = 0; i < table.n_rows; ++i) {
    const double* row = table.statistics + static_cast<std::ptrdiff_t>(i) * k;
    for (int c = 0; c < k; ++c) rest[c] = all.statistics[c] - row[c];
    if (!large_enough(evaluator, limits, row, table.cases[i]) ||
        !large_enough(evaluator, limits, rest.data(), all.cases - table.cases[i]))
      continue;
    const double value = evaluator.value(row, rest.data(), table.node_weight);
    if (value > best.value) {
      best.value = value;
      chosen = i;
    }
  }
  if (chosen < 0) return best;
  best.branch.assign(table.n_rows, 1);
  best.branch[chosen] = 0;
  return best;
}

Found best_subset(const ContingencyTable& table, const Evaluator& evaluator, const LeafLimits& limits,
                  int max_exhaustive) {
  Found best;
  if (table.n_rows < 2) return best;
  const Totals all = totals(table, evaluator.width());
  const bool several = evaluator.criterion().several(), classes = evaluator.criterion().reads_classes();
  if (!classes && !several) {
    // Which of equal rates comes first is free; rpart takes the last.
    const bool rates = evaluator.criterion().reads_rates();
    const std::vector<double> key = centres(table, evaluator);
    scan_order(table, evaluator, limits, all, rates ? ordered_from_the_last(key) : ordered_by(key), best);
    return best;
  }
  // The classes that occur; of several numbers all of them, which follow the weight.
  std::vector<int> present;
  for (int c = classes ? 0 : 1; c < evaluator.width(); ++c)
    if (!classes || all.statistics[c] > 0) present.push_back(c);
  if (present.empty()) return best;  // a table without weight
  const bool concave = evaluator.criterion()->concave;
  // Leaf limits may rule out what theory says is best; then all subsets find what a scan does not.
  const bool scans = (evaluator.width() <= 2 && !table.classes) || table.n_rows > max_exhaustive;
  if (present.size() <= 2 && concave && scans && !several) {
    scan_order(table, evaluator, limits, all, ordered_by(shares(table, evaluator, present.front())), best);
    return best;
  }
  if (table.n_rows <= max_exhaustive) return all_subsets(table, evaluator, limits, all, false);
  for (int c : present)
    scan_order(table, evaluator, limits, all, ordered_by(shares(table, evaluator, c)), best);
  scan_order(table, evaluator, limits, all, ordered_by(principal_scores(table, evaluator, all)), best);
  return best;
}

Found first_best_subset(const ContingencyTable& table, const Evaluator& evaluator, const LeafLimits& limits) {
  return all_subsets(table, evaluator, limits, totals(table, evaluator.width()), true);
}

Found best_nominal(const ContingencyTable& table, const Evaluator& evaluator, const LeafLimits& limits,
                   Nominal nominal, int max_exhaustive) {
  if (table.n_rows < 2) return {};
  switch (nominal) {
    case Nominal::complete:
      return best_complete(table, evaluator, limits);
    case Nominal::one_vs_rest:
      return best_one_vs_rest(table, evaluator, limits);
    default:
      return best_subset(table, evaluator, limits, max_exhaustive);
  }
}

}  // namespace bough
