// Splits whose value counts the rows with a missing value: on the side that serves the split best, or in a
// branch of their own. Part of NodeSearch.
#pragma once

#include <algorithm>

#include "bough/grow/node_search.hpp"

namespace bough {

// Thresholds: the cuts with the missing rows on the right, then the missing rows alone on the left, then the
// cuts with them on the left; of equals the first is taken.
template <class E>
void NodeSearch<E>::search_learned(int c, Known known, const Range& range, const Branching& out, Best& best,
                                   int member) {
  const Known all{known.list, range.count};
  if (in_.column(c).scale == Scale::nominal) return search_known(c, all, range, out, best, member);
  if (in_.problem.recipe.draw.random_splits) return search_drawn(c, all, range, best, member);
  const bool medians = in_.problem.recipe.criterion.reads_values();
  Space& space = space_[member];
  Cut cut = medians ? medians_.cut(all, known.count, range, best.value, member)
                    : scanned_cut(c, known, all, range, out, best.value, space);
  if (cut.left > 0) best.missing = 1;
  take_cut(cut, c, best);

  const int n_missing = range.count - known.count;
  space.turned.assign(known.list + known.count, known.list + range.count);
  space.turned.insert(space.turned.end(), known.list, known.list + known.count);
  const Known turned{space.turned.data(), range.count};
  cut = medians ? medians_.cut(turned, 0, range, best.value, member)
                : scanned_cut(c, turned, all, range, out, best.value, space);
  if (cut.left == 0) return;
  take_cut(cut, c, best);
  best.missing = 0;
  best.left = cut.left - n_missing;
}

// The missing rows against the known ones; better, the best split of the known ones with a branch more for
// the missing. Rows too few for a child are routed by the fallback.
template <class E>
void NodeSearch<E>::search_own_level(int c, Known known, const Range& range, const Branching& out, Best& best,
                                     int member) {
  const E* end = known.list + range.count;
  if (!enough(known.list + known.count, end, in_.leaf_limits().min_cases_leaf))
    return search_known(c, known, range, out, best, member);
  const Known all{known.list, range.count};
  const bool nominal = in_.column(c).scale == Scale::nominal;
  if (nominal && in_.problem.recipe.nominal == Nominal::complete)
    return search_known(c, all, range, out, best, member);
  Best of_known, found = missing_apart(c, known, range, member);
  search_known(c, known, range, out, of_known, member);
  if (of_known.column >= 0 && separates(of_known, known)) {
    of_known.missing = of_known.n_branches++;
    of_known.value = value_of(of_known, all, range, {}, member);
    if (of_known.value > found.value) found = std::move(of_known);
  }
  if (found.value > best.value) best = std::move(found);
}

// Whether a child of these entries is large enough.
template <class E>
bool NodeSearch<E>::enough(const E* first, const E* last, double min_cases) const {
  double cases = 0, weight = 0;
  for (const E* entry = first; entry < last; ++entry) {
    cases += in_.rows.cases_at(index_of(*entry));
    weight += in_.rows.weight_at(index_of(*entry));
  }
  return cases >= min_cases && weight >= in_.problem.min_weight_leaf;
}

// The split into missing and known rows; column -1 if a child would be too small.
template <class E>
Best NodeSearch<E>::missing_apart(int c, Known known, const Range& range, int member) {
  const E *middle = known.list + known.count, *end = known.list + range.count;
  const double min_cases = in_.leaf_limits().min_cases;
  Best apart;
  if (!enough(known.list, middle, min_cases) || !enough(middle, end, min_cases)) return apart;
  apart.column = c;
  apart.missing = 0;
  if (in_.column(c).scale == Scale::nominal) {
    // Branch 0 of one level against the rest has that level alone.
    apart.missing = in_.problem.recipe.nominal == Nominal::subset;
    const std::vector<int> group_end = ends_of_groups(known);
    in_.take_levels(apart, c, known, group_end, std::vector<int>(group_end.size(), 1 - apart.missing));
  }
  apart.value = value_of(apart, {known.list, range.count}, range, {}, member);
  return apart;
}

// Whether a split of a column with missing values separates known rows that differ. Where only the missing
// ones differ, splitting the known ones would go on to the last row for nothing.
template <class E>
bool NodeSearch<E>::separates(const Best& found, Known known) const {
  if (!in_.rows.label) return found.value > 0;
  const std::int32_t* first = in_.rows.labels_at(index_of(known.list[0]));
  return std::any_of(known.list, known.list + known.count, [&](E entry) {
    return !std::equal(first, first + in_.rows.n_targets, in_.rows.labels_at(index_of(entry)));
  });
}

}  // namespace bough
