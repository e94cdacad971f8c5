// What all trees of a forest share while it grows.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "bough/criteria/list.hpp"
#include "bough/forest/coded.hpp"
#include "bough/forest/sample.hpp"
#include "bough/forest/sparse_cells.hpp"
#include "bough/grow/problem.hpp"

namespace bough {

enum class Splitter { best, random };

// Where rows without a value go: to the side that serves the criterion, or to the side of most weight.
enum class ForestMissing { learned, majority };

// How levels are divided: by cuts in an order drawn for each tree, or by the best set of a node. The two
// kinds of sets differ in the side of levels that are absent from the node: that of most weight, or that of
// R's randomForest.
enum class ForestNominal { ordered, subset, randomforest };

struct ForestRecipe {
  Criterion criterion = criterion_of<Gini>;
  Splitter splitter = Splitter::best;
  ForestMissing missing = ForestMissing::learned;
  ForestNominal nominal = ForestNominal::ordered;
  int max_features = 1;   // columns looked at in a node
  int tree_features = 0;  // columns a tree may use at all; 0: all
  bool seek = true;       // look on while no column seen can be split
  bool shuffle = false;   // look at the columns in a random order even if all are looked at
  bool gainless = false;  // split also where nothing is gained
  bool balance = false;   // each class gets the same weight in the bag of each tree
  int max_exhaustive = 12;
  std::vector<std::uint64_t> seeds;  // of each tree; empty: they follow from the seed of the forest
  std::vector<int> monotonic;        // direction of each column; empty: none is constrained
  Limits limits;
};

// What trees of every kind read.
struct TreePlan {
  const Data& data;
  const ForestRecipe& recipe;
  const CodedTable& coded;
  const Sampler& sampler;
  std::uint64_t seed;
};

struct ForestPlan : TreePlan {
  std::uint64_t first_tree;
  Evaluator evaluator;
  std::vector<std::uint32_t> target_rank;  // of each row in the order of y; absolute error only
  bool whole_y;      // y are whole numbers whose sums are to be exact, so that equal splits are known as such
  bool row_is_case;  // however often it was drawn
  bool counts;       // two classes, each row weighs as often as it was drawn, Gini
  bool counts_classes;  // several classes, few enough for ClassSearch, counted in the same way
  const SparseTable* sparse = nullptr;  // where columns are sparse
};

}  // namespace bough
