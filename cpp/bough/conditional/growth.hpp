// Grows conditional inference trees, level by level.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bough/conditional/inference.hpp"
#include "bough/conditional/node_measure.hpp"
#include "bough/grow/branching.hpp"

namespace bough::conditional {

// When a node is tested.
struct NodeLimits {
  std::int64_t max_depth = 0;
  double min_cases = 0;
};

// A tree, and the adjusted p-value and the statistic of each column in each node, NaN where it was not
// tested.
struct TestedTree {
  GrownTree tree;
  std::vector<double> p_value, statistic;
};

// columns: of the whole table. The scores of a test number the levels of an ordinal column that occur.
// target: the rows as they are tested; its cases are those of the rows, which Monte Carlo tests repeat.
// between: called now and then, and may throw.
TestedTree grow(const std::vector<Column>& columns, Target target, const ShownRows& shown,
                const Options& options, const NodeLimits& limits, const std::function<void()>& between);

}  // namespace bough::conditional
