#include "bough/quinlan/simple_cart.hpp"

#include <cmath>
#include <numeric>

#include "bough/quinlan/symmetric_eigen.hpp"

namespace bough::quinlan {

namespace {

double sum(const std::vector<double>& weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

double gini(const std::vector<double>& weights, double total) {
  if (total == 0) return 0;
  double squares = 0;
  for (double w : weights) squares += (w / total) * (w / total);
  return 1 - squares;
}

// Beyond kMostExhaustive levels, trying all sets would take too long.
constexpr int kFewLevels = 4, kMostExhaustive = 24;

}  // namespace

void SimpleCartSearch::tally(const Items<double>& items, NodeView<double>& view,
                             std::vector<double>& statistics) const {
  if (!view.counted) return ClassSearch::tally(items, view, statistics);
  statistics.assign(view.counted, view.counted + n_classes_);
  view.weight = view.recounted = sum(statistics);
  view.statistics = statistics.data();
}

double SimpleCartSearch::gini_gain(const Weights& parent, const Pair& children) const {
  const double total = sum(parent);
  if (total == 0) return 0;
  const double left = sum(children[0]), right = sum(children[1]);
  return gini(parent, total) - left / total * gini(children[0], left) -
         right / total * gini(children[1], right);
}

double SimpleCartSearch::gain_with_missing(
    const Weights& parent, Pair& children,
    const std::vector<std::pair<std::int32_t, double>>& missing) const {
  double part[2] = {sum(children[0]), sum(children[1])};
  const double known = part[0] + part[1];
  if (known != 0) part[0] /= known, part[1] /= known;
  for (const auto& [label, weight] : missing)
    for (int b = 0; b < 2; ++b) children[b][label] += part[b] * weight;
  return gini_gain(parent, children);
}

void SimpleCartSearch::keep(Candidate<double>& best, double gain, const Pair& children) const {
  best.gain = gain;
  best.n_branches = 2;
  best.share = {sum(children[0]), sum(children[1])};
  const double total = best.share[0] + best.share[1];
  if (total != 0)
    for (double& each : best.share) each /= total;
  best.statistics = children[0];
  best.statistics.insert(best.statistics.end(), children[1].begin(), children[1].end());
}

Candidate<double> SimpleCartSearch::best_threshold(int column, const SortedView& list,
                                                   const NodeView<double>&, const Items<double>& items,
                                                   Scratch&) const {
  Candidate<double> best;
  if (list.known.empty()) return best;
  const std::vector<double>& value = table_.sorted(column).value;
  Weights parent(n_classes_, 0.0);
  Pair now{Weights(n_classes_, 0.0), Weights(n_classes_, 0.0)};
  std::vector<std::pair<std::int32_t, double>> missing;
  for (const Entry& entry : list.known) {
    now[1][entry.label] += items.weight[entry.item];
    parent[entry.label] += items.weight[entry.item];
  }
  for (const Entry& entry : list.missing) {
    parent[entry.label] += items.weight[entry.item];
    missing.push_back({static_cast<std::int32_t>(entry.label), items.weight[entry.item]});
  }
  double greatest = -std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < list.known.size(); ++i) {
    const Entry& entry = list.known[i];
    if (i > 0 && entry.rank != list.known[i - 1].rank) {
      Pair children = now;
      const double gain = gain_with_missing(parent, children, missing);
      if (gain > greatest) {
        greatest = gain;
        best.kind = SplitKind::threshold;
        best.cut = (value[entry.rank] + value[list.known[i - 1].rank]) / 2.0;
        keep(best, gain, children);
      }
    }
    now[0][entry.label] += items.weight[entry.item];
    now[1][entry.label] -= items.weight[entry.item];
  }
  if (best.kind == SplitKind::leaf) return best;
  // The middle of neighbouring numbers may be one of them, so that it parts other rows than were counted.
  if (!std::isfinite(best.cut)) return {};
  const auto below = std::lower_bound(value.begin(), value.end(), best.cut) - value.begin();
  double left = 0, right = 0, both = 0;
  for (const Entry& entry : list.known)
    (entry.rank < below ? left : right) += cases_of(items.row[entry.item]);
  for (const Entry& entry : list.missing) both += cases_of(items.row[entry.item]);
  best.rank = static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(below - 1, 0));
  best.score = left > 0 && right > 0 ? std::min(left, right) + both : 0;
  return best;
}

