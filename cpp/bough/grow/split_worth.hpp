// What a split is worth in the user's units, and whether that is enough.
#pragma once

#include <cmath>

#include "bough/grow/branching.hpp"
#include "bough/grow/measure.hpp"
#include "bough/grow/problem.hpp"

namespace bough {

// The gain of a split of this value, for each unit of the node's own weight.
inline double gain_of(double value, const Range& range, const Recipe& recipe, const Rows& rows,
                      const Branching& out) {
  const Criterion criterion = recipe.criterion;
  if (criterion->power_of_y)
    value = std::ldexp(value, -criterion->power_of_y * range.exponent);
  else if (criterion->grows_with_weight)
    value *= rows.weight_unit;
  return rows.own ? value * (range.weight * rows.weight_unit) / out.nodes[range.node].weight : value;
}

// The improvement by a split of this gain as rpart reports it: a share of the risk for squared error, else
// all that the split gains.
inline double improvement_by(double gain, const Range& range, const Recipe& recipe, const Branching& out) {
  const double whole = gain * out.nodes[range.node].weight;
  return recipe.criterion == criterion_of<SquaredError> ? whole / out.nodes[range.node].risk : whole;
}

// Whether a split of this gain is worth what the limits ask for.
inline bool gains_enough(double gain, const Range& range, const Recipe& recipe, double root_weight,
                         double root_improvement, const Branching& out) {
  // An improvement short of the bound by rounding alone is not short of it.
  constexpr double kEpsilon = 2.220446049250313e-16;
  const Limits& limits = recipe.limits;
  if (!(gain > limits.min_gain)) return false;
  if (limits.min_share > 0 &&
      !(improvement_by(gain, range, recipe, out) > limits.min_share * root_improvement))
    return false;
  return !(gain * out.nodes[range.node].weight / root_weight + kEpsilon < limits.min_decrease);
}

}  // namespace bough
