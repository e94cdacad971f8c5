#include "bough/forest/listed_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "bough/criteria/divergence.hpp"
#include "bough/data/entry.hpp"
#include "bough/machine/processor.hpp"

namespace bough {

namespace {

template <int kCuts>
struct CutLanes {  // so many cuts at a time
  using Numbers [[gnu::vector_size(8 * kCuts)]] = double;
  using Words [[gnu::vector_size(8 * kCuts)]] = std::uint64_t;
};

// Sums may be negative; this keeps those of the first rows above 0.
constexpr std::uint64_t kZero = std::uint64_t{1} << (PackedRows::kSumBits - 1);
constexpr std::uint64_t kSumMask = (std::uint64_t{1} << PackedRows::kSumBits) - 1;
constexpr std::uint64_t kTwoTo52 =
    0x4330000000000000u;  // as a double; whole numbers below it are its last bits
constexpr double kTwo52 = 0x1p52;
constexpr int kAtOnce = 64;

// The bounds of cuts by the weight left of each and its sum from the node's mean. V: a number or a vector.
template <bool kRates, class V>
BOUGH_INLINE void raise_to(const V& left, const V& off, const ListedNode& node, V& highest, V& least) {
  const V squares = off * off, of_weight = left * (node.weight - left);
  if constexpr (!kRates) {
    const V value = squares / of_weight;
    highest = value > highest ? value : highest;
    return;
  }
  // Events in units of weight, and two parts of weight with one of events.
  const V events = left + node.tilt * off, centre = left + (node.tilt / 3) * off;
  const V of_events = events * (node.weight - events) - node.slack;
  V value;
  bound_divergence(squares, of_weight, of_events, value);
  highest = value > highest ? value : highest;
  // Of cuts that may leave one side no event, which may be forbidden, nothing is known.
  const V lower = (of_events > 0 ? squares : V{} - 1) / (2 * (centre * (node.weight - centre) + node.slack));
  least = lower > least ? lower : least;
}

// What is known of the cuts seen, of which up to kCuts are evaluated at a time.
template <bool kRates, int kCuts>
struct Peak {
  static constexpr double kNone = -std::numeric_limits<double>::infinity();
  using Wide = typename CutLanes<kCuts>::Numbers;
  using Narrow = typename CutLanes<4>::Numbers;
  Wide wide = Wide{} + kNone, wide_least = wide;
  Narrow narrow = Narrow{} + kNone, narrow_least = narrow;
  double single = kNone, single_least = kNone;

