#include "bough/forest/moment_screen.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "bough/criteria/divergence.hpp"
#include "bough/criteria/poisson.hpp"
#include "bough/forest/count_kernels.hpp"
#include "bough/machine/kernel_sets.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bough {

namespace {

using IntLanes = std::int32_t __attribute__((vector_size(4 * kLanes)));
using Doubles = double __attribute__((vector_size(32)));
using FloatLanes = float __attribute__((vector_size(4 * kLanes)));

constexpr int kMostBins = 1024, kFewBins = 32, kRoom = 8;
constexpr double kEpsilon = 2.3e-16, kFloatEpsilon = 1.2e-7;
constexpr double kWeightSlack = 1e-10;
// For what rounding does to a few operations.
constexpr double kSlack = 1 + 1e-9, kFloatSlack = 1 + 1e-5;
constexpr double kNone = -std::numeric_limits<double>::infinity();

// The bound of cuts of few rows by the weights and sums left of them.
template <class V>
BOUGH_INLINE void bound_few(const V& left, const V& left_sum, const FewSlack& slack, V& value) {
  const V far = (left_sum < 0 ? -left_sum : left_sum) + slack.sum;
  V low = left - slack.weight, high = 1 - left - slack.weight;
  low = low > 0 ? low : V{};
  high = high > 0 ? high : V{};
  const V squares = far * far, of_weight = low * high;
  if (slack.tilt == 0) {
    value = squares / of_weight;
    return;
  }
  const V events = left + slack.tilt * left_sum;
  const float moved = 2 * (slack.weight + slack.tilt * slack.sum);
  bound_divergence(squares, of_weight, V(events * (1 - events) - moved), value);
}

// Of each row, what lies at or below its code.
BOUGH_INLINE float bound_pairs(const std::int32_t* code, const float* weight, const float* sum, int n,
                               std::int32_t last, const FewSlack& slack) {
  FloatLanes peak = FloatLanes{} - 1;
  for (int i = 0; i < n; i += kLanes) {
    IntLanes own;
    std::memcpy(&own, code + i, sizeof own);
    FloatLanes left = {}, left_sum = {};
    for (int j = 0; j < n; ++j) {
      const IntLanes below = own >= code[j];
      left += reinterpret_cast<FloatLanes>(below & reinterpret_cast<IntLanes>(FloatLanes{} + weight[j]));
      left_sum += reinterpret_cast<FloatLanes>(below & reinterpret_cast<IntLanes>(FloatLanes{} + sum[j]));
    }
    FloatLanes value;
    bound_few(left, left_sum, slack, value);
    const IntLanes cut = own < last;
    const FloatLanes here = cut ? value : (FloatLanes{} - 1);
    peak = here > peak ? here : peak;
  }
  float most = -1;
  for (int lane = 0; lane < kLanes; ++lane) most = std::max(most, peak[lane]);
  return most;
}

BOUGH_INLINE void add(const MomentSums& from, MomentSums& to) {
  Doubles one, sum;
  std::memcpy(&one, &from.weight, sizeof one);
  std::memcpy(&sum, &to.weight, sizeof sum);
  sum += one;
  std::memcpy(&to.weight, &sum, sizeof sum);
}

BOUGH_INLINE void fill_bins(const std::int32_t* code, const MomentSums* row, int n, std::int32_t least,
                            int shift, MomentSums* bin) {
  for (int i = 0; i < n; ++i) add(row[i], bin[(code[i] - least) >> shift]);
}

// The same for few bins: rows that follow each other often share a bin, so that four sets of bins are filled
// in turn, of which none waits for the other.
BOUGH_INLINE void fill_few_bins(const std::int32_t* code, const MomentSums* row, int n, std::int32_t least,
                                int shift, int n_bins, MomentSums* bin) {
  MomentSums other[3][kFewBins];
  for (auto& set : other) std::fill_n(set, n_bins, MomentSums{});
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    add(row[i], bin[(code[i] - least) >> shift]);
    add(row[i + 1], other[0][(code[i + 1] - least) >> shift]);
    add(row[i + 2], other[1][(code[i + 2] - least) >> shift]);
    add(row[i + 3], other[2][(code[i + 3] - least) >> shift]);
  }
  for (; i < n; ++i) add(row[i], bin[(code[i] - least) >> shift]);
  for (const auto& set : other)
    for (int b = 0; b < n_bins; ++b) add(set[b], bin[b]);
}

