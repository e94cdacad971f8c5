// The distribution of the greatest of correlated standard normal variables, in absolute value.
#pragma once

#include <functional>
#include <vector>

namespace bough::conditional {

// Probability that a standard normal variable exceeds x in absolute value.
double normal_two_sided(double x);

// Probability that the greatest absolute value of the standardized linear statistic exceeds x. The statistic
// has an entry for each pair of a level of x and a class of y, whose shares are given; an empty vector stands
// for a number, which has one entry. Computed to about seven digits where there are at most two levels or at
// most two classes, or a number; otherwise estimated by importance sampling from a fixed seed, with a
// relative error of about 0.2 %, or 1 % above 0.5. between: called now and then, and may throw.
double maximum_survival(
    double x, const std::vector<double>& levels, const std::vector<double>& classes,
    const std::function<void()>& between = [] {});

}  // namespace bough::conditional
