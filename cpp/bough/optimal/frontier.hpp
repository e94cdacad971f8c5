// The cuts of a node that are still to be examined, as intervals between examined cuts, with bounds.
//
// Let l and r be bounds of what the best subtrees lose left and right of a cut. Moving a cut to the right
// adds rows to the left side, so l cannot fall and r cannot rise; and a row changes either by at most its
// margin. So every cut between two examined cuts i < j loses at least max(l_i + r_j, l_j + r_i - m), where m
// is the sum of the margins of the rows between them (Brita, van der Linden and Demirovic, 2025).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bough/optimal/node_rows.hpp"

namespace bough::optimal {

struct Cut {
  std::int32_t axis = -1, position = 0;
  double left = -kInfinity, right = -kInfinity;  // bounds of the two sides
};

class Frontier {
 public:
  struct Interval {
    std::int32_t axis, low, high;  // cuts strictly between these positions
    std::int32_t before, after;    // examined cuts at its ends; -1: the end of the order
    double bound;
    std::int32_t width() const { return high - low; }
  };

  // known: bounds of each axis of the problem, or null; axes whose bound reaches the limit are left out.
  void start(const Problem& problem, const NodeRows& node, const double* known, double limit) {
    problem_ = &problem;
    node_ = &node;
    cuts.clear();
    open_.clear();
    least_unexamined_ = kInfinity;
    axis_bound.assign(problem.axes.size(), kInfinity);
    uniform_ = problem.rows.margin.empty();
    const double cost = problem.limits.split_cost;
    for (const std::int32_t axis : node.axes()) {
      const double bound = std::max(cost, known ? known[axis] : cost);
      if (bound >= limit)
        close({axis, 0, node.n, -1, -1, bound});
      else
        open_.push_back({axis, 0, node.n, -1, -1, bound});
    }
    if (!uniform_) sum_margins();
  }

  // Updates the bounds of the open intervals and closes those that reach the limit.
  void tighten(double limit) {
    std::size_t kept = 0;
    for (Interval& interval : open_) {
      interval.bound = std::max(interval.bound, bound(interval));
      if (interval.bound >= limit)
        close(interval);
      else
        open_[kept++] = interval;
    }
    open_.resize(kept);
  }

  bool empty() const { return open_.empty(); }

  double least_open() const {
    double least = kInfinity;
    for (const Interval& interval : open_) least = std::min(least, interval.bound);
    return least;
  }

  // Whatever is still open: its bound counts, but it will not be examined.
  void give_up() {
    for (const Interval& interval : open_) close(interval);
    open_.clear();
  }

  // Takes up to n cuts from the intervals of the lowest bounds and returns how many; they are the last of
  // `cuts`, in the order of their axes and positions.
  int take(int n) {
    const std::size_t first = cuts.size();
    const int m = static_cast<int>(open_.size());
    taken_.swap(open_);
    open_.clear();
    if (m > n) {
      std::nth_element(taken_.begin(), taken_.begin() + (n - 1), taken_.end(), first_of);
      open_.assign(taken_.begin() + n, taken_.end());
      taken_.resize(n);
    }
    std::sort(taken_.begin(), taken_.end(), [](const Interval& a, const Interval& b) {
      return a.axis != b.axis ? a.axis < b.axis : a.low < b.low;
    });
    const int each = n / static_cast<int>(std::max<std::size_t>(taken_.size(), 1));
    for (const Interval& interval : taken_) divide(interval, each);
    return static_cast<int>(cuts.size() - first);
  }

  // Takes this cut of an axis that has not been cut yet.
  void take_at(std::int32_t axis, int position) {
    for (std::size_t k = 0; k < open_.size(); ++k) {
      const Interval in = open_[k];
      if (in.axis != axis) continue;
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(k));
      cuts.push_back({axis, position});
      if (position > 1) open_.push_back({axis, 0, position, -1, 0, in.bound});
      if (node_->n - position > 1) open_.push_back({axis, position, node_->n, 0, -1, in.bound});
      return;
    }
  }

  double split_cost() const { return problem_->limits.split_cost; }

  double margin(int axis, int low, int high) const {
    if (uniform_) return high - low;
    const double* sum = sums_.data() + static_cast<std::size_t>(axis) * (node_->n + 1);
    return sum[high] - sum[low];
  }

