// The bound that a cut must reach to be worth evaluating.
#pragma once

#include <cmath>
#include <limits>

namespace bough {

class Bar {
 public:
  Bar(double unsplit, double unit) : unsplit_(unsplit), unit_(unit) {}
  void raise(double value) {
    const double bound = value * unit_ + unsplit_;
    bar_ = bound - kSlack * (std::abs(bound) + std::abs(unsplit_));
  }
  bool reached_by(double bound) const { return bound >= bar_; }
  double least() const { return bar_; }

 private:
  static constexpr double kSlack = 1e-10;
  double unsplit_, unit_;
  double bar_ = -std::numeric_limits<double>::infinity();
};

}  // namespace bough
