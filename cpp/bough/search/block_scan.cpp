#include "bough/search/block_scan.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "bough/machine/processor.hpp"
#include "bough/search/bar.hpp"
#include "bough/search/information_of_two.hpp"
#include "bough/search/moment_bar.hpp"
#include "bough/search/scan_blocks.hpp"

namespace bough {

namespace {

constexpr int kLanes = 4;
constexpr int kMostClasses = 32;

using Four [[gnu::vector_size(kLanes * sizeof(double)), gnu::aligned(alignof(double))]] = double;

BOUGH_INLINE void load(Four& v, const double* from) { std::memcpy(&v, from, sizeof v); }

// One number for each cut of a block; vectors may be read past the last.
constexpr int kMostCutLanes = 8, kCutRoom = kBlockRows + kMostCutLanes;
using OfCuts = double[kCutRoom];

struct SidesOfBlock : SidesOfCuts<kCutRoom> {
  // The vector of the last cuts may be longer than they are: it is filled up with the last of n.
  void fill_up(int n) {
    for (double* of : {left_weight, left_sum, right_weight, right_sum})
      std::fill_n(of + n, kMostCutLanes - 1, of[n - 1]);
  }
};

// (|d| + slip)^2 / (left * right) of every cut, with d the imbalance of sums and weights; returns the
// highest.
BOUGH_INLINE double bound_squares(const SidesOfBlock& sides, int n, double slip, double* bound) {
  Four peak = Four{} - 1;
  for (int j = 0; j < n; j += kLanes) {
    Four wl, sl, wr, sr;
    sides.read(j, wl, sl, wr, sr);
    Four d = sl * wr - sr * wl;
    d = (d < 0 ? -d : d) + slip;
    const Four here = d * d / (wl * wr);
    std::memcpy(bound + j, &here, sizeof here);
    peak = here > peak ? here : peak;
  }
  return std::max(std::max(peak[0], peak[1]), std::max(peak[2], peak[3]));
}

// The sums of the cuts of a block for several classes: of squared weights on the left, of the products of
// left and whole class weights, and of weights on the left.
struct SquaresOfCuts {
  OfCuts left, products, weight;
};

// The sum of squared class weights over the weight, of both sides of every cut; returns the highest.
BOUGH_INLINE double bound_classes(const SquaresOfCuts& of, int n, double squares, double weight,
                                  double* bound) {
  Four peak = Four{} - 1;
  for (int j = 0; j < n; j += kLanes) {
    Four left, products, wl;
    load(left, of.left + j);
    load(products, of.products + j);
    load(wl, of.weight + j);
    const Four right = squares - (products * 2 - left);
    const Four here = left / wl + right / (weight - wl);
    std::memcpy(bound + j, &here, sizeof here);
    peak = here > peak ? here : peak;
  }
  return std::max(std::max(peak[0], peak[1]), std::max(peak[2], peak[3]));
}

// What is needed of a block of cuts to compare the values of their counts with a bar.
struct CountsOfCuts {
  const std::uint64_t* sums;  // of squares, and of products in the lower half
  int n;
  double before, weight, squares, least;  // rows before the block and in all; the squares of all; the bar
};

// Whether the sum of squares over the number of rows of both sides reaches the bar for any cut; there are as
// many as a vector has lanes at least.
template <int kCuts>
BOUGH_INLINE bool any_count_reaches(const CountsOfCuts& of) {
  using Numbers = typename VectorsOf<kCuts>::Numbers;
  using Words = typename VectorsOf<kCuts>::Words;
  using Tests = typename VectorsOf<kCuts>::Tests;
  constexpr std::uint64_t kBits = 0x4330000000000000;  // those of 2^52, whose lowest bits count ones
  constexpr double kPower = 0x1p52;
  Numbers first;
  for (int k = 0; k < kCuts; ++k) first[k] = of.before + k + 1;
  Tests any = {};
  for (int j = 0; j < of.n; j += kCuts) {
    j = std::min(j, of.n - kCuts);  // the last cuts may be tested twice, as none lies beyond them
    Words words;
    std::memcpy(&words, of.sums + j, sizeof words);
    const Numbers left = reinterpret_cast<Numbers>((words >> 32) | kBits) - kPower;
    const Numbers products = reinterpret_cast<Numbers>((words & 0xffffffff) | kBits) - kPower;
    const Numbers wl = first + static_cast<double>(j), wr = of.weight - wl;
    const Numbers right = of.squares - (products * 2 - left);
    any |= left * wr + right * wl >= of.least * (wl * wr);
  }
  return any_of<kCuts>(any);
}

#define BOUGH_BLOCK_KERNELS(name, target)                                                               \
  namespace name {                                                                                      \
  target bool moments_reach(const SidesOfBlock& sides, int n, const MomentBar& bar) {                   \
    return any_reaches<4>(sides, n, bar);                                                               \
  }                                                                                                     \
  target bool counts_reach(const CountsOfCuts& of) { return any_count_reaches<4>(of); }                 \
  target double squares(const SidesOfBlock& sides, int n, double slip, double* bound) {                 \
    return bound_squares(sides, n, slip, bound);                                                        \
  }                                                                                                     \
  target double classes(const SquaresOfCuts& of, int n, double squares, double weight, double* bound) { \
    return bound_classes(of, n, squares, weight, bound);                                                \
  }                                                                                                     \
  }

BOUGH_BLOCK_KERNELS(blocks_anywhere, )
#if defined(BOUGH_AVX2)
BOUGH_BLOCK_KERNELS(blocks_avx2, BOUGH_AVX2)
#else
namespace blocks_avx2 = blocks_anywhere;
#endif

#if defined(BOUGH_LONG_REGISTERS)
namespace blocks_long {
BOUGH_LONG_REGISTERS bool moments_reach(const SidesOfBlock& sides, int n, const MomentBar& bar) {
  return any_reaches<8>(sides, n, bar);
}
BOUGH_LONG_REGISTERS bool counts_reach(const CountsOfCuts& of) {
  return of.n < 8 ? blocks_avx2::counts_reach(of) : any_count_reaches<8>(of);
}
using blocks_avx2::classes;
using blocks_avx2::squares;
}  // namespace blocks_long
#else
namespace blocks_long = blocks_avx2;
#endif

// Calls the fastest kernel that this processor runs. The call is direct: blocks of small nodes are short, and
// the compiler keeps in registers what it knows the kernel not to change.
#define BOUGH_FASTEST_FOR_BLOCK(kernel, ...)                     \
  (!has_avx2()            ? blocks_anywhere::kernel(__VA_ARGS__) \
   : has_long_registers() ? blocks_long::kernel(__VA_ARGS__)     \
                          : blocks_avx2::kernel(__VA_ARGS__))

// Calls with a function that tells the weight of a row.
template <class Call>
BOUGH_INLINE void with_weights(const Rows& rows, const Call& call) {
  if (rows.weight)
    call([weight = rows.weight](std::uint32_t row) { return weight[row]; });
  else
    call([](std::uint32_t) { return 1.0; });
}

// The cuts of squared error and Poisson, whose sums are rounded.
class RoundedMomentCuts {
 public:
  RoundedMomentCuts(const ScanTask& task, int)
      : task_(task), weight_(task.right[0]), sum_(task.right[1]), bar_{task.right[0], task.right[1]} {
    if (task.evaluator.criterion().reads_rates()) bar_.set_rates();
  }

