#include "plain_grower.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace bough::tests {

namespace {

using RowList = std::vector<int>;

struct Split {
  double rank = -std::numeric_limits<double>::infinity(), value = 0;  // on the grid, and in real units
  int column = -1, n_branches = 2, default_branch = 0;
  double cut = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::int32_t> codes, branches;
};

// A contingency table: the statistics and cases of each distinct value.
struct Groups {
  std::vector<double> values, statistics, cases;
};

struct PlainNode {
  RowList rows;
  int depth = 0, first_child = -1, parent = -1;
  double weight = 0, cases = 0, risk = 0;  // the weight on the grid
  std::vector<double> statistics;          // real
  int exponent = 0;
  bool settled = true;
  Split split;
};

class PlainGrower {
 public:
  PlainGrower(const Data& data, const Recipe& recipe) : data_(data), recipe_(recipe) {
    grid_.resize(data.y ? data.n_rows : 0);
    lay_weights_on_grid();
  }

  GrownTree grow() {
    PlainNode root;
    for (int i = 0; i < data_.n_rows; ++i)
      if (weight_[i] > 0) root.rows.push_back(i);
    summarize(root);
    nodes_.push_back(root);
    std::vector<int> waiting;
    consider(0, waiting);
    int leaves = 1;
    while (!waiting.empty()) {
      const auto next =
          std::max_element(waiting.begin(), waiting.end(), [&](int a, int b) { return comes_later(a, b); });
      const int node = *next, more = nodes_[node].split.n_branches - 1, most = recipe_.limits.max_leaves;
      waiting.erase(next);
      if (most > 0 && leaves + more > most) {
        nodes_[node].split = {};
        continue;
      }
      leaves += more;
      for (int child : part(node)) consider(child, waiting);
    }
    return numbered();
  }

 private:
  void lay_weights_on_grid() {
    double total = 0;
    for (int i = 0; i < data_.n_rows; ++i) {
      weight_.push_back(data_.weight ? data_.weight[i] : 1);
      total += weight_.back();
      whole_ &= weight_.back() == std::floor(weight_.back());
    }
    if (whole_) return;
    int power;
    std::frexp(total, &power);
    weight_exponent_ = 52 - power;
    for (double& w : weight_) w = std::rint(std::ldexp(w, weight_exponent_));
  }

  double real_weight(double w) const { return std::ldexp(w, -weight_exponent_); }
  double real_weight(const PlainNode& node) const { return real_weight(node.weight); }
  bool comes_later(int a, int b) const {
    const double x = nodes_[a].split.value * real_weight(nodes_[a]);
    const double y = nodes_[b].split.value * real_weight(nodes_[b]);
    return x < y || (x == y && a > b);
  }

  void summarize(PlainNode& node) {
    const int k = data_.n_classes;
    node.statistics.assign(k ? k : 1, 0.0);
    for (int row : node.rows) {
      node.weight += weight_[row];
      node.cases += data_.cases ? data_.cases[row] : 1;
      if (k) node.statistics[data_.label[row]] += real_weight(weight_[row]);
    }
    if (node.rows.empty()) return;
    if (!k) return summarize_numbers(node);
    const double weight = real_weight(node);
    const double most = *std::max_element(node.statistics.begin(), node.statistics.end());
    node.risk = weight - most;
    node.settled =
        most >= recipe_.limits.purity * weight || weight - node.statistics[0] < recipe_.limits.min_events;
  }

  void summarize_numbers(PlainNode& node) {
    RowList rows = node.rows;
    std::stable_sort(rows.begin(), rows.end(), [&](int a, int b) { return data_.y[a] < data_.y[b]; });
    const double low = data_.y[rows.front()], high = data_.y[rows.back()];
    node.statistics[0] = low;
    if (low == high) return;
    const bool rates = recipe_.criterion == criterion_of<Poisson>;
    const bool median = recipe_.criterion == criterion_of<AbsoluteError>;
    const double origin = rates ? 0 : low / 2 + high / 2, radius = rates ? high : high / 2 - low / 2;
    int power;
    std::frexp((median && !whole_ ? 1 : node.weight) * radius, &power);
    node.exponent = std::min(52 - power, 1000);
    double sum = 0, below = 0;
    for (int row : rows) {
      const double step = std::ldexp(data_.y[row] - origin, node.exponent);
      const double w = weight_[row];
      grid_[row] = median ? std::rint(step) : whole_ ? w * std::rint(step) : std::rint(w * step);
      sum += grid_[row];
    }
    double answer = origin + std::ldexp(sum / node.weight, -node.exponent);
    for (std::size_t i = 0; median && i < rows.size(); ++i) {
      below += weight_[rows[i]];
      if (2 * below < node.weight) continue;
      answer = data_.y[rows[i]];
      if (2 * below == node.weight) answer = answer / 2 + data_.y[rows[i + 1]] / 2;
      break;
    }
    node.statistics[0] = answer;
    for (int row : rows) node.risk += real_weight(weight_[row]) * loss(data_.y[row], answer);
    node.settled = node.risk / real_weight(node) < recipe_.limits.min_variance ||
                   (rates && real_weight(std::ldexp(sum, -node.exponent)) < recipe_.limits.min_events);
  }

