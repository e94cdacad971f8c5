#include "bough/model_trees/m5.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

#include "bough/machine/java_random.hpp"
#include "bough/model_trees/regression.hpp"

namespace bough::model_trees {

namespace {

constexpr double kNone = -1e20;
constexpr double kSameValue = 1e-10;  // neighbouring values this close are not separated
constexpr double kBetter = 1e-6;      // by which the split of another column must be better
constexpr double kNoError = 1e-5;     // relative to the deviation of the root: the subtree is not needed
constexpr double kPruningMultiplier = 2;

struct ValueAndRow {
  double value;
  std::uint32_t row;
};

// Sums of y on one side of a cut.
struct Sums {
  double n = 0, weight = 0, sum = 0, squares = 0;

  void add(double cases, double its_weight, double y) {
    n += cases;
    weight += its_weight;
    sum += its_weight * y;
    squares += its_weight * (y * y);
  }
  void remove(double cases, double its_weight, double y) {
    n -= cases;
    weight -= its_weight;
    sum -= its_weight * y;
    squares -= its_weight * (y * y);
  }
  // Of a whole node.
  double variance() const { return n > 1 ? std::abs((squares - sum * sum / weight) / weight) : 0; }
  // Of one side of a cut; the formula rounds differently.
  double side_variance() const { return std::abs((weight * squares - sum * sum) / (weight * weight)); }
};

// The fifth root of the variance, by which Weka measures the spread of y.
double spread(double variance) { return std::pow(variance, 0.2); }

struct Cut {
  double gain = kNone, cut = 0, below = 0, above = 0;
  bool found = false;
};

class M5Builder {
 public:
  M5Builder(const NumericRows& data, const M5Options& options, Watch& watch)
      : data_(data), options_(options), watch_(watch), predicted_(data.n_rows) {}

  std::vector<ModelNode> build(std::vector<std::uint32_t> rows) {
    deviation_ = std::sqrt(sums_of(rows).variance());
    grow(std::move(rows), -1);
    // Children come after their parents.
    for (std::size_t node = nodes_.size(); node-- > 0;) {
      watch_.poll_or_throw();
      fit(nodes_[node]);
    }
    if (options_.smoothing > 0) smooth(0);
    for (const int node : level_by_level(nodes_)) summarize(nodes_[node]);
    return std::move(nodes_);
  }

 private:
  Sums sums_of(const std::vector<std::uint32_t>& rows) const {
    Sums sums;
    for (const std::uint32_t row : rows) sums.add(data_.cases_of(row), data_.weight_of(row), data_.y[row]);
    return sums;
  }

  int grow(std::vector<std::uint32_t> rows, int parent) {
    watch_.poll_or_throw();
    const int number = static_cast<int>(nodes_.size());
    nodes_.emplace_back().parent = parent;
    const Sums sums = sums_of(rows);
    nodes_[number].cases = sums.n;
    const double deviation = std::sqrt(sums.variance());
    if (sums.n >= options_.min_cases && deviation > 0 && deviation >= deviation_ * options_.min_deviation)
      split(rows, number);
    nodes_[number].rows = std::move(rows);
    return number;
  }

  void split(std::vector<std::uint32_t>& rows, int number) {
    Cut best;
    int column = -1;
    for (int each = 0; each < static_cast<int>(data_.columns.size()); ++each) {
      watch_.poll_or_throw();
      sort_as_instances(rows, data_.columns[each]);
      const Cut found = best_cut(rows, data_.columns[each]);
      if (found.found && found.gain > best.gain + kBetter) {
        best = found;
        column = each;
      }
    }
    if (column < 0) return;
    std::vector<std::uint32_t> sides[2];
    for (const std::uint32_t row : rows) sides[data_.columns[column][row] > best.cut].push_back(row);
    if (sides[0].empty() || sides[1].empty()) return;
    nodes_[number].column = column;
    nodes_[number].cut = best.cut;
    nodes_[number].below = best.below;
    nodes_[number].above = best.above;
    nodes_[number].gain = best.gain;
    const int left = grow(std::move(sides[0]), number), right = grow(std::move(sides[1]), number);
    ModelNode& node = nodes_[number];
    node.left = left;
    node.right = right;
    std::set<int> tested{column};
    for (const int child : {left, right})
      tested.insert(nodes_[child].tested.begin(), nodes_[child].tested.end());
    node.tested.assign(tested.begin(), tested.end());
  }

