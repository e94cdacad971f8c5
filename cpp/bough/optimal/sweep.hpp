// The best second splits below many first splits at once.
//
// A lane is a first split of a node; bit j of a row's mask tells whether lane j sends the row to the left. A
// sweep passes over the rows once for each axis, in its order, and adds each row to the sums of its side in
// every lane. Where the axis can be cut, the sums so far are those of the rows below the cut, and give the
// loss of the two leaves that the cut would make of either side.
#pragma once

#include <cstdint>

#include "bough/optimal/node_rows.hpp"

namespace bough::optimal {

// One vector: compilers split wider ones into single numbers.
template <class T>
inline constexpr int kSweepLanes = 64 / static_cast<int>(sizeof(T));

template <class T>
struct SweepRows {
  const Problem* problem;
  const NodeRows* node;
  const std::uint32_t* mask;  // of each row of the table
  const T* cases;             // null: no least number of cases
  T min_cases;
  T unreachable;  // greater than every sum
};

// Two classes. A row adds its advantage: the loss of the first class less that of the second. With the second
// class to the right of a cut, the loss of a side is that of the second class on all its rows plus the sum;
// with the first class to the right, it is that of the first class less the sum. So the lowest and the
// highest sum tell the best cut.
template <class T>
struct LaneSums {
  T advantage[2][kSweepLanes<T>], second[2][kSweepLanes<T>];          // of all rows of the side
  T cases[2][kSweepLanes<T>];                                         // if there is a least number of cases
  T low[2][kSweepLanes<T>], high[2][kSweepLanes<T>];                  // over all cuts, none included
  T allowed_low[2][kSweepLanes<T>], allowed_high[2][kSweepLanes<T>];  // over cuts with enough cases
};

template <class T>
void sweep_two_classes(const SweepRows<T>& rows, const T* advantage, const T* second, LaneSums<T>& sums);

// What the best cut of each side saves: of the losses that every prediction has in common.
template <class T>
struct LaneSavings {
  T saved[2][kSweepLanes<T>], allowed[2][kSweepLanes<T>];
};

// Any number of classes. A row saves `saving` of its greatest loss where a leaf predicts `predicted`; the
// entries of row i are start[i] to start[i + 1].
template <class T>
struct RowSavings {
  int n_classes;
  const std::uint32_t* start;
  const std::int32_t* predicted;
  const T* saving;
};

template <class T>
void sweep_classes(const SweepRows<T>& rows, const RowSavings<T>& savings, LaneSavings<T>& out);

// Squared error: a leaf saves the square of the sum of y by the weight.
struct SquaresRows {
  const double *weight, *weighted_y;
  double least_weight;  // a part of less weight is empty but for rounding
};

void sweep_squares(const SweepRows<double>& rows, const SquaresRows& squares, LaneSavings<double>& out);

}  // namespace bough::optimal
