// Splits drawn at random, as extremely randomized trees have them (Geurts, Ernst and Wehenkel 2006). What is
// drawn depends on the node and the column alone, so columns may be searched in any order.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "bough/grow/node_lists.hpp"
#include "bough/machine/random.hpp"

namespace bough {

struct DrawnCut {
  double cut;
  int left;  // known entries below it
};

// A cut drawn uniformly between two values: above the least, at most the greatest.
inline double drawn_between(double least, double most, Scale scale, Random& random) {
  const double reach = most - least;
  double cut = std::isfinite(reach) ? least + random.uniform() * reach : (random.next() >> 63 ? 0.0 : most);
  if (scale != Scale::numeric) cut = std::floor(cut) + 0.5;
  return cut > least && cut <= most ? cut : most;
}

// A cut of a column that is not constant in the node.
template <class E>
DrawnCut draw_cut(const NodeLists<E>& in, int c, KnownEntries<E> known, const Range& range) {
  Random random(range.key, static_cast<std::uint64_t>(c) + 1);
  const auto value = [&](E entry) { return in.column(c).value(in.table_row(entry)); };
  const E *first = known.list, *end = known.list + known.count;
  const double cut = drawn_between(value(first[0]), value(end[-1]), in.column(c).scale, random);
  const E* above = std::partition_point(first, end, [&](E entry) { return value(entry) < cut; });
  return {cut, static_cast<int>(above - first)};
}

// The branch of each of at least two groups of levels: two sets of them, or one against the rest.
inline std::vector<int> draw_branches(int n_groups, Nominal nominal, int c, const Range& range) {
  Random random(range.key, static_cast<std::uint64_t>(c) + 1);
  std::vector<int> branch(n_groups, 1);
  if (nominal == Nominal::one_vs_rest) {
    branch[random.below(n_groups)] = 0;
    return branch;
  }
  for (int& each : branch) each = static_cast<int>(random.next() >> 63);
  if (std::all_of(branch.begin(), branch.end(), [&](int each) { return each == branch[0]; }))
    branch[random.below(n_groups)] ^= 1;
  if (branch[0] == 1)  // the first level is always in branch 0
    for (int& each : branch) each = 1 - each;
  return branch;
}

}  // namespace bough