// A row comes after those before it that are not greater, and after those behind it that are less.
BOUGH_INLINE void order_rows(const std::int32_t* code, int n, std::uint8_t* order) {
  const IntLanes lane = {0, 1, 2, 3, 4, 5, 6, 7};
  for (int i = 0; i < n; i += kLanes) {
    IntLanes own, before = {};
    std::memcpy(&own, code + i, sizeof own);
    const int end = std::min(n, i + kLanes);
    for (int j = 0; j < i; ++j) before -= own >= code[j];
    for (int j = i; j < end; ++j) before -= (own > code[j]) | ((own == code[j]) & (lane > j - i));
    for (int j = end; j < n; ++j) before -= own > code[j];
    for (int l = 0; i + l < end; ++l) order[before[l]] = static_cast<std::uint8_t>(i + l);
  }
}

// The value of a cut with a sum this far from 0 and at least such weights, infinite if one of these may be 0.
BOUGH_INLINE double bound_of_sides(double far, double left, double right) {
  return far * far / (std::max(0.0, left - kWeightSlack) * std::max(0.0, right - kWeightSlack));
}

// How far rounding may move the product of the shares of events on both sides.
BOUGH_INLINE double events_slack(double sum_slack, double tilt) {
  return 2 * (kWeightSlack + tilt * sum_slack);
}

// The bound of a cut with such a sum and weight on its left.
BOUGH_INLINE double bound_of(double sum, double left, double sum_slack, double tilt) {
  const double far = std::abs(sum) + sum_slack, events = left + tilt * sum;
  if (tilt == 0) return bound_of_sides(far, left, 1 - left);
  const double of_weight = std::max(0.0, left - kWeightSlack) * std::max(0.0, 1 - left - kWeightSlack);
  double value;
  bound_divergence(far * far, of_weight, events * (1 - events) - events_slack(sum_slack, tilt), value);
  return value;
}

// left: room for 3 (n + kRoom) numbers. What lies left of each bin is summed first, so that the bounds do not
// wait for each other. The first bin and the last are not empty. The last vector reaches past the inner bins,
// where bounds are lower than that of the cut before the last bin.
BOUGH_INLINE double bound_bins(const MomentSums* bin, int n, bool exact, double sum_slack, double tilt,
                               double* left) {
  double *weights = left, *sums = weights + n + kRoom, *spreads = sums + n + kRoom;
  double weight = 0, sum = 0, most = kNone;
  for (int i = 0; i < n; ++i) {
    weights[i] = weight;
    sums[i] = sum;
    spreads[i] = bin[i].weight * bin[i].squares;
    weight += bin[i].weight;
    sum += bin[i].sum;
  }
  if (exact) {
    for (int i = 1; i < n; ++i) most = std::max(most, bound_of(sums[i], weights[i], sum_slack, tilt));
    return most;
  }
  std::fill_n(weights + n, kRoom, 0.5);
  std::fill_n(sums + n, kRoom, 0.0);
  std::fill_n(spreads + n - 1, kRoom, 0.0);
  // The square of a sum is at most the weight times the sum of squares.
  most = std::max(bound_of_sides(std::sqrt(bin[0].squares), 1, 1 - weights[1]),
                  bound_of_sides(std::sqrt(bin[n - 1].squares), weights[n - 1], 1));
  Doubles peak = Doubles{};
  for (int i = 1; i < n - 1; i += 4) {
    Doubles low, high, low_sum, high_sum, spread;
    std::memcpy(&low, weights + i, sizeof low);
    std::memcpy(&high, weights + i + 1, sizeof high);
    std::memcpy(&low_sum, sums + i, sizeof low_sum);
    std::memcpy(&high_sum, sums + i + 1, sizeof high_sum);
    std::memcpy(&spread, spreads + i, sizeof spread);
    Doubles middle = (low_sum + high_sum) * 0.5;
    middle = middle < 0 ? -middle : middle;
    for (int lane = 0; lane < 4; ++lane) spread[lane] = std::sqrt(spread[lane]);
    const Doubles far = middle + spread * 0.5 + sum_slack;
    const Doubles at_low = low * (1 - low), at_high = high * (1 - high);
    Doubles sides = (at_low < at_high ? at_low : at_high) - kWeightSlack;
    sides = sides > 0 ? sides : Doubles{};
    Doubles value;
    if (tilt == 0) {
      value = far * far / sides;
    } else {
      const Doubles low_events = low + tilt * low_sum, high_events = high + tilt * high_sum;
      const Doubles of_low = low_events * (1 - low_events), of_high = high_events * (1 - high_events);
      bound_divergence(Doubles(far * far), sides,
                       Doubles((of_low < of_high ? of_low : of_high) - events_slack(sum_slack, tilt)), value);
    }
    peak = value > peak ? value : peak;
  }
  for (int lane = 0; lane < 4; ++lane) most = std::max(most, peak[lane]);
  return most;
}