  // The best cut of a column by whose values the rows are sorted. A fifth of the cases, at least one, and one
  // more stay on each side.
  Cut best_cut(const std::vector<std::uint32_t>& rows, const double* values) const {
    const Sums all = sums_of(rows);
    Cut best;
    if (all.n < 4) return best;
    const double margin = std::max(std::floor(all.n / 5), 1.0), whole = spread(all.variance());
    Sums left, right;
    std::size_t first = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double cases = data_.cases_of(rows[i]);
      const bool is_left = first == i && left.n + cases <= margin;
      first += is_left;
      (is_left ? left : right).add(cases, data_.weight_of(rows[i]), data_.y[rows[i]]);
    }
    for (std::size_t i = first; i + 1 < rows.size(); ++i) {
      const std::uint32_t row = rows[i];
      left.add(data_.cases_of(row), data_.weight_of(row), data_.y[row]);
      right.remove(data_.cases_of(row), data_.weight_of(row), data_.y[row]);
      if (left.n < margin + 1) continue;
      if (right.n < margin + 1) break;
      const double below = values[row], above = values[rows[i + 1]];
      if (std::abs(below - above) < kSameValue) continue;
      const double gain = whole - left.n / all.n * spread(left.side_variance()) -
                          right.n / all.n * spread(right.side_variance());
      if (gain > best.gain) {
        const double middle = (below + above) * 0.5;
        best = {gain, middle < above ? middle : below, below, above, true};
      }
    }
    return best;
  }

  // Fits the model of a node whose subtrees are finished, and prunes these if the model is no worse.
  void fit(ModelNode& node) {
    static const std::vector<int> no_columns;
    node.model = Regression(data_, node.rows, options_.constant ? no_columns : node.tested).fit();
    std::vector<double> own(node.rows.size());
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = node.model.predict(data_, node.rows[i]);
    node.error = error_of(node.rows, [&](std::size_t i, std::uint32_t) { return own[i]; });
    if (node.column >= 0 && options_.prune && !is_pruned(node)) return;
    if (node.column >= 0 && !options_.prune) return;
    for (std::size_t i = 0; i < own.size(); ++i) predicted_[node.rows[i]] = own[i];
  }

  bool is_pruned(ModelNode& node) {
    const double below = error_of(node.rows, [&](std::size_t, std::uint32_t row) { return predicted_[row]; });
    const int own = node.model.n_parameters();
    const int all = nodes_[node.left].n_parameters + nodes_[node.right].n_parameters + 1;
    const double adjusted = node.error * pruning_factor(node.cases, own);
    const bool prunes =
        adjusted <= below * pruning_factor(node.cases, all) || adjusted < deviation_ * kNoError;
    node.n_parameters = prunes ? own : all;
    if (prunes) {
      node.column = node.left = node.right = -1;
    } else {
      node.error = below;
    }
    return prunes;
  }

  template <class Predict>
  double error_of(const std::vector<std::uint32_t>& rows, const Predict& predict) const {
    double sum = 0, weight = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double error = predict(i, rows[i]) - data_.y[rows[i]], its_weight = data_.weight_of(rows[i]);
      sum += its_weight * (error * error);
      weight += its_weight;
    }
    return std::sqrt(sum / weight);
  }

  static double pruning_factor(double n, int parameters) {
    if (n <= parameters) return 10;
    return (n + kPruningMultiplier * parameters) / (n - parameters);
  }

  // Blends the models on the path of each leaf into the leaf's model.
  void smooth(int number) {
    if (nodes_[number].column >= 0) {
      smooth(nodes_[number].left);
      smooth(nodes_[number].right);
      return;
    }
    std::vector<double> coefficient(data_.columns.size());
    const auto add = [&](const LinearModel& model, double factor, double divisor) {
      for (std::size_t i = 0; i < model.column.size(); ++i)
        coefficient[model.column[i]] += factor * model.coefficient[i] / divisor;
    };
    LinearModel& own = nodes_[number].model;
    add(own, 1, 1);
    double intercept = own.intercept;
    const double k = options_.smoothing;
    for (int at = number; nodes_[at].parent >= 0; at = nodes_[at].parent) {
      const double n = nodes_[at].cases;
      const LinearModel& above = nodes_[nodes_[at].parent].model;
      for (double& each : coefficient) each = each * n / (n + k);
      add(above, k, n + k);
      intercept = intercept * n / (n + k) + k * above.intercept / (n + k);
    }
    own = {intercept, {}, {}};
    for (int column = 0; column < static_cast<int>(coefficient.size()); ++column) {
      if (coefficient[column] == 0) continue;
      own.column.push_back(column);
      own.coefficient.push_back(coefficient[column]);
    }
  }