  template <class E>
  bool take(const E* list, int n) {
    with_weights(task_.rows, [&](const auto& weight_at) {
      double wl = left_weight_, sl = left_sum_, wr = weight_, sr = sum_;
      for (int j = 0; j < n; ++j) {
        const std::uint32_t row = index_of(list[j]);
        const double w = weight_at(row), y = task_.rows.grid[row];
        sides_.left_weight[j] = wl += w;
        sides_.left_sum[j] = sl += y;
        sides_.right_weight[j] = wr -= w;
        sides_.right_sum[j] = sr -= y;
      }
      left_weight_ = wl, left_sum_ = sl, weight_ = wr, sum_ = sr;
    });
    sides_.fill_up(n);
    return BOUGH_FASTEST_FOR_BLOCK(moments_reach, sides_, n, bar_);
  }
  bool may_be_best(int j, double) const {
    bool reached;
    bar_.test(sides_.left_weight[j], sides_.left_sum[j], sides_.right_weight[j], sides_.right_sum[j],
              reached);
    return reached;
  }
  double left_weight(int j) const { return sides_.left_weight[j]; }
  double right_weight(int j) const { return sides_.right_weight[j]; }
  void place(int j) {
    task_.left[0] = sides_.left_weight[j], task_.left[1] = sides_.left_sum[j];
    task_.right[0] = sides_.right_weight[j], task_.right[1] = sides_.right_sum[j];
  }
  double value(int) const { return task_.evaluator.value(task_.left, task_.right, task_.node_weight); }
  void raise(double value) { bar_.raise(value, task_.node_weight); }

