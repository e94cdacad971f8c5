#include "bough/search/block_scan.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "bough/machine/processor.hpp"
#include "bough/search/bar.hpp"
#include "bough/search/information_of_two.hpp"

namespace bough {

namespace {

constexpr int kBlockRows = 128, kLanes = 4;
constexpr int kMostClasses = 32;

using Four [[gnu::vector_size(kLanes * sizeof(double)), gnu::aligned(alignof(double))]] = double;

BOUGH_INLINE void load(Four& v, const double* from) { std::memcpy(&v, from, sizeof v); }

// One number for each cut of a block; vectors may be read past the last.
using OfCuts = double[kBlockRows + kLanes];

// The sums on both sides of the cuts of a block: weight and sum of each.
struct SidesOfCuts {
  OfCuts left_weight, left_sum, right_weight, right_sum;
};

// (|d| + slip)^2 / (left * right) of every cut, with d the imbalance of sums and weights; returns the
// highest.
BOUGH_INLINE double bound_squares(const SidesOfCuts& sides, int n, double slip, double* bound) {
  Four peak = Four{} - 1;
  for (int j = 0; j < n; j += kLanes) {
    Four wl, wr, sl, sr;
    load(wl, sides.left_weight + j);
    load(wr, sides.right_weight + j);
    load(sl, sides.left_sum + j);
    load(sr, sides.right_sum + j);
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

#if defined(__x86_64__)
BOUGH_AVX2 double bound_squares_avx2(const SidesOfCuts& sides, int n, double slip, double* bound) {
  return bound_squares(sides, n, slip, bound);
}
BOUGH_AVX2 double bound_classes_avx2(const SquaresOfCuts& of, int n, double squares, double weight,
                                     double* bound) {
  return bound_classes(of, n, squares, weight, bound);
}
#endif

double squares_of_cuts(const SidesOfCuts& sides, int n, double slip, double* bound) {
#if defined(__x86_64__)
  if (has_avx2()) return bound_squares_avx2(sides, n, slip, bound);
#endif
  return bound_squares(sides, n, slip, bound);
}

double classes_of_cuts(const SquaresOfCuts& of, int n, double squares, double weight, double* bound) {
#if defined(__x86_64__)
  if (has_avx2()) return bound_classes_avx2(of, n, squares, weight, bound);
#endif
  return bound_classes(of, n, squares, weight, bound);
}

// Calls with a function that tells the weight of a row.
template <class Call>
BOUGH_INLINE void with_weights(const Rows& rows, const Call& call) {
  if (rows.weight)
    call([weight = rows.weight](std::uint32_t row) { return weight[row]; });
  else
    call([](std::uint32_t) { return 1.0; });
}

// The cuts of squared error and Poisson.
class MomentCuts {
 public:
  MomentCuts(const ScanTask& task, int)
      : task_(task),
        weight_(task.right[0]),
        sum_(task.right[1]),
        // The bound is the value times a unit; Poisson's divergence is at most chi-square's.
        bar_(0, (task.evaluator.criterion().reads_rates() ? sum_ : weight_) * task.node_weight) {}

  // Takes the next rows; returns the highest bound of the cuts after each.
  template <class E>
  double take(const E* list, int n) {
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
    return fill_up(n);
  }
  bool reached_by(double bound) const { return bar_.reached_by(bound); }
  bool may_be_best(int j, double) const { return bar_.reached_by(bound_[j]); }
  double left_weight(int j) const { return sides_.left_weight[j]; }
  double right_weight(int j) const { return sides_.right_weight[j]; }
  // Writes the statistics of a cut.
  void place(int j) {
    task_.left[0] = sides_.left_weight[j], task_.left[1] = sides_.left_sum[j];
    task_.right[0] = sides_.right_weight[j], task_.right[1] = sides_.right_sum[j];
  }
  double value(int) const { return task_.evaluator.value(task_.left, task_.right, task_.node_weight); }
  void raise(double value) { bar_.raise(value); }

 private:
  // The vector of the last cuts may be longer than they are: it is filled up with the last.
  double fill_up(int n) {
    for (double* of : {sides_.left_weight, sides_.left_sum, sides_.right_weight, sides_.right_sum})
      std::fill_n(of + n, kLanes - 1, of[n - 1]);
    return squares_of_cuts(sides_, n, 0, bound_);
  }

  const ScanTask& task_;
  double left_weight_ = 0, left_sum_ = 0, weight_, sum_;
  Bar bar_;
  SidesOfCuts sides_;
  OfCuts bound_;
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
  double take(const E* list, int n) {
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
    for (double* of : {sides_.left_weight, sides_.left_sum, sides_.right_weight, sides_.right_sum})
      std::fill_n(of + n, kLanes - 1, of[n - 1]);
    return squares_of_cuts(sides_, n, slip_, bound_);
  }
  bool reached_by(double bound) const { return bound >= bar_; }
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
  SidesOfCuts sides_;
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
  double take(const E* list, int n) {
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
    return classes_of_cuts(of_, n, gini_.squares_of_both, weight_, bound_);
  }
  bool reached_by(double bound) const { return bar_.reached_by(bound); }
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
  double total_[kMostClasses], left_[kMostClasses];
  // The class weights left of the cuts that were evaluated in this block, counted again row by row.
  double replayed_[kMostClasses];
  int n_replayed_ = 0;
  const void* entries_ = nullptr;
  std::uint32_t (*row_at_)(const void*, int) = nullptr;
  SquaresOfCuts of_;
  OfCuts bound_;
};

template <class Cuts, class E>
Cut scan_blocks(const E* list, int n, const ScanTask& task, double floor) {
  Cut best{floor, 0};
  Cuts cuts(task, n);
  cuts.raise(floor);
  double cases = 0;
  OfCuts cases_at;
  for (int begin = 0; begin < n - 1; begin += kBlockRows) {
    const E* own = list + begin;
    const int count = std::min(kBlockRows, n - 1 - begin);
    const double peak = cuts.take(own, count);
    if (task.rows.cases)
      for (int j = 0; j < count; ++j) cases_at[j] = cases += task.rows.cases[index_of(own[j])];
    if (!cuts.reached_by(peak)) continue;
    for (int j = 0; j < count; ++j) {
      if (code_of(own[j]) == code_of(own[j + 1]) || !cuts.may_be_best(j, best.value)) continue;
      cuts.place(j);
      const double left_cases = task.rows.cases ? cases_at[j] : begin + j + 1;
      if (!task.allowed(left_cases, cuts.left_weight(j), cuts.right_weight(j))) continue;
      const double value = cuts.value(j);
      if (!(value > best.value)) continue;
      best = {value, begin + j + 1};
      cuts.raise(value);
    }
  }
  return best;
}

}  // namespace

template <class E>
Cut best_cut_of_moments(const E* list, int n, const ScanTask& task, double floor) {
  return scan_blocks<MomentCuts>(list, n, task, floor);
}

template <class E>
Cut best_cut_of_two_weighted(const E* list, int n, const ScanTask& task, double floor) {
  return scan_blocks<TwoClassCuts>(list, n, task, floor);
}

template <class E>
Cut best_gini_of_classes(const E* list, int n, const ScanTask& task, double floor) {
  return scan_blocks<ClassCuts>(list, n, task, floor);
}

bool scans_squares_of_classes(const ScanTask& task) {
  return task.whole && task.evaluator.width() <= kMostClasses && task.right_weight < 0x1p25 &&
         !task.limits.answers.any;
}

template Cut best_cut_of_moments(const std::uint32_t*, int, const ScanTask&, double);
template Cut best_cut_of_moments(const std::uint64_t*, int, const ScanTask&, double);
template Cut best_cut_of_two_weighted(const std::uint32_t*, int, const ScanTask&, double);
template Cut best_cut_of_two_weighted(const std::uint64_t*, int, const ScanTask&, double);
template Cut best_gini_of_classes(const std::uint32_t*, int, const ScanTask&, double);
template Cut best_gini_of_classes(const std::uint64_t*, int, const ScanTask&, double);

}  // namespace bough