  void summarize(ModelNode& node) const {
    const Sums sums = sums_of(node.rows);
    node.weight = sums.weight;
    node.mean = sums.sum / sums.weight;
    for (const std::uint32_t row : node.rows) {
      const double error = node.model.predict(data_, row) - data_.y[row];
      node.risk += data_.weight_of(row) * (error * error);
    }
  }

  const NumericRows& data_;
  const M5Options& options_;
  Watch& watch_;
  double deviation_ = 0;  // of the root
  std::vector<ModelNode> nodes_;
  std::vector<double> predicted_;  // by the leaves of the subtrees that are finished
};

// The leaf of most cases, of equal ones that which is farthest to the left.
int largest_leaf(const std::vector<ModelNode>& nodes) {
  int best = -1;
  std::vector<int> pending{0};
  while (!pending.empty()) {
    const int number = pending.back();
    pending.pop_back();
    const ModelNode& node = nodes[number];
    if (node.column >= 0) {
      pending.insert(pending.end(), {node.right, node.left});
    } else if (best < 0 || node.cases > nodes[best].cases) {
      best = number;
    }
  }
  return best;
}

M5Rule rule_of(const std::vector<ModelNode>& nodes, int leaf) {
  const ModelNode& node = nodes[leaf];
  M5Rule rule{{}, node.model, node.cases, node.weight, node.mean, node.risk};
  for (int at = leaf; nodes[at].parent >= 0; at = nodes[at].parent) {
    const ModelNode& above = nodes[nodes[at].parent];
    rule.conditions.push_back({above.column, above.cut, above.below, above.above, above.right == at});
  }
  std::reverse(rule.conditions.begin(), rule.conditions.end());
  return rule;
}

}  // namespace

std::vector<std::uint32_t> shuffled_rows(std::int64_t n) {
  std::vector<std::uint32_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0u);
  JavaRandom random(1);
  for (std::int64_t last = n - 1; last > 0; --last)
    std::swap(rows[last], rows[random.below(static_cast<std::int32_t>(last + 1))]);
  return rows;
}

void sort_as_instances(std::vector<std::uint32_t>& rows, const double* values) {
  std::vector<ValueAndRow> items(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) items[i] = {values[rows[i]], rows[i]};
  struct Range {
    std::int64_t left, right;
    int depth;
  };
  std::vector<Range> ranges{{0, static_cast<std::int64_t>(rows.size()) - 1, 0}};
  // A quicksort that makes no progress is left to another sort.
  const int deepest = 64 + 2 * static_cast<int>(std::bit_width(rows.size()));
  while (!ranges.empty()) {
    const auto [left, right, depth] = ranges.back();
    ranges.pop_back();
    if (left >= right) continue;
    if (depth > deepest) {
      std::stable_sort(items.begin() + left, items.begin() + right + 1,
                       [](const ValueAndRow& a, const ValueAndRow& b) { return a.value < b.value; });
      continue;
    }
    const double pivot = items[(left + right) / 2].value;
    std::int64_t low = left, high = right;
    while (low < high) {
      while (items[low].value < pivot && low < high) ++low;
      while (items[high].value > pivot && low < high) --high;
      if (low < high) std::swap(items[low++], items[high--]);
    }
    if (low == high && items[high].value > pivot) --high;
    ranges.push_back({left, high, depth + 1});
    ranges.push_back({high + 1, right, depth + 1});
  }
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = items[i].row;
}

std::vector<ModelNode> grow_m5(const NumericRows& rows, const M5Options& options, Watch& watch) {
  return M5Builder(rows, options, watch).build(shuffled_rows(rows.n_rows));
}

std::vector<M5Rule> learn_m5_rules(const NumericRows& rows, const M5Options& options, Watch& watch) {
  std::vector<M5Rule> rules;
  std::vector<std::uint32_t> left = shuffled_rows(rows.n_rows);
  while (!left.empty()) {
    const std::vector<ModelNode> nodes = M5Builder(rows, options, watch).build(std::move(left));
    const int leaf = largest_leaf(nodes);
    rules.push_back(rule_of(nodes, leaf));
    // The next tree reads the rows in the order in which this one has sorted them.
    left.clear();
    std::vector<bool> covered(rows.n_rows);
    for (const std::uint32_t row : nodes[leaf].rows) covered[row] = true;
    for (const std::uint32_t row : nodes[0].rows)
      if (!covered[row]) left.push_back(row);
    watch.done(static_cast<double>(nodes[leaf].rows.size()));
  }
  return rules;
}

}  // namespace bough::model_trees
