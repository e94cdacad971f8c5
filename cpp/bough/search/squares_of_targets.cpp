#include "bough/search/squares_of_targets.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "bough/machine/processor.hpp"

namespace bough {

namespace {

constexpr int kTargetLanes = OfTargets<SquaredError>::kLanes, kAhead = 12, kMostVectors = 8;

using FourSums [[gnu::vector_size(kTargetLanes * sizeof(double)), gnu::aligned(alignof(double))]] = double;

// The sums of one side, and of both.
struct Sums {
  FourSums *left, *total;
  int n_vectors;

  double left_of(int column) const { return left[column / kTargetLanes][column % kTargetLanes]; }
};

// The value of the squares of a cut, as OfTargets<SquaredError> has it to the last bit.
class ValueOfSquares {
 public:
  static constexpr bool kFactors = false;

  ValueOfSquares(const ScanTask& task, const Sums& sums) : task_(task) {
    std::memcpy(sums.total, task.right + 1, task.rows.n_targets * sizeof(double));
  }
  double unit() const { return task_.right_weight * task_.node_weight * task_.rows.n_targets; }
  double value(const Sums& sums, double wl, double wr) const {
    FourSums squares = {0, 0, 0, 0};
    for (int v = 0; v < sums.n_vectors; ++v) {
      const FourSums d = sums.left[v] * wr - (sums.total[v] - sums.left[v]) * wl;
      squares += d * d;
    }
    return OfTargets<SquaredError>::value((squares[0] + squares[1]) + (squares[2] + squares[3]), wl, wr,
                                          task_.node_weight, task_.rows.n_targets);
  }

 private:
  const ScanTask& task_;
};

// The value of a cut from the class weights of its sides. kTwo: whether some targets have two classes, whose
// column counts twice.
template <bool kTwo>
class ValueOfClasses {
 public:
  static constexpr bool kFactors = kTwo;

  ValueOfClasses(const ScanTask& task, const Sums& sums)
      : task_(task), columns_(task.evaluator.class_columns()) {
    double* total = reinterpret_cast<double*>(sums.total);
    for (std::size_t j = 0; j < columns_.size(); ++j) total[j] = task.right[columns_[j].place];
  }
  double unit() const { return task_.right_weight * task_.node_weight * task_.rows.n_targets; }
  double value(const Sums& sums, double wl, double) const {
    const int width = task_.evaluator.width();
    double *left = task_.left, *right = left + width;
    std::fill_n(left, width, wl);  // the only class of a target
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const int place = columns_[j].place;
      left[place] = sums.left_of(static_cast<int>(j));
      if (columns_[j].of_two) left[place - 1] = wl - left[place];
    }
    for (int c = 0; c < width; ++c) right[c] = task_.right[c] - left[c];
    return task_.evaluator.value(left, right, task_.node_weight);
  }

