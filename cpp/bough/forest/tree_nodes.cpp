// What a tree knows of its rows and of its nodes. Part of TreeGrower.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bough/forest/tree_targets.hpp"

namespace bough {

namespace {

// Below the value of any split and above that of none, which is -1 or less.
constexpr double kGainless = -0.5;

// Gives each class the same share of the total weight.
void balance_classes(const Data& data, double total, double* weight) {
  std::vector<double> of_class(data.n_classes, 0.0);
  for (std::int64_t i = 0; i < data.n_rows; ++i) of_class[data.label[i]] += weight[i];
  for (std::int64_t i = 0; i < data.n_rows; ++i)
    if (weight[i] > 0) weight[i] *= total / (data.n_classes * of_class[data.label[i]]);
}

// Rounds weights to a grid whose sums are exact, if one is so small that it would be lost in the sum of all:
// the weight of a child, which is what is left of its node's, could be 0 otherwise. No weight becomes 0.
void keep_small_weights(double total, double* weight, std::int64_t n) {
  constexpr double kSmall = 0x1p-40;
  constexpr int kGridBits = 51;  // the sum may grow by as much as it is: a weight is at least a unit
  const auto is_small = [&](double w) { return w > 0 && w < kSmall * total; };
  if (std::none_of(weight, weight + n, is_small)) return;
  const double unit = std::ldexp(1.0, std::ilogb(total) - kGridBits);
  for (std::int64_t i = 0; i < n; ++i)
    if (weight[i] > 0) weight[i] = std::max(1.0, std::nearbyint(weight[i] / unit)) * unit;
}

// The weighted y of each row about an origin, and its square.
void write_moments(const Data& data, const double* weight, double origin, double* first, double* second) {
  for (std::int64_t i = 0; i < data.n_rows; ++i) {
    const double y = data.y[i] - origin;
    first[i] = weight[i] * y;
    second[i] = first[i] * y;
  }
}

// The weighted events of each row, of which sum is about the sum, and y log y.
void write_events(const Data& data, const double* weight, double sum, double* first, double* second) {
  const EventGrid grid(sum);
  for (std::int64_t i = 0; i < data.n_rows; ++i) {
    const double y = data.y[i];
    first[i] = grid.nearest(weight[i] * y);
    second[i] = y > 0 ? weight[i] * y * std::log(y) : 0;
  }
}

}  // namespace

// Draws the rows of a tree and weighs them.
void TreeGrower::draw(std::uint64_t tree) {
  const Data& data = plan_.data;
  const std::int64_t n = data.n_rows;
  if (plan_.sampler.takes_all() && !count_.empty()) {  // all is as it was for the tree before
    std::iota(rows_.begin(), rows_.begin() + n, 0u);
    return;
  }
  plan_.sampler.draw(plan_.seed, tree, count_);
  int m = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    rows_[m] = static_cast<std::uint32_t>(i);
    m += count_[i] > 0;
  }
  n_drawn_ = m;
  view_ = {};
  if (plan_.counts) {
    for (std::int64_t i = 0; i < n; ++i) row_counted_[i] = counted_draws(count_[i], data.label[i] == 1);
    view_.counted = row_counted_.data();
    node_->set_most_draws(*std::max_element(count_.begin(), count_.end()));
    return;
  }
  double total = 0, sum = 0;
  const double* given = plan_.sampler.weights(tree);
  for (std::int64_t i = 0; i < n; ++i) {
    weight_[i] = given ? given[i] : count_[i] * (data.weight ? data.weight[i] : 1.0);
    cases_[i] = plan_.row_is_case ? count_[i] > 0 : count_[i] * (data.cases ? data.cases[i] : 1.0);
    total += weight_[i];
    if (data.y && data.n_targets() == 1) sum += weight_[i] * data.y[i];
  }
  if (plan_.recipe.balance && data.n_targets() > 1) balance_targets(total);
  if (plan_.recipe.balance && data.n_targets() == 1) balance_classes(data, total, weight_.data());
  if (given || data.weight || plan_.recipe.balance) keep_small_weights(total, weight_.data(), n);
  if (tally_) tally_->start_tree(weight_, cases_);
  const auto whole = [](double number) { return number == std::floor(number); };
  whole_classes_ = data.n_classes && total < 0x1p53 &&
                   std::all_of(weight_.begin(), weight_.begin() + n, whole) &&
                   std::all_of(cases_.begin(), cases_.begin() + n, whole);
  view_.rows.label = data.label;
  view_.rows.y = data.y;
  view_.rows.weight = weight_.data();
  view_.rows.cases = cases_.data();
  if (data.n_targets() > 1) {
    view_.rows.n_targets = data.n_targets();
    view_.rows.grid_width = grid_width_of(data, plan_.recipe.criterion);
    view_.rows.grid = view_.rows.grid_width ? grid_.data() : nullptr;
    if (data.y) weigh_numbers();
    if (data.label && view_.rows.grid) ClassColumns(plan_.evaluator).write_all(view_.rows, n);
    return;
  }
  if (!data.y) return;
  const bool events = plan_.evaluator.criterion().reads_rates();
  origin_ = events ? 0 : sum / total;
  if (plan_.whole_y) origin_ = std::nearbyint(origin_);
  if (events)
    write_events(data, weight_.data(), sum, grid_.data(), square_.data());
  else
    write_moments(data, weight_.data(), origin_, grid_.data(), square_.data());
  view_.rows.grid = grid_.data();
}

