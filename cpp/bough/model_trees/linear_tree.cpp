#include "bough/model_trees/linear_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "bough/machine/team.hpp"
#include "bough/model_trees/normal_equations.hpp"

namespace bough::model_trees {

namespace {

constexpr double kNoErrorLeft = 1e-12;  // of the squares of y in the root: such a node is not split
constexpr double kRounding = 1e-13;     // of what an intercept is the sum of: it is 0
constexpr double kBetterSplit =
    1e-9;  // of the node's error: by which the split of another column must be better
constexpr double kGreatestPenalty = 1e200;  // beyond it no slope is left
constexpr double kLargeWork = 1e5;          // products of rows, columns and columns that are worth a team

// The rows of a node as (1, x1, ..., xp, y), each column standardized within the node.
class NodeRows {
 public:
  NodeRows(const NumericRows& data, const std::vector<std::uint32_t>& rows)
      : size_(data.columns.size() + 2), values_(rows.size() * size_) {
    weight_.reserve(rows.size());
    for (const std::uint32_t row : rows) weight_.push_back(data.weight_of(row));
    for (std::size_t i = 0; i < rows.size(); ++i) values_[i * size_] = 1;
    for (std::size_t k = 0; k + 2 < size_; ++k) put(data.columns[k], rows, k + 1);
    put(data.y, rows, size_ - 1);
  }

  const double* row(std::size_t i) const { return values_.data() + i * size_; }
  double weight(std::size_t i) const { return weight_[i]; }
  // Of column k, numbered from 1; that of y is the last.
  double mean(std::size_t k) const { return mean_[k - 1]; }
  double deviation(std::size_t k) const { return deviation_[k - 1]; }
  double y_mean() const { return mean_.back(); }
  double y_deviation() const { return deviation_.back(); }

 private:
  void put(const double* values, const std::vector<std::uint32_t>& rows, std::size_t k) {
    double weight = 0, sum = 0, squares = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      weight += weight_[i];
      sum += weight_[i] * values[rows[i]];
    }
    const double mean = sum / weight;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double off = values[rows[i]] - mean;
      squares += weight_[i] * (off * off);
    }
    const double deviation = std::sqrt(squares / weight);
    for (std::size_t i = 0; i < rows.size(); ++i)
      values_[i * size_ + k] = deviation > 0 ? (values[rows[i]] - mean) / deviation : 0;
    mean_.push_back(mean);
    deviation_.push_back(deviation);
  }

  std::size_t size_;
  std::vector<double> values_, weight_, mean_, deviation_;
};

struct BinCut {
  double error = std::numeric_limits<double>::infinity();
  std::int32_t code = -1;  // rows up to this bin go left
};

// The best cut of one column of a node. A member of a team has one.
class CutSearch {
 public:
  explicit CutSearch(const NumericRows& data) : data_(data), equations_(n_columns()) {}

  BinCut best(const NodeRows& node, const std::vector<std::uint32_t>& rows, const std::int32_t* codes,
              double min_leaf, const std::vector<double>& penalty) {
    penalty_ = &penalty;
    sort(rows, codes);
    find_cuts(rows, codes, min_leaf);
    BinCut best;
    if (cuts_.empty()) return best;
    std::vector<double> errors = sweep(node, false);
    const std::vector<double> above = sweep(node, true);
    for (std::size_t i = 0; i < cuts_.size(); ++i) {
      errors[i] += above[cuts_.size() - 1 - i];
      if (errors[i] < best.error) best = {errors[i], codes[rows[order_[cuts_[i] - 1]]]};
    }
    return best;
  }

 private:
  int n_columns() const { return static_cast<int>(data_.columns.size()); }

  // Rows of the same bin stay in their order.
  void sort(const std::vector<std::uint32_t>& rows, const std::int32_t* codes) {
    std::int32_t most = 0;
    for (const std::uint32_t row : rows) most = std::max(most, codes[row]);
    start_.assign(static_cast<std::size_t>(most) + 2, 0);
    for (const std::uint32_t row : rows) ++start_[codes[row] + 1];
    for (std::size_t code = 1; code < start_.size(); ++code) start_[code] += start_[code - 1];
    order_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      order_[start_[codes[rows[i]]]++] = static_cast<std::uint32_t>(i);
  }

  // Positions in the order at which another bin begins, with enough cases on each side.
  void find_cuts(const std::vector<std::uint32_t>& rows, const std::int32_t* codes, double min_leaf) {
    cuts_.clear();
    double all = 0, below = 0;
    for (const std::uint32_t row : rows) all += data_.cases_of(row);
    for (std::size_t i = 1; i < order_.size(); ++i) {
      below += data_.cases_of(rows[order_[i - 1]]);
      if (codes[rows[order_[i]]] == codes[rows[order_[i - 1]]]) continue;
      if (below >= min_leaf && all - below >= min_leaf) cuts_.push_back(i);
    }
  }

