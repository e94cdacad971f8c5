// A sum of trees as a predictor: few rows walk down the nodes of each tree, many rows are coded first.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "bough/boost/coded_sum.hpp"
#include "bough/boost/linear_leaves.hpp"
#include "bough/boost/tree_nodes.hpp"
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

  int n_scores() const { return sum_.n_scores; }
  std::int64_t n_trees() const { return static_cast<std::int64_t>(sum_.trees.size()); }

  // Adds the answers of trees first to last to the scores of the rows, n_scores
  // each.
  void add(const std::vector<Column>& columns, std::int64_t n_rows, std::int64_t first, std::int64_t last,
           double* scores, Team& team) const;

 private:
  using Node = TreeNodes::Node;

  void add_tree(const TreeSumArrays& trees, std::int64_t tree, const std::vector<int>& n_levels);
  void add_leaf(const TreeSumArrays& trees, std::int64_t node);
  void set_split(const TreeSumArrays& trees, std::int64_t i, const std::vector<int>& n_levels, Node& node);
  static std::int32_t branch_of(const Node& node, double x);
  void use(int column);
  void pad_models();
  void add_values(std::size_t node, const double* row, double* scores) const;
  void add_models(std::size_t tree, const std::int32_t* nodes, const double* const* rows,
                  double* scores) const;
  void add_block(std::size_t tree, const double* values, int count, double* scores) const;
  std::size_t step(const Node& node, const double* row) const;

  void add_coded(const std::vector<Column>& columns, std::int64_t n_rows, std::int64_t first,
                 std::int64_t last, double* scores, Team& team) const;

  TreeNodes sum_;
  NodeModels models_;                  // of the nodes of the arrays, if any; columns are places
  std::vector<std::int64_t> numbers_;  // of the nodes in the arrays
  // The terms of the nodes of each tree of few terms, as many for each of its nodes, so that the rows of a
  // step need no loops of different lengths; terms that are not there are 0.
  struct PaddedTerms {
    std::size_t first = 0;  // of the root
    int width = -1;         // terms of a node; -1: they are many
  };
  struct Term {
    double coefficient = 0, lowest = 0, highest = 0, substitute = 0;
    std::int32_t place = 0;
  };
  std::vector<PaddedTerms> padded_;
  std::vector<Term> terms_;
  std::vector<int> place_;  // of each column among those used, -1: not used
  mutable std::once_flag coding_;
  mutable std::unique_ptr<CodedSum> coded_;  // made when many rows are asked for
};

}  // namespace bough