BOUGH_INLINE std::pair<double, double> sum_below(const float* value, float cut, const double* weight,
                                                 const double* sum, int n) {
  using Longs = std::int64_t __attribute__((vector_size(32)));
  using FourFloats = float __attribute__((vector_size(16)));
  Doubles weights = {}, sums = {};
  const double below = cut;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    FourFloats four;
    Doubles w, s;
    std::memcpy(&four, value + i, sizeof four);
    std::memcpy(&w, weight + i, sizeof w);
    std::memcpy(&s, sum + i, sizeof s);
    const Longs left = __builtin_convertvector(four, Doubles) < below;
    weights += reinterpret_cast<Doubles>(left & reinterpret_cast<Longs>(w));
    sums += reinterpret_cast<Doubles>(left & reinterpret_cast<Longs>(s));
  }
  double all_weight = (weights[0] + weights[1]) + (weights[2] + weights[3]);
  double all_sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (; i < n; ++i) {
    all_weight += value[i] < cut ? weight[i] : 0;
    all_sum += value[i] < cut ? sum[i] : 0;
  }
  return {all_weight, all_sum};
}

BOUGH_INLINE void find_extremes(const Cells<float>& cells, const std::uint32_t* index, int n, float* least,
                                float* most) {
  FloatLanes low, high;
  std::memcpy(&low, &cells[index[0]], sizeof low);
  high = low;
  for (int i = 1; i < n; ++i) {
    FloatLanes own;
    std::memcpy(&own, &cells[index[i]], sizeof own);
    low = own < low ? own : low;
    high = own > high ? own : high;
  }
  std::memcpy(least, &low, sizeof low);
  std::memcpy(most, &high, sizeof high);
}

#define BOUGH_SCREEN_KERNELS(name, target)                                                                   \
  namespace name {                                                                                           \
  target void of_order(const std::int32_t* code, int n, std::uint8_t* order) { order_rows(code, n, order); } \
  target float of_pairs(const std::int32_t* code, const float* weight, const float* sum, int n,              \
                        std::int32_t last, const FewSlack& slack) {                                          \
    return bound_pairs(code, weight, sum, n, last, slack);                                                   \
  }                                                                                                          \
  target void of_fill(const std::int32_t* code, const MomentSums* row, int n, std::int32_t least, int shift, \
                      int n_bins, MomentSums* bin) {                                                         \
    if (n_bins > kFewBins) return fill_bins(code, row, n, least, shift, bin);                                \
    fill_few_bins(code, row, n, least, shift, n_bins, bin);                                                  \
  }                                                                                                          \
  target bool of_cuts_of_few(const FewSides& sides, int n, const MomentBar& bar, std::int64_t* may) {        \
    return any_reaches<4>(sides, n - 1, bar, may);                                                           \
  }                                                                                                          \
  target double of_bins(const MomentSums* bin, int n, bool exact, double sum_slack, double tilt,             \
                        double* left) {                                                                      \
    return bound_bins(bin, n, exact, sum_slack, tilt, left);                                                 \
  }                                                                                                          \
  target std::pair<double, double> of_below(const float* value, float cut, const double* weight,             \
                                            const double* sum, int n) {                                      \
    return sum_below(value, cut, weight, sum, n);                                                            \
  }                                                                                                          \
  target void of_extremes(const Cells<float>& cells, const std::uint32_t* index, int n, float* least,        \
                          float* most) {                                                                     \
    find_extremes(cells, index, n, least, most);                                                             \
  }                                                                                                          \
  constexpr ScreenKernels kAll{of_order, of_cuts_of_few, of_pairs, of_fill, of_bins, of_below, of_extremes}; \
  }

BOUGH_SCREEN_KERNELS(anywhere, )
#if defined(BOUGH_AVX2)
BOUGH_SCREEN_KERNELS(avx2, BOUGH_AVX2)
#endif

#if defined(BOUGH_LONG_REGISTERS)