  BOUGH_INLINE static double highest_of(double single, const Wide& wide, const Narrow& narrow) {
    double most = single;
    for (int lane = 0; lane < kCuts; ++lane) most = std::max(most, wide[lane]);
    for (int lane = 0; lane < 4; ++lane) most = std::max(most, narrow[lane]);
    return most;
  }
  BOUGH_INLINE PeakOfCuts found() const {
    const double highest = highest_of(single, wide, narrow);
    return {highest, kRates ? highest_of(single_least, wide_least, narrow_least) : highest};
  }
};

// Raises the peak to the values of cuts from cut i on, given what lies left of each, as long as at least as
// many follow: a vector of the last would wait until they are in memory. Returns where it ended.
template <bool kRates, int kCuts>
BOUGH_INLINE int raise_by(const std::uint64_t* left, int i, int n, const ListedNode& node,
                          typename CutLanes<kCuts>::Numbers& highest,
                          typename CutLanes<kCuts>::Numbers& least) {
  using Numbers = typename CutLanes<kCuts>::Numbers;
  using Words = typename CutLanes<kCuts>::Words;
  for (; i + 2 * kCuts <= n; i += kCuts) {
    Words own;
    std::memcpy(&own, left + i, sizeof own);
    const Numbers weight = reinterpret_cast<Numbers>((own >> PackedRows::kSumBits) | kTwoTo52) - kTwo52;
    const Numbers sum =
        reinterpret_cast<Numbers>((own & kSumMask) | kTwoTo52) - (kTwo52 + static_cast<double>(kZero));
    raise_to<kRates>(weight, Numbers(sum - node.mean * weight), node, highest, least);
  }
  return i;
}

template <bool kRates, int kCuts>
BOUGH_INLINE void raise_peak(const std::uint64_t* left, int n, const ListedNode& node,
                             Peak<kRates, kCuts>& peak) {
  int i = 0;
  if constexpr (kCuts > 4) i = raise_by<kRates, kCuts>(left, i, n, node, peak.wide, peak.wide_least);
  i = raise_by<kRates, 4>(left, i, n, node, peak.narrow, peak.narrow_least);
  for (; i < n; ++i) {
    const auto weight = static_cast<double>(static_cast<std::int64_t>(left[i] >> PackedRows::kSumBits));
    const auto sum =
        static_cast<double>(static_cast<std::int64_t>(left[i] & kSumMask)) - static_cast<double>(kZero);
    raise_to<kRates>(weight, sum - node.mean * weight, node, peak.single, peak.single_least);
  }
}

template <bool kRates, bool kTies, int kCuts>
BOUGH_INLINE PeakOfCuts peak_of_list(const std::uint32_t* list, int n, const ListedNode& node) {
  std::uint64_t left[kAtOnce];
  std::uint64_t below = kZero;
  Peak<kRates, kCuts> peak;
  for (int begin = 0; begin < n - 1; begin += kAtOnce) {
    const int end = std::min(begin + kAtOnce, n - 1);
    int cuts = 0;
    for (int i = begin; i < end; ++i) {
      left[cuts] = below += node.rows[index_of(list[i])];
      if constexpr (kTies)
        cuts += code_of(list[i]) != code_of(list[i + 1]);
      else
        ++cuts;
    }
    raise_peak(left, cuts, node, peak);
  }
  return peak.found();
}

template <int kCuts>
BOUGH_INLINE PeakOfCuts peak_of(const std::uint32_t* list, int n, bool ties, const ListedNode& node) {
  if (node.tilt > 0)
    return ties ? peak_of_list<true, true, kCuts>(list, n, node)
                : peak_of_list<true, false, kCuts>(list, n, node);
  return ties ? peak_of_list<false, true, kCuts>(list, n, node)
              : peak_of_list<false, false, kCuts>(list, n, node);
}

template <bool kRates>
BOUGH_INLINE PeakOfCuts peak_of_cuts(const std::uint64_t* left, int n, const ListedNode& node) {
  Peak<kRates, 4> peak;
  raise_peak(left, n, node, peak);
  return peak.found();
}

// Rows are summed in four sets of bins in turn: those of one code would wait for each other's sum.
BOUGH_INLINE PeakOfCuts peak_of_bins(const std::uint8_t* code, int n_codes, const std::uint32_t* index, int n,
                                     const ListedNode& node) {
  constexpr int kSets = 4;
  std::uint64_t bin[kSets][kMostSummedCodes], left[kMostSummedCodes];
  for (auto& set : bin) std::fill_n(set, n_codes, std::uint64_t{0});
  const auto add = [&](int i, int set) {
    const std::uint32_t row = index[i];
    bin[set][code[row]] += node.rows[row];
  };
  int i = 0;
  for (; i + kSets <= n; i += kSets)
    for (int set = 0; set < kSets; ++set) add(i + set, set);
  for (; i < n; ++i) add(i, 0);
  std::uint64_t below = kZero;
  int used = 0;
  for (int c = 0; c < n_codes; ++c) {
    const std::uint64_t own = (bin[0][c] + bin[1][c]) + (bin[2][c] + bin[3][c]);
    left[used] = below += own;
    used += own != 0;  // 0 means no rows: a unit of weight is more than any sum
  }
  return node.tilt > 0 ? peak_of_cuts<true>(left, used - 1, node) : peak_of_cuts<false>(left, used - 1, node);
}

PeakOfCuts list_peak_anywhere(const std::uint32_t* list, int n, bool ties, const ListedNode& node) {
  return peak_of<4>(list, n, ties, node);
}
PeakOfCuts code_peak_anywhere(const std::uint8_t* code, int n_codes, const std::uint32_t* index, int n,
                              const ListedNode& node) {
  return peak_of_bins(code, n_codes, index, n, node);
}

#if defined(BOUGH_AVX2)
BOUGH_AVX2 PeakOfCuts list_peak_avx2(const std::uint32_t* list, int n, bool ties, const ListedNode& node) {
  return peak_of<4>(list, n, ties, node);
}
BOUGH_AVX2 PeakOfCuts code_peak_avx2(const std::uint8_t* code, int n_codes, const std::uint32_t* index, int n,
                                     const ListedNode& node) {
  return peak_of_bins(code, n_codes, index, n, node);
}
#endif

#if defined(BOUGH_LONG_REGISTERS)
BOUGH_LONG_REGISTERS PeakOfCuts list_peak_with_long_registers(const std::uint32_t* list, int n, bool ties,
                                                              const ListedNode& node) {
  return peak_of<8>(list, n, ties, node);
}
#endif

}  // namespace

void PackedRows::load(const double* weight, const double* sum, int n) {
  constexpr double kMostUnits = 0x1p42, kMostWeight = 0x1p19;
  double size = 0, total = 0;
  for (int i = 0; i < n; ++i) {
    size += std::abs(sum[i]);
    total += weight[i];
  }
  scale_ = (kMostUnits - n) / size;
  if (!(size > 1e-100 && size < 1e100 && total < kMostWeight)) {
    scale_ = 0;
    return;
  }
  for (int i = 0; i < n; ++i)
    row_[i] = (static_cast<std::uint64_t>(weight[i]) << kSumBits) +
              static_cast<std::uint64_t>(static_cast<std::int64_t>(std::nearbyint(sum[i] * scale_)));
}

std::vector<ListedPeaks> runnable_listed_peaks() {
  std::vector<ListedPeaks> peaks{{list_peak_anywhere, code_peak_anywhere}};
#if defined(BOUGH_AVX2)
  if (has_avx2()) peaks.push_back({list_peak_avx2, code_peak_avx2});
#endif
#if defined(BOUGH_LONG_REGISTERS)
  if (has_avx2() && has_long_registers()) peaks.push_back({list_peak_with_long_registers, code_peak_avx2});
#endif
  return peaks;
}

const ListedPeaks& listed_peaks() {
  static const ListedPeaks chosen = runnable_listed_peaks().back();
  return chosen;
}

}  // namespace bough