SimpleCartSearch::LevelCounts SimpleCartSearch::counts_of(int column, const NodeView<double>& view,
                                                          const Items<double>& items) const {
  const std::vector<std::int32_t>& code = table_.codes_of(column);
  const int n_levels = table_.data->columns[column].n_levels;
  LevelCounts counts{std::vector<double>(n_levels, 0.0), {}, Weights(n_classes_, 0.0), {}, 0};
  counts.weights.assign(n_levels, Weights(n_classes_, 0.0));
  for (std::uint32_t item : view.items) {
    const std::uint32_t row = items.row[item];
    const std::int32_t label = table_.data->label[row];
    if (code[row] < 0) {
      counts.missing.push_back({label, items.weight[item]});
      counts.in_both += cases_of(row);
      continue;
    }
    counts.cases[code[row]] += cases_of(row);
    counts.weights[code[row]][label] += items.weight[item];
    counts.parent[label] += items.weight[item];
  }
  for (const auto& [label, weight] : counts.missing) counts.parent[label] += weight;
  return counts;
}

Candidate<double> SimpleCartSearch::best_level_test(int column, const NodeView<double>& view,
                                                    const Items<double>& items, bool, Scratch&) const {
  Candidate<double> best;
  const std::vector<std::int32_t>& code = table_.codes_of(column);
  const LevelCounts counts = counts_of(column, view, items);
  const int n_levels = static_cast<int>(counts.cases.size());
  std::vector<int> present;
  for (int level = 0; level < n_levels; ++level)
    if (counts.cases[level] > 0) present.push_back(level);
  const int n = static_cast<int>(present.size());
  if (n < 2) return best;
  double greatest = -std::numeric_limits<double>::max();
  std::vector<std::uint8_t> left(n_levels, 0), best_left;
  const auto consider = [&] {
    Pair children{Weights(n_classes_, 0.0), Weights(n_classes_, 0.0)};
    if (view.unit_weights) {
      for (int level : present)
        for (int c = 0; c < n_classes_; ++c) children[!left[level]][c] += counts.weights[level][c];
    } else {
      // Fractions are added row by row: where gains are equal but for rounding, the order decides.
      for (std::uint32_t item : view.items) {
        const std::uint32_t row = items.row[item];
        if (code[row] >= 0) children[!left[code[row]]][table_.data->label[row]] += items.weight[item];
      }
    }
    const double gain = gain_with_missing(counts.parent, children, counts.missing);
    if (gain > greatest) {
      greatest = gain;
      best.kind = SplitKind::subset;
      best_left = left;
      keep(best, gain, children);
    }
  };
  const bool all_sets = n_classes_ > 2 && (!options_.heuristic || n <= kFewLevels);
  if (all_sets && n <= kMostExhaustive) {
    for (std::uint32_t set = 0; set < (std::uint32_t{1} << (n - 1)); ++set) {
      for (int k = 0; k < n; ++k) left[present[n - 1 - k]] = (set >> k) & 1;
      consider();
    }
  } else {
    const std::vector<int> order = level_order(column, present, view, items);
    for (int k = 0; k + 1 < n; ++k) {
      left[order[k]] = 1;
      consider();
    }
  }
  assign_levels(best, counts, best_left);
  return best;
}

// Levels that are absent here go to the branch of more cases.
void SimpleCartSearch::assign_levels(Candidate<double>& best, const LevelCounts& counts,
                                     const std::vector<std::uint8_t>& left) const {
  double in_left = 0, in_right = 0;
  best.branch_of.assign(counts.cases.size(), 1);
  for (std::size_t level = 0; level < counts.cases.size(); ++level) {
    const bool goes_left = counts.cases[level] > 0 ? left[level] != 0 : best.share[0] >= best.share[1];
    best.branch_of[level] = !goes_left;
    (goes_left ? in_left : in_right) += counts.cases[level];
  }
  best.score = in_left > 0 && in_right > 0 ? std::min(in_left, in_right) + counts.in_both : 0;
}

std::vector<int> SimpleCartSearch::level_order(int column, const std::vector<int>& present,
                                               const NodeView<double>& view,
                                               const Items<double>& items) const {
  return n_classes_ <= 2 ? order_of_two_classes(column, present, view, items)
                         : order_of_many_classes(column, present);
}

