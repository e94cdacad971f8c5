// The kinds of splits of a tree.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace bough {

enum class SplitKind : std::uint8_t { leaf, threshold, complete, subset, one_vs_rest, at_most, intervals };

// Whatever kind of cut it is, a value goes right just if it is at least the number returned.
inline double least_right(SplitKind kind, double cut) {
  if (kind != SplitKind::at_most) return cut;
  // No number is above infinity, nor at least NaN.
  return cut == HUGE_VAL ? std::numeric_limits<double>::quiet_NaN() : std::nextafter(cut, HUGE_VAL);
}

}  // namespace bough