  double loss(double y, double answer) const {
    if (recipe_.criterion == criterion_of<SquaredError>) return (y - answer) * (y - answer);
    if (recipe_.criterion == criterion_of<AbsoluteError>) return std::abs(y - answer);
    return 2 * ((y > 0 ? y * std::log(y / answer) : 0) - (y - answer));
  }

  void consider(int at, std::vector<int>& waiting) {
    const Limits& limits = recipe_.limits;
    PlainNode& node = nodes_[at];
    if (node.settled || node.depth >= limits.max_depth || node.cases < limits.min_cases_split ||
        node.cases < 2 * limits.min_cases_of_two())
      return;
    const Evaluator evaluator = evaluator_for(node);
    Split best;
    for (int c = 0; c < static_cast<int>(data_.columns.size()); ++c) {
      Split found = best_of_column(node, c, evaluator);
      if (found.rank > best.rank && tells(node, found) && worthwhile(node, found)) best = std::move(found);
    }
    if (best.column < 0) return;
    node.split = std::move(best);
    waiting.push_back(at);
  }

  Evaluator evaluator_for(const PlainNode& node) {
    if (recipe_.criterion != criterion_of<AbsoluteError>)
      return Evaluator(recipe_.criterion, data_.n_classes ? data_.n_classes : 2);
    std::vector<double> values;
    for (int row : node.rows) values.push_back(grid_[row]);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    values_ = values;
    return Evaluator(recipe_.criterion, std::move(values));
  }

  void add(int row, std::vector<double>& statistics) const {
    if (data_.label) {
      statistics[data_.label[row]] += weight_[row];
    } else if (recipe_.criterion == criterion_of<AbsoluteError>) {
      const auto found = std::lower_bound(values_.begin(), values_.end(), grid_[row]);
      statistics[found - values_.begin()] += weight_[row];
    } else {
      statistics[0] += weight_[row];
      statistics[1] += grid_[row];
    }
  }

  Groups tabulate(const PlainNode& node, const Column& column, int width) const {
    std::map<double, std::pair<std::vector<double>, double>> found;  // statistics and cases of each value
    for (int row : node.rows) {
      const double value = column.value(row);
      if (std::isnan(value)) continue;
      auto& [statistics, cases] = found[value];
      statistics.resize(width, 0.0);
      add(row, statistics);
      cases += data_.cases ? data_.cases[row] : 1;
    }
    Groups groups;
    for (const auto& [value, group] : found) {
      groups.values.push_back(value);
      groups.statistics.insert(groups.statistics.end(), group.first.begin(), group.first.end());
      groups.cases.push_back(group.second);
    }
    return groups;
  }

  Split best_of_column(const PlainNode& node, int c, const Evaluator& evaluator) const {
    const Column& column = data_.columns[c];
    const Groups groups = tabulate(node, column, evaluator.width());
    const int m = static_cast<int>(groups.values.size());
    Split split;
    if (m < 2) return split;
    const ContingencyTable table{groups.statistics.data(), groups.cases.data(), m, node.weight};
    const LeafLimits limits{recipe_.limits.min_cases_of_two(),
                            recipe_.limits.min_weight_fraction_leaf * nodes_[0].weight,
                            recipe_.limits.min_cases_leaf};
    const bool nominal = column.scale == Scale::nominal;
    const Found found = nominal
                            ? best_nominal(table, evaluator, limits, recipe_.nominal, recipe_.max_exhaustive)
                            : best_threshold(table, evaluator, limits);
    if (!found.any()) return split;
    split.rank = found.value;
    split.value = std::ldexp(found.value, -exponent_of_value(node));
    split.column = c;
    if (!nominal) {
      const auto right = std::find(found.branch.begin(), found.branch.end(), 1) - found.branch.begin();
      split.cut = cut_between(groups.values[right - 1], groups.values[right], column.scale);
    } else if (recipe_.nominal == Nominal::complete) {
      split.n_branches = column.n_levels;
      for (int level = 0; level < column.n_levels; ++level) split.codes.push_back(level);
      split.branches = split.codes;
    } else {
      split.codes.assign(groups.values.begin(), groups.values.end());
      split.branches = found.branch;
    }
    return split;
  }

  // Where only rows without a value differ, a split of the others tells nothing.
  bool tells(const PlainNode& node, const Split& split) const {
    int n_known = 0;
    std::set<int> classes;
    for (int row : node.rows) {
      if (std::isnan(data_.columns[split.column].value(row))) continue;
      ++n_known;
      if (data_.label) classes.insert(data_.label[row]);
    }
    if (n_known == static_cast<int>(node.rows.size())) return true;
    return data_.label ? classes.size() > 1 : split.rank > 0;
  }