  // The error of the rows before each cut or, backwards, of those after each cut, the last one first.
  std::vector<double> sweep(const NodeRows& node, bool backwards) {
    std::vector<double> errors;
    equations_.clear();
    std::size_t at = 0;
    const std::size_t n = order_.size();
    for (std::size_t i = 0; i < cuts_.size(); ++i) {
      const std::size_t end = backwards ? n - cuts_[cuts_.size() - 1 - i] : cuts_[i];
      for (; at < end; at += 4) {
        const double* row[4];
        double weight[4];
        for (std::size_t k = 0; k < 4; ++k) {
          const bool inside = at + k < end;
          const std::size_t position = inside ? at + k : at;
          const std::uint32_t which = order_[backwards ? n - 1 - position : position];
          row[k] = node.row(which);
          weight[k] = inside ? node.weight(which) : 0;
        }
        equations_.add(row, weight);
      }
      at = end;
      errors.push_back(equations_.solve(*penalty_));
    }
    return errors;
  }

  const NumericRows& data_;
  const std::vector<double>* penalty_ = nullptr;
  NormalEquations equations_;
  std::vector<std::size_t> start_, cuts_;
  std::vector<std::uint32_t> order_;
};

class LinearTreeBuilder {
 public:
  LinearTreeBuilder(const NumericRows& data, const Codes& codes, const LinearTreeOptions& options,
                    const Monitor& monitor)
      : data_(data),
        codes_(codes),
        options_(options),
        watch_(monitor, static_cast<double>(data.n_rows)),
        equations_(static_cast<int>(data.columns.size())),
        team_(options.n_threads) {
    for (int member = 0; member < team_.size(); ++member) searches_.emplace_back(data_);
  }

  std::vector<ModelNode> build() {
    std::vector<int> depth{0};
    nodes_.emplace_back().rows.resize(data_.n_rows);
    for (std::int64_t row = 0; row < data_.n_rows; ++row)
      nodes_[0].rows[row] = static_cast<std::uint32_t>(row);
    // Children come after their parents.
    for (std::size_t number = 0; number < nodes_.size(); ++number) {
      watch_.poll_or_throw();
      if (!grow(number, depth[number])) continue;
      depth.insert(depth.end(), {depth[number] + 1, depth[number] + 1});
    }
    for (std::size_t number = nodes_.size(); number-- > 0;)
      if (nodes_[number].column >= 0) combine(nodes_[number]);
    return std::move(nodes_);
  }

 private:
  // Fits the model of a node, and adds two nodes if it is split.
  bool grow(std::size_t number, int depth) {
    const NodeRows rows(data_, nodes_[number].rows);
    set_penalty(rows);
    fit(nodes_[number], rows);
    if (number == 0) least_error_ = kNoErrorLeft * rows.y_deviation() * rows.y_deviation() * nodes_[0].weight;
    const ModelNode& node = nodes_[number];
    const bool may = node.cases >= options_.min_cases && node.cases >= 2 * options_.min_leaf &&
                     (options_.max_depth < 0 || depth < options_.max_depth) && node.risk > least_error_;
    return may && split(number, rows);
  }

  // Of the columns in the units of a node; the root is the first.
  void set_penalty(const NodeRows& rows) {
    const std::size_t p = data_.columns.size();
    for (std::size_t k = deviation_.size(); k < p; ++k) deviation_.push_back(rows.deviation(k + 1));
    penalty_.assign(p + 1, 0);
    for (std::size_t k = 1; k <= p; ++k) {
      const double ratio = deviation_[k - 1] / rows.deviation(k);
      if (rows.deviation(k) > 0) penalty_[k] = std::min(options_.ridge * (ratio * ratio), kGreatestPenalty);
    }
  }