 private:
  const ScanTask& task_;
  double left_weight_ = 0, left_sum_ = 0, weight_, sum_;
  MomentBar bar_;
  SidesOfBlock sides_;
};

// The cuts of two classes; the second is the sum.
class TwoClassCuts {
 public:
  TwoClassCuts(const ScanTask& task, int n)
      : task_(task),
        weight_(task.right_weight),
        zeros_(task.right[0]),
        ones_(task.right[1]),
        slip_(4 * ((task.whole ? 0 : n) + 8) * 2.3e-16 * weight_ * weight_) {
    if (task.evaluator.criterion() != criterion_of<Gini>)
      information_.emplace(weight_, ones_, task.node_weight, task.evaluator, task.whole ? 0 : n);
    // Gini's value is 2 d^2 / (left * right) / (weight * node weight).
    unit_ = weight_ * task.node_weight / 2 * (1 - 1e-10);
  }

  template <class E>
  bool take(const E* list, int n) {
    with_weights(task_.rows, [&](const auto& weight_at) {
      double wl = left_weight_, l0 = left_zeros_, l1 = left_ones_, wr = weight_, r0 = zeros_, r1 = ones_;
      for (int j = 0; j < n; ++j) {
        const std::uint32_t row = index_of(list[j]);
        const double w = weight_at(row), one = task_.rows.label[row] * w, zero = w - one;
        sides_.left_weight[j] = wl += w;
        sides_.right_weight[j] = wr -= w;
        left_zeros_at_[j] = l0 += zero;
        right_zeros_at_[j] = r0 -= zero;
        sides_.left_sum[j] = l1 += one;
        sides_.right_sum[j] = r1 -= one;
      }
      left_weight_ = wl, left_zeros_ = l0, left_ones_ = l1, weight_ = wr, zeros_ = r0, ones_ = r1;
    });
    sides_.fill_up(n);
    return BOUGH_FASTEST_FOR_BLOCK(squares, sides_, n, slip_, bound_) >= bar_;
  }
  bool may_be_best(int j, double floor) const {
    if (bound_[j] < bar_) return false;
    if (!information_) return true;
    const double wl = left_weight(j), wr = right_weight(j), l1 = sides_.left_sum[j], r1 = sides_.right_sum[j];
    return information_->may_exceed(floor, wl, l1, wr, r1, std::abs(l1 * wr - r1 * wl) + slip_);
  }
  double left_weight(int j) const { return sides_.left_weight[j]; }
  double right_weight(int j) const { return sides_.right_weight[j]; }
  void place(int j) {
    task_.left[0] = left_zeros_at_[j], task_.left[1] = sides_.left_sum[j];
    task_.right[0] = right_zeros_at_[j], task_.right[1] = sides_.right_sum[j];
  }
  double value(int) const { return task_.evaluator.value(task_.left, task_.right, task_.node_weight); }
  void raise(double value) {
    bar_ = information_ ? information_->least_squares(value) * (1 - 1e-10) : value * unit_;
  }