  int exponent_of_value(const PlainNode& node) const {
    const Criterion criterion = recipe_.criterion;
    if (criterion == criterion_of<SquaredError>) return 2 * node.exponent;
    if (criterion == criterion_of<AbsoluteError> || criterion == criterion_of<Poisson>) return node.exponent;
    return criterion == criterion_of<ChiSquare> ? weight_exponent_ : 0;
  }

  int branch_of(const Split& split, int row) const {
    const double value = data_.columns[split.column].value(row);
    if (std::isnan(value)) return -1;
    if (split.codes.empty()) return value < split.cut ? 0 : 1;
    const auto found = std::find(split.codes.begin(), split.codes.end(), static_cast<int>(value));
    return split.branches[found - split.codes.begin()];
  }

  bool worthwhile(const PlainNode& node, const Split& split) const {
    const Limits& limits = recipe_.limits;
    if (!(split.value > limits.min_gain)) return false;
    if (split.value * real_weight(node) / real_weight(nodes_[0]) + 2.220446049250313e-16 <
        limits.min_decrease)
      return false;
    if (limits.significance >= 1) return true;
    const int k = data_.n_classes;
    std::vector<double> table(static_cast<std::size_t>(split.n_branches) * k, 0.0);
    for (int row : node.rows)
      if (const int branch = branch_of(split, row); branch >= 0)
        table[branch * k + data_.label[row]] += real_weight(weight_[row]);
    const Pearson test = pearson(table.data(), split.n_branches, k);
    return chi_square_survival(test.statistic, test.degrees) <= limits.significance;
  }

  std::vector<int> part(int at) {
    Split& split = nodes_[at].split;
    std::vector<PlainNode> children(split.n_branches);
    std::vector<double> known(split.n_branches, 0.0);
    for (int row : nodes_[at].rows)
      if (const int branch = branch_of(split, row); branch >= 0) known[branch] += weight_[row];
    split.default_branch = static_cast<int>(std::max_element(known.begin(), known.end()) - known.begin());
    for (int row : nodes_[at].rows) {
      const int branch = branch_of(split, row);
      children[branch < 0 ? split.default_branch : branch].rows.push_back(row);
    }
    nodes_[at].first_child = static_cast<int>(nodes_.size());
    std::vector<int> made;
    for (PlainNode& child : children) {
      child.depth = nodes_[at].depth + 1;
      child.parent = at;
      made.push_back(static_cast<int>(nodes_.size()));
      nodes_.push_back(child);
    }
    for (int child : made) summarize(nodes_[child]);
    return made;
  }

  GrownTree numbered() const {
    GrownTree t;
    std::vector<int> order = {0}, parent = {-1};
    t.level_start.push_back(0);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const PlainNode& node = nodes_[order[i]];
      const Split& split = node.split;
      const bool inner = node.first_child >= 0;
      t.parent.push_back(parent[i]);
      t.first_child.push_back(inner ? static_cast<int>(order.size()) : -1);
      t.n_children.push_back(inner ? split.n_branches : 0);
      t.column.push_back(inner ? split.column : -1);
      t.default_branch.push_back(inner ? split.default_branch : -1);
      t.kind.push_back(static_cast<std::uint8_t>(kind_of(node)));
      t.cut.push_back(inner ? split.cut : std::numeric_limits<double>::quiet_NaN());
      t.gain.push_back(inner ? split.value : std::numeric_limits<double>::quiet_NaN());
      t.weight.push_back(real_weight(node));
      t.cases.push_back(node.cases);
      t.risk.push_back(node.risk);
      t.statistics.insert(t.statistics.end(), node.statistics.begin(), node.statistics.end());
      if (inner) {
        t.level_code.insert(t.level_code.end(), split.codes.begin(), split.codes.end());
        t.level_branch.insert(t.level_branch.end(), split.branches.begin(), split.branches.end());
      }
      t.level_start.push_back(static_cast<std::int64_t>(t.level_code.size()));
      for (int j = 0; inner && j < split.n_branches; ++j) {
        order.push_back(node.first_child + j);
        parent.push_back(static_cast<int>(i));
      }
    }
    return t;
  }

  SplitKind kind_of(const PlainNode& node) const {
    if (node.first_child < 0) return SplitKind::leaf;
    if (node.split.codes.empty()) return SplitKind::threshold;
    return recipe_.nominal == Nominal::complete      ? SplitKind::complete
           : recipe_.nominal == Nominal::one_vs_rest ? SplitKind::one_vs_rest
                                                     : SplitKind::subset;
  }

  const Data& data_;
  const Recipe& recipe_;
  std::vector<double> weight_;
  bool whole_ = true;
  int weight_exponent_ = 0;
  std::vector<double> grid_;    // y of each row on the grid of the node it is in
  std::vector<double> values_;  // absolute error: the distinct ones of the node considered
  std::vector<PlainNode> nodes_;
};

}  // namespace

GrownTree grow_plainly(const Data& data, const Recipe& recipe) { return PlainGrower(data, recipe).grow(); }

}  // namespace bough::tests
