// Sums that are rounded to a 32-bit float after every addend, as release 8 of C4.5 sums over the blocks of
// levels: what they become when two blocks are merged. They depend on the order of the addends, so that they
// have to be summed anew for every pair of blocks; but how far they can be from the sum without rounding is
// known beforehand, and several pairs are summed at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace bough::quinlan {

// The sum of the first n addends, and all sums before it.
template <class Addend>
class RoundedSum {
 public:
  void start(std::span<const Addend> addends) {
    addends_ = addends;
    sums_.assign(1, 0.0f);
    for (const Addend addend : addends) sums_.push_back(static_cast<float>(sums_.back() + addend));
  }
  float before(int i) const { return sums_[i]; }
  double total() const { return sums_.back(); }

  // If two addends are replaced, which changes no sum by more than most_change, the last sum changes by what
  // the addends change, and at most this. Between two powers of two, all sums are multiples of a unit, and an
  // addend is rounded to a multiple of it whatever the sum is, unless it lies halfway between two.
  double slip(double most_change) const {
    constexpr double kHalfway = 0x1p-26;
    const double far = 2 * most_change;
    double slip = 0, most = 0;
    for (std::size_t i = 0; i < addends_.size(); ++i) {
      const double low = std::min(sums_[i], sums_[i + 1]) - far,
                   high = std::max(sums_[i], sums_[i + 1]) + far;
      const double u = unit(high), units = std::abs(addends_[i]) / u;
      most = std::max(most, u);
      if (!(low > 0) || unit(low) != u || std::abs(units - std::floor(units) - 0.5) < kHalfway) slip += u;
    }
    slip += 2 * most;
    return slip <= most_change ? slip : std::numeric_limits<double>::infinity();
  }

 private:
  // The distance between floats of this size.
  static double unit(double x) { return std::ldexp(1.0, std::ilogb(std::max(x, 0x1p-60)) - 23); }

  std::span<const Addend> addends_;
  std::vector<float> sums_;
};

// The sums over blocks that a test on subsets is judged by.
struct BlockSums {
  float info, term, weight;
};

// Two blocks as one.
struct MergedBlock {
  int x, y;
  float info, weight;
  double term;
};

class RoundedSums {
 public:
  static constexpr int kLanes = 16;

  // Of each block, the last one being that which goes to the place of a merged one.
  void start(const std::vector<float>& infos, const std::vector<double>& terms,
             const std::vector<float>& weights, int last) {
    infos_ = infos.data();
    terms_ = terms.data();
    weights_ = weights.data();
    last_ = last;
    const auto n = static_cast<std::size_t>(last);
    info_.start({infos_, n});
    term_.start({terms_, n});
    weight_.start({weights_, n});
    find_slips();
  }

  double info() const { return info_.total() + infos_[last_]; }
  double term() const { return term_.total() + terms_[last_]; }
  double weight() const { return weight_.total() + weights_[last_]; }

  // Mergers of heavy blocks change the sums more: blocks are put into tiers by their weight.
  static constexpr int kTiers = 4;
  int tier(int block) const {
    int t = 0;
    while (t + 1 < kTiers && weights_[block] > most_weight_[t]) ++t;
    return t;
  }
  // What rounding may change in the sums, where no block of a higher tier is merged.
  struct Slip {
    double info, term, weight;
  };
  const Slip& slip(int tier) const { return slip_[tier]; }

  // The sums after each of up to kLanes mergers.
  void after(std::span<const MergedBlock> mergers, BlockSums* sums) const {
    Lanes lane;
    std::vector<int> changes;
    for (const MergedBlock& merger : mergers) {
      changes.push_back(merger.x);
      if (merger.y < last_) changes.push_back(merger.y);
    }
    std::sort(changes.begin(), changes.end());
    changes.erase(std::unique(changes.begin(), changes.end()), changes.end());
    int v = changes.front();
    lane.info.fill(info_.before(v));
    lane.term.fill(term_.before(v));
    lane.weight.fill(weight_.before(v));
    for (const int change : changes) {
      add_blocks(v, change, lane);
      add_changed(change, mergers, lane);
      v = change + 1;
    }
    add_blocks(v, last_, lane);
    for (std::size_t l = 0; l < mergers.size(); ++l) sums[l] = {lane.info[l], lane.term[l], lane.weight[l]};
  }

 private:
  struct Lanes {
    std::array<float, kLanes> info, term, weight;
  };

  void find_slips() {
    double most_info[kTiers] = {};
    bool whole = weight() < 0x1p24;
    for (int t = 0; t < kTiers; ++t) most_weight_[t] = weight() / last_ * (2 << 2 * t);
    for (int v = 0; v <= last_; ++v) {
      double& most = most_info[tier(v)];
      most = std::max(most, std::abs(static_cast<double>(infos_[v])));
      whole &= weights_[v] == std::floor(weights_[v]);
    }
    most_weight_[kTiers - 1] = *std::max_element(weights_, weights_ + last_ + 1);
    for (int t = 0; t < kTiers; ++t) {
      if (t > 0) most_info[t] = std::max(most_info[t], most_info[t - 1]);
      const double both = 2 * most_weight_[t] + 1;
      // Merging two blocks adds at most one bit for each of their cases. Whole weights are not rounded.
      slip_[t] = {info_.slip(2 * most_info[t] + both + std::abs(infos_[last_])),
                  term_.slip(2 * both * (std::log2(both) + 1) + std::abs(terms_[last_])),
                  whole ? 0 : weight_.slip(both + weights_[last_])};
    }
  }

  void add_blocks(int first, int end, Lanes& to) const {
    Lanes lane = to;
    for (int v = first; v < end; ++v) {
      const float info = infos_[v], weight = weights_[v];
      const double term = terms_[v];
      for (int l = 0; l < kLanes; ++l) lane.info[l] += info;
      for (int l = 0; l < kLanes; ++l) lane.weight[l] += weight;
      for (int l = 0; l < kLanes; ++l) lane.term[l] = static_cast<float>(lane.term[l] + term);
    }
    to = lane;
  }

  // The block in the place v, which some of the mergers replace.
  void add_changed(int v, std::span<const MergedBlock> mergers, Lanes& lane) const {
    for (std::size_t l = 0; l < mergers.size(); ++l) {
      const MergedBlock& merger = mergers[l];
      const int from = merger.y == v ? last_ : v;
      const bool merged = merger.x == v;
      lane.info[l] += merged ? merger.info : infos_[from];
      lane.weight[l] += merged ? merger.weight : weights_[from];
      lane.term[l] = static_cast<float>(lane.term[l] + (merged ? merger.term : terms_[from]));
    }
  }

  const float *infos_ = nullptr, *weights_ = nullptr;
  const double* terms_ = nullptr;
  int last_ = 0;
  std::array<double, kTiers> most_weight_{};
  std::array<Slip, kTiers> slip_{};
  RoundedSum<float> info_, weight_;
  RoundedSum<double> term_;
};

}  // namespace bough::quinlan
