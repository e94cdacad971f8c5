// The values of cuts under squared error and Gini of several targets, from the sums to their left: the same
// numbers, to the last bit, wherever a search evaluates them.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "bough/search/scan_task.hpp"

namespace bough {

inline constexpr int kTargetLanes = OfTargets<SquaredError>::kLanes;

using FourSums [[gnu::vector_size(kTargetLanes * sizeof(double)), gnu::aligned(alignof(double))]] = double;

// The sums of one side, and of both.
struct TargetSums {
  FourSums *left, *total;
  int n_vectors;

  double left_of(int column) const { return left[column / kTargetLanes][column % kTargetLanes]; }
};

// The value of the squares of a cut, as OfTargets<SquaredError> has it to the last bit.
class ValueOfSquares {
 public:
  static constexpr bool kFactors = false;

  ValueOfSquares(const ScanTask& task, const TargetSums& sums) : task_(task) {
    std::memcpy(sums.total, task.right + 1, task.rows.n_targets * sizeof(double));
  }
  double unit() const { return task_.right_weight * task_.node_weight * task_.rows.n_targets; }
  [[gnu::noinline]] double value(const TargetSums& sums, double wl, double wr) const {
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

  ValueOfClasses(const ScanTask& task, const TargetSums& sums)
      : task_(task), columns_(task.evaluator.class_columns()) {
    double* total = reinterpret_cast<double*>(sums.total);
    for (std::size_t j = 0; j < columns_.size(); ++j) total[j] = task.right[columns_[j].place];
  }
  double unit() const { return task_.right_weight * task_.node_weight * task_.rows.n_targets; }
  [[gnu::noinline]] double value(const TargetSums& sums, double wl, double) const {
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

// Whether some targets have two classes.
inline bool some_of_two(const Evaluator& evaluator) {
  const std::vector<Evaluator::ClassColumn>& columns = evaluator.class_columns();
  return std::any_of(columns.begin(), columns.end(), [](const auto& column) { return column.of_two; });
}

}  // namespace bough