NodeSums TreeGrower::sums_of(int node) const {
  NodeSums sums;
  sums.weight = tree_.nodes[node].weight;
  sums.cases = tree_.nodes[node].cases;
  sums.statistics = plan_.data.n_classes ? tree_.statistics.data() + static_cast<std::ptrdiff_t>(node) * k_
                                         : moments_.data() + moments_at(node);
  if (plan_.counts) sums.counted = counted_[node];
  return sums;
}

void TreeGrower::set_counted(int node, std::uint64_t counted, int rows) {
  counted_[node] = counted;
  const auto all = static_cast<double>(counted & 0xffffffffu), second = static_cast<double>(counted >> 32);
  tree_.nodes[node].weight = all;
  tree_.nodes[node].cases = plan_.row_is_case ? rows : all;
  tree_.statistics[2 * node] = all - second;
  tree_.statistics[2 * node + 1] = second;
}

void TreeGrower::add_nodes(int n) {
  const std::size_t size = tree_.nodes.size() + n;
  tree_.nodes.resize(size);
  tree_.statistics.resize(size * k_, 0.0);
  if (plan_.counts) counted_.resize(size);
  bounds_.resize(size);
  if (!plan_.data.n_classes) {
    moments_.resize(moments_at(static_cast<int>(size)));
    uniform_.resize(size);
  }
}

bool TreeGrower::live(const Span& span) const {
  const Limits& limits = plan_.recipe.limits;
  const ForestNode& node = tree_.nodes[span.node];
  if (span.count < 2 || span.depth >= limits.max_depth || node.cases < limits.min_cases_split ||
      node.cases < 2 * limits.min_cases_leaf)
    return false;
  if (!plan_.data.n_classes) return !uniform_[span.node];
  const double* counts = tree_.statistics.data() + static_cast<std::ptrdiff_t>(span.node) * k_;
  for (const int k : plan_.data.targets) {
    if (*std::max_element(counts, counts + k) < node.weight) return true;
    counts += k;
  }
  if (!plan_.data.targets.empty()) return false;
  return *std::max_element(counts, counts + k_) < node.weight;
}

// What a split would be worth that leaves each side one class.
double TreeGrower::value_if_pure(const NodeSums& sums) const {
  constexpr double kSlack = 1 - 1e-12;  // more than what rounding takes
  if (plan_.counts) return sums.statistics[0] * sums.statistics[1] * kSlack;
  if (plan_.evaluator.criterion()->pure_is_best) return plan_.evaluator.impurity(sums.statistics) * kSlack;
  return std::numeric_limits<double>::infinity();
}

// The columns that the next node will look at first: none are told where cuts are drawn as well, since it
// depends on the rows how often.
const std::vector<int>& TreeGrower::columns_ahead() {
  ahead_.clear();
  const int n = std::min(plan_.recipe.max_features, n_columns_);
  if (plan_.recipe.splitter == Splitter::random || n == n_columns_) return ahead_;
  Random random = random_;
  std::vector<int> swapped;
  for (int seen = 0; seen < n; ++seen) {
    swapped.push_back(seen + static_cast<int>(random.below(static_cast<std::uint32_t>(n_columns_ - seen))));
    std::swap(columns_[seen], columns_[swapped.back()]);
    ahead_.push_back(columns_[seen]);
  }
  for (int seen = n - 1; seen >= 0; --seen) std::swap(columns_[seen], columns_[swapped[seen]]);
  return ahead_;
}

// The value that a split must exceed to gain anything. Sums of numbers and of weights are rounded, counts are
// not.
double TreeGrower::least_gain(int node) const {
  if (plan_.recipe.gainless) return kGainless;
  if (plan_.counts) return 0;
  NodeTotals totals{tree_.nodes[node].weight};
  if (!plan_.data.n_classes) {
    const int k = plan_.data.n_targets();
    const double *sum = moments_.data() + moments_at(node) + 1,
                 *risk = tree_.statistics.data() + static_cast<std::ptrdiff_t>(node) * k_ + k;
    totals.sum = k == 1 ? sum[0] : std::sqrt(std::inner_product(sum, sum + k, sum, 0.0) / k);
    totals.risk = k == 1 ? risk[0] : std::accumulate(risk, risk + k, 0.0) / k;
  }
  return plan_.evaluator.criterion()->rounding(totals);
}

// Fills in the cuts that lie between the values of two rows. They are fetched together at the end, for they
// lie anywhere in the table.
void TreeGrower::set_cuts() {
  constexpr std::size_t kAhead = 16;
  for (std::size_t i = 0; i < uncut_.size(); ++i) {
    if (i + kAhead < uncut_.size()) {
      const Uncut& later = uncut_[i + kAhead];
      const Column& column = plan_.data.columns[tree_.nodes[later.node].column];
      column.prefetch(later.below);
      column.prefetch(later.above);
    }
    ForestNode& node = tree_.nodes[uncut_[i].node];
    const Column& column = plan_.data.columns[node.column];
    const double low = column.value(uncut_[i].below), high = column.value(uncut_[i].above);
    node.cut =
        column.scale == Scale::numeric ? cut_above_middle(low, high) : cut_between(low, high, column.scale);
  }
}

}  // namespace bough
