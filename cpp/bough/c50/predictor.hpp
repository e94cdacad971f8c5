// Prediction by finished trees.
#pragma once

#include <vector>

#include "bough/c50/tree_arrays.hpp"
#include "bough/machine/watch.hpp"

namespace bough::c50 {

struct Prediction {
  std::vector<double> probability;  // [row * n_classes + class]
  std::vector<std::int32_t> label;
};

class Predictor {
 public:
  // cost: [predicted * n_classes + actual], empty if errors cost the same.
  Predictor(std::vector<TreeArrays> trees, std::vector<float> cost, std::vector<int> n_levels);

  int n_classes() const { return n_classes_; }
  const std::vector<int>& n_levels() const { return n_levels_; }
  // Of the first trees only; 0 asks all.
  Prediction predict(const std::vector<Column>& columns, std::int64_t n_rows, int n_trees, int n_threads,
                     const Monitor& monitor) const;

 private:
  class Walk;
  int select(const double* weight, int first, bool by_cost) const;
  int ask(const TreeArrays& tree, const float* row, double* probability) const;
  void answer(const float* row, std::size_t n_trees, double* probability, std::int32_t& label) const;

  std::vector<TreeArrays> trees_;
  std::vector<float> cost_;
  std::vector<int> n_levels_;
  int n_classes_;
  // The branch of each level at each node that tests levels: -1 where it has none.
  std::vector<std::vector<std::int64_t>> map_start_;
  std::vector<std::vector<std::int32_t>> map_;
};

}  // namespace bough::c50
