#include "bough/model_trees/cubist_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bough::model_trees::cubist {

namespace {

constexpr int kMinSplit = 3;
constexpr double kEpsilon = 1e-4;
constexpr double kHuge = 1e38;

}  // namespace

Condition Node::condition(int side) const {
  if (test == Test::threshold) return {test, column, cut, side == 1, {}};
  return {test, column, 0, false, levels[side]};
}

int Node::n_leaves() const {
  if (cases < 1) return 0;
  return test == Test::none ? 1 : branch[0]->n_leaves() + branch[1]->n_leaves();
}

Globals find_globals(const Data& data, const Options& options) {
  Globals globals;
  const int n = static_cast<int>(data.y.size());
  double sum = 0, squares = 0;
  float low = data.y[0], high = data.y[0];
  for (const float value : data.y) {
    sum += value;
    squares += static_cast<double>(value) * value;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  globals.deviation = static_cast<float>(std::sqrt((squares - sum * sum / n + 1e-3) / std::max(n - 1, 1)));
  const float range = high - low;
  globals.ceiling = high + options.extrapolation * range;
  if (high <= 0 && globals.ceiling > 0) globals.ceiling = 0;
  globals.floor = low - options.extrapolation * range;
  if (low >= 0 && globals.floor < 0) globals.floor = 0;
  globals.min_cases = std::min(20, static_cast<int>(std::rint(n / 100.0)));
  if (globals.min_cases > static_cast<double>(n) / options.max_rules)
    globals.min_cases = static_cast<int>(static_cast<double>(n) / options.max_rules);
  globals.min_cases = std::max(globals.min_cases, kMinSplit);
  globals.unit.assign(1, 1.0 / data.y_precision);
  for (int c = 0; c < static_cast<int>(data.columns.size()); ++c) {
    const Column& column = data.columns[c];
    int known = 0, same = 0;
    for (int row = 0; column.continuous && column.used && row < n; ++row) {
      if (column.value[row] == column.mean) continue;
      ++known;
      same += (column.value[row] > column.mean) == (data.y[row] > data.y_mean);
    }
    globals.preference.push_back(
        static_cast<float>((2 * std::max(same, known - same) - known) / static_cast<double>(n)));
    double unit = 1;
    const double least = globals.least_coefficient(data, c);
    if (known && least > 0)
      while (unit > least) unit /= 10;
    globals.unit.push_back(unit);
  }
  return globals;
}

TreeBuilder::TreeBuilder(const Data& data, const std::vector<float>& y, const Globals& globals,
                         const SortedLists& lists, int max_rules, std::vector<int>& rows, Watch& watch)
    : data_(data),
      y_(y),
      globals_(globals),
      max_rules_(max_rules),
      n_(static_cast<int>(y.size())),
      rows_(rows),
      watch_(watch),
      regression_(data, y, globals.floor, globals.ceiling),
      lists_(lists),
      cuts_(n_),
      residual_(y.size()) {}

std::unique_ptr<Node> TreeBuilder::build() {
  std::unique_ptr<Node> root = grow(0, n_ - 1, nullptr);
  fit_models(*root, 0, n_ - 1);
  drop_small_branches(*root);
  smooth(*root, 0, n_ - 1);
  find_errors(*root, 0, n_ - 1);
  prune(*root);
  adjust_cuts(*root);
  return root;
}

double TreeBuilder::deviation_of(double n, double sum, double squares) const {
  return n < 2 ? globals_.deviation : std::sqrt((squares - sum * sum / n + 1e-3) / (n - 1));
}

double TreeBuilder::gain(const Node& node, const Branch& left, const Branch& right) const {
  double spread = 0, n = 0;
  for (const Branch* each : {&left, &right}) {
    n += each->n;
    spread += each->n * deviation_of(each->n, each->sum, each->squares);
  }
  return node.deviation - spread / n;
}

std::unique_ptr<Node> TreeBuilder::grow(int first, int last, Node* parent) {
  watch_.poll_or_throw();
  auto node = std::make_unique<Node>();
  const bool root = last - first >= n_ - 1;
  std::vector<bool> tested(data_.columns.size());
  for (const Node* at = parent; at; at = at->parent) tested[at->column] = true;
  node->cases = last - first + 1;
  node->model.assign(data_.columns.size() + 1, 0);
  const std::span<const int> rows = std::span(rows_).subspan(first, node->cases);
  if (!root) {
    node->model = regression_.fit(rows, tested);
    regression_.predict(node->model, rows, predicted_);
  }
  float greatest = 0;
  double sum_y = 0, sum = 0, squares = 0;
  for (int i = first; i <= last; ++i) {
    const int row = rows_[i];
    const float value = root ? y_[row] : y_[row] - regression_.limited(predicted_[i - first]);
    residual_[row] = value;
    sum_y += y_[row];
    sum += value;
    squares += static_cast<double>(value) * value;
    greatest = std::max(greatest, std::abs(value));
  }
  node->mean = sum_y / node->cases;
  node->deviation = deviation_of(node->cases, sum, squares);
  if (root) node->model[0] = node->mean;
  node->parent = parent;
  if (greatest < 0.5 * globals_.unit[0]) return node;
  float best_gain = static_cast<float>(-kEpsilon);
  Best best;
  for (int c = 0; c < static_cast<int>(data_.columns.size()); ++c) {
    const Column& column = data_.columns[c];
    if (!column.used) continue;
    if (!column.continuous && !(root || column.n_levels > 2 || !tested[c])) continue;
    Best found =
        column.continuous ? best_threshold(*node, c, first, last) : best_levels(*node, c, first, last);
    if (!(found.gain > -kEpsilon)) continue;
    if (found.gain > best_gain || (found.gain > 0.999 * best_gain && node->column >= 0 &&
                                   globals_.preference[c] > globals_.preference[node->column])) {
      node->column = c;
      best_gain = found.gain;
      best = std::move(found);
    }
  }
  if (node->column < 0) return node;
  const Column& column = data_.columns[node->column];
  node->test = column.continuous ? Test::threshold : column.n_levels == 2 ? Test::level : Test::subset;
  node->cut = best.cut;
  node->levels = std::move(best.levels);
  divide(*node, first, last);
  return node;
}

void TreeBuilder::divide(Node& node, int first, int last) {
  const int end = group(node, first, last);
  lists_.divide(rows_, first, end + 1, last);
  const std::array<int, 2> begin{first, end + 1}, stop{end, last};
  for (int side = 0; side < 2; ++side) {
    if (begin[side] <= stop[side]) {
      node.branch[side] = grow(begin[side], stop[side], &node);
    } else {
      node.branch[side] = std::make_unique<Node>();
      node.branch[side]->mean = node.mean;
      node.branch[side]->model.assign(data_.columns.size() + 1, 0);
    }
  }
}

// Puts the rows of the first branch before the others; returns the last of them.
int TreeBuilder::group(const Node& node, int first, int last) {
  const Condition condition = node.condition(0);
  for (int i = first; i <= last; ++i)
    if (condition.met_by(data_, rows_[i])) std::swap(rows_[first++], rows_[i]);
  return first - 1;
}

TreeBuilder::Best TreeBuilder::best_threshold(const Node& node, int column, int first, int last) {
  Best best;
  const int cases = last - first + 1;
  if (cases < 2 * kMinSplit) return best;
  const int edge = cases >= 3 * globals_.min_cases ? globals_.min_cases : kMinSplit;
  const std::span<const int> rows = std::span(rows_).subspan(first, cases);
  const Cut found =
      cuts_.best(data_.columns[column], column, rows, first, lists_, residual_, node.deviation, edge);
  if (!(found.gain > 0)) return best;
  best.gain = static_cast<float>(found.gain);
  best.cut = static_cast<float>(0.5 * (found.below + found.above));
  if (best.cut >= found.above) best.cut = found.below;
  return best;
}

TreeBuilder::Best TreeBuilder::best_levels(const Node& node, int column, int first, int last) const {
  const Column& described = data_.columns[column];
  const int k = described.n_levels;
  std::vector<Branch> levels(k);
  for (int i = first; i <= last; ++i) {
    Branch& level = levels[described.code[rows_[i]]];
    const double value = residual_[rows_[i]];
    level.n += 1;
    level.sum += value;
    level.squares += value * value;
  }
  Best best;
  const auto reasonable = [](const Branch& a, const Branch& b) {
    return a.n >= kMinSplit && b.n >= kMinSplit;
  };
  if (k == 2) {
    if (reasonable(levels[0], levels[1])) {
      best.gain = static_cast<float>(gain(node, levels[0], levels[1]));
      best.levels = {std::vector<std::uint8_t>{1, 0}, std::vector<std::uint8_t>{0, 1}};
    }
    return best;
  }
  Branch left, right;
  std::vector<bool> is_left(k);
  for (int v = 0; v < k; ++v) {
    left.n += levels[v].n;
    left.sum += levels[v].sum;
    left.squares += levels[v].squares;
    is_left[v] = levels[v].n > 0;
  }
  while (true) {
    int moved = -1;
    for (int v = 0; v < k; ++v) {
      if (!is_left[v]) continue;
      // Of an ordered column the last level moves, else that of the highest mean.
      if (moved < 0 || described.ordered || levels[v].sum / levels[v].n > levels[moved].sum / levels[moved].n)
        moved = v;
    }
    if (moved < 0) break;
    is_left[moved] = false;
    left.n -= levels[moved].n;
    left.sum -= levels[moved].sum;
    left.squares -= levels[moved].squares;
    right.n += levels[moved].n;
    right.sum += levels[moved].sum;
    right.squares += levels[moved].squares;
    const float found = reasonable(left, right) ? static_cast<float>(gain(node, left, right)) : -1.0f;
    if (!(found > best.gain)) continue;
    best.gain = found;
    for (auto& each : best.levels) each.assign(k, 0);
    for (int v = 0; v < k; ++v)
      if (levels[v].n > 0) best.levels[is_left[v] ? 0 : 1][v] = 1;
  }
  return best;
}

void TreeBuilder::fit_models(Node& node, int first, int last) {
  if (!node.cases) return;
  watch_.poll_or_throw();
  int begin = first;
  std::vector<bool> usable(data_.columns.size());
  if (node.test != Test::none) {
    for (const auto& branch : node.branch) {
      if (!branch->cases) continue;
      fit_models(*branch, begin, begin + branch->cases - 1);
      begin += branch->cases;
    }
  }
  for (const Node* at = node.parent; at; at = at->parent) usable[at->column] = true;
  std::vector<const Node*> below{&node};
  while (!below.empty()) {
    const Node* at = below.back();
    below.pop_back();
    if (at->test == Test::none) continue;
    usable[at->column] = true;
    for (const auto& branch : at->branch) below.push_back(branch.get());
  }
  node.model = regression_.fit(std::span(rows_).subspan(first, last - first + 1), usable);
}

namespace {

int count_coefficients(const std::vector<double>& model) {
  return 1 + static_cast<int>(
                 std::count_if(model.begin() + 1, model.end(), [](double each) { return each != 0; }));
}

void make_leaf(Node& node) {
  node.test = Test::none;
  for (auto& branch : node.branch) branch.reset();
}

}  // namespace

// Also counts parameters and keeps the models as they are before smoothing.
void TreeBuilder::drop_small_branches(Node& node) {
  if (node.test != Test::none &&
      (node.branch[0]->cases < globals_.min_cases || node.branch[1]->cases < globals_.min_cases))
    make_leaf(node);
  node.n_coefficients = static_cast<float>(count_coefficients(node.model));
  if (node.test == Test::none) {
    node.n_parameters = node.n_coefficients;
    return;
  }
  node.unsmoothed = node.model;
  node.n_parameters = node.test == Test::level ? 3 : 4;
  for (const auto& branch : node.branch) {
    drop_small_branches(*branch);
    node.n_parameters += branch->n_parameters;
  }
}

double TreeBuilder::error_variance(const std::vector<double>& model, int first, int last,
                                   std::vector<double>& errors) {
  regression_.predict(model, std::span(rows_).subspan(first, last - first + 1), predicted_);
  double n = 0, sum = 0, squares = 0;
  errors.resize(last - first + 1);
  for (int i = first; i <= last; ++i) {
    const double error = y_[rows_[i]] - regression_.limited(predicted_[i - first]);
    errors[i - first] = error;
    n += 1;
    sum += error;
    squares += error * error;
  }
  if (n <= 1) return 1e-38;
  const double variance = (squares - sum * sum / n) / (n - 1);
  return variance > 1e-38 ? variance : 1e-38;
}

void TreeBuilder::smooth(Node& node, int first, int last) {
  watch_.poll_or_throw();
  if (node.test != Test::none) {
    int begin = first;
    for (const auto& branch : node.branch) {
      smooth(*branch, begin, begin + branch->cases - 1);
      begin += branch->cases;
    }
  }
  const double n = last - first + 1;
  std::vector<double> errors, above;
  double variance = error_variance(node.model, first, last, errors);
  if (n > 2 && variance > 1e-10) {
    for (const Node* parent = node.parent; parent; parent = parent->parent) {
      const double its_variance = error_variance(parent->unsmoothed, first, last, above);
      double sum_x = 0, sum_y = 0, sum_xy = 0;
      for (std::size_t i = 0; i < errors.size(); ++i) {
        sum_x += errors[i];
        sum_y += above[i];
        sum_xy += errors[i] * above[i];
      }
      const double covariance = (sum_xy - sum_x * sum_y / n) / (n - 1);
      const double spread = variance + its_variance - 2 * covariance;
      const double share = spread <= 1e-12 ? 1 : (its_variance - covariance) / spread;
      if (!(share > 0 && share < 1)) continue;
      for (std::size_t term = 0; term < node.model.size(); ++term)
        node.model[term] = node.model[term] * share + parent->unsmoothed[term] * (1 - share);
      variance = error_variance(node.model, first, last, errors);
    }
  }
  for (int c = 0; c < static_cast<int>(data_.columns.size()); ++c) {
    double& coefficient = node.model[c + 1];
    if (coefficient == 0) continue;
    const double unit = globals_.unit[c + 1];
    coefficient = std::abs(coefficient) < globals_.least_coefficient(data_, c)
                      ? 0
                      : std::rint(coefficient / unit) * unit;
  }
  // The intercept makes the median error zero.
  regression_.predict(node.model, std::span(rows_).subspan(first, last - first + 1), predicted_);
  for (int i = first; i <= last; ++i) predicted_[i - first] -= y_[rows_[i]];
  const auto middle = predicted_.begin() + (predicted_.size() + 1) / 2 - 1;
  std::nth_element(predicted_.begin(), middle, predicted_.end());
  node.model[0] -= *middle;
  node.model[0] = std::rint(node.model[0] / globals_.unit[0]) * globals_.unit[0];
}

void TreeBuilder::find_errors(Node& node, int first, int last) {
  regression_.predict(node.model, std::span(rows_).subspan(first, last - first + 1), predicted_);
  double error = 0;
  for (int i = first; i <= last; ++i) error += std::abs(y_[rows_[i]] - predicted_[i - first]);
  node.leaf_error = node.tree_error = static_cast<float>(error);
  if (node.test == Test::none) return;
  node.tree_error = 0;
  int begin = first;
  for (const auto& branch : node.branch) {
    find_errors(*branch, begin, begin + branch->cases - 1);
    node.tree_error += branch->tree_error;
    begin += branch->cases;
  }
}

void TreeBuilder::prune(Node& root) {
  int leaves = root.n_leaves();
  // First while the estimated error falls, then while it rises by at most 0.5 %, then down to the number of
  // rules allowed.
  for (int stage = 1;;) {
    total_parameters_ = root.n_parameters;
    total_error_ = root.tree_error;
    const double now = n_ * estimated_error(total_error_ / n_, n_, static_cast<float>(total_parameters_));
    if (stage == 1) error_limit_ = now;
    extra_error_ = kHuge;
    weakest_ = nullptr;
    find_weakest(root);
    if (weakest_ && (new_error_ <= now || stage > 1)) {
      leaves -= weakest_->n_leaves() - 1;
      for (Node* at = weakest_; at; at = at->parent) {
        at->tree_error = static_cast<float>(at->tree_error + extra_error_);
        at->n_parameters = static_cast<float>(at->n_parameters + extra_parameters_);
      }
      make_leaf(*weakest_);
    } else if (stage == 1) {
      stage = 2;
      error_limit_ = now * 1.005;
    } else {
      stage = 3;
      error_limit_ = kHuge;
    }
    if (stage == 3 && leaves <= max_rules_) return;
  }
}

void TreeBuilder::find_weakest(Node& node) {
  if (node.test == Test::none) return;
  const double extra = node.leaf_error - node.tree_error;
  const float parameters = node.n_coefficients - node.n_parameters;
  const double error = n_ * estimated_error((extra + total_error_) / n_, n_,
                                            static_cast<float>(parameters + total_parameters_));
  if (error <= error_limit_ && extra < extra_error_) {
    weakest_ = &node;
    extra_error_ = extra;
    extra_parameters_ = parameters;
    new_error_ = error;
  }
  for (const auto& branch : node.branch) find_weakest(*branch);
}

// Cuts become values of the column.
void TreeBuilder::adjust_cuts(Node& node) {
  if (node.test == Test::none) return;
  if (node.test == Test::threshold) {
    float greatest = 0;
    bool found = false;
    for (const float value : data_.columns[node.column].value)
      if (value <= node.cut && (!found || value > greatest)) {
        greatest = value;
        found = true;
      }
    if (found) node.cut = greatest;
  }
  for (const auto& branch : node.branch) adjust_cuts(*branch);
}

}  // namespace bough::model_trees::cubist
