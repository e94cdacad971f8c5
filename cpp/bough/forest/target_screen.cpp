#include "bough/forest/target_screen.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "bough/forest/count_kernels.hpp"
#include "bough/machine/processor.hpp"

namespace bough {

namespace {

using ColumnLanes = float __attribute__((vector_size(4 * kLanes)));
using ColumnMask = std::int32_t __attribute__((vector_size(4 * kLanes)));

constexpr int kGroup = 4;    // sums that are followed at a time
constexpr int kChunk = 256;  // rows that are summed before sums are added up, which keeps rounding small
constexpr double kSingle = 6e-8, kDouble = 2.3e-16;

// Adds the rows that lie below the cuts of kLanes columns to kGroup sums of each.
[[gnu::always_inline]] inline void add_below(const Cells<float>& cells, const std::uint32_t* index, int n,
                                             const float* cuts, const float* row, int width, float* sums,
                                             int stride) {
  ColumnLanes cut, own[kGroup] = {};
  std::memcpy(&cut, cuts, sizeof cut);
  for (int i = 0; i < n; ++i, row += width) {
    ColumnLanes value;
    std::memcpy(&value, &cells[index[i]], sizeof value);
    const ColumnMask below = value < cut;
    for (int t = 0; t < kGroup; ++t)
      own[t] += reinterpret_cast<ColumnLanes>(below & reinterpret_cast<ColumnMask>(ColumnLanes{} + row[t]));
  }
  for (int t = 0; t < kGroup; ++t) {
    ColumnLanes sum;
    std::memcpy(&sum, sums + t * stride, sizeof sum);
    sum += own[t];
    std::memcpy(sums + t * stride, &sum, sizeof sum);
  }
}

struct AllCuts {
  const float* cells;
  int n_columns;
  const std::uint32_t* index;
  int n;
  const float *cut, *row;
  int width, stride;
  float* sums;
};

[[gnu::always_inline]] inline void add_all_below(const AllCuts& all) {
  for (int first = 0; first < all.n; first += kChunk) {
    const int count = std::min(kChunk, all.n - first);
    const float* rows = all.row + static_cast<std::size_t>(first) * all.width;
    for (int c = 0; c < all.n_columns; c += kLanes)
      for (int t = 0; t < all.width; t += kGroup)
        add_below({all.cells + c, static_cast<std::size_t>(all.n_columns)}, all.index + first, count,
                  all.cut + c, rows + t, all.width, all.sums + t * all.stride + c, all.stride);
  }
}

#if defined(__x86_64__)
BOUGH_AVX2 void add_all_below_avx2(const AllCuts& all) { add_all_below(all); }
#endif

void sum_below_all(const AllCuts& all) {
#if defined(__x86_64__)
  if (has_avx2()) return add_all_below_avx2(all);
#endif
  add_all_below(all);
}

constexpr int whole_vectors(int n, int lanes) { return (n + lanes - 1) / lanes * lanes; }

}  // namespace

TargetScreen::TargetScreen(int n_columns, int n_targets, std::size_t most_rows)
    : n_columns_(n_columns),
      n_targets_(n_targets),
      width_(whole_vectors(n_targets + 1, kGroup)),
      stride_(whole_vectors(n_columns, kLanes)),
      least_(stride_),
      most_(stride_),
      cut_(stride_),
      row_(most_rows * width_),
      below_(static_cast<std::size_t>(width_) * stride_),
      mean_(n_targets) {}

void TargetScreen::find_extremes(const float* cells, const std::uint32_t* index, int n) {
  for (int c = 0; c < n_columns_; c += kLanes)
    screen_kernels().extremes({cells + c, static_cast<std::size_t>(n_columns_)}, index, n, &least_[c],
                              &most_[c]);
}

// Copies what the rows have, from the means and in units of about one. By the inequality of Cauchy and
// Schwarz the distances of a target from its mean sum to at most sqrt(weight * risk).
void TargetScreen::take_rows(const std::uint32_t* index, int n, const Rows& rows, const NodeSums& sums,
                             const double* risk) {
  const int k = n_targets_;
  weight_ = sums.weight;
  // The sum of all distances, of their squares by target, and of what the criterion itself adds up.
  double all = 0, squares = 0, far = 0;
  for (int t = 0; t < k; ++t) {
    const double sum = sums.statistics[1 + t];
    mean_[t] = sum / weight_;
    const double off = 8 * (n + 8) * kDouble * (risk[t] + sum * mean_[t]);  // what rounding does to the risk
    const double most = weight_ * (risk[t] + off), distances = std::sqrt(most);
    all += distances;
    squares += most;
    far += distances + 2 * std::abs(sum);
  }
  unit_ = all / (static_cast<double>(n) * k);
  const double rounded = std::min(n, kChunk) + n / kChunk + 4;
  sum_slack_ = (rounded * kSingle * std::sqrt(squares) + 4 * (n + 8) * kDouble * far) / unit_;
  const double per_unit = 1 / unit_;
  for (int i = 0; i < n; ++i) {
    const double* __restrict grid = rows.grids_at(index[i]);
    const double w = rows.weight[index[i]];
    const double* __restrict mean = mean_.data();
    float* __restrict to = row_.data() + static_cast<std::size_t>(i) * width_;
    for (int t = 0; t < k; ++t) to[t] = static_cast<float>((grid[t] - w * mean[t]) * per_unit);
    to[k] = static_cast<float>(w);
  }
}

void TargetScreen::bound_cuts(const float* cells, const std::uint32_t* index, int n, const Rows& rows,
                              const NodeSums& sums, const double* risk, bool whole) {
  take_rows(index, n, rows, sums, risk);
  weight_slack_ = whole && weight_ < 0x1p24 ? 0 : (n + 8) * kSingle * weight_;
  std::fill(below_.begin(), below_.end(), 0.0f);
  sum_below_all({cells, n_columns_, index, n, cut_.data(), row_.data(), width_, stride_, below_.data()});
}

double TargetScreen::highest(int column) const {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  constexpr double kSlack = 1 + 1e-5;                        // for what rounding does to a few operations
  if (!(unit_ > 1e-140 && unit_ < 1e140)) return kInfinite;  // squares would leave the range of doubles
  double squares = 0;
  for (int t = 0; t < n_targets_; ++t) {
    const double sum = below_[static_cast<std::size_t>(t) * stride_ + column];
    squares += sum * sum;
  }
  const double left = below_[static_cast<std::size_t>(n_targets_) * stride_ + column] - weight_slack_;
  const double right = weight_ - left - 2 * weight_slack_;
  const double far = (std::sqrt(squares) + sum_slack_) * unit_;
  const double value = kSlack * far * far / (std::max(0.0, left) * std::max(0.0, right) * n_targets_);
  return value == value ? value : kInfinite;
}

}  // namespace bough
