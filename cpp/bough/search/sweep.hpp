// Sweeps move one number of a split over several columns - its cut, a coefficient, the angle of its line -
// over all values it can take, and find the best: rows cross from one side to the other one after the other.
#pragma once

#include <cstddef>
#include <limits>

#include "bough/criteria/list.hpp"
#include "bough/machine/watch.hpp"
#include "bough/search/search.hpp"

namespace bough {

// The rows of a node that are swept, a row of evaluator.width() statistics each.
struct SweptRows {
  const double* statistics;
  const double* cases;
  std::size_t n_rows;
  double node_weight;  // with the rows that are not swept
};

// The best value found, and the two neighbouring numbers between which the swept one must lie.
struct Swept {
  double value = -std::numeric_limits<double>::infinity();
  double below = 0, above = 0;
};

// The best cut of the numbers v.
Swept best_cut(const SweptRows&, const Evaluator&, const LeafLimits&, const double* v);

// The best delta of the split v - delta * (x + gamma) < cut.
Swept best_step(const SweptRows&, const Evaluator&, const LeafLimits&, const double* v, double cut,
                const double* x, double gamma);

// The best angle, from 0 to pi, of a line in the plane of x and y, among all lines: a line can be moved until
// it passes through a row, and turned about it. Of angles of equal value the one with most room is taken.
Swept best_angle(const SweptRows&, const Evaluator&, const LeafLimits&, const double* x, const double* y,
                 Watch& watch);

}  // namespace bough
