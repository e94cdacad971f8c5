#include "bough/forest/class_tally.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "bough/machine/processor.hpp"

namespace bough {

namespace {

constexpr int kByteLanes = 4, kBytes = 8, kMostInByte = 255;

using FourWords = std::uint64_t __attribute__((vector_size(8 * kByteLanes)));
using FourLongs = std::int64_t __attribute__((vector_size(8 * kByteLanes)));
using FourInts = std::int32_t __attribute__((vector_size(4 * kByteLanes)));
using FourFloats = float __attribute__((vector_size(4 * kByteLanes)));

BOUGH_INLINE void add_below(const float* value, float cut, const std::uint64_t* word, int n,
                            std::uint32_t* count) {
  constexpr std::uint64_t kEven = 0x00ff00ff00ff00ffu;
  FourWords sum = {};
  int i = 0;
  for (; i + kByteLanes <= n; i += kByteLanes) {
    FourFloats own;
    FourWords here;
    std::memcpy(&own, value + i, sizeof own);
    std::memcpy(&here, word + i, sizeof here);
    const FourInts left = own < cut;
    sum += reinterpret_cast<FourWords>(__builtin_convertvector(left, FourLongs)) & here;
  }
  std::uint64_t even = 0, odd = 0;  // fields of 16 bits
  const auto widen = [&](std::uint64_t bytes) {
    even += bytes & kEven;
    odd += bytes >> 8 & kEven;
  };
  for (; i < n; ++i) widen(value[i] < cut ? word[i] : 0);
  for (int lane = 0; lane < kByteLanes; ++lane) widen(sum[lane]);
  for (int byte = 0; byte < kBytes; byte += 2) {
    count[byte] += static_cast<std::uint32_t>(even >> (8 * byte) & 0xffff);
    count[byte + 1] += static_cast<std::uint32_t>(odd >> (8 * byte) & 0xffff);
  }
}

void add_below_anywhere(const float* value, float cut, const std::uint64_t* word, int n,
                        std::uint32_t* count) {
  add_below(value, cut, word, n, count);
}

#if defined(BOUGH_AVX2)
BOUGH_AVX2 void add_below_avx2(const float* value, float cut, const std::uint64_t* word, int n,
                               std::uint32_t* count) {
  add_below(value, cut, word, n, count);
}
#endif

}  // namespace

std::vector<TallyKernels> runnable_tallies() {
  std::vector<TallyKernels> sets{{add_below_anywhere}};
#if defined(BOUGH_AVX2)
  if (has_avx2()) sets.push_back({add_below_avx2});
#endif
  return sets;
}

ClassTally::ClassTally(int n_classes, std::size_t most_rows)
    : n_classes_(n_classes),
      n_words_((n_classes + kClassesPerWord - 1) / kClassesPerWord),
      kernels_(runnable_tallies().back()),
      rows_(most_rows),
      words_(n_words_ <= kMostWords ? n_words_ * most_rows : 0),
      stride_(most_rows) {}

void ClassTally::start_tree(const std::vector<double>& weight, const std::vector<double>& cases) {
  rows_at_once_ = 0;
  if (n_words_ > kMostWords) return;
  double most = 1, total = 0;
  for (std::size_t i = 0; i < weight.size(); ++i) {
    if (weight[i] != cases[i] || weight[i] != std::floor(weight[i])) return;
    most = std::max(most, weight[i]);
    total += weight[i];
  }
  if (most <= kMostInByte && total <= std::numeric_limits<std::uint32_t>::max())
    rows_at_once_ = kByteLanes * (kMostInByte / static_cast<int>(most));
}

void ClassTally::start(const std::uint32_t* index, int n, const RowView& view) {
  n_ = n;
  const Rows& rows = view.rows;
  if (rows_at_once_ == 0) {
    for (int i = 0; i < n; ++i)
      rows_[i] = {rows.weight[index[i]], rows.cases[index[i]], rows.label[index[i]]};
    return;
  }
  for (int w = 0; w < n_words_; ++w) std::fill_n(words_.data() + w * stride_, n, 0);
  for (int i = 0; i < n; ++i) {
    const std::int32_t label = rows.label[index[i]];
    words_[label / kClassesPerWord * stride_ + i] = static_cast<std::uint64_t>(rows.weight[index[i]])
                                                    << (8 * (label % kClassesPerWord));
  }
}

void ClassTally::below(const float* value, float cut, double* statistics, double& weight,
                       double& cases) const {
  if (rows_at_once_ == 0) {
    for (int i = 0; i < n_; ++i) {
      const auto left = static_cast<double>(value[i] < cut);  // adding 0 changes no sum
      statistics[rows_[i].label] += left * rows_[i].weight;
      weight += left * rows_[i].weight;
      cases += left * rows_[i].cases;
    }
    return;
  }
  std::uint32_t count[kMostWords * kClassesPerWord] = {};
  for (int i = 0; i < n_; i += rows_at_once_)
    for (int w = 0; w < n_words_; ++w)
      kernels_.add_below(value + i, cut, words_.data() + w * stride_ + i, std::min(rows_at_once_, n_ - i),
                         count + w * kClassesPerWord);
  for (int c = 0; c < n_classes_; ++c) {
    statistics[c] = count[c];
    weight += count[c];
  }
  cases = weight;
}

}  // namespace bough
