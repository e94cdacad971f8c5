#include "bough/forest/grow_forest.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "bough/forest/deviation_search.hpp"
#include "bough/forest/grown_trees.hpp"
#include "bough/forest/tree_grower.hpp"

namespace bough {

PackedForest grow_forest(const Data& data, const ForestRecipe& recipe, const SampleDesign& design,
                         std::uint64_t seed, int first_tree, int n_trees, int n_threads,
                         const Monitor& monitor) {
  const int k = data.n_classes;
  Watch watch(monitor, n_trees);
  Team team(n_threads);
  const bool is_sparse = data.columns[0].sparse(), as_values = recipe.splitter == Splitter::random;
  const auto between = [&] { watch.poll_or_throw(); };
  std::optional<SparseTable> sparse;
  if (is_sparse) {
    SparseSorted sorted = presort_sparse(data.columns, nullptr, nullptr, team, between, as_values);
    SparseCells cells(sorted, data.n_rows);
    sparse.emplace(std::move(sorted), std::move(cells));
  }
  const CodedTable coded = is_sparse ? code_sparse(sparse->sorted)
                                     : code_table(data.columns, data.n_rows, as_values, team, between);
  const Sampler sampler(design);
  const std::size_t whole = static_cast<std::size_t>(std::min<std::int64_t>(data.n_rows, 1 << 20)) + 1;
  // Gini of classes, where each row weighs as often as it was drawn.
  const bool counted = recipe.criterion == criterion_of<Gini> && !data.weight && !data.cases &&
                       !recipe.balance && recipe.monotonic.empty() && !design.weights &&
                       !(sampler.is_given() && recipe.limits.min_cases_leaf > 1);
  const ForestPlan plan{
      {data, recipe, coded, sampler, seed},
      static_cast<std::uint64_t>(first_tree),
      data.n_targets() > 1 ? evaluator_of(data, recipe.criterion, whole)
                           : Evaluator(recipe.criterion, k ? k : 2, whole),
      recipe.criterion.reads_values() ? target_ranks(data.y, data.n_rows) : std::vector<std::uint32_t>{},
      recipe.shuffle && data.y &&
          std::all_of(data.y, data.y + data.n_rows * data.n_targets(),
                      [](double y) { return y == std::nearbyint(y); }),
      sampler.is_given(),
      counted && k == 2,
      counted && k > 2 && k <= kMostCountedClasses && data.n_targets() == 1 && !is_sparse &&
          recipe.splitter == Splitter::best,
      is_sparse ? &*sparse : nullptr};
  return grown_trees<TreeGrower>(plan, {k, data.n_targets()}, first_tree, n_trees, team, watch);
}

}  // namespace bough
