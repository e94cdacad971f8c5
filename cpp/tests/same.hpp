// Comparison of the arrays of trees.
#pragma once

#include <algorithm>

namespace bough::tests {

// Whether two lists are equal; NaN equals NaN.
template <class Some, class Others>
bool same(const Some& a, const Others& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](auto x, auto y) { return x == y || (x != x && y != y); });
}

}  // namespace bough::tests
