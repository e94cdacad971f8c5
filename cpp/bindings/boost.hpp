// Settings and trees of gradient boosting as Python hands them over and gets them.
#pragma once

#include "arguments.hpp"
#include "bough/boost/boost.hpp"

namespace bough_python {

bough::BoostSettings to_boost_settings(const Reader& given, std::size_t n_columns);

// Only columns with an order can be monotonic.
void check_directions(const bough::BoostSettings& settings, const std::vector<bough::Column>& columns);

// The arrays of all trees, one after the other.
nb::dict joined(const std::vector<bough::GrownTree>& trees);

}  // namespace bough_python
