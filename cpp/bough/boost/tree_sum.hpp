// A sum of trees as a predictor: nodes of all trees in one array, walked for
// several rows in step.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/boost/linear_leaves.hpp"
#include "bough/data/column.hpp"
#include "bough/data/split_kind.hpp"
#include "bough/machine/team.hpp"

namespace bough {

// The nodes of all trees, those of a tree next to each other; children are
// numbered within their tree.
struct TreeSumArrays {
  std::int64_t n_trees = 0;
  const std::int64_t *tree_start = nullptr, *level_start = nullptr;
  const std::int32_t *first_child = nullptr, *n_children = nullptr, *column = nullptr;
  const std::int32_t* default_branch = nullptr;  // of missing values: 0, 1, 2, or -1 if they stop
  const std::int32_t *level_code = nullptr, *level_branch = nullptr;
  const std::uint8_t* kind = nullptr;
  const double *cut = nullptr, *value = nullptr;
};

class TreeSum {
 public:
  // Trees i, i + n_scores, i + 2 n_scores, ... make up score i; with vectors
  // every tree has a value of each score in its nodes. n_levels: of each
  // column. models: of all nodes, or null; terms are of numeric columns.
  TreeSum(const TreeSumArrays& trees, int n_scores, bool vectors, const std::vector<int>& n_levels,
          const NodeModels* models = nullptr);

  int n_scores() const { return n_scores_; }
  std::int64_t n_trees() const { return static_cast<std::int64_t>(trees_.size()); }

  // Adds the answers of trees first to last to the scores of the rows, n_scores
  // each.
  void add(const std::vector<Column>& columns, std::int64_t n_rows, std::int64_t first, std::int64_t last,
           double* scores, Team& team) const;

 private:
  // Rows whose value is at least the cut take the second child, and those where
  // it is missing that of a number; where these stop, a third child has the
  // value of the node. A leaf is its own child.
  struct Node {
    double cut;
    std::int32_t place;  // of the column among those used
    std::int32_t child;
    std::int32_t missing_branch;
    std::int32_t first_branch;  // levels: of the branches of its codes; -1: threshold
  };
  struct Tree {
    std::size_t root;
    int depth;
    bool has_levels;
  };

  void add_tree(const TreeSumArrays& trees, std::int64_t tree, const std::vector<int>& n_levels);
  void add_leaf(const TreeSumArrays& trees, std::int64_t node);
  void set_split(const TreeSumArrays& trees, std::int64_t i, const std::vector<int>& n_levels, Node& node);
  static std::int32_t branch_of(const Node& node, double x);
  void use(int column);
  void add_values(std::size_t node, const double* row, double* scores) const;
  void add_block(const Tree& tree, const double* values, int count, double* scores) const;
  std::size_t step(const Node& node, const double* row) const;

  int n_scores_, width_;  // scores of a row, and values of a node
  std::vector<Node> nodes_;
  std::vector<double> value_;
  NodeModels models_;                  // of the nodes of the arrays, if any; columns are places
  std::vector<std::int64_t> numbers_;  // of the nodes in the arrays
  std::vector<std::uint8_t> branch_;   // of the codes of nodes that split levels, then of missing ones
  std::vector<Tree> trees_;
  std::vector<int> used_, place_;  // columns; the place of each, -1: not used
};

}  // namespace bough
