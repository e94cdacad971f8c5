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

namespace bough {

struct FewRows {
  static constexpr int kMost = 32;
  // The place of a row is kept in the lowest bits of its code.
  static constexpr int kPlaceBits = 5;
  static constexpr std::uint32_t kMostCodes = 1u << (31 - kPlaceBits);

  int n = 0;  // at least 2
  alignas(64) double weight[kMost] = {}, sum[kMost] = {};
  double total_weight = 0, total_sum = 0, node_weight = 0;
};

// A cut of the column that comes at `order` among those searched, between the rows at two places.
struct FewCut {
  double value = 0;
  int order = -1;  // -1: none
  int below = 0, above = 0;
};

// The codes of the rows of a block, all columns of a row next to each other.
struct FewCodes {
  const std::uint32_t* cells = nullptr;
  std::size_t width = 0;
  const std::uint32_t* index = nullptr;  // of each row
};

// How few rows are searched.
struct FewCutsKernel {
  int most_rows;  // that it takes: for which it is faster than to bound the columns first
  // Betters `best` by the cuts of n columns; of equals the first column and its lowest cut win.
  void (*search)(const FewRows& rows, const FewCodes& codes, const int* columns, int n, FewCut& best);
};

// Every kernel that this processor can run, the fastest last.
std::vector<FewCutsKernel> runnable_few_cuts();

const FewCutsKernel& few_cuts_kernel();

}  // namespace bough