 private:
  const ScanTask& task_;
  double left_weight_ = 0, left_zeros_ = 0, left_ones_ = 0, weight_, zeros_, ones_;
  double slip_;  // how far rounding may move d
  double unit_, bar_ = -std::numeric_limits<double>::infinity();
  std::optional<InformationOfTwo> information_;
  SidesOfBlock sides_;
  OfCuts left_zeros_at_, right_zeros_at_, bound_;
};

// The cuts of several classes under Gini. Sums of squares are exact.
class ClassCuts {
 public:
  ClassCuts(const ScanTask& task, int n)
      : task_(task),
        width_(task.evaluator.width()),
        weight_(task.right_weight),
        gini_(task.evaluator, task.right, n),
        bar_(gini_.unsplit(weight_), Gini::Bound::unit(task.node_weight)) {
    std::copy_n(task.right, width_, total_);
    std::fill_n(left_, width_, 0.0);
  }

  template <class E>
  bool take(const E* list, int n) {
    std::copy_n(left_, width_, replayed_);
    n_replayed_ = 0;
    row_at_ = [](const void* entries, int j) { return index_of(static_cast<const E*>(entries)[j]); };
    entries_ = list;
    with_weights(task_.rows, [&](const auto& weight_at) {
      double squares = squares_, products = products_, wl = left_weight_;
      for (int j = 0; j < n; ++j) {
        const std::uint32_t row = index_of(list[j]);
        const std::int32_t c = task_.rows.label[row];
        const double w = weight_at(row), own = left_[c];
        left_[c] = own + w;
        of_.left[j] = squares += w * (own + own + w);
        of_.products[j] = products += w * total_[c];
        of_.weight[j] = wl += w;
      }
      squares_ = squares, products_ = products, left_weight_ = wl;
    });
    for (double* of : {of_.left, of_.products, of_.weight}) std::fill_n(of + n, kLanes - 1, of[n - 1]);
    return bar_.reached_by(BOUGH_FASTEST_FOR_BLOCK(classes, of_, n, gini_.squares_of_both, weight_, bound_));
  }
  bool may_be_best(int j, double) const { return bar_.reached_by(bound_[j]); }
  double left_weight(int j) const { return of_.weight[j]; }
  double right_weight(int j) const { return weight_ - of_.weight[j]; }
  void place(int) {}
  double value(int j) {
    if (Gini::Bound::is_exact(weight_)) {
      gini_.squares_left = of_.left[j];
      gini_.squares_right = gini_.squares_of_both - (2 * of_.products[j] - of_.left[j]);
      return gini_.value(left_weight(j), right_weight(j), task_.node_weight);
    }
    for (; n_replayed_ <= j; ++n_replayed_) {
      const std::uint32_t row = row_at_(entries_, n_replayed_);
      replayed_[task_.rows.label[row]] += task_.rows.weight_at(row);
    }
    for (int c = 0; c < width_; ++c) task_.right[c] = total_[c] - replayed_[c];
    return task_.evaluator.value(replayed_, task_.right, task_.node_weight);
  }
  void raise(double value) { bar_.raise(value); }

 private:
  const ScanTask& task_;
  int width_;
  double weight_, squares_ = 0, products_ = 0, left_weight_ = 0;
  Gini::Bound gini_;
  Bar bar_;
  SquaresOfCuts of_;
  OfCuts bound_;
  double total_[kMostClasses], left_[kMostClasses];
  // The class weights left of the cuts that were evaluated in this block, counted again row by row.
  double replayed_[kMostClasses];
  int n_replayed_ = 0;
  const void* entries_ = nullptr;
  std::uint32_t (*row_at_)(const void*, int) = nullptr;
};

// The same of rows without weights, as long as values are exact: sums are whole numbers below 2^32, and two
// of them share a word.
class CountCuts {
 public:
  CountCuts(const ScanTask& task, int n)
      : task_(task),
        gini_(task.evaluator, task.right, n),
        bar_(gini_.unsplit(task.right_weight), Gini::Bound::unit(task.node_weight)) {
    for (int c = 0; c < task.evaluator.width(); ++c)
      of_class_[c] = kOne | static_cast<std::uint64_t>(task.right[c]);
  }

