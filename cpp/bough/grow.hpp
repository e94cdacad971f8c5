// The exact grower: the same tree as the plain loop over contingency tables, from columns sorted once.
#pragma once

#include <stdexcept>

#include "bough/branching.hpp"
#include "bough/problem.hpp"

namespace bough {

// Thrown when the monitor asks to stop.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

GrownTree grow(const Data& data, const Recipe& recipe, int n_threads, const Monitor& monitor);

}  // namespace bough
