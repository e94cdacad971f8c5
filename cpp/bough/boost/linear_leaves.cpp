#include "bough/boost/linear_leaves.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "bough/model_trees/normal_equations.hpp"

namespace bough {

namespace {

// Cases for each coefficient without which a leaf keeps its value alone.
constexpr std::size_t kRowsOfSlope = 5;
constexpr double kGreatestPenalty = 1e200;  // beyond it no slope is left

struct Slopes {
  std::vector<std::int32_t> column;
  std::vector<double> coefficient, mean;
};

// The numeric columns that the path to each node asks about.
std::vector<std::set<std::int32_t>> columns_of_paths(const Branching& tree,
                                                     const std::vector<Column>& columns) {
  std::vector<std::set<std::int32_t>> path(tree.nodes.size());
  // Children come after their parents.
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const Node& node = tree.nodes[i];
    for (int j = 0; node.first_child >= 0 && j < node.n_children; ++j) {
      path[node.first_child + j] = path[i];
      if (columns[node.column].scale == Scale::numeric) path[node.first_child + j].insert(node.column);
    }
  }
  return path;
}

class SlopeFit {
 public:
  SlopeFit(const LeafRows& leaf, const std::vector<Column>& columns, const double* gradient,
           const double* hessian, const double* weight)
      : rows_(leaf.rows), columns_(columns), gradient_(gradient), hessian_(hessian), weight_(weight) {}

  Slopes fit(const std::set<std::int32_t>& path, const std::vector<SlopeColumn>& of_column) {
    for (const std::int32_t column : path) standardize(column);
    const std::size_t p = slopes_.column.size();
    if (p == 0 || rows_.size() < kRowsOfSlope * (p + 1)) return {};
    model_trees::NormalEquations equations(static_cast<int>(p));
    equations.clear();
    std::vector<double> row(p + 2);
    row[0] = 1;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const double weight = hessian_[rows_[i]];
      if (!(weight > 0)) continue;
      for (std::size_t k = 0; k < p; ++k) row[k + 1] = values_[k][i];
      row[p + 1] = -gradient_[rows_[i]] / weight;
      equations.add(row.data(), weight);
    }
    if (!(equations.weight() > 0)) return {};
    std::vector<double> scaled(p + 1);
    for (std::size_t k = 0; k < p; ++k)
      scaled[k + 1] =
          std::min(of_column[slopes_.column[k]].penalty / deviation_[k] / deviation_[k], kGreatestPenalty);
    equations.solve(scaled);
    for (std::size_t k = 0; k < p; ++k) {
      slopes_.coefficient.push_back(equations.slopes()[k + 1] / deviation_[k]);
      if (!std::isfinite(slopes_.coefficient.back())) return {};
    }
    return std::move(slopes_);
  }

 private:
  // Missing and infinite values count as the mean.
  void standardize(std::int32_t column) {
    double weight = 0, sum = 0, squares = 0;
    std::vector<double> values;
    values.reserve(rows_.size());
    for (const std::uint32_t row : rows_) {
      values.push_back(columns_[column].value(row));
      if (!std::isfinite(values.back())) continue;
      weight += weight_at(row);
      sum += weight_at(row) * values.back();
    }
    const double mean = sum / weight;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::isfinite(values[i])) squares += weight_at(rows_[i]) * (values[i] - mean) * (values[i] - mean);
    const double deviation = std::sqrt(squares / weight);
    if (!std::isfinite(mean) || !std::isfinite(deviation) || deviation == 0) return;
    for (double& value : values) value = std::isfinite(value) ? (value - mean) / deviation : 0;
    slopes_.column.push_back(column);
    slopes_.mean.push_back(mean);
    deviation_.push_back(deviation);
    values_.push_back(std::move(values));
  }

  double weight_at(std::uint32_t row) const { return weight_ ? weight_[row] : 1; }

  const std::vector<std::uint32_t>& rows_;
  const std::vector<Column>& columns_;
  const double *gradient_, *hessian_, *weight_;
  Slopes slopes_;
  std::vector<double> deviation_;
  std::vector<std::vector<double>> values_;
};

