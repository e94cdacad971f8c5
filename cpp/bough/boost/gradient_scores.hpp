// What nodes and splits are worth by their sums of gradients and hessians: the values of leaves by a Newton
// step, and the gain of a split as the fall of the loss to second order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "bough/boost/boost_limits.hpp"
#include "bough/boost/gain_scan.hpp"
#include "bough/boost/gradient_cells.hpp"
#include "bough/boost/sorted_rows.hpp"
#include "bough/histogram/bin_split.hpp"

namespace bough {

// Which sets of columns hold all columns on the path to a node, and the columns of these sets.
struct Interactions {
  std::vector<std::uint8_t> sets, columns;
};

// The greatest gain that threads have found so far, which may be read late; negative: none.
class BestSoFar {
 public:
  double value() const {
    double now;
    __atomic_load(&value_, &now, __ATOMIC_RELAXED);
    return now;
  }
  void raise(double to) {
    if (to > value()) __atomic_store(&value_, &to, __ATOMIC_RELAXED);
  }
  void clear() { value_ = -1; }

 private:
  double value_ = -1;
};

struct GradientSums {
  double gradient = 0, hessian = 0;  // in units of the tree
  double size = 0;                   // cases, or the hessian where they are not counted
  std::int64_t n_rows = 0;
  double min_size = 0;         // of a child
  double value = 0;            // in units of the score, before shrinkage
  double of_parent = 0;        // the value of the parent
  double unsplit = 0;          // the score of the node itself, where rows are few
  mutable BestSoFar best_cut;  // of the columns searched, where rows are few
  bool is_root = false;
  double lower = -std::numeric_limits<double>::infinity();  // bounds of the values below
  double upper = std::numeric_limits<double>::infinity();
  std::shared_ptr<const Interactions> allowed;  // null: all
  int nearest = -1;  // the column that is searched where none is drawn; -1: some are
  std::uint64_t seed_of_level = 0, seed_of_node = 0;  // of draws of columns
  const SortedRow* rows = nullptr;  // of the node, in the order of the column by which its parent was split
};

// What one of the sums of a tree stands for. most_variance: of a row's gradient, where the scores are right,
// by its hessian; 0: not known. mean_square: the sum of squares of the gradients by that of the hessians, in
// units of the sums.
struct GradientUnits {
  double gradient = 1, hessian = 1, most_variance = 0, mean_square = 0;
};

// The scores of one tree. Cells: those of its histograms.
template <class Cells>
class GradientScores {
 public:
  explicit GradientScores(const BoostLimits& limits) : limits_(limits) {}

  void start_tree(const GradientUnits& units) {
    const double gradient_unit = units.gradient, hessian_unit = units.hessian;
    gradient_unit_ = gradient_unit;
    hessian_unit_ = hessian_unit;
    // Gradients of rows that are fitted closely vary less than the hessian says.
    const double variance = units.most_variance * hessian_unit / gradient_unit / gradient_unit;
    level_penalty_ = limits_.level_penalty * std::min(variance, units.mean_square);
    l1_ = limits_.l1 / gradient_unit;
    min_hessian_ = std::max(limits_.min_hessian / hessian_unit, std::numeric_limits<double>::min());
  }

  const BoostLimits& limits() const { return limits_; }
  double hessian_unit() const { return hessian_unit_; }

  // The score of what chance gains, for each unit of its expected value; 0: chance is not counted.
  double level_penalty() const { return level_penalty_; }

  // The value of a leaf with these sums within bounds, before shrinkage.
  double value_of(double gradient, double hessian, double lower, double upper, double l2) const {
    const double g = gradient * gradient_unit_, h = hessian * hessian_unit_ + l2;
    double size = std::max(0.0, std::abs(g) - limits_.l1);
    if (!(h > 0)) return std::clamp(0.0, lower, upper);
    size /= h;
    if (limits_.max_step > 0) size = std::min(size, limits_.max_step);
    return std::clamp(g > 0 ? -size : size, lower, upper);
  }

