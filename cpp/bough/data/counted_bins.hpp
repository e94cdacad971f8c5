// Bins of a column of many distinct numbers, found by counting instead of sorting: values are counted in
// narrow cells of an order-preserving key, and only the cells where a bin ends are looked at value by value.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/data/bins.hpp"

namespace bough {

// The values of a column as keys that order as the values rounded to floats do.
struct ColumnKeys {
  const std::uint32_t* key = nullptr;  // of each row; 0xffffffff where the value is missing
  bool inexact = false;                // some value is not a float, so equal keys may be different values
};

// Writes the bins and the codes of the column and returns true, or returns false where the column may have no
// more than max_bins distinct values but keys do not tell. rows: those that count for the bins; the others
// are coded.
bool bin_by_counting(const Column& column, const ColumnKeys& keys, const std::vector<std::uint32_t>& rows,
                     int max_bins, BinnedTable& table, int c);

}  // namespace bough
