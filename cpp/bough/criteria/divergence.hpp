// Bounds of the divergence that Poisson's value of a cut is in other units.
//
// With q the share of the weight that lies left and p that of the events, the value is the node's rate times
// the divergence of p from q, the integral of (p - t) g(t) from q to p, where g(t) = 1 / (t (1 - t)) is
// convex. Its chord bounds the divergence from above by (p - q)^2 (g(q) / 3 + g(p) / 6), its tangent at the
// centre of gravity from below by (p - q)^2 g((2 q + p) / 3) / 2: both are exact up to the third order of p -
// q. Besides it is at most chi-square, (p - q)^2 g(q), which is finite where all events lie on one side.
#pragma once

#include "bough/machine/processor.hpp"

namespace bough {

// No divergence is above the value. squares: (p - q)^2; of_weight, of_events: at most q (1 - q) and p (1 -
// p). V: a number or a vector of numbers.
template <class V>
BOUGH_INLINE void bound_divergence(const V& squares, const V& of_weight, const V& of_events, V& value) {
  const auto by_chi_square = of_weight >= 4 * of_events;
  const V numerator = by_chi_square ? squares : squares * (2 * of_events + of_weight);
  value = numerator / (by_chi_square ? of_weight : 6 * of_weight * of_events);
}

}  // namespace bough
