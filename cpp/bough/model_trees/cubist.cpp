#include "bough/model_trees/cubist.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bough/model_trees/cubist_regression.hpp"
#include "bough/model_trees/cubist_tree.hpp"

namespace bough::model_trees::cubist {

bool Condition::met_by(const Data& data, int row) const {
  if (test == Test::threshold) return (data.columns[column].value[row] <= cut) != above;
  return levels[data.columns[column].code[row]] != 0;
}

double Rule::predict(const Data& data, int row) const {
  double value = model[0];
  for (std::size_t c = 0; c < data.columns.size(); ++c)
    if (model[c + 1] != 0) value += data.columns[c].value[row] * model[c + 1];
  return value < low_limit ? low_limit : value > high_limit ? high_limit : value;
}

float Model::predict(const std::vector<Rule>& rules, const Data& data, int row) const {
  double sum = 0, n = 0;
  for (const Rule& rule : rules) {
    const bool fires = std::all_of(rule.conditions.begin(), rule.conditions.end(),
                                   [&](const Condition& each) { return each.met_by(data, row); });
    if (!fires) continue;
    sum += rule.predict(data, row);
    n += 1;
  }
  return n > 0 ? static_cast<float>(sum / n) : mean;
}

int denominator(float value) {
  double rest = std::abs(value), whole;
  int factor = 1, most = 1000000;
  if (rest == 0) return 1;
  while (rest < 0.1 && factor < most) {
    rest *= 10;
    factor *= 10;
  }
  rest = std::modf(rest, &whole);
  while (whole >= 1 && most >= 10) {
    whole /= 10;
    most /= 10;
  }
  for (; factor < most; factor *= 10) {
    if (rest < 0.005 || rest > 0.995) return factor;
    rest = std::modf(rest * 10, &whole);
  }
  return most;
}

namespace {

struct Statistics {
  int count = 0, precision = 0;
  float mean = 0, deviation = 1;
};

Statistics statistics_of(const std::vector<float>& values) {
  Statistics found;
  double sum = 0, squares = 0;
  int base = 0;
  for (const float value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    squares += value * value;
    ++found.count;
    base = std::max(base, denominator(value));
  }
  if (found.count < 2) return found;
  found.precision = 10 * base;
  found.mean = static_cast<float>(std::floor(sum / found.count * found.precision + 0.1) / found.precision);
  const double variance = (squares - sum * sum / found.count) / (found.count - 1);
  found.deviation = static_cast<float>(std::sqrt(std::max(variance, 0.0)) + 1e-6);
  return found;
}

}  // namespace

void prepare(Data& data) {
  const Statistics of_y = statistics_of(data.y);
  data.y_mean = of_y.mean;
  data.y_precision = std::max(of_y.precision, 1);
  for (Column& column : data.columns) {
    if (column.continuous) {
      const Statistics found = statistics_of(column.value);
      column.mean = found.mean;
      column.deviation = found.deviation;
      column.used = found.count > 1;
      for (float& value : column.value)
        if (std::isnan(value)) value = column.mean;
      continue;
    }
    std::vector<int> counts(column.n_levels);
    for (const int code : column.code)
      if (code >= 0) ++counts[code];
    const auto most = std::max_element(counts.begin(), counts.end());
    column.used = most != counts.end() && *most > 0;
    column.mode = column.used ? static_cast<int>(most - counts.begin()) : 0;
    for (int& code : column.code)
      if (code < 0) code = column.mode;
  }
}

namespace {

// Makes rules from the paths of a tree: conditions are dropped where that does not raise the error of the
// rows that the rule then covers.
class RuleMaker {
 public:
  // rows: in the order of the leaves of the tree.
  RuleMaker(const Data& data, const Globals& globals, const Options& options, const std::vector<int>& rows,
            Watch& watch)
      : data_(data),
        globals_(globals),
        options_(options),
        rows_(rows),
        watch_(watch),
        regression_(data, data.y, globals.floor, globals.ceiling),
        n_(static_cast<int>(rows.size())),
        n_failed_(n_),
        next_(n_),
        predicted_(n_),
        sum_(n_),
        count_(n_, 1) {}

  std::vector<Rule> make(const Node& root) {
    for (int i = 0; i < n_; ++i) sum_[i] = tree_value(root, rows_[i]);
    scan(root);
    order();
    return std::move(rules_);
  }

 private:
  float tree_value(const Node& root, int row) const {
    const Node* node = &root;
    while (node->test != Test::none) node = node->branch[node->condition(0).met_by(data_, row) ? 0 : 1].get();
    double value = node->model[0];
    for (std::size_t c = 0; c < data_.columns.size(); ++c)
      if (node->model[c + 1] != 0) value += data_.columns[c].value[row] * node->model[c + 1];
    const double limited = value < globals_.floor     ? globals_.floor
                           : value > globals_.ceiling ? globals_.ceiling
                                                      : value;
    return static_cast<float>(limited);
  }

