// The best partition of the rows of a contingency table into k groups, for k from 2 on, by dynamic
// programming: exact for criteria that add up over the children of a split.
#pragma once

#include <functional>
#include <vector>

#include "bough/search/search.hpp"

namespace bough {

struct Partition {
  double value = -std::numeric_limits<double>::infinity();  // of the criterion
  std::vector<int> group;                                   // of each row; empty: there is none
};

// Whether the best partition can be found: the criterion, or one that it is a function of, is additive.
bool is_additive(Criterion criterion);

// Entry k - 2 is the best partition into k groups that are ranges of the rows in this order (null: as they
// are), for k up to max_groups. Of equals, the one whose last groups begin first. Time is n^2 max_groups.
// between: called now and then, and may throw.
std::vector<Partition> best_ranges(
    const ContingencyTable&, const Evaluator&, const LeafLimits&, int max_groups, const int* order = nullptr,
    const std::function<void()>& between = [] {});

// The best partitions into any groups; time is 3^n max_groups.
std::vector<Partition> best_groups(const ContingencyTable&, const Evaluator&, const LeafLimits&,
                                   int max_groups);

}  // namespace bough
