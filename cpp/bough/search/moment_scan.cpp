#include <algorithm>
#include <cstring>
#include <limits>

#include "bough/machine/kernel_sets.hpp"
#include "bough/search/block_scan.hpp"
#include "bough/search/moment_bar.hpp"
#include "bough/search/scan_blocks.hpp"

namespace bough {

namespace {

constexpr int kMostLanes = 8;

// The weight and the sum of some rows. Both are whole numbers, and so are their sums: they may be taken in
// any order, and what lies right of a cut is what is left.
using Pair = double __attribute__((vector_size(16), aligned(8)));

// The sums left of every cut of a block; vectors may be read past the last.
using PairsOfCuts = double[2 * (kBlockRows + kMostLanes)];

inline void store(double* to, const Pair& pair) { std::memcpy(to, &pair, sizeof pair); }

// Writes the sums up to each entry of the block; returns those of all.
template <class E, class Of>
BOUGH_INLINE Pair running_pairs(const E* list, int n, const Of& of, Pair sum, double* sums) {
  int j = 0;
  for (; j + 4 <= n; j += 4) {
    const Pair a = of(index_of(list[j])), b = of(index_of(list[j + 1])), c = of(index_of(list[j + 2])),
               d = of(index_of(list[j + 3]));
    const Pair ab = a + b, cd = c + d;
    store(sums + 2 * j, sum + a);
    store(sums + 2 * j + 2, sum + ab);
    store(sums + 2 * j + 4, sum + (ab + c));
    sum += ab + cd;
    store(sums + 2 * j + 6, sum);
  }
  for (; j < n; ++j) store(sums + 2 * j, sum += of(index_of(list[j])));
  return sum;
}

// The sums left of the cuts of a block, and those of all rows.
struct PairsOfBlock {
  const double* pairs;
  double weight, sum;

  template <class V>
  BOUGH_INLINE void read(int j, V& wl, V& sl, V& wr, V& sr) const {
    V low, high;
    std::memcpy(&low, pairs + 2 * j, sizeof low);
    std::memcpy(&high, pairs + 2 * j + sizeof low / sizeof(double), sizeof high);
    if constexpr (sizeof low == 8 * sizeof(double)) {
      wl = __builtin_shufflevector(low, high, 0, 8, 2, 10, 4, 12, 6, 14);
      sl = __builtin_shufflevector(low, high, 1, 9, 3, 11, 5, 13, 7, 15);
    } else {
      wl = __builtin_shufflevector(low, high, 0, 4, 2, 6);
      sl = __builtin_shufflevector(low, high, 1, 5, 3, 7);
    }
    wr = weight - wl;
    sr = sum - sl;
  }
};

using PairsReach = bool (*)(const PairsOfBlock&, int n, const MomentBar&);

bool pairs_reach(const PairsOfBlock& pairs, int n, const MomentBar& bar) {
  return any_reaches<4>(pairs, n, bar);
}
constexpr PairsReach kPairsReach = pairs_reach;
#if defined(BOUGH_AVX2)
BOUGH_AVX2 bool pairs_reach_avx2(const PairsOfBlock& pairs, int n, const MomentBar& bar) {
  return any_reaches<4>(pairs, n, bar);
}
constexpr PairsReach kPairsReachAvx2 = pairs_reach_avx2;
#endif
#if defined(BOUGH_LONG_REGISTERS)
BOUGH_LONG_REGISTERS bool pairs_reach_long(const PairsOfBlock& pairs, int n, const MomentBar& bar) {
  return any_reaches<8>(pairs, n, bar);
}
constexpr PairsReach kPairsReachLong = pairs_reach_long;
#endif

const PairsReach kFastestPairsReach = *runnable_sets(kPairsReach, BOUGH_SET_OF_AVX2(kPairsReachAvx2),
                                                     BOUGH_SET_OF_LONG_REGISTERS(kPairsReachLong))
                                           .back();

// The cuts of squared error and Poisson.
class MomentCuts {
 public:
  MomentCuts(const ScanTask& task, int) : task_(task), bar_{task.right[0], task.right[1]} {
    if (task.evaluator.criterion().reads_rates()) bar_.set_rates();
  }

  // Takes the next rows; returns whether a cut after one of them may be the best.
  template <class E>
  bool take(const E* list, int n) {
    const Rows& rows = task_.rows;
    if (const double* moments = task_.moments)
      take_by(list, n, [moments](std::uint32_t row) {
        Pair pair;
        std::memcpy(&pair, moments + 2 * static_cast<std::size_t>(row), sizeof pair);
        return pair;
      });
    else
      take_by(list, n, [&rows](std::uint32_t row) { return Pair{rows.weight_at(row), rows.grid[row]}; });
    return kFastestPairsReach({pairs_, bar_.weight, bar_.sum}, n, bar_);
  }
  bool may_be_best(int j, double) const {
    const double wl = pairs_[2 * j], sl = pairs_[2 * j + 1];
    bool reached;
    bar_.test(wl, sl, bar_.weight - wl, bar_.sum - sl, reached);
    return reached;
  }
  double left_weight(int j) const { return pairs_[2 * j]; }
  double right_weight(int j) const { return bar_.weight - pairs_[2 * j]; }
  double value(int) const { return task_.evaluator.value(task_.left, task_.right, task_.node_weight); }
  // Writes the statistics of a cut.
  void place(int j) const {
    for (int s = 0; s < 2; ++s) {
      task_.left[s] = pairs_[2 * j + s];
      task_.right[s] = (s ? bar_.sum : bar_.weight) - task_.left[s];
    }
  }

  void raise(double value) { bar_.raise(value, task_.node_weight); }

 private:
  template <class E, class Of>
  void take_by(const E* list, int n, const Of& of) {
    sum_ = running_pairs(list, n, of, sum_, pairs_);
    for (int j = n; j < n + kMostLanes - 1; ++j) std::copy_n(pairs_ + 2 * (n - 1), 2, pairs_ + 2 * j);
  }

  const ScanTask& task_;
  MomentBar bar_;
  Pair sum_ = {};  // of the rows so far
  PairsOfCuts pairs_;
};

}  // namespace

template <class E>
Cut best_cut_of_moments(const E* list, int n, const ScanTask& task, double floor) {
  return scan_blocks<MomentCuts>(list, n, task, floor);
}

template Cut best_cut_of_moments(const std::uint32_t*, int, const ScanTask&, double);
template Cut best_cut_of_moments(const std::uint64_t*, int, const ScanTask&, double);

}  // namespace bough
