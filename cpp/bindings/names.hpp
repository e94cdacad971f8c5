// Choices that Python names by words, and the limits of what may be asked for.
#pragma once

#include <stdexcept>
#include <string>

#include "bough/search/search.hpp"

namespace bough_python {

inline bough::Nominal nominal_named(const std::string& name) {
  if (name == "subset") return bough::Nominal::subset;
  if (name == "complete") return bough::Nominal::complete;
  if (name == "one_vs_rest") return bough::Nominal::one_vs_rest;
  throw std::invalid_argument("unknown kind of split " + name);
}

inline void check_exhaustive(int max_exhaustive) {
  if (max_exhaustive < 2 || max_exhaustive > 24)
    throw std::invalid_argument("max_exhaustive must be 2 to 24");
}

}  // namespace bough_python
