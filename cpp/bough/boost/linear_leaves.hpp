// Linear models in the leaves of boosted trees (Shi, Li and Li 2019): besides
// its value, a leaf has a slope for each numeric column that its path asks
// about.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "bough/data/column.hpp"
#include "bough/grow/branching.hpp"
#include "bough/predict/leaf_models.hpp"

namespace bough {

// The models of the nodes of one tree or of several, in the order of
// LeafModelView.
struct NodeModels {
  std::vector<double> intercept;
  std::vector<std::int64_t> start{0};
  std::vector<std::int32_t> column;
  std::vector<double> coefficient, substitute;
  std::vector<double> lowest, highest;  // empty: without bounds

  LeafModelView view() const;
  void append(const NodeModels& others);
};

// A column whose values beyond those of the training rows do not extend slopes.
struct SlopeColumn {
  double penalty = 0;  // of its squared slope
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();
};

// A leaf whose rows have gradients and hessians.
struct LeafRows {
  int node;
  std::vector<std::uint32_t> rows;
};

// The models of all nodes of a tree that is not numbered yet: slopes of the
// best second-order step at the rows of each leaf, with a ridge, times the
// learning rate. Where all columns have their means, the model has the value of
// the leaf. gradient, hessian: of all rows; weight: null if all rows weigh 1.
NodeModels fit_leaf_models(const Branching& tree, const std::vector<LeafRows>& leaves,
                           const std::vector<Column>& columns, const double* gradient, const double* hessian,
                           const double* weight, const std::vector<SlopeColumn>& slopes, double learning_rate,
                           Team& team);

// The same models in the order in which assemble numbers the nodes.
NodeModels numbered(const NodeModels& models, const Branching& tree);

}  // namespace bough
