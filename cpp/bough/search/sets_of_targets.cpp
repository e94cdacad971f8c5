#include "bough/search/sets_of_targets.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "bough/machine/processor.hpp"
#include "bough/search/squares_of_targets.hpp"
#include "bough/search/value_of_targets.hpp"

namespace bough {

namespace {

constexpr int kMostRows = TargetSets::kMostRows, kMostColumns = 64;

// What rounding may do to the squares of a set: in proportion to them, to those of the rows from their mean,
// and to those of the rows themselves.
constexpr double kOfSet = 4e-9, kOfRows = 1e-13, kOfOrigin = 1e-18;
// A row of a lesser share of the weight has a weight that is lost in that of the others.
constexpr double kLeastShare = 1e-4;

// The rows of a node, and what is to be told of their sets.
struct FewRows {
  int n, width;
  const double* grid[kMostRows];  // of each row
  double weight[kMostRows];
  const double* total;   // of the grid
  const double* factor;  // of each column; null: 1
  double all;            // the weight of all rows
  double to_value;       // squares, divided by the weights of both sides, times this are a value
  double* highest;
};

// The products of the rows with each other, from their mean: product[i][j] for j <= i. Returns the slack of
// squares.
BOUGH_INLINE double multiply(const FewRows& rows, double (&product)[kMostRows][kMostRows]) {
  const int many = rows.width / kTargetLanes;
  alignas(64) double off[kMostRows][kMostColumns];
  const double per_weight = 1 / rows.all;
  FourSums far = {};
  for (int v = 0; v < many; ++v) {
    FourSums mean, factor = {1, 1, 1, 1};
    std::memcpy(&mean, rows.total + v * kTargetLanes, sizeof mean);
    if (rows.factor) std::memcpy(&factor, rows.factor + v * kTargetLanes, sizeof factor);
    far += mean * mean * factor;
    mean *= per_weight;
    // Of two classes one has a column, which counts twice.
    if (rows.factor)
      for (int lane = 0; lane < kTargetLanes; ++lane) factor[lane] = std::sqrt(factor[lane]);
    for (int i = 0; i < rows.n; ++i) {
      FourSums own;
      std::memcpy(&own, rows.grid[i] + v * kTargetLanes, sizeof own);
      far += own * own * (factor * factor);
      const FourSums d = (own - mean * rows.weight[i]) * factor;
      std::memcpy(off[i] + v * kTargetLanes, &d, sizeof d);
    }
  }
  double near = 0;
  for (int i = 0; i < rows.n; ++i)
    for (int j = 0; j <= i; ++j) {
      FourSums sum = {};
      for (int v = 0; v < many; ++v) {
        FourSums a, b;
        std::memcpy(&a, off[i] + v * kTargetLanes, sizeof a);
        std::memcpy(&b, off[j] + v * kTargetLanes, sizeof b);
        sum += a * b;
      }
      product[i][j] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
      if (i == j) near += product[i][j];
    }
  return kOfRows * near + kOfOrigin * ((far[0] + far[1]) + (far[2] + far[3]));
}

// The highest value of each set of rows but the last: the sets that a row joins are those there are before
// it.
BOUGH_INLINE void bound_sets(const FewRows& rows) {
  double product[kMostRows][kMostRows];
  const double slack = multiply(rows, product);
  constexpr int kMost = 1 << (kMostRows - 1);
  alignas(64) double squares[kMost], weight[kMost], with[kMost / 2 + 1];
  squares[0] = weight[0] = with[0] = 0;
  for (int row = 0; row + 1 < rows.n; ++row) {
    const int sets = 1 << row;
    for (int other = 0; other < row; ++other) {
      const double own = 2 * product[row][other];
      for (int set = 0; set < 1 << other; ++set) with[set + (1 << other)] = with[set] + own;
    }
    const double own = product[row][row], w = rows.weight[row];
    for (int set = 0; set < sets; ++set) {
      squares[set + sets] = squares[set] + with[set] + own;
      weight[set + sets] = weight[set] + w;
    }
  }
  const double all = rows.all, unit = rows.to_value;
  for (int set = 0; set < 1 << (rows.n - 1); ++set)
    rows.highest[set] = (squares[set] * (1 + kOfSet) + slack) * unit / (weight[set] * (all - weight[set]));
}

#if defined(BOUGH_AVX2)
BOUGH_AVX2 void bound_sets_avx2(const FewRows& rows) { bound_sets(rows); }
#endif

void bound_sets_here(const FewRows& rows) {
#if defined(BOUGH_AVX2)
  if (has_avx2()) return bound_sets_avx2(rows);
#endif
  bound_sets(rows);
}

}  // namespace

template <class E>
bool TargetSets::start(const E* list, int n, const ScanTask& task, bool exact) {
  const Rows& rows = task.rows;
  const bool squares = task.evaluator.criterion() == criterion_of<OfTargets<SquaredError>>;
  if (n > kMostRows || n < 3 || rows.grid_width > kMostColumns) return false;
  if (!squares && !(task.evaluator.criterion() == criterion_of<OfTargets<Gini>> && scans_gini_columns(task)))
    return false;
  n_ = n;
  exact_ = exact || !squares;
  two_ = !squares && some_of_two(task.evaluator);
  std::fill_n(total_, rows.grid_width, 0.0);
  FewRows few;
  few.n = n;
  few.width = rows.grid_width;
  double least = task.right_weight;
  for (int i = 0; i < n; ++i) {
    const std::uint32_t row = index_of(list[i]);
    slot_[row] = static_cast<std::uint8_t>(i);
    few.grid[i] = rows.grids_at(row);
    few.weight[i] = rows.weight_at(row);
    least = std::min(least, few.weight[i]);
  }
  if (least < kLeastShare * task.right_weight) return false;
  const std::vector<Evaluator::ClassColumn>& columns = task.evaluator.class_columns();
  if (squares)
    std::copy_n(task.right + 1, rows.n_targets, total_);
  else
    for (std::size_t j = 0; j < columns.size(); ++j) total_[j] = task.right[columns[j].place];
  few.total = total_;
  few.factor = two_ ? task.evaluator.column_factors() : nullptr;
  few.all = task.right_weight;
  few.to_value = task.right_weight / (task.node_weight * rows.n_targets);
  few.highest = highest_;
  bound_sets_here(few);
  std::fill(std::begin(tried_), std::end(tried_), 0);
  return true;
}

template <class Value, class E>
Cut TargetSets::best_of_cuts(const E* list, const ScanTask& task, double floor) {
  const Rows& rows = task.rows;
  const unsigned all = (1u << n_) - 1, last = 1u << (n_ - 1);
  Cut best{floor, 0};
  unsigned set = 0;
  for (int i = 0; i < n_ - 1; ++i) {
    set |= 1u << slot_[index_of(list[i])];
    if (code_of(list[i]) == code_of(list[i + 1])) continue;
    if (highest_[set & last ? set ^ all : set] < best.value || was_tried(set)) continue;
    const int many = rows.grid_width / kTargetLanes;
    const TargetSums sums{reinterpret_cast<FourSums*>(left_), reinterpret_cast<FourSums*>(total_), many};
    const Value of_cut(task, sums);
    std::fill_n(left_, rows.grid_width, 0.0);
    double wl = 0, cases = 0;
    for (int j = 0; j <= i; ++j) {
      const std::uint32_t row = index_of(list[j]);
      const FourSums* y = reinterpret_cast<const FourSums*>(rows.grids_at(row));
      for (int v = 0; v < many; ++v) sums.left[v] += y[v];
      wl += rows.weight_at(row);
      cases += rows.cases_at(row);
    }
    const double wr = task.right_weight - wl;
    if (!task.allowed(cases, wl, wr)) continue;
    // Two rows have the same sum in either order.
    if (exact_ || i < 2) tried_[set >> 6] |= std::uint64_t{1} << (set & 63);
    const double value = of_cut.value(sums, wl, wr);
    if (value > best.value) best = {value, i + 1};
  }
  return best;
}

template <class E>
Cut TargetSets::best(const E* list, const ScanTask& task, double floor) {
  if (task.evaluator.criterion() == criterion_of<OfTargets<SquaredError>>)
    return best_of_cuts<ValueOfSquares>(list, task, floor);
  return two_ ? best_of_cuts<ValueOfClasses<true>>(list, task, floor)
              : best_of_cuts<ValueOfClasses<false>>(list, task, floor);
}

template bool TargetSets::start(const std::uint32_t*, int, const ScanTask&, bool);
template bool TargetSets::start(const std::uint64_t*, int, const ScanTask&, bool);
template Cut TargetSets::best(const std::uint32_t*, const ScanTask&, double);
template Cut TargetSets::best(const std::uint64_t*, const ScanTask&, double);

}  // namespace bough
