// Bins of a column of many distinct numbers, found by counting instead of sorting: rows are counted by
// bucket, and only the buckets where a bin ends are looked at value by value.
#pragma once

#include <cstdint>

#include "bough/data/bins.hpp"
#include "bough/data/buckets.hpp"

namespace bough {

// Counting is slower than sorting if many more bins than this end in buckets of their own.
constexpr int kMostBinsToCount = 2048;

// Writes the bins of the column and the codes of the rows that count for them.
void bin_by_counting(const Column& column, const BucketedColumn& rows, int max_bins, BinnedTable& table,
                     int c);

}  // namespace bough
