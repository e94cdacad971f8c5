#include "bough/forest/listed_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "bough/data/entry.hpp"
#include "bough/machine/processor.hpp"

namespace bough {

namespace {

constexpr int kCuts = 4;  // at a time
using FourNumbers = double __attribute__((vector_size(8 * kCuts)));
using FourWords = std::uint64_t __attribute__((vector_size(8 * kCuts)));

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

// Raises the peak to the highest value of n cuts, given what lies left of each. The last are taken one by
// one: a vector would wait until they are in memory.
BOUGH_INLINE void raise_peak(const std::uint64_t* left, int n, const ListedNode& node, FourNumbers& peak) {
  int i = 0;
  for (; i + 2 * kCuts <= n; i += kCuts) {
    FourWords own;
    std::memcpy(&own, left + i, sizeof own);
    const FourNumbers weight =
        reinterpret_cast<FourNumbers>((own >> PackedRows::kSumBits) | kTwoTo52) - kTwo52;
    const FourNumbers sum =
        reinterpret_cast<FourNumbers>((own & kSumMask) | kTwoTo52) - (kTwo52 + static_cast<double>(kZero));
    const FourNumbers off = sum - node.mean * weight;
    const FourNumbers value = off * off / (weight * (node.weight - weight));
    peak = value > peak ? value : peak;
  }
  for (; i < n; ++i) peak[0] = std::max(peak[0], value_of_cut(left[i], node));
}

template <bool kTies>
BOUGH_INLINE double peak_of_list(const std::uint32_t* list, int n, const ListedNode& node) {
  std::uint64_t left[kAtOnce];
  std::uint64_t below = kZero;
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  FourNumbers peak = FourNumbers{} + kNone;
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
  return std::max(std::max(peak[0], peak[1]), std::max(peak[2], peak[3]));
}

BOUGH_INLINE double peak_of(const std::uint32_t* list, int n, bool ties, const ListedNode& node) {
  return ties ? peak_of_list<true>(list, n, node) : peak_of_list<false>(list, n, node);
}

double peak_anywhere(const std::uint32_t* list, int n, bool ties, const ListedNode& node) {
  return peak_of(list, n, ties, node);
}

#if defined(BOUGH_AVX2)
BOUGH_AVX2 double peak_avx2(const std::uint32_t* list, int n, bool ties, const ListedNode& node) {
  return peak_of(list, n, ties, node);
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

std::vector<PeakOfListed> runnable_listed_peaks() {
  std::vector<PeakOfListed> peaks{peak_anywhere};
#if defined(BOUGH_AVX2)
  if (has_avx2()) peaks.push_back(peak_avx2);
#endif
  return peaks;
}

PeakOfListed peak_of_listed() {
  static const PeakOfListed chosen = runnable_listed_peaks().back();
  return chosen;
}

}  // namespace bough