// The model of a leaf of this value, if all of its numbers are finite.
void push_model(NodeModels& models, const Slopes& slopes, const std::vector<SlopeColumn>& of_column,
                double value, double learning_rate) {
  double intercept = value;
  for (std::size_t k = 0; k < slopes.column.size(); ++k)
    intercept -= learning_rate * slopes.coefficient[k] * slopes.mean[k];
  const bool none = slopes.column.empty() || !std::isfinite(intercept);
  models.intercept.push_back(none ? std::numeric_limits<double>::quiet_NaN() : intercept);
  for (std::size_t k = 0; !none && k < slopes.column.size(); ++k) {
    if (slopes.coefficient[k] == 0) continue;
    models.column.push_back(slopes.column[k]);
    models.coefficient.push_back(learning_rate * slopes.coefficient[k]);
    models.substitute.push_back(slopes.mean[k]);
    models.lowest.push_back(of_column[slopes.column[k]].lowest);
    models.highest.push_back(of_column[slopes.column[k]].highest);
  }
  models.start.push_back(static_cast<std::int64_t>(models.column.size()));
}

}  // namespace

LeafModelView NodeModels::view() const {
  return {intercept.data(),
          start.data(),
          column.data(),
          coefficient.data(),
          substitute.data(),
          lowest.empty() ? nullptr : lowest.data(),
          highest.empty() ? nullptr : highest.data()};
}

void NodeModels::append(const NodeModels& others) {
  const std::int64_t terms = start.back();
  intercept.insert(intercept.end(), others.intercept.begin(), others.intercept.end());
  for (std::size_t i = 1; i < others.start.size(); ++i) start.push_back(terms + others.start[i]);
  column.insert(column.end(), others.column.begin(), others.column.end());
  coefficient.insert(coefficient.end(), others.coefficient.begin(), others.coefficient.end());
  substitute.insert(substitute.end(), others.substitute.begin(), others.substitute.end());
  lowest.insert(lowest.end(), others.lowest.begin(), others.lowest.end());
  highest.insert(highest.end(), others.highest.begin(), others.highest.end());
}

NodeModels fit_leaf_models(const Branching& tree, const std::vector<LeafRows>& leaves,
                           const std::vector<Column>& columns, const double* gradient, const double* hessian,
                           const double* weight, const std::vector<SlopeColumn>& slopes, double learning_rate,
                           Team& team) {
  const std::vector<std::set<std::int32_t>> path = columns_of_paths(tree, columns);
  std::vector<Slopes> of_node(tree.nodes.size());
  team.run(static_cast<int>(leaves.size()), [&](int i, int) {
    const LeafRows& leaf = leaves[i];
    of_node[leaf.node] = SlopeFit(leaf, columns, gradient, hessian, weight).fit(path[leaf.node], slopes);
  });
  NodeModels models;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    push_model(models, of_node[i], slopes, tree.nodes[i].centre, learning_rate);
  return models;
}

NodeModels numbered(const NodeModels& models, const Branching& tree) {
  std::vector<int> order{0};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node& node = tree.nodes[order[i]];
    for (int j = 0; node.first_child >= 0 && j < node.n_children; ++j) order.push_back(node.first_child + j);
  }
  NodeModels sorted;
  for (const int node : order) {
    sorted.intercept.push_back(models.intercept[node]);
    for (std::int64_t term = models.start[node]; term < models.start[node + 1]; ++term) {
      sorted.column.push_back(models.column[term]);
      sorted.coefficient.push_back(models.coefficient[term]);
      sorted.substitute.push_back(models.substitute[term]);
      sorted.lowest.push_back(models.lowest[term]);
      sorted.highest.push_back(models.highest[term]);
    }
    sorted.start.push_back(static_cast<std::int64_t>(sorted.column.size()));
  }
  return sorted;
}

}  // namespace bough
