// The best cut of several columns among the few rows of a node, under squared error.
//
// Half of the nodes of a fully grown tree have fewer than five rows, so that the columns of such a node are
// searched side by side: a vector holds the codes of several columns in one row, the rows are put in order by
// a network of comparisons, and the sums on both sides of each cut are those of all these columns. Of each
// column the rows are summed in its order, so the values are those of a plain scan to the bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bough/criteria/criterion.hpp"
#include "bough/forest/few_keys.hpp"
#include "bough/machine/kernel_sets.hpp"

namespace bough {

struct FewRows {
  static constexpr int kMost = 32;
  int n = 0;  // at least 2
  alignas(64) double weight[kMost] = {}, sum[kMost] = {};
  double total_weight = 0, total_sum = 0, node_weight = 0;
  const Evaluator* evaluator = nullptr;  // of Poisson
};

// How few rows are searched.
struct FewCutsKernel {
  int most_rows;  // that it takes: for which it is faster than to bound the columns first
  // Betters `best` by the cuts of n columns; of equals the first column and its lowest cut win.
  void (*search)(const FewRows& rows, const FewCodes& codes, const int* columns, int n, FewCut& best);
};

// Every kernel that this processor can run, the fastest last.
std::vector<FewCutsKernel> runnable_few_cuts();

inline const FewCutsKernel& few_cuts_kernel() { return fastest<runnable_few_cuts>(); }

}  // namespace bough