  // The value of a leaf with these sums, drawn towards that of its parent.
  double smoothed(double value, double size, const GradientSums& sums, double of_parent) const {
    if (!(limits_.path_smoothing > 0)) return value;
    const double cases = Cells::kCountsCases ? size : static_cast<double>(sums.n_rows) * size / sums.size;
    const double ratio = cases / limits_.path_smoothing;
    return std::clamp((value * ratio + of_parent) / (ratio + 1), sums.lower, sums.upper);
  }

  GainScan scan_of(const GradientSums& sums, double l2) const {
    return {sums.gradient, sums.hessian, sums.size, l1_, l2 / hessian_unit_, min_hessian_, sums.min_size};
  }

  // Whether the values of children are bounded, so that gains do not follow from sums alone.
  bool is_bounded(const GradientSums& sums, int c) const {
    return limits_.path_smoothing > 0 || limits_.max_step > 0 || std::isfinite(sums.lower) ||
           std::isfinite(sums.upper) || (!limits_.monotonic.empty() && limits_.monotonic[c] != 0);
  }

  // Whether gains follow from sums alone, without l1.
  bool is_plain(const GradientSums& node, int c) const { return l1_ == 0 && !is_bounded(node, c); }

  // Twice the fall of the loss if a side has this value, in units of the scan.
  double score_with(double gradient, double hessian, double value, double l2) const {
    const double g = gradient * gradient_unit_, h = hessian * hessian_unit_ + l2;
    const double fall = -(2 * (g * value + limits_.l1 * std::abs(value)) + h * value * value);
    return fall / gradient_unit_ * (hessian_unit_ / gradient_unit_);
  }

  // The score of a cut whose values are bounded; -1 if they break the rule of the column.
  double bounded_score(const GradientSums& sums, int c, const CellSums& left, double l2) const {
    const double gr = sums.gradient - left.gradient, hr = sums.hessian - left.hessian;
    const double vl = smoothed(value_of(left.gradient, left.hessian, sums.lower, sums.upper, l2), left.size,
                               sums, sums.value),
                 vr = smoothed(value_of(gr, hr, sums.lower, sums.upper, l2), sums.size - left.size, sums,
                               sums.value);
    const int direction = limits_.monotonic.empty() ? 0 : limits_.monotonic[c];
    if (direction * (vr - vl) < 0) return -1;
    return std::max(0.0, score_with(left.gradient, left.hessian, vl, l2) + score_with(gr, hr, vr, l2));
  }

  double unsplit_score(const GradientSums& sums, const GainScan& scan, double l2) const {
    if (limits_.path_smoothing > 0)
      return std::max(0.0, score_with(sums.gradient, sums.hessian, sums.value, l2));
    if (limits_.max_step > 0 || std::isfinite(sums.lower) || std::isfinite(sums.upper))
      return score_with(sums.gradient, sums.hessian, sums.value, l2);
    return score_of(scan.gradient, scan.hessian, scan.l1, scan.l2);
  }

  // Takes a score if its gain is enough; returns whether it did.
  bool take(double score, double unsplit, int c, BinSplit& best) const {
    constexpr double kRounding = 1e-12;
    if (score < 0 || !(score - unsplit > kRounding * score)) return false;
    // From left to right, so that the square of a small unit does not become 0.
    const double gain = (score - unsplit) * gradient_unit_ * (gradient_unit_ / hessian_unit_);
    if (!(gain > limits_.min_gain) || (best.column >= 0 && !(gain > best.value))) return false;
    best.column = c;
    best.value = gain;
    return true;
  }

 private:
  const BoostLimits& limits_;
  double gradient_unit_ = 1, hessian_unit_ = 1, level_penalty_ = 0;
  double l1_ = 0, min_hessian_ = 0;  // in units of the sums
};

}  // namespace bough
