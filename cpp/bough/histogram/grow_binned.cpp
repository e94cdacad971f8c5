#include "bough/histogram/grow_binned.hpp"

#include <stdexcept>

#include "bough/histogram/criterion_statistics.hpp"

namespace bough {

namespace {

template <class Cells>
std::vector<GrownTree> grow_by(const Data& data, const BinnedTable& bins, const Recipe& recipe,
                               const FitGrid& grid, const std::int32_t* fold, int n_folds, Team& team,
                               Watch& watch) {
  using Statistics = CriterionStatistics<Cells>;
  Statistics statistics(data, recipe, bins, grid);
  HistogramGrower<Statistics> grower(bins, team);
  RowList rows(data.n_rows);
  const bool best_first = recipe.limits.max_leaves > 0;
  std::vector<GrownTree> trees;
  for (int left_out = -1; left_out < n_folds; ++left_out) {
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < data.n_rows; ++i)
      if (grid.weight_at(i) > 0 && (left_out < 0 || fold[i] != left_out))
        rows.entries()[n++] = statistics.cells().entry(static_cast<std::uint32_t>(i));
    if (n == 0) throw std::invalid_argument("no row has weight");
    Branching tree;
    grower.grow(statistics, rows, n, best_first ? GrowthOrder::best_first : GrowthOrder::depth_first,
                recipe.limits.max_leaves, tree, watch);
    watch.done(static_cast<double>(data.n_rows));
    trees.push_back(assemble(tree, {}, data.columns, data.n_classes, team, watch));
  }
  return trees;
}

}  // namespace

std::vector<GrownTree> grow_binned(const Data& data, const BinnedTable& bins, const Recipe& recipe,
                                   const std::int32_t* fold, int n_folds, int n_threads,
                                   const Monitor& monitor) {
  Team team(n_threads);
  Watch watch(monitor, static_cast<double>(data.n_rows) * (n_folds + 1));
  const FitGrid grid(data.y, data.weight, data.n_rows);
  const auto by = [&]<class Cells>() {
    return grow_by<Cells>(data, bins, recipe, grid, fold, n_folds, team, watch);
  };
  if (!data.n_classes) return by.template operator()<CellsOfNumbers>();
  const bool plain = data.n_classes == 2 && !data.weight && !data.cases;
  return plain ? by.template operator()<CellsOfTwo>() : by.template operator()<CellsOfClasses>();
}

}  // namespace bough