  void scan(const Node& node) {
    if (node.test == Test::none) {
      if (node.cases >= 1) prune(node);
      return;
    }
    for (int side = 0; side < 2; ++side) {
      path_.push_back(node.condition(side));
      std::vector<std::uint8_t>& failed = failed_.emplace_back(n_);
      for (int i = 0; i < n_; ++i) {
        failed[i] = !path_.back().met_by(data_, rows_[i]);
        n_failed_[i] += failed[i];
      }
      scan(*node.branch[side]);
      for (int i = 0; i < n_; ++i) n_failed_[i] -= failed_.back()[i];
      path_.pop_back();
      failed_.pop_back();
    }
  }

  // Rows that fail no condition that is left, one, or more; each list has its latest row first.
  void start_lists() {
    none_ = one_ = many_ = -1;
    total_.assign(path_.size() + 1, 0);
    error_.assign(path_.size() + 1, 0);
    for (int i = 0; i < n_; ++i) {
      if (local_[i] == 0) {
        count(0, i);
        push(none_, i);
      } else if (local_[i] == 1) {
        count(single_failure(i), i);
        push(one_, i);
      } else {
        push(many_, i);
      }
    }
  }

  void drop_from_lists(int dropped) {
    const std::vector<std::uint8_t>& failed = failed_[dropped - 1];
    for (int *previous = &one_, i = one_; i >= 0;) {
      const int next = next_[i];
      if (failed[i]) {
        local_[i] = 0;
        count(0, i);
        *previous = next;
        push(none_, i);
      } else {
        previous = &next_[i];
      }
      i = next;
    }
    for (int *previous = &many_, i = many_; i >= 0;) {
      const int next = next_[i];
      if (failed[i] && --local_[i] == 1) {
        count(single_failure(i), i);
        *previous = next;
        push(one_, i);
      } else {
        previous = &next_[i];
      }
      i = next;
    }
  }

  void push(int& list, int i) {
    next_[i] = list;
    list = i;
  }

  int single_failure(int i) const {
    for (std::size_t d = 0; d < path_.size(); ++d)
      if (!deleted_[d + 1] && failed_[d][i]) return static_cast<int>(d) + 1;
    return 0;
  }

  // Condition 0: the rule as it is. Else what the rows that fail this condition alone would gain.
  void count(int condition, int i) {
    const int row = rows_[i];
    const float y = data_.y[row];
    total_[condition] += 1;
    float value = predicted_[i] = regression_.raw(*model_, row);
    value = value < globals_.floor ? globals_.floor : value > globals_.ceiling ? globals_.ceiling : value;
    if (condition == 0) {
      error_[0] += std::abs(y - value);
      return;
    }
    const float before = sum_[i] / static_cast<float>(count_[i]);
    const float after = (sum_[i] + value) / static_cast<float>(count_[i] + 1);
    error_[condition] += static_cast<double>(std::abs(y - before)) - static_cast<double>(std::abs(y - after));
  }

  void prune(const Node& leaf) {
    watch_.poll_or_throw();
    model_ = &leaf.model;
    regression_.choose_terms(leaf.model);
    local_ = n_failed_;
    deleted_.assign(path_.size() + 1, false);
    std::size_t left = path_.size();
    start_lists();
    while (left != 1) {
      int best = 0;
      for (std::size_t d = 1; d <= path_.size(); ++d)
        if (!deleted_[d] && error_[d] >= 0 && (!best || error_[d] > error_[best])) best = static_cast<int>(d);
      if (!best) break;
      deleted_[best] = true;
      --left;
      drop_from_lists(best);
    }
    if (!path_.empty() && left == 0) return;
    add(leaf);
  }