  // A row adds 2 l + 1 to the sum of squares, where l rows of its class lie left already, and the rows of its
  // class to the sum of products.
  template <class E>
  bool take(const E* list, int n) {
    const std::int32_t* label = task_.rows.label;
    std::uint64_t sums = sums_;
    for (int j = 0; j < n; ++j) {
      std::uint64_t& own = of_class_[label[index_of(list[j])]];
      at_[j] = sums += own;
      own += 2 * kOne;
    }
    sums_ = sums;
    const double before = taken_;
    taken_ += n;
    begin_ = before;
    return n < kLanes || BOUGH_FASTEST_FOR_BLOCK(counts_reach, {at_, n, before, task_.right_weight,
                                                                gini_.squares_of_both, bar_.least()});
  }
  bool may_be_best(int j, double) const {
    const double wl = left_weight(j), wr = right_weight(j);
    return squares_left(j) * wr + squares_right(j) * wl >= bar_.least() * (wl * wr);
  }
  double left_weight(int j) const { return begin_ + j + 1; }
  double right_weight(int j) const { return task_.right_weight - left_weight(j); }
  void place(int) {}
  double value(int j) {
    gini_.squares_left = squares_left(j);
    gini_.squares_right = squares_right(j);
    return gini_.value(left_weight(j), right_weight(j), task_.node_weight);
  }
  void raise(double value) { bar_.raise(value); }

 private:
  static constexpr std::uint64_t kOne = std::uint64_t{1} << 32;

  double squares_left(int j) const { return static_cast<double>(at_[j] >> 32); }
  double squares_right(int j) const {
    const auto products = static_cast<double>(at_[j] & (kOne - 1));
    return gini_.squares_of_both - (2 * products - squares_left(j));
  }

  const ScanTask& task_;
  Gini::Bound gini_;
  Bar bar_;
  std::uint64_t sums_ = 0, of_class_[kMostClasses];
  double taken_ = 0, begin_ = 0;  // rows before the next block and before this one
  std::uint64_t at_[kBlockRows];
};

}  // namespace

template <class E>
Cut best_cut_of_rounded_moments(const E* list, int n, const ScanTask& task, double floor) {
  return scan_blocks<RoundedMomentCuts>(list, n, task, floor);
}

template <class E>
Cut best_cut_of_two_weighted(const E* list, int n, const ScanTask& task, double floor) {
  return scan_blocks<TwoClassCuts>(list, n, task, floor);
}

template <class E>
Cut best_gini_of_classes(const E* list, int n, const ScanTask& task, double floor) {
  const bool counts = !task.rows.weight && Gini::Bound::is_exact(task.right_weight);
  return counts ? scan_blocks<CountCuts>(list, n, task, floor) : scan_blocks<ClassCuts>(list, n, task, floor);
}

bool scans_squares_of_classes(const ScanTask& task) {
  return task.whole && task.evaluator.width() <= kMostClasses && task.right_weight < 0x1p25 &&
         !task.limits.answers.any;
}

template Cut best_cut_of_rounded_moments(const std::uint32_t*, int, const ScanTask&, double);
template Cut best_cut_of_rounded_moments(const std::uint64_t*, int, const ScanTask&, double);
template Cut best_cut_of_two_weighted(const std::uint32_t*, int, const ScanTask&, double);
template Cut best_cut_of_two_weighted(const std::uint64_t*, int, const ScanTask&, double);
template Cut best_gini_of_classes(const std::uint32_t*, int, const ScanTask&, double);
template Cut best_gini_of_classes(const std::uint64_t*, int, const ScanTask&, double);

}  // namespace bough