// By the share of the first class, where a row counts with its whole weight, also a fraction of it.
std::vector<int> SimpleCartSearch::order_of_two_classes(int column, const std::vector<int>& present,
                                                        const NodeView<double>& view,
                                                        const Items<double>& items) const {
  const std::vector<std::int32_t>& code = table_.codes_of(column);
  std::vector<double> first(table_.data->columns[column].n_levels, 0.0), all = first;
  for (std::uint32_t item : view.items) {
    const std::uint32_t row = items.row[item];
    if (code[row] < 0) continue;
    const double weight = table_.data->weight ? table_.data->weight[row] : 1;
    all[code[row]] += weight;
    if (table_.data->label[row] == 0) first[code[row]] += weight;
  }
  std::vector<int> order = present;
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return first[a] / all[a] < first[b] / all[b]; });
  return order;
}

// By the first principal component of the class shares of all rows, not of those of the node alone; a row
// without a value counts for the first level.
std::vector<int> SimpleCartSearch::order_of_many_classes(int column, const std::vector<int>& present) const {
  const std::vector<std::int32_t>& code = table_.codes_of(column);
  const int n = static_cast<int>(present.size()), k = n_classes_;
  std::vector<int> place(table_.data->columns[column].n_levels, 0);
  for (int i = 0; i < n; ++i) place[present[i]] = i;
  std::vector<double> share(static_cast<std::size_t>(n) * k, 0.0), mean(k, 0.0), count(n, 0.0);
  for (std::uint32_t row : table_.rows) {
    const int i = place[std::max(code[row], 0)];
    ++share[static_cast<std::size_t>(i) * k + table_.data->label[row]];
    ++count[i];
    ++mean[table_.data->label[row]];
  }
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < k; ++c) share[static_cast<std::size_t>(i) * k + c] /= count[i] > 0 ? count[i] : 1;
  for (double& each : mean) each /= static_cast<double>(table_.rows.size());
  std::vector<double> covariance(static_cast<std::size_t>(k) * k, 0.0);
  for (int a = 0; a < k; ++a)
    for (int b = 0; b < k; ++b)
      for (int i = 0; i < n; ++i)
        covariance[static_cast<std::size_t>(a) * k + b] +=
            (share[static_cast<std::size_t>(i) * k + b] - mean[b]) *
            (share[static_cast<std::size_t>(i) * k + a] - mean[a]) * count[i];
  const std::vector<double> axis = principal_axis(covariance, k);
  std::vector<double> score(n, 0.0);
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < k; ++c) score[i] += axis[c] * share[static_cast<std::size_t>(i) * k + c];
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return score[a] < score[b]; });
  for (int& each : order) each = present[each];
  return order;
}

int SimpleCartSearch::column_of_order(const std::vector<Candidate<double>>& found) const {
  int best = -1;
  double most = 0;
  for (std::size_t c = 0; c < found.size(); ++c) {
    const bool none = found[c].kind == SplitKind::leaf;
    if (none && !table_.is_nominal(static_cast<int>(c))) continue;  // a constant column of numbers
    const double gain = none ? 0 : found[c].gain;
    if (best < 0 ? gain >= most : gain > most) {
      most = gain;
      best = static_cast<int>(c);
    }
  }
  return best;
}

double SimpleCartSearch::errors_in_order(int column, const SortedView& list, const NodeView<double>& view,
                                         const Items<double>& items) const {
  if (column < 0) return 0;
  const double total = sum({view.statistics, view.statistics + n_classes_});
  Weights probability(view.statistics, view.statistics + n_classes_);
  if (total != 0)
    for (double& each : probability) each /= total;
  const auto predicted = std::max_element(probability.begin(), probability.end()) - probability.begin();
  double errors = 0;
  const auto add = [&](std::uint32_t item) {
    if (table_.data->label[items.row[item]] != predicted) errors += items.weight[item];
  };
  if (!table_.is_nominal(column)) {
    for (const Entry& entry : list.known) add(entry.item);
    for (const Entry& entry : list.missing) add(entry.item);
    return errors;
  }
  const std::vector<std::int32_t>& code = table_.codes_of(column);
  for (const bool known : {true, false})
    for (std::uint32_t item : view.items)
      if ((code[items.row[item]] >= 0) == known) add(item);
  return errors;
}

int SimpleCartSearch::choose_column(const std::vector<Candidate<double>>& found) const {
  const int best = column_of_most_gain(found);
  if (best < 0 || found[best].share[0] == 0 || found[best].share[1] == 0) return -1;
  return found[best].score >= options_.min_cases ? best : -1;
}

}  // namespace bough::quinlan
