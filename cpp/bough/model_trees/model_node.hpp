// A node of a tree of linear models while it is grown or pruned.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/model_trees/numeric_rows.hpp"

namespace bough::model_trees {

struct ModelNode {
  int parent = -1, left = -1, right = -1;
  int column = -1;                       // -1: a leaf
  double cut = 0, below = 0, above = 0;  // values up to the cut go left; its neighbours
  double gain = 0;
  std::vector<std::uint32_t> rows;
  std::vector<int> tested;  // columns of the splits below, in ascending order
  LinearModel model;
  double cases = 0, error = 0;  // root mean squared error of the model, or of the subtree
  int n_parameters = 1;
  double weight = 0, mean = 0;
  double risk = 0;  // sum of the squared errors of the model, which may be smoothed
};

// The nodes that are reachable from the root, in the order of their numbers in a finished tree.
std::vector<int> level_by_level(const std::vector<ModelNode>& nodes);

}  // namespace bough::model_trees
