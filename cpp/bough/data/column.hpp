// A column of a table in the caller's memory: numbers (NaN where missing) or codes of levels (-1 where
// missing). A sparse column stores some of its numbers; all others are 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace bough {

enum class Scale { numeric, ordinal, nominal };

struct Column {
  enum class Type { float32, float64, code, sparse32, sparse64 };

  Type type;
  Scale scale;
  const char* data;
  std::int64_t stride;  // in bytes
  int n_levels = 0;
  const std::int32_t* stored_row = nullptr;  // sparse: the rows of the stored numbers, ascending
  std::int64_t n_stored = 0;

  bool sparse() const { return type == Type::sparse32 || type == Type::sparse64; }

  template <class T>
  const T& at(std::int64_t row) const {
    return *reinterpret_cast<const T*>(data + row * stride);
  }
  int code(std::int64_t row) const { return at<std::int32_t>(row); }

  // Sparse: the number stored at a position.
  double stored(std::int64_t position) const {
    return type == Type::sparse32 ? at<float>(position) : at<double>(position);
  }
  double stored_or_zero(std::int64_t row) const {
    const std::int32_t *end = stored_row + n_stored, *found = std::lower_bound(stored_row, end, row);
    return found != end && *found == row ? stored(found - stored_row) : 0.0;
  }

  void prefetch(std::int64_t row) const { __builtin_prefetch(sparse() ? data : data + row * stride); }

  // The number, or the code of the level; NaN where missing.
  double value(std::int64_t row) const {
    switch (type) {
      case Type::float32:
        return at<float>(row);
      case Type::float64:
        return at<double>(row);
      case Type::sparse32:
      case Type::sparse64:
        return stored_or_zero(row);
      default: {
        const int c = code(row);
        return c < 0 ? std::numeric_limits<double>::quiet_NaN() : c;
      }
    }
  }
};

// Rows of a table: `count` from `begin` on.
struct RowRange {
  std::int64_t begin;
  int count;
};

// The cut between neighbouring values low < high: x < cut holds for low and not for high.
inline double cut_between(double low, double high, Scale scale) {
  double middle = (low + high) / 2;
  if (!std::isfinite(middle)) middle = low / 2 + high / 2;
  if (scale != Scale::numeric) return std::floor(middle) + 0.5;
  return middle > low && middle <= high ? middle : high;
}

}  // namespace bough