 private:
  const ScanTask& task_;
  const std::vector<Evaluator::ClassColumn>& columns_;
};

// The sum of the squares of left - part * total, with the factors of the columns where the criterion has
// some.
template <class Value>
[[gnu::always_inline]] inline double squares(const FourSums* left, const FourSums* total, double part,
                                             const double* factor, int many) {
  FourSums sums = {0, 0, 0, 0};
  for (int v = 0; v < many; ++v) {
    const FourSums d = left[v] - total[v] * part;
    if constexpr (Value::kFactors)
      sums += d * d * reinterpret_cast<const FourSums*>(factor)[v];
    else
      sums += d * d;
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// kVectors: of four sums each; 0: as many as `sums` has.
template <class Value, int kVectors, class E>
[[gnu::always_inline]] inline Cut scan(const E* list, int n, const ScanTask& task, double floor, Sums sums) {
  const int many = kVectors ? kVectors : sums.n_vectors;
  FourSums *left = sums.left, *total = sums.total;
  const Rows& rows = task.rows;
  std::memset(left, 0, many * sizeof(FourSums));
  std::memset(total, 0, many * sizeof(FourSums));
  const Value of_cut(task, sums);
  const double unit = of_cut.unit(), weight = task.right_weight, *factor = task.evaluator.column_factors();
  // What a cut must reach that is as good as the best. It is told by squares that cost less than those which
  // values are made of, and are rounded otherwise: by as much as `slack` where sums nearly cancel.
  const double share = 1 / weight, slack = 1e-21 * squares<Value>(total, total, 0, factor, many);
  const auto bar_at = [=](double value) {
    return value > 0 ? value * unit * (1 - 1e-9) * (share * share) : 0;
  };
  double bar = bar_at(floor), wl = 0, cases = 0;
  Cut best{floor, 0};
  // Sums of a known number stay in registers, but where a cut is evaluated.
  FourSums own[kVectors ? kVectors : 1] = {};
  FourSums* moving = kVectors ? own : left;
  for (int i = 0; i < n - 1; ++i) {
    if (i + kAhead < n) __builtin_prefetch(rows.grids_at(index_of(list[i + kAhead])));
    const std::uint32_t row = index_of(list[i]);
    const FourSums* y = reinterpret_cast<const FourSums*>(rows.grids_at(row));
    for (int v = 0; v < many; ++v) moving[v] += y[v];
    wl += rows.weight_at(row);
    cases += rows.cases_at(row);
    if (code_of(list[i]) == code_of(list[i + 1])) continue;
    const double wr = weight - wl;
    if (squares<Value>(moving, total, wl * share, factor, many) < bar * (wl * wr) - slack ||
        !task.allowed(cases, wl, wr))
      continue;
    if (kVectors) std::memcpy(left, own, sizeof own);
    const double value = of_cut.value(sums, wl, wr);
    if (!(value > best.value)) continue;
    best = {value, i + 1};
    bar = bar_at(value);
  }
  return best;
}

template <class Value, class E>
[[gnu::always_inline]] inline Cut scan_any(const E* list, int n, const ScanTask& task, double floor) {
  const int many = task.rows.grid_width / kTargetLanes;
  FourSums space[2 * kMostVectors];
  const Sums sums{space, space + kMostVectors, many};
  switch (many) {
    case 1:
      return scan<Value, 1>(list, n, task, floor, sums);
    case 2:
      return scan<Value, 2>(list, n, task, floor, sums);
    case 3:
      return scan<Value, 3>(list, n, task, floor, sums);
    case 4:
      return scan<Value, 4>(list, n, task, floor, sums);
    case 5:
      return scan<Value, 5>(list, n, task, floor, sums);
    case 6:
      return scan<Value, 6>(list, n, task, floor, sums);
    case 7:
      return scan<Value, 7>(list, n, task, floor, sums);
    case 8:
      return scan<Value, 8>(list, n, task, floor, sums);
    default:
      std::vector<double> more(static_cast<std::size_t>(2 * many) * kTargetLanes);
      FourSums* first = reinterpret_cast<FourSums*>(more.data());
      return scan<Value, 0>(list, n, task, floor, Sums{first, first + many, many});
  }
}

#if defined(__x86_64__)
template <class Value, class E>
BOUGH_AVX2 Cut scan_avx2(const E* list, int n, const ScanTask& task, double floor) {
  return scan_any<Value>(list, n, task, floor);
}
#endif

template <class Value, class E>
Cut scan_here(const E* list, int n, const ScanTask& task, double floor) {
#if defined(__x86_64__)
  if (has_avx2()) return scan_avx2<Value>(list, n, task, floor);
#endif
  return scan_any<Value>(list, n, task, floor);
}

}  // namespace

template <class E>
Cut best_squares_of_targets(const E* list, int n, const ScanTask& task, double floor) {
  return scan_here<ValueOfSquares>(list, n, task, floor);
}

template <class E>
Cut best_gini_of_targets(const E* list, int n, const ScanTask& task, double floor) {
  const std::vector<Evaluator::ClassColumn>& columns = task.evaluator.class_columns();
  const bool two =
      std::any_of(columns.begin(), columns.end(), [](const auto& column) { return column.of_two; });
  return two ? scan_here<ValueOfClasses<true>>(list, n, task, floor)
             : scan_here<ValueOfClasses<false>>(list, n, task, floor);
}

template Cut best_squares_of_targets(const std::uint32_t*, int, const ScanTask&, double);
template Cut best_squares_of_targets(const std::uint64_t*, int, const ScanTask&, double);
template Cut best_gini_of_targets(const std::uint32_t*, int, const ScanTask&, double);
template Cut best_gini_of_targets(const std::uint64_t*, int, const ScanTask&, double);

}  // namespace bough