  void add(const Node& leaf) {
    Rule rule;
    rule.low = 1e38f;
    rule.high = -1e38f;
    double sum = 0;
    for (int i = none_; i >= 0; i = next_[i]) {
      const float y = data_.y[rows_[i]];
      ++rule.cover;
      sum += y;
      rule.low = std::min(rule.low, y);
      rule.high = std::max(rule.high, y);
    }
    rule.mean = static_cast<float>(sum / rule.cover);
    rule.error = static_cast<float>(estimated_error(error_[0] / total_[0], rule.cover, leaf.n_coefficients));
    rule.model = leaf.model;
    while (true) {
      int next = 0;
      for (std::size_t d = 1; d <= path_.size(); ++d)
        if (!deleted_[d] && (!next || total_[d] > total_[next])) next = static_cast<int>(d);
      if (!next) break;
      deleted_[next] = true;
      rule.conditions.push_back(path_[next - 1]);
    }
    bool is_new = true;
    for (Rule& other : rules_) {
      if (!is_new || other.conditions != rule.conditions) continue;
      is_new = false;
      if (rule.error < other.error) {
        other.model = rule.model;
        other.error = rule.error;
      }
    }
    if (!is_new) return;
    const float range = rule.high - rule.low;
    rule.low_limit = rule.low - options_.extrapolation * range;
    if (rule.low_limit < 0 && rule.low >= 0) rule.low_limit = 0;
    rule.high_limit = rule.high + options_.extrapolation * range;
    if (rule.high_limit > 0 && rule.high <= 0) rule.high_limit = 0;
    // Rows that the path did not cover are predicted by one rule more.
    for (int i = none_; i >= 0; i = next_[i]) {
      if (!n_failed_[i]) continue;
      const float value = predicted_[i];
      sum_[i] += value < rule.low ? rule.low : value > rule.high ? rule.high : value;
      ++count_[i];
    }
    if (options_.unbiased) remove_bias(rule, static_cast<int>(leaf.n_coefficients));
    rules_.push_back(std::move(rule));
  }

  // In steps, because limits of predictions affect the mean error.
  void remove_bias(Rule& rule, int n_coefficients) {
    const auto limited = [&](int i) -> double {
      const float value = predicted_[i];
      return value < rule.low_limit ? rule.low_limit : value > rule.high_limit ? rule.high_limit : value;
    };
    double bias = 0, absolute = -1;
    for (int i = none_; i >= 0; i = next_[i]) bias += limited(i) - data_.y[rows_[i]];
    bias /= rule.cover;
    while (std::abs(bias) >= 0.5 * globals_.unit[0]) {
      const double last = bias;
      rule.model[0] -= bias;
      bias = absolute = 0;
      for (int i = none_; i >= 0; i = next_[i]) {
        predicted_[i] = static_cast<float>(predicted_[i] - last);
        bias += limited(i) - data_.y[rows_[i]];
        absolute += std::abs(limited(i) - data_.y[rows_[i]]);
      }
      bias /= rule.cover;
      if (std::abs(bias) >= std::abs(last)) break;
    }
    if (absolute < 0) return;
    rule.model[0] = std::rint(rule.model[0] / globals_.unit[0]) * globals_.unit[0];
    rule.error = static_cast<float>(
        estimated_error(absolute / rule.cover, rule.cover, static_cast<float>(n_coefficients)));
  }

  // By the mean of y.
  void order() {
    for (std::size_t r = 0; r < rules_.size(); ++r) {
      std::size_t least = r;
      for (std::size_t other = r + 1; other < rules_.size(); ++other)
        if (rules_[other].mean < rules_[least].mean) least = other;
      if (least != r) std::swap(rules_[r], rules_[least]);
    }
  }

  const Data& data_;
  const Globals& globals_;
  const Options& options_;
  const std::vector<int>& rows_;
  Watch& watch_;
  Regression regression_;
  int n_;
  std::vector<Condition> path_;
  std::vector<std::vector<std::uint8_t>> failed_;  // by condition of the path
  std::vector<int> n_failed_, local_, next_;
  std::vector<bool> deleted_;
  std::vector<double> total_, error_;
  int none_ = -1, one_ = -1, many_ = -1;
  const std::vector<double>* model_ = nullptr;
  std::vector<float> predicted_, sum_;
  std::vector<int> count_;
  std::vector<Rule> rules_;
};

}  // namespace

Model learn(const Data& data, const Options& options, Watch& watch) {
  const Globals globals = find_globals(data, options);
  const int n = static_cast<int>(data.y.size());
  Model model;
  model.floor = globals.floor;
  model.ceiling = globals.ceiling;
  model.mean = static_cast<float>(std::accumulate(data.y.begin(), data.y.end(), 0.0) / n);
  const SortedLists lists(data);
  std::vector<float> y = data.y;
  for (int member = 0; member < options.n_committees; ++member) {
    std::vector<int> rows(n);
    std::iota(rows.begin(), rows.end(), 0);
    const std::unique_ptr<Node> tree =
        TreeBuilder(data, y, globals, lists, options.max_rules, rows, watch).build();
    model.committee.push_back(RuleMaker(data, globals, options, rows, watch).make(*tree));
    // The next member predicts what compensates for the errors of this one.
    for (int row = 0; row < n; ++row)
      y[row] = 2 * data.y[row] - model.predict(model.committee.back(), data, row);
    watch.done(1);
  }
  return model;
}

}  // namespace bough::model_trees::cubist
