// Rows of a table whose memory is asked for while others are worked on, a part at a time: all at once would
// take as long as to wait for them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "bough/data/column.hpp"
#include "bough/machine/processor.hpp"

namespace bough {

class RowsAhead {
 public:
  // Rows to ask for in some parts; `add` their columns then, in ascending order.
  void start(const RowRange& rows, std::int64_t n_parts) {
    rows_ = rows;
    asked_ = 0;
    step_ = static_cast<int>((rows.count + n_parts - 1) / std::max<std::int64_t>(n_parts, 1));
    columns_.clear();
  }

  void add(const Column& column) {
    if (column.sparse()) return;
    // Columns of a matrix lie in the same lines of the cache.
    if (!columns_.empty() && columns_.back().stride == column.stride &&
        std::abs(column.data - columns_.back().data) < kLine)
      return;
    columns_.push_back({column.data, column.stride});
  }

  BOUGH_INLINE void ask_for_part() {
    if (asked_ >= rows_.count) return;
    const std::int64_t begin = rows_.begin + asked_,
                       end = rows_.begin + std::min(asked_ + step_, rows_.count);
    for (const Place& place : columns_) {
      const std::int64_t rows_of_line =
          std::max<std::int64_t>(1, kLine / std::max<std::int64_t>(1, std::abs(place.stride)));
      for (std::int64_t row = begin; row < end; row += rows_of_line)
        __builtin_prefetch(place.data + row * place.stride, 0, 2);
    }
    asked_ += step_;
  }

 private:
  static constexpr std::int64_t kLine = 64;
  struct Place {
    const char* data;
    std::int64_t stride;
  };
  std::vector<Place> columns_;
  RowRange rows_ = {0, 0};
  int asked_ = 0, step_ = 0;
};

}  // namespace bough
