#include "bough/forest/two_class_screen.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "bough/forest/count_kernels.hpp"
#include "bough/forest/share_lanes.hpp"
#include "bough/machine/kernel_sets.hpp"

namespace bough {

namespace {

static_assert(kShareLanes == TwoClassKernels::kLanes);
constexpr int kTwoClassLanes = kShareLanes, kTwoClassBits = 12,
              kMostTwoClassBins = 1 << kTwoClassBits;  // about four to eight rows share a bin

BOUGH_INLINE void read_shares(const float* from, ShareLanes& to) { std::memcpy(&to, from, sizeof to); }

BOUGH_INLINE void raise(ShareLanes& peak, const ShareLanes& value) { peak = value > peak ? value : peak; }

BOUGH_INLINE float highest_lane(const ShareLanes& peak) {
  float most = peak[0];
  for (int lane = 1; lane < kTwoClassLanes; ++lane) most = std::max(most, peak[lane]);
  return most;
}

// The shares of one class at the bounds from i on, on both sides.
struct SharesAt {
  ShareLanes left, right, terms;

  BOUGH_INLINE SharesAt(const ClassShares& shares, int c, int i) {
    read_shares(shares.left[c] + i, left);
    read_shares(shares.right[c] + i, right);
    read_shares(shares.terms[c] + i, terms);
  }
};

BOUGH_INLINE void raise_by_gini(const SharesAt& first, const SharesAt& second, ShareLanes& peak) {
  constexpr float kLeast = 1e-30f;
  const ShareLanes d = second.left * first.right - second.right * first.left,
                   sides = (first.left + second.left) * (first.right + second.right);
  raise(peak, 2 * d * d / (sides > kLeast ? sides : ShareLanes{} + kLeast));
}

BOUGH_INLINE void raise_by_entropy(const SharesAt& first, const SharesAt& second, ShareLanes& peak) {
  ShareLanes left, right;
  x_log2_x(first.left + second.left, left);
  x_log2_x(first.right + second.right, right);
  raise(peak, first.terms + second.terms - (left + right));
}

// The first bound and the last are of no cut; their values are those of the unsplit node.
template <bool kEntropy>
BOUGH_INLINE BinPeaks peaks_of_bins(const ClassShares& shares, int n, bool exact) {
  if constexpr (kEntropy)
    for (int c = 0; c < 2; ++c)
      for (int i = 0; i <= n + 1; i += kTwoClassLanes) {
        ShareLanes left, right;
        read_shares(shares.left[c] + i, left);
        read_shares(shares.right[c] + i, right);
        x_log2_x(left, left);
        x_log2_x(right, right);
        left += right;
        std::memcpy(shares.terms[c] + i, &left, sizeof left);
      }
  const auto raise_by = [](const SharesAt& first, const SharesAt& second, ShareLanes& peak)
                            __attribute__((always_inline)) {
                              if constexpr (kEntropy)
                                raise_by_entropy(first, second, peak);
                              else
                                raise_by_gini(first, second, peak);
                            };
  ShareLanes cut = ShareLanes{} - std::numeric_limits<float>::max(), corner = cut;
  for (int i = 0; i < n; i += kTwoClassLanes) {
    const SharesAt first(shares, 0, i), second(shares, 1, i);
    raise_by(first, second, cut);
    if (exact) continue;
    raise_by(SharesAt(shares, 0, i + 1), second, corner);
    raise_by(first, SharesAt(shares, 1, i + 1), corner);
  }
  raise(corner, cut);
  return {highest_lane(cut), highest_lane(corner)};
}

#define BOUGH_TWO_CLASS_KERNELS(name, target)                                       \
  namespace name {                                                                  \
  target BinPeaks of_two_by_gini(const ClassShares& shares, int n, bool exact) {    \
    return peaks_of_bins<false>(shares, n, exact);                                  \
  }                                                                                 \
  target BinPeaks of_two_by_entropy(const ClassShares& shares, int n, bool exact) { \
    return peaks_of_bins<true>(shares, n, exact);                                   \
  }                                                                                 \
  constexpr TwoClassKernels kTwoClasses{of_two_by_gini, of_two_by_entropy};         \
  }

BOUGH_TWO_CLASS_KERNELS(two_classes_anywhere, )
#if defined(BOUGH_AVX2)
BOUGH_TWO_CLASS_KERNELS(two_classes_avx2, BOUGH_AVX2)
#endif

double exact_term(double share) { return share > 0 ? share * std::log2(share) : 0; }

}  // namespace

std::vector<const TwoClassKernels*> runnable_two_class_kernels() {
  return runnable_sets(two_classes_anywhere::kTwoClasses, BOUGH_SET_OF_AVX2(two_classes_avx2::kTwoClasses));
}

TwoClassScreen::TwoClassScreen(bool entropy, std::size_t most_rows, const TwoClassKernels& kernels)
    : entropy_(entropy),
      kernels_(kernels),
      code_(most_rows + kLanes),
      row_(most_rows),
      bin_(kMostTwoClassBins) {
  constexpr std::size_t kRoom = kMostTwoClassBins + 3 * kTwoClassLanes;
  numbers_.resize(6 * kRoom);
  float* at = numbers_.data();
  for (auto* pair : {shares_.left, shares_.right, shares_.terms})
    for (int c = 0; c < 2; ++c, at += kRoom) pair[c] = at;
}

void TwoClassScreen::start(const std::uint32_t* index, int n, const RowView& view, const NodeSums& sums) {
  n_ = n;
  for (int i = 0; i < n; ++i) {
    const double weight = view.rows.weight[index[i]], second = view.rows.label[index[i]] * weight;
    row_[i] = Weights{{weight - second, second}};
  }
  const double weight = sums.statistics[0] + sums.statistics[1];
  per_weight_ = 1 / weight;
  for (int c = 0; c < 2; ++c) total_[c] = sums.statistics[c];
  unsplit_ = exact_term(total_[0] * per_weight_) + exact_term(total_[1] * per_weight_);
}

// Sums up the bins. What lies behind the last bound is as if all were on the left.
void TwoClassScreen::write_shares(int n_bins) {
  for (int c = 0; c < 2; ++c) {
    double left = 0;
    for (int i = 0; i <= n_bins; ++i) {
      shares_.left[c][i] = static_cast<float>(left * per_weight_);
      shares_.right[c][i] = static_cast<float>(std::max(0.0, total_[c] - left) * per_weight_);
      if (i < n_bins) left += bin_[i].of_class[c];
    }
    std::fill_n(shares_.left[c] + n_bins + 1, 2 * kTwoClassLanes, shares_.left[c][n_bins]);
    std::fill_n(shares_.right[c] + n_bins + 1, 2 * kTwoClassLanes, 0.0f);
  }
}

ValueRange TwoClassScreen::range(const Cells<std::uint32_t>& codes, const std::uint32_t* index) {
  const auto [least, last] = count_kernels().fetch_codes(codes, index, n_, code_.data());
  if (least == last) return {};
  const auto reach = static_cast<std::uint32_t>(last - least);
  const int bits = std::min(static_cast<int>(std::bit_width(static_cast<unsigned>(n_))) - 3, kTwoClassBits);
  const int shift = std::max(0, static_cast<int>(std::bit_width(reach)) - bits);
  const int n_bins = static_cast<int>(reach >> shift) + 1;
  std::fill_n(bin_.data(), n_bins, Weights{});
  for (int i = 0; i < n_; ++i) {
    Weights& bin = bin_[static_cast<std::uint32_t>(code_[i] - least) >> shift];
    for (int c = 0; c < 2; ++c) bin.of_class[c] += row_[i].of_class[c];
  }
  write_shares(n_bins);
  const double rounding = kSlack + n_ * 0x1p-46;
  const BinPeaks peaks =
      entropy_ ? kernels_.entropy(shares_, n_bins, shift == 0) : kernels_.gini(shares_, n_bins, shift == 0);
  const double unsplit = entropy_ ? unsplit_ : 0;
  return {peaks.cut - unsplit - rounding, peaks.corner - unsplit + rounding};
}

}  // namespace bough
