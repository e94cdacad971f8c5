// Buckets: the numbers of a column divided into many ranges, whose order is that of the numbers. A sample
// decides where ranges are narrow, so that each has few rows; which values a bucket has does not depend on
// it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bough/data/column.hpp"
#include "bough/machine/buffer.hpp"
#include "bough/machine/team.hpp"

namespace bough {

// The buckets of the rows of a column.
struct BucketedColumn {
  static constexpr int kBlock = 256;  // rows

  int n_buckets = 0;
  const std::uint16_t* bucket = nullptr;  // of each row, or one of the two that follow
  bool may_be_few = false;                // the column may have no more than max_bins distinct values
  // If many rows of the sample are equal: the value of each bucket in it, NaN where there is none, and the
  // blocks of rows of which some have others. Else empty.
  std::vector<double> value_of_bucket;
  std::vector<std::uint8_t> is_odd_block;

  int missing() const { return n_buckets; }
  int unused() const { return n_buckets + 1; }  // the row does not count for the bins
};

struct BucketedColumns {
  Buffer<std::uint16_t> buckets;
  std::vector<BucketedColumn> columns;
};

// in_rule: whether each row counts; null: all do. between: see bin_table.
BucketedColumns bucket_columns(const std::vector<Column>& columns, std::int64_t n_rows,
                               const std::uint8_t* in_rule, int max_bins, Team& team,
                               const std::function<void()>& between);

}  // namespace bough