// The same as bound_pairs, 16 rows at a time: what is not below is left out of a sum by a mask.
BOUGH_LONG_REGISTERS float of_many_pairs(const std::int32_t* code, const float* weight, const float* sum,
                                         int n, std::int32_t last, const FewSlack& slack) {
  using Floats = float __attribute__((vector_size(64)));
  using Ints = std::int32_t __attribute__((vector_size(64)));
  Floats peak = Floats{} - 1;
  for (int i = 0; i < n; i += 16) {
    const __m512i own = _mm512_loadu_si512(code + i);
    __m512 lefts = {}, sums = {};
    for (int j = 0; j < n; ++j) {
      const __mmask16 below = _mm512_cmpge_epi32_mask(own, _mm512_set1_epi32(code[j]));
      lefts = _mm512_mask_add_ps(lefts, below, lefts, _mm512_set1_ps(weight[j]));
      sums = _mm512_mask_add_ps(sums, below, sums, _mm512_set1_ps(sum[j]));
    }
    Floats value;
    bound_few(Floats(lefts), Floats(sums), slack, value);
    const Floats here = reinterpret_cast<Ints>(own) < last ? value : Floats{} - 1;
    peak = here > peak ? here : peak;
  }
  float most = -1;
  for (int lane = 0; lane < 16; ++lane) most = std::max(most, peak[lane]);
  return most;
}

constexpr ScreenKernels kWithLongRegisters{avx2::of_order,   avx2::of_cuts_of_few, of_many_pairs,
                                           avx2::of_fill,    avx2::of_bins,        avx2::of_below,
                                           avx2::of_extremes};
#endif

}  // namespace

std::vector<const ScreenKernels*> runnable_screens() {
  return runnable_sets(anywhere::kAll, BOUGH_SET_OF_AVX2(avx2::kAll),
                       BOUGH_SET_OF_LONG_REGISTERS(kWithLongRegisters));
}

MomentScreen::MomentScreen(const Evaluator& evaluator, std::size_t most_rows, bool drawn)
    : evaluator_(evaluator),
      drawn_(drawn),
      code_(drawn ? 0 : std::max<std::size_t>(most_rows, kFewRows) + kMostLanes),
      row_(drawn ? 0 : most_rows),
      bin_(kMostBins),
      few_weight_(kFewRows),
      few_sum_(kFewRows),
      left_(3 * (kMostBins + kRoom)),
      weight_(drawn ? most_rows : 0),
      sum_(drawn ? most_rows : 0) {}

// The value of squared error in units of the criterion.
void MomentScreen::start_units(const NodeSums& sums, double mean) {
  of_squares_ = 1;
  value_slack_ = 0;
  if (evaluator_.criterion().reads_rates()) {
    of_squares_ = 1 / mean;
    value_slack_ = Poisson::rounding({sums.weight, sums.statistics[1], 0});
  }
}

void MomentScreen::start(const std::uint32_t* index, int n, const RowView& view, const NodeSums& sums) {
  n_ = n;
  const double mean = sums.statistics[1] / sums.weight;
  start_units(sums, mean);
  const bool rates = evaluator_.criterion().reads_rates() && mean > 0;
  if (n <= kFewRows && !drawn_)
    for (int i = 0; i < n; ++i)
      few_[i] = {view.rows.weight[index[i]], view.rows.grid[index[i]], view.rows.cases[index[i]]};
  if (n <= kTinyRows && !drawn_) return;
  double part[4] = {sums.weight * std::abs(mean), 0, 0, 0};  // sums that do not wait for each other
  for (int i = 0; i < n; ++i) part[i & 3] += std::abs(view.rows.grid[index[i]]);
  const double size = (part[0] + part[1]) + (part[2] + part[3]);
  // Beyond these, values leave the range of doubles.
  within_range_ = size * sums.weight > 1e-140 && size * sums.weight < 1e140;
  // The unit of sums is about that of a row, the unit of weights that of the node.
  const double unit = size / n;
  unit_of_value_ = (unit / sums.weight) * (unit / sums.weight) * of_squares_;
  const bool few = n <= kFewRows && !drawn_;
  const double per_weight = 1 / sums.weight, per_unit = 1 / unit;
  double near = 0;
  for (int i = 0; i < n; ++i) {
    const double w = view.rows.weight[index[i]];
    const double weight = w * per_weight, sum = (view.rows.grid[index[i]] - w * mean) * per_unit;
    if (few) {
      few_weight_[i] = static_cast<float>(weight);
      few_sum_[i] = static_cast<float>(sum);
      near += std::abs(sum);
    } else if (drawn_) {
      weight_[i] = weight;
      sum_[i] = sum;
    } else {
      row_[i] = MomentSums{weight, sum, weight > 0 ? sum * (sum / weight) : 0, 0};
    }
  }
  // Rounding moves a sum of n numbers by less than n epsilons of their size, here and where values are exact.
  sum_slack_ = 4 * (n + 8) * kEpsilon * n;
  few_slack_.weight = static_cast<float>((n + 8) * kFloatEpsilon);
  few_slack_.sum = static_cast<float>(sum_slack_ * kSlack + (n + 8) * kFloatEpsilon * near);
  tilt_ = rates ? unit / sums.statistics[1] : 0;
  few_slack_.tilt = static_cast<float>(tilt_);
}

