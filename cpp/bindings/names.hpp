// Options of growth that Python names by words, and their limits.
#pragma once

#include "arguments.hpp"
#include "bough/search/search.hpp"

namespace bough_python {

inline bough::Nominal nominal_named(const std::string& name) {
  return named<bough::Nominal>(name,
                               {{"subset", bough::Nominal::subset},
                                {"complete", bough::Nominal::complete},
                                {"one_vs_rest", bough::Nominal::one_vs_rest}},
                               "kind of split");
}

inline void check_exhaustive(int max_exhaustive) {
  check(max_exhaustive >= 2 && max_exhaustive <= 24, "max_exhaustive must be 2 to 24");
}

}  // namespace bough_python
