// What a screen does where the rows of a node lie in the order of each column.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/forest/moment_screen.hpp"

namespace bough {

namespace {

constexpr double kRounding = 2.3e-16, kNearlyOne = 1 + 1e-9;
constexpr double kNoCut = -std::numeric_limits<double>::infinity();

}  // namespace

void MomentScreen::start_listed(int n, const PackedRows& rows, const NodeSums& sums, double risk) {
  n_ = n;
  const double weight = sums.statistics[0], sum = sums.statistics[1], mean = sum / weight;
  start_units(sums, mean);
  const double unit = 1 / rows.scale();
  unit_of_value_ = of_squares_ * unit * unit;
  // The sum of |w y| is at most the root of the weight times the sum of w y^2; counts of events have no sign.
  const double size = evaluator_.criterion().reads_rates()
                          ? 2 * sum
                          : std::sqrt(weight * risk + sum * sum) * (1 + 1e-6) + std::abs(sum);
  within_range_ = rows.scale() > 0 && size > 1e-100 && size < 1e100;
  // Sums are rounded to units here, and rounded as in `start` where values are exact. The product of the
  // weights of both sides is least where one row of weight 1 lies on one side.
  const double sum_slack = n + 8 + 8 * (n + 8) * kRounding * size * rows.scale();
  listed_slack_ = sum_slack / std::sqrt(std::max(0.5, weight - 1));
  listed_ = {rows.rows(), weight, mean * rows.scale()};
  if (!evaluator_.criterion().reads_rates() || !within_range_ || !(mean > 0)) return;
  listed_.tilt = 1 / listed_.mean;
  // Events are at most the node's weight, and what they are multiplied by too.
  listed_.slack = weight * (listed_.tilt * sum_slack + weight * 1e-12);
}

ValueRange MomentScreen::range_listed(const std::uint32_t* list, bool ties) const {
  if (!within_range_) return {kNoCut, std::numeric_limits<double>::infinity()};
  return range_of_peak(peaks_.of_list(list, n_, ties, listed_));
}

ValueRange MomentScreen::range_coded(const std::uint8_t* code, std::uint32_t n_codes,
                                     const std::uint32_t* index) const {
  if (!within_range_) return {kNoCut, std::numeric_limits<double>::infinity()};
  return range_of_peak(peaks_.of_codes(code, static_cast<int>(n_codes), index, n_, listed_));
}

ValueRange MomentScreen::range_of_peak(const PeakOfCuts& peak) const {
  if (peak.highest == kNoCut) return {};
  const double above = std::sqrt(peak.highest) + listed_slack_;
  double least = kNoCut;
  if (peak.least >= 0) {
    const double below = std::max(0.0, std::sqrt(peak.least) - listed_slack_);
    least = below * below * unit_of_value_ * (2 - kNearlyOne) - value_slack_;
  }
  return {least, in_units(above * above, kNearlyOne)};
}

}  // namespace bough
