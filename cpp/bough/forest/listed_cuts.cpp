#include "bough/forest/listed_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

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

BOUGH_INLINE double value_of_cut(std::uint64_t left, const ListedNode& node) {
  const auto weight = static_cast<double>(static_cast<std::int64_t>(left >> PackedRows::kSumBits));
  const auto sum =
      static_cast<double>(static_cast<std::int64_t>(left & kSumMask)) - static_cast<double>(kZero);
  const double off = sum - node.mean * weight;
  return off * off / (weight * (node.weight - weight));
}

// The highest value of the cuts seen, of which up to kCuts are evaluated at a time.
template <int kCuts>
struct Peak {
  static constexpr double kNone = -std::numeric_limits<double>::infinity();
  using Wide = typename CutLanes<kCuts>::Numbers;
  using Narrow = typename CutLanes<4>::Numbers;
  Wide wide = Wide{} + kNone;
  Narrow narrow = Narrow{} + kNone;
  double single = kNone;

  BOUGH_INLINE double highest() const {
    double most = single;
    for (int lane = 0; lane < kCuts; ++lane) most = std::max(most, wide[lane]);
    for (int lane = 0; lane < 4; ++lane) most = std::max(most, narrow[lane]);
    return most;
  }
};

// Raises the peak to the values of cuts from cut i on, given what lies left of each, as long as at least as
// many follow: a vector of the last would wait until they are in memory. Returns where it ended.
template <int kCuts>
BOUGH_INLINE int raise_by(const std::uint64_t* left, int i, int n, const ListedNode& node,
                          typename CutLanes<kCuts>::Numbers& peak) {
  using Numbers = typename CutLanes<kCuts>::Numbers;
  using Words = typename CutLanes<kCuts>::Words;
  for (; i + 2 * kCuts <= n; i += kCuts) {
    Words own;
    std::memcpy(&own, left + i, sizeof own);
    const Numbers weight = reinterpret_cast<Numbers>((own >> PackedRows::kSumBits) | kTwoTo52) - kTwo52;
    const Numbers sum =
        reinterpret_cast<Numbers>((own & kSumMask) | kTwoTo52) - (kTwo52 + static_cast<double>(kZero));
    const Numbers off = sum - node.mean * weight;
    const Numbers value = off * off / (weight * (node.weight - weight));
    peak = value > peak ? value : peak;
  }
  return i;
}

template <int kCuts>
BOUGH_INLINE void raise_peak(const std::uint64_t* left, int n, const ListedNode& node, Peak<kCuts>& peak) {
  int i = 0;
  if constexpr (kCuts > 4) i = raise_by<kCuts>(left, i, n, node, peak.wide);
  i = raise_by<4>(left, i, n, node, peak.narrow);
  for (; i < n; ++i) peak.single = std::max(peak.single, value_of_cut(left[i], node));
}

template <bool kTies, int kCuts>
BOUGH_INLINE double peak_of_list(const std::uint32_t* list, int n, const ListedNode& node) {
  std::uint64_t left[kAtOnce];
  std::uint64_t below = kZero;
  Peak<kCuts> peak;
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
  return peak.highest();
}

template <int kCuts>
BOUGH_INLINE double peak_of(const std::uint32_t* list, int n, bool ties, const ListedNode& node) {
  return ties ? peak_of_list<true, kCuts>(list, n, node) : peak_of_list<false, kCuts>(list, n, node);
}

// Rows are summed in four sets of bins in turn: those of one code would wait for each other's sum.
BOUGH_INLINE double peak_of_bins(const std::uint8_t* code, int n_codes, const std::uint32_t* index, int n,
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
  Peak<4> peak;
  raise_peak(left, used - 1, node, peak);
  return peak.highest();
}

double list_peak_anywhere(const std::uint32_t* list, int n, bool ties, const ListedNode& node) {
  return peak_of<4>(list, n, ties, node);
}
double code_peak_anywhere(const std::uint8_t* code, int n_codes, const std::uint32_t* index, int n,
                          const ListedNode& node) {
  return peak_of_bins(code, n_codes, index, n, node);
}

#if defined(BOUGH_AVX2)
BOUGH_AVX2 double list_peak_avx2(const std::uint32_t* list, int n, bool ties, const ListedNode& node) {
  return peak_of<4>(list, n, ties, node);
}
BOUGH_AVX2 double code_peak_avx2(const std::uint8_t* code, int n_codes, const std::uint32_t* index, int n,
                                 const ListedNode& node) {
  return peak_of_bins(code, n_codes, index, n, node);
}
#endif

#if defined(BOUGH_LONG_REGISTERS)
BOUGH_LONG_REGISTERS double list_peak_with_long_registers(const std::uint32_t* list, int n, bool ties,
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