  // Bounds of both sides of a cut from the nearest examined cuts of its axis.
  void bound_sides(Cut& cut, std::int32_t& before, std::int32_t& after) const {
    before = after = -1;
    for (std::size_t i = 0; i < cuts.size(); ++i) {
      const Cut& other = cuts[i];
      if (other.axis != cut.axis || other.left == -kInfinity) continue;
      if (other.position < cut.position) {
        cut.left = std::max(cut.left, other.left);
        cut.right = std::max(cut.right, other.right - margin(cut.axis, other.position, cut.position));
        if (before < 0 || cuts[before].position < other.position) before = static_cast<std::int32_t>(i);
      } else if (other.position > cut.position) {
        cut.right = std::max(cut.right, other.right);
        cut.left = std::max(cut.left, other.left - margin(cut.axis, cut.position, other.position));
        if (after < 0 || cuts[after].position > other.position) after = static_cast<std::int32_t>(i);
      }
    }
    cut.left = std::max(cut.left, 0.0);
    cut.right = std::max(cut.right, 0.0);
  }

  // A cut has been examined: whatever its subtrees, it loses at least so much.
  void close_cut(const Cut& cut) {
    axis_bound[cut.axis] = std::min(axis_bound[cut.axis], cut.left + cut.right + problem_->limits.split_cost);
  }

  // The least bound of all cuts that were closed without being examined.
  double least_unexamined() const { return least_unexamined_; }
  double least() const { return *std::min_element(axis_bound.begin(), axis_bound.end()); }

  std::vector<Cut> cuts;
  std::vector<double> axis_bound;  // of what any split of the axis loses, over all that has been closed

 private:
  static bool first_of(const Interval& a, const Interval& b) {
    if (a.bound != b.bound) return a.bound < b.bound;
    if (a.width() != b.width()) return a.width() > b.width();
    return a.axis != b.axis ? a.axis < b.axis : a.low < b.low;
  }

  double bound(const Interval& in) const {
    const double cost = problem_->limits.split_cost;
    const double li = in.before < 0 ? 0 : cuts[in.before].left, rj = in.after < 0 ? 0 : cuts[in.after].right;
    double least = std::max(li, 0.0) + std::max(rj, 0.0);
    if (in.before >= 0 && in.after >= 0)
      least = std::max(least, cuts[in.after].left + cuts[in.before].right - margin(in.axis, in.low, in.high));
    return least + cost;
  }

  void close(const Interval& interval) {
    axis_bound[interval.axis] = std::min(axis_bound[interval.axis], interval.bound);
    least_unexamined_ = std::min(least_unexamined_, interval.bound);
  }

  // Takes up to k cuts of an interval, evenly spaced.
  void divide(const Interval& in, int k) {
    const Axis& axis = problem_->axes[in.axis];
    const std::uint32_t* rows = node_->order(in.axis);
    int low = in.low;
    std::int32_t before = in.before;
    for (int i = 1; i <= k; ++i) {
      const int wanted = in.low + static_cast<int>(static_cast<std::int64_t>(in.width()) * i / (k + 1));
      const int cut = nearest_cut(axis, rows, std::max(wanted, low + 1), low, in.high);
      if (cut < 0) break;
      const auto at = static_cast<std::int32_t>(cuts.size());
      cuts.push_back({in.axis, cut});
      if (cut - low > 1) open_.push_back({in.axis, low, cut, before, at, in.bound});
      low = cut;
      before = at;
    }
    // Where no cut was found there is none.
    if (low > in.low && in.high - low > 1)
      open_.push_back({in.axis, low, in.high, before, in.after, in.bound});
  }

  // The cut between two positions, exclusive, that is nearest to the one wanted; -1: there is none.
  static int nearest_cut(const Axis& axis, const std::uint32_t* rows, int wanted, int low, int high) {
    for (int step = 0; wanted - step > low || wanted + step < high; ++step) {
      if (wanted - step > low && wanted - step < high && can_cut(axis, rows, wanted - step))
        return wanted - step;
      if (wanted + step < high && can_cut(axis, rows, wanted + step)) return wanted + step;
    }
    return -1;
  }

  void sum_margins() {
    const std::size_t n = node_->n;
    sums_.resize(problem_->axes.size() * (n + 1));
    for (const Interval& interval : open_) {
      double* sum = sums_.data() + static_cast<std::size_t>(interval.axis) * (n + 1);
      const std::uint32_t* rows = node_->order(interval.axis);
      sum[0] = 0;
      for (std::size_t i = 0; i < n; ++i) sum[i + 1] = sum[i] + problem_->rows.margin[rows[i]];
    }
  }

  const Problem* problem_ = nullptr;
  const NodeRows* node_ = nullptr;
  bool uniform_ = true;
  double least_unexamined_ = kInfinity;
  std::vector<Interval> open_, taken_;
  std::vector<double> sums_;
};

}  // namespace bough::optimal