  void fit(ModelNode& node, const NodeRows& rows) {
    equations_.clear();
    for (std::size_t i = 0; i < node.rows.size(); ++i) {
      const double* row[4] = {rows.row(i), rows.row(i), rows.row(i), rows.row(i)};
      const double weight[4] = {rows.weight(i), 0, 0, 0};
      equations_.add(row, weight);
      node.cases += data_.cases_of(node.rows[i]);
      node.weight += rows.weight(i);
    }
    const double unit = rows.y_deviation();
    equations_.solve(penalty_);
    // The sums of products would leave the rounding errors of the squares of y.
    double error = 0;
    const double intercept = equations_.intercept();
    for (std::size_t i = 0; i < node.rows.size(); ++i) {
      const double* row = rows.row(i);
      double left = row[data_.columns.size() + 1] - intercept;
      for (std::size_t k = 1; k <= data_.columns.size(); ++k) left -= equations_.slopes()[k] * row[k];
      error += rows.weight(i) * (left * left);
    }
    node.error = error * (unit * unit);
    node.mean = rows.y_mean();
    node.model.intercept = node.mean + intercept * unit;
    double size = std::abs(node.mean);
    for (std::size_t k = 1; k <= data_.columns.size(); ++k) {
      const double slope = equations_.slopes()[k];
      if (slope == 0 || unit == 0) continue;
      const double coefficient = slope * unit / rows.deviation(k);
      node.model.column.push_back(static_cast<int>(k - 1));
      node.model.coefficient.push_back(coefficient);
      node.model.intercept -= coefficient * rows.mean(k);
      size += std::abs(coefficient * rows.mean(k));
    }
    if (std::abs(node.model.intercept) < kRounding * size) node.model.intercept = 0;
    node.risk = node.error;
    node.n_parameters = node.model.n_parameters();
  }

  bool split(std::size_t number, const NodeRows& node) {
    const std::vector<std::uint32_t>& rows = nodes_[number].rows;
    const std::size_t p = data_.columns.size();
    std::vector<BinCut> found(p);
    const auto search = [&](int column, int member) {
      if (watch_.should_stop()) return;
      found[column] = searches_[member].best(node, rows, codes_[column], options_.min_leaf, penalty_);
    };
    if (static_cast<double>(rows.size()) * static_cast<double>(p * p) > kLargeWork) {
      team_.run(static_cast<int>(p), search);
    } else {
      for (std::size_t column = 0; column < p; ++column) search(static_cast<int>(column), 0);
    }
    watch_.throw_if_stopped();
    const double unit = node.y_deviation(), own = nodes_[number].error / (unit * unit);
    BinCut best;
    int column = -1;
    for (std::size_t each = 0; each < p; ++each) {
      if (!(found[each].error < best.error - kBetterSplit * own)) continue;
      best = found[each];
      column = static_cast<int>(each);
    }
    if (column < 0 || !(best.error < own * (1 - kBetterSplit))) return false;
    divide(number, column, best.code);
    nodes_[number].gain = (own - best.error) * (unit * unit) / nodes_[number].weight;
    return true;
  }

  void divide(std::size_t number, int column, std::int32_t code) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    ModelNode sides[2];
    double below = -infinity, above = infinity;
    for (const std::uint32_t row : nodes_[number].rows) {
      const bool right = codes_[column][row] > code;
      sides[right].rows.push_back(row);
      const double value = data_.columns[column][row];
      right ? above = std::min(above, value) : below = std::max(below, value);
    }
    const double middle = below / 2 + above / 2;
    ModelNode& node = nodes_[number];
    node.column = column;
    node.below = below;
    node.above = above;
    node.cut = below <= middle && middle < above ? middle : below;
    node.left = static_cast<int>(nodes_.size());
    node.right = node.left + 1;
    for (ModelNode& side : sides) {
      side.parent = static_cast<int>(number);
      nodes_.push_back(std::move(side));
    }
  }

  // Replaces the errors of a node by those of its subtree, or prunes it if its own model is no worse.
  void combine(ModelNode& node) {
    const ModelNode &left = nodes_[node.left], &right = nodes_[node.right];
    const double below = left.error + right.error;
    const int all = left.n_parameters + right.n_parameters + 1;
    const double own = std::sqrt(node.error) * factor(node.cases, node.n_parameters);
    if (options_.prune && own <= std::sqrt(below) * factor(node.cases, all)) {
      node.column = node.left = node.right = -1;
    } else {
      node.error = below;
      node.n_parameters = all;
    }
  }

  // Quinlan's (n + v) / (n - v), by which errors of models with v parameters are underestimated.
  static double factor(double n, int parameters) {
    return n <= parameters ? 10 : (n + parameters) / (n - parameters);
  }

  const NumericRows& data_;
  const Codes& codes_;
  const LinearTreeOptions& options_;
  Watch watch_;
  NormalEquations equations_;
  Team team_;
  std::vector<CutSearch> searches_;  // one for each member
  double least_error_ = 0;
  std::vector<double> deviation_, penalty_;  // of the columns in the root; of slopes in the node
  std::vector<ModelNode> nodes_;
};

}  // namespace

std::vector<ModelNode> grow_linear_tree(const NumericRows& rows, const Codes& codes,
                                        const LinearTreeOptions& options, const Monitor& monitor) {
  return LinearTreeBuilder(rows, codes, options, monitor).build();
}

}  // namespace bough::model_trees
