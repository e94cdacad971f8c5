#include "bough/branching.hpp"

namespace bough {

namespace {

struct Place {
  std::int32_t tree;  // -1: the trunk
  std::int32_t node;
};

}  // namespace

GrownTree assemble(Branching trunk, std::vector<Graft> grafts, const std::vector<Column>& columns,
                   int n_classes) {
  std::vector<std::int32_t> graft_at(trunk.nodes.size(), -1);
  std::size_t n = trunk.nodes.size(), n_levels = trunk.level_code.size();
  for (std::size_t g = 0; g < grafts.size(); ++g) {
    graft_at[grafts[g].at] = static_cast<std::int32_t>(g);
    n += grafts[g].branching.nodes.size() - 1;
    n_levels += grafts[g].branching.level_code.size();
  }
  const auto resolved = [&](Place p) -> Place {
    return p.tree < 0 && graft_at[p.node] >= 0 ? Place{graft_at[p.node], 0} : p;
  };

  std::vector<Place> order;
  order.reserve(n);
  order.push_back(resolved({-1, 0}));
  GrownTree t;
  t.parent.assign(n, -1);
  t.first_child.assign(n, -1);
  for (auto* field : {&t.n_children, &t.column, &t.default_branch}) field->resize(n);
  for (auto* field : {&t.cut, &t.gain, &t.weight, &t.cases, &t.risk}) field->resize(n);
  t.kind.resize(n);
  const std::size_t width = n_classes ? n_classes : 1;
  t.statistics.resize(n * width);
  t.level_start.assign(n + 1, 0);
  t.level_code.reserve(n_levels);
  t.level_branch.reserve(n_levels);

  const auto home_of = [&](Place p) -> const Branching& {
    return p.tree < 0 ? trunk : grafts[p.tree].branching;
  };
  // The next nodes lie in other subtrees, and the values of their cuts all over the table: they are asked for
  // early.
  const auto prefetch_node = [&](std::size_t i) {
    if (i >= order.size()) return;
    const Node* node = home_of(order[i]).nodes.data() + order[i].node;
    __builtin_prefetch(node);
    __builtin_prefetch(reinterpret_cast<const char*>(node) + 64);
  };
  const auto prefetch_values = [&](std::size_t i) {
    if (i >= order.size()) return;
    const Node& node = home_of(order[i]).nodes[order[i].node];
    if (node.kind != SplitKind::threshold) return;
    columns[node.column].prefetch(node.row_below);
    columns[node.column].prefetch(node.row_above);
  };
  for (std::size_t i = 0; i < n; ++i) {
    prefetch_node(i + 24);
    prefetch_values(i + 12);
    const Place place = order[i];
    const Branching& home = home_of(place);
    const Node& node = home.nodes[place.node];
    t.kind[i] = static_cast<std::uint8_t>(node.kind);
    t.n_children[i] = node.n_children;
    t.column[i] = node.column;
    t.default_branch[i] = node.default_branch;
    t.cut[i] = std::numeric_limits<double>::quiet_NaN();
    if (node.kind == SplitKind::threshold) {
      const Column& column = columns[node.column];
      t.cut[i] = cut_between(column.value(node.row_below), column.value(node.row_above), column.scale);
    }
    t.gain[i] = node.gain;
    t.weight[i] = node.weight;
    t.cases[i] = node.cases;
    t.risk[i] = node.risk;
    if (n_classes)
      for (std::size_t c = 0; c < width; ++c)
        t.statistics[i * width + c] = home.counts[place.node * width + c];
    else
      t.statistics[i] = node.centre;
    t.level_code.insert(t.level_code.end(), home.level_code.begin() + node.first_level,
                        home.level_code.begin() + node.first_level + node.n_levels);
    t.level_branch.insert(t.level_branch.end(), home.level_branch.begin() + node.first_level,
                          home.level_branch.begin() + node.first_level + node.n_levels);
    t.level_start[i + 1] = static_cast<std::int64_t>(t.level_code.size());
    if (node.first_child < 0) continue;
    t.first_child[i] = static_cast<std::int32_t>(order.size());
    for (int j = 0; j < node.n_children; ++j) {
      t.parent[order.size()] = static_cast<std::int32_t>(i);
      order.push_back(resolved({place.tree, node.first_child + j}));
    }
  }
  return t;
}

}  // namespace bough
