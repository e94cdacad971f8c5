// Grows the trees of a forest on the threads of a team, and packs them.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bough/forest/packed.hpp"
#include "bough/forest/plan.hpp"
#include "bough/machine/team.hpp"
#include "bough/machine/watch.hpp"

namespace bough {

// Grower: is made of a plan and grows a tree by its number; each thread has one.
template <class Grower, class Plan>
PackedForest grown_trees(const Plan& plan, const LeafShape& shape, int first_tree, int n_trees, Team& team,
                         Watch& watch) {
  std::vector<int> n_levels;
  for (const Column& column : plan.data.columns) n_levels.push_back(column.n_levels);
  const int max_leaves = plan.recipe.limits.max_leaves;
  ForestJoiner joiner(static_cast<int>(n_levels.size()), shape, n_trees);
  {
    std::vector<std::unique_ptr<Grower>> growers(team.size());
    team.run(n_trees + team.size(), [&](int t, int member) {
      if (watch.stopped()) return;
      if (t >= n_trees) return watch.wait();
      const Watch::Piece piece(watch, 1);
      if (!growers[member]) growers[member] = std::make_unique<Grower>(plan);
      ForestTree& tree = growers[member]->grow(static_cast<std::uint64_t>(first_tree) + t,
                                               [&] { return watch.should_stop(); });
      if (watch.stopped()) return;
      if (max_leaves > 0) keep_best(tree, max_leaves, shape.node_width());
      joiner.add(t, pack(tree, n_levels, shape));
      watch.should_stop();
    });
  }
  watch.throw_if_stopped();
  return std::move(joiner.forest());
}

}  // namespace bough
