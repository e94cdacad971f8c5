// The rows of a node with how often each was drawn, gathered once for all columns that are looked at.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bough/forest/count_kernels.hpp"

namespace bough {

class NodeCounts {
 public:
  static constexpr int kFewRows = 64;

  explicit NodeCounts(std::size_t most_rows)
      : count_(most_rows + kPadding), long_count_(most_rows + kPadding) {}

  // most_draws: of any row in the tree that is to grow.
  void set_most_draws(std::uint32_t most_draws) {
    rows_at_once_ = static_cast<int>(0xffff / std::max(1u, most_draws)) / kLanes * kLanes;
  }

  // counted: of each row, by index; total: of the node. kLanes more indexes can be read.
  void start(const std::uint64_t* counted, const std::uint32_t* index, int n, std::uint64_t total) {
    index_ = index;
    n_ = n;
    total_ = total;
    brief_ = (total & 0xffffffffu) <= kMostBrief;
    if (n <= kFewRows) pad();
    for (int i = 0; i < n; ++i) count_[i] = brief_count(counted[index[i]]);
    std::fill_n(count_.data() + n, kLanes, 0u);
    if (brief_) return;
    for (int i = 0; i < n; ++i) long_count_[i] = counted[index[i]];
    std::fill_n(long_count_.data() + n, kLanes, std::uint64_t{0});
  }

  // Few rows are filled up to a multiple of kLanes with one of them that does not count, so that loops over
  // them have few different lengths, which the processor foresees.
  int n() const { return n_; }
  const std::uint32_t* index() const { return index_; }
  std::uint64_t total() const { return total_; }
  bool brief() const { return brief_; }
  const std::uint32_t* count() const { return count_.data(); }
  const std::uint64_t* long_count() const { return long_count_.data(); }  // if they are not brief

  // What has a value below the cut; value: of each row.
  std::uint64_t below(const CountKernels& kernels, const float* value, float cut) const {
    std::uint64_t sum = 0;
    if (rows_at_once_ > 0)  // so many brief counts have a brief sum
      for (int i = 0; i < n_; i += rows_at_once_)
        sum += bough::long_count(
            kernels.below(value + i, count_.data() + i, std::min(rows_at_once_, n_ - i), cut));
    else
      for (int i = 0; i < n_; ++i)
        if (value[i] < cut) sum += brief_ ? bough::long_count(count_[i]) : long_count_[i];
    return sum;
  }

 private:
  static constexpr int kPadding = kFewRows + kLanes;

  void pad() {
    for (int i = 0; i < n_; i += kLanes) std::copy_n(index_ + i, kLanes, few_ + i);
    std::fill_n(few_ + n_, kLanes, index_[0]);
    index_ = few_;
    n_ = (n_ + kLanes - 1) / kLanes * kLanes;
  }

  const std::uint32_t* index_ = nullptr;
  int n_ = 0;
  std::uint64_t total_ = 0;
  bool brief_ = true;
  int rows_at_once_ = 0;
  std::uint32_t few_[kPadding] = {};
  std::vector<std::uint32_t> count_;
  std::vector<std::uint64_t> long_count_;
};

}  // namespace bough
