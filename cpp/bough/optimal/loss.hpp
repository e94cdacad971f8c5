// What leaves lose: the loss that a search minimizes, with its best stump and its sweeps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bough/optimal/frontier.hpp"
#include "bough/optimal/sweep.hpp"

namespace bough::optimal {

// The least loss of a single split of a node, and where it is; axis -1: no split is allowed.
struct Stump {
  double loss = kInfinity;
  std::int32_t axis = -1, position = 0;
};

// The losses of both sides of a cut: as a leaf, and with one more split.
struct LaneLosses {
  double leaf[2], stump[2], allowed_stump[2];
  double cases[2];
};

// Losses of two classes, as whole numbers that T can sum.
template <class T>
class TwoClassLoss {
 public:
  static constexpr int kLanes = kSweepLanes<T>;

  // first, second: the loss of predicting the first or the second class for each row.
  TwoClassLoss(const Problem& problem, std::vector<double> first, std::vector<double> second)
      : first_(std::move(first)), second_(std::move(second)), mask_(first_.size()) {
    for (std::size_t i = 0; i < first_.size(); ++i) advantage_.push_back(static_cast<T>(first_[i] - second_[i]));
    double most = 1;
    for (const double advantage : advantage_) most += advantage < 0 ? -advantage : advantage;
    unreachable_ = static_cast<T>(most);
    if (problem.limits.min_cases > 1) {
      for (std::size_t i = 0; i < first_.size(); ++i)
        cases_.push_back(static_cast<T>(problem.rows.cases.empty() ? 1 : problem.rows.cases[i]));
      min_cases_ = static_cast<T>(problem.limits.min_cases);
    }
  }

  double leaf(const NodeRows& node) const {
    const Totals all = totals(node.order(0), node.n);
    return std::min(all.first, all.second);
  }

  // The best split at which both sides have enough cases; the first of equals.
  Stump stump(const Problem& problem, const NodeRows& node) const {
    Stump best;
    const Totals all = totals(node.order(0), node.n);
    for (const std::int32_t a : node.axes()) {
      const std::uint32_t* order = node.order(a);
      Totals left;
      for (int i = 1; i < node.n; ++i) {
        left.add(*this, order[i - 1]);
        if (!can_cut(problem.axes[a], order, node.n, i)) continue;
        if (left.cases < min_cases_ || all.cases - left.cases < min_cases_) continue;
        const double loss = std::min(left.first, left.second) +
                            std::min(all.first - left.first, all.second - left.second);
        if (loss < best.loss) best = {loss, a, i};
      }
    }
    return best;
  }

  void examine(const Problem& problem, const NodeRows& node, const Cut* cuts, int n, LaneLosses* out) {
    const Totals all = totals(node.order(0), node.n);
    mark(node, cuts, n, all, out);
    LaneSums<T> sums;
    sweep<T>(problem, node, {mask_.data(), advantage_.data(), cases_.empty() ? nullptr : cases_.data(),
                             min_cases_, unreachable_}, sums);
    for (int j = 0; j < n; ++j)
      for (int s = 0; s < 2; ++s) {
        const double first = lane_first_[s][j], second = lane_second_[s][j];
        out[j].leaf[s] = std::min(first, second);
        out[j].stump[s] = std::min(second + sums.low[s][j], first - sums.high[s][j]);
        out[j].allowed_stump[s] = cases_.empty() ? out[j].stump[s] : allowed(sums, s, j);
      }
  }

 private:
  struct Totals {
    double first = 0, second = 0, cases = 0;
    void add(const TwoClassLoss& loss, std::uint32_t row) {
      first += loss.first_[row];
      second += loss.second_[row];
      cases += loss.cases_.empty() ? 1 : loss.cases_[row];
    }
  };

  Totals totals(const std::uint32_t* rows, int n) const {
    Totals all;
    for (int i = 0; i < n; ++i) all.add(*this, rows[i]);
    return all;
  }

  double allowed(const LaneSums<T>& sums, int s, int j) const {
    const double low = sums.allowed_low[s][j], high = sums.allowed_high[s][j];
    return low >= unreachable_ ? kInfinity : std::min(lane_second_[s][j] + low, lane_first_[s][j] - high);
  }

  // Sets the masks of the node's rows, and sums the losses of both sides of each cut.
  void mark(const NodeRows& node, const Cut* cuts, int n, const Totals& all, LaneLosses* out) {
    for (int i = 0; i < node.n; ++i) mask_[node.order(0)[i]] = 0;
    lanes_.resize(n);
    for (int j = 0; j < n; ++j) lanes_[j] = j;
    std::sort(lanes_.begin(), lanes_.end(), [cuts](int a, int b) {
      return cuts[a].axis != cuts[b].axis ? cuts[a].axis < cuts[b].axis : cuts[a].position < cuts[b].position;
    });
    for (int begin = 0; begin < n;) {
      const std::int32_t axis = cuts[lanes_[begin]].axis;
      std::uint32_t bits = 0;
      int end = begin;
      for (; end < n && cuts[lanes_[end]].axis == axis; ++end) bits |= 1U << lanes_[end];
      const std::uint32_t* order = node.order(axis);
      Totals left;
      for (int k = begin, i = 0; k < end; ++k) {
        const int lane = lanes_[k];
        for (; i < cuts[lane].position; ++i) {
          mask_[order[i]] |= bits;
          left.add(*this, order[i]);
        }
        bits &= ~(1U << lane);
        set_sides(lane, left, all, out[lane]);
      }
      begin = end;
    }
  }

  void set_sides(int lane, const Totals& left, const Totals& all, LaneLosses& out) {
    lane_first_[0][lane] = left.first;
    lane_second_[0][lane] = left.second;
    lane_first_[1][lane] = all.first - left.first;
    lane_second_[1][lane] = all.second - left.second;
    out.cases[0] = left.cases;
    out.cases[1] = all.cases - left.cases;
  }

  std::vector<double> first_, second_;
  std::vector<T> advantage_, cases_;
  T min_cases_ = 1, unreachable_ = 0;
  std::vector<std::uint32_t> mask_;
  std::vector<int> lanes_;
  double lane_first_[2][kLanes], lane_second_[2][kLanes];
};

}  // namespace bough::optimal
