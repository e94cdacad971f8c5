#include "bough/grow/limb.hpp"

#include <algorithm>
#include <utility>

namespace bough {

NodeGrower<std::uint64_t>& LimbGrower::grower() {
  if (!grower_)
    grower_.emplace(problem_, table_, lists_, nullptr, static_cast<std::size_t>(most_) + kListPadding,
                    problem_.data.n_rows, nullptr);
  return *grower_;
}

Subtree& LimbGrower::subtree() {
  if (!subtree_) subtree_.emplace(problem_, table_, std::min(most_, kPackedRows));
  return *subtree_;
}

Limb LimbGrower::grow(const Range& at, const Branching& trunk, Watch& watch) {
  const int k = problem_.data.node_width();
  Limb limb{at.node, root_below(trunk, at, k), {}};
  Branching& out = limb.branching;
  Range root = at;
  root.node = 0;
  std::vector<Range> stack{root};
  while (!stack.empty() && !watch.stopped()) {
    const Range range = stack.back();
    stack.pop_back();
    if (range.count <= kPackedRows) {
      limb.grafts.push_back({range.node, subtree().grow(range, lists_, out, watch)});
      watch.done(range.count);
      continue;
    }
    const Best best = grower().search(range, out);
    if (best.column < 0) {
      watch.done(range.count);
      continue;
    }
    for (const Range& child : grower().split(range, best, out)) {
      if (child.live)
        stack.push_back(child);
      else
        watch.done(child.count);
    }
    watch.poll();
  }
  return limb;
}

void join(Limb limb, Branching& trunk, std::vector<Graft>& grafts) {
  Branching& own = limb.branching;
  // The root of the limb is a node of the trunk; the others follow the trunk's.
  const auto shift = static_cast<std::int32_t>(trunk.nodes.size()) - 1;
  const auto levels = static_cast<std::int64_t>(trunk.level_code.size());
  const auto alternatives = static_cast<std::int64_t>(trunk.alternatives.size());
  for (Node& node : own.nodes) {
    if (node.first_child >= 0) node.first_child += shift;
    node.first_level += levels;
    node.first_alternative += alternatives;
  }
  for (AlternativeSplit& split : own.alternatives) split.first_level += levels;
  const std::ptrdiff_t k = static_cast<std::ptrdiff_t>(own.counts.size() / own.nodes.size());
  trunk.nodes[limb.at] = own.nodes[0];
  trunk.nodes.insert(trunk.nodes.end(), own.nodes.begin() + 1, own.nodes.end());
  std::copy_n(own.counts.begin(), k, trunk.counts.begin() + limb.at * k);
  trunk.counts.insert(trunk.counts.end(), own.counts.begin() + k, own.counts.end());
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(trunk.level_code, own.level_code);
  append(trunk.level_branch, own.level_branch);
  append(trunk.alternatives, own.alternatives);
  for (Graft& graft : limb.grafts) {
    graft.at = graft.at == 0 ? limb.at : graft.at + shift;
    grafts.push_back(std::move(graft));
  }
}

}  // namespace bough
