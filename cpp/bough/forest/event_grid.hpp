// Numbers of events whose sums are exact, so that rows without events are known as such by what is left of a
// sum.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace bough {

class EventGrid {
 public:
  // sum: about that of all events, of which there may be none.
  explicit EventGrid(double sum)
      : unit_(sum > 0 ? std::max(std::ldexp(1.0, std::ilogb(sum) - kBits), kLeast) : kLeast) {}

  double nearest(double events) const {
    return events > 0 ? std::max(1.0, std::nearbyint(events / unit_)) * unit_ : 0.0;
  }

 private:
  static constexpr int kBits = 51;  // the sum may grow by as much as it is: any event is at least a unit
  static constexpr double kLeast = std::numeric_limits<double>::min();

  double unit_;
};

}  // namespace bough
