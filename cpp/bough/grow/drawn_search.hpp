// Splits and columns drawn at random. Part of NodeSearch.
#pragma once

#include <algorithm>
#include <numeric>

#include "bough/grow/drawn_split.hpp"
#include "bough/grow/node_search.hpp"

namespace bough {

template <class E>
bool NodeSearch<E>::is_constant(int c, const Range& range) const {
  const bool by_value = in_.problem.recipe.missing != MissingRows::left_out;
  if (in_.sparse) return in_.sparse->is_constant(c, range, by_value);
  const Known known = in_.known(c, range);
  const bool tells_missing = by_value && known.count < range.count;
  return known.count == 0 ||
         (code_of(known.list[0]) == code_of(known.list[known.count - 1]) && !tells_missing);
}

// Searches some columns that are not constant in the node, drawn at random; if none of them can be split,
// further ones are drawn until one can.
template <class E>
Best NodeSearch<E>::best_of_drawn(const Range& range, const Branching& out) {
  const int n = in_.n_columns(), most = in_.problem.recipe.draw.n_columns;
  Random random(range.key, 0);
  std::vector<int> order(n), drawn;
  std::iota(order.begin(), order.end(), 0);
  int next = 0;
  const auto draw = [&] {
    while (next < n) {
      std::swap(order[next], order[next + static_cast<int>(random.below(n - next))]);
      const int c = order[next++];
      if (!is_constant(c, range)) return c;
    }
    return -1;
  };
  for (int c = draw(); c >= 0; c = draw()) {
    drawn.push_back(c);
    if (static_cast<int>(drawn.size()) == most) break;
  }
  std::sort(drawn.begin(), drawn.end());
  Best best = best_among(drawn, range, out);
  while (best.column < 0) {
    const int c = draw();
    if (c < 0) break;
    search_column(c, range, out, best, 0);
  }
  return best;
}

// One split of the entries, drawn at random. Missing ones among them take each side of a threshold in turn,
// and are one more level of a nominal column.
template <class E>
void NodeSearch<E>::search_drawn(int c, Known entries, const Range& range, Best& best, int member) {
  Best drawn;
  drawn.column = c;
  if (in_.column(c).scale == Scale::nominal) {
    const std::vector<int> group_end = ends_of_groups(entries);
    if (group_end.size() < 2) return;
    const int n_groups = static_cast<int>(group_end.size());
    in_.take_levels(drawn, c, entries, group_end,
                    draw_branches(n_groups, in_.problem.recipe.nominal, c, range));
    return offer(drawn, entries, range, best, member);
  }
  const Known known = in_.known(c, range);
  if (known.count < 2 || code_of(known.list[0]) == code_of(known.list[known.count - 1])) return;
  const DrawnCut cut = draw_cut(in_, c, known, range);
  drawn.left = cut.left;
  drawn.drawn_cut = cut.cut;
  if (known.count == entries.count) return offer(drawn, entries, range, best, member);
  for (const int side : {1, 0}) {
    Best sided;
    sided.column = c;
    sided.left = cut.left;
    sided.drawn_cut = cut.cut;
    sided.missing = side;
    offer(sided, entries, range, best, member);
  }
}

// Takes a split in two if its children are large enough, keep the rule of their answers, and gain more.
template <class E>
void NodeSearch<E>::offer(Best& split, Known entries, const Range& range, Best& best, int member) {
  const std::vector<int> branch = in_.branches(split, entries);
  const LeafLimits limits = in_.leaf_limits(split.column, range);
  double cases[2] = {0, 0}, weight[2] = {0, 0};
  for (int i = 0; i < entries.count; ++i) {
    cases[branch[i]] += in_.rows.cases_at(index_of(entries.list[i]));
    weight[branch[i]] += in_.rows.weight_at(index_of(entries.list[i]));
  }
  for (const int side : {0, 1})
    if (cases[side] < limits.min_cases || weight[side] < limits.min_weight) return;
  split.value = value_of(split, entries, range, limits.answers, member);
  if (split.value > best.value) best = std::move(split);
}

}  // namespace bough