void MomentScreen::search_few(int column, const Cells<std::uint32_t>& codes, const std::uint32_t* index,
                              const NodeSums& sums, const LeafLimits& limits, ForestSplit& best) {
  const auto first = static_cast<std::int32_t>(codes[index[0]]);
  std::int32_t differs = 0;
  for (int i = 0; i < n_; ++i) {
    code_[i] = static_cast<std::int32_t>(codes[index[i]]);
    differs |= code_[i] ^ first;
  }
  if (!differs) return;
  kernels_.order(code_.data(), n_, order_);
  double left = 0, left_sum = 0, right = sums.statistics[0], right_sum = sums.statistics[1], cases = 0;
  for (int i = 0; i < n_; ++i) {
    const FewRow& row = few_[order_[i]];
    sides_.left_weight[i] = left += row.weight;
    sides_.left_sum[i] = left_sum += row.sum;
    sides_.right_weight[i] = right -= row.weight;
    sides_.right_sum[i] = right_sum -= row.sum;
    cases_[i] = cases += row.cases;
  }
  MomentBar bar{sums.statistics[0], sums.statistics[1]};
  if (evaluator_.criterion().reads_rates()) bar.set_rates();
  bar.raise(best.value, sums.weight);
  if (!kernels_.cuts_of_few(sides_, n_, bar, may_)) return;
  for (int i = 0; i + 1 < n_; ++i) {
    if (!may_[i] || code_[order_[i]] == code_[order_[i + 1]]) continue;
    const double own[2] = {sides_.left_weight[i], sides_.left_sum[i]},
                 rest[2] = {sides_.right_weight[i], sides_.right_sum[i]};
    if (cases_[i] < limits.min_cases || sums.cases - cases_[i] < limits.min_cases ||
        own[0] < limits.min_weight || rest[0] < limits.min_weight)
      continue;
    bool reached;
    bar.test(own[0], own[1], rest[0], rest[1], reached);
    if (!reached) continue;
    const double value = evaluator_.value(own, rest, sums.weight);
    if (!(value > best.value)) continue;
    best.take_cut(column, value, index[order_[i]], index[order_[i + 1]]);
    bar.raise(value, sums.weight);
  }
}

double MomentScreen::highest(const Cells<std::uint32_t>& codes, const std::uint32_t* index) {
  const auto [least, last] = count_kernels().fetch_codes(codes, index, n_, code_.data());
  if (least == last) return kNone;
  if (n_ <= kFewRows) {
    std::fill_n(code_.data() + n_, kMostLanes, last);
    const double most =
        kernels_.pairs(code_.data(), few_weight_.data(), few_sum_.data(), n_, last, few_slack_);
    return in_units(most, kFloatSlack);
  }
  const auto range = static_cast<std::uint32_t>(last - least);
  const int bits = static_cast<int>(std::bit_width(static_cast<unsigned>(std::min(n_, kMostBins)))) - 1;
  const int shift = std::max(0, static_cast<int>(std::bit_width(range)) - bits);
  const int n_bins = static_cast<int>(range >> shift) + 1;
  std::fill_n(bin_.data(), n_bins, MomentSums{});
  kernels_.fill(code_.data(), row_.data(), n_, least, shift, n_bins, bin_.data());
  return in_units(kernels_.bins(bin_.data(), n_bins, shift == 0, sum_slack_, tilt_, left_.data()), kSlack);
}

double MomentScreen::highest_drawn(const float* value, float cut) const {
  const auto [weight, sum] = kernels_.below(value, cut, weight_.data(), sum_.data(), n_);
  return in_units(bound_of(sum, weight, sum_slack_, tilt_), kSlack);
}

// A bound as a value of the criterion; infinite where it cannot be told.
double MomentScreen::in_units(double bound, double slack) const {
  const double value = bound * slack * unit_of_value_ + value_slack_;
  return within_range_ && value == value ? value : std::numeric_limits<double>::infinity();
}

}  // namespace bough
