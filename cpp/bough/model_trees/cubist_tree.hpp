// The model tree from which Cubist makes its rules: grown by the spread of residuals, then fitted, smoothed
// and pruned.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "bough/model_trees/cubist.hpp"
#include "bough/model_trees/cubist_cuts.hpp"
#include "bough/model_trees/cubist_regression.hpp"

namespace bough::model_trees::cubist {

struct Node {
  Test test = Test::none;
  int cases = 0;
  double mean = 0, deviation = 0;
  std::vector<double> model, unsmoothed;
  int column = -1;
  float cut = 0;
  std::array<std::vector<std::uint8_t>, 2> levels;  // of each branch
  std::array<std::unique_ptr<Node>, 2> branch;
  Node* parent = nullptr;
  float n_parameters = 0, n_coefficients = 0, tree_error = 0, leaf_error = 0;

  Condition condition(int side) const;
  int n_leaves() const;
};

// What holds for all rows and members.
struct Globals {
  float deviation = 0, floor = 0, ceiling = 0;
  int min_cases = 3;              // of a branch of the pruned tree
  std::vector<float> preference;  // of each column, in ties
  std::vector<double> unit;       // of the intercept and of each coefficient
  double least_coefficient(const Data& data, int column) const {
    return 0.01 * deviation / data.columns[column].deviation;
  }
};

Globals find_globals(const Data& data, const Options& options);

class TreeBuilder {
 public:
  // y: the target of this member; rows are left in the order of the leaves.
  // lists: of all rows.
  TreeBuilder(const Data& data, const std::vector<float>& y, const Globals& globals, const SortedLists& lists,
              int max_rules, std::vector<int>& rows, Watch& watch);

  std::unique_ptr<Node> build();

 private:
  struct Best {
    float gain = -1;
    float cut = 0;
    std::array<std::vector<std::uint8_t>, 2> levels;
  };
  struct Branch {
    double n = 0, sum = 0, squares = 0;
  };

  std::unique_ptr<Node> grow(int first, int last, Node* parent);
  double deviation_of(double n, double sum, double squares) const;
  double gain(const Node& node, const Branch& left, const Branch& right) const;
  Best best_threshold(const Node& node, int column, int first, int last);
  Best best_levels(const Node& node, int column, int first, int last) const;
  int group(const Node& node, int first, int last);
  void divide(Node& node, int first, int last);
  void fit_models(Node& node, int first, int last);
  void drop_small_branches(Node& node);
  void smooth(Node& node, int first, int last);
  double error_variance(const std::vector<double>& model, int first, int last, std::vector<double>& errors);
  void find_errors(Node& node, int first, int last);
  void prune(Node& root);
  void find_weakest(Node& node);
  void adjust_cuts(Node& node);

  const Data& data_;
  const std::vector<float>& y_;
  const Globals& globals_;
  int max_rules_, n_;
  std::vector<int>& rows_;
  Watch& watch_;
  Regression regression_;
  SortedLists lists_;
  CutSearch cuts_;
  std::vector<float> residual_, predicted_;
  // The search for the subtree whose pruning adds least error.
  Node* weakest_ = nullptr;
  double total_error_ = 0, total_parameters_ = 0, error_limit_ = 0;
  double extra_error_ = 0, extra_parameters_ = 0, new_error_ = 0;
};

}  // namespace bough::model_trees::cubist
