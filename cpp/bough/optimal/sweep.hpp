// The best second splits below many first splits at once.
//
// A lane is a first split of a node; bit j of a row's mask tells whether lane j sends the row to the left. A
// sweep passes over the rows once for each axis, in its order, and adds the advantage of each row (the loss
// of the first class less that of the second) to one of two sums of the lane, those of its left and its right
// rows. Where the axis can be cut, the lowest and the highest sums so far give the least loss of the two
// leaves that a cut makes: with the second class to the right, the loss is that of the second class on all
// rows plus the sum; with the first class to the right, that of the first class less the sum.
#pragma once

#include <cstdint>

#include "bough/optimal/node_rows.hpp"

namespace bough::optimal {

template <class T>
inline constexpr int kSweepLanes = 64 / static_cast<int>(sizeof(T));

// Sums of every lane, for its left rows and its right rows.
template <class T>
struct LaneSums {
  T total[2][kSweepLanes<T>];
  T low[2][kSweepLanes<T>], high[2][kSweepLanes<T>];                  // over all cuts, none included
  T allowed_low[2][kSweepLanes<T>], allowed_high[2][kSweepLanes<T>];  // over cuts with enough cases
};

template <class T>
struct SweepRows {
  const std::uint32_t* mask;  // of each row of the table
  const T* advantage;
  const T* cases;  // null: no least number of cases
  T min_cases;
  T unreachable;  // greater than every sum
};

template <class T>
void sweep(const Problem& problem, const NodeRows& node, const SweepRows<T>& rows, LaneSums<T>& sums);

}  // namespace bough::optimal
