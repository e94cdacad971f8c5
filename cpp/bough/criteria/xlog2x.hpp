// x log2 x, from a table where x is a small whole number.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace bough {

class XLog2X {
 public:
  explicit XLog2X(std::size_t table_size = 4096) : table_(table_size) {
    for (std::size_t i = 0; i < table_size; ++i) table_[i] = direct(static_cast<double>(i));
  }
  double operator()(double x) const {
    const auto i = static_cast<std::size_t>(x);
    return i < table_.size() && static_cast<double>(i) == x ? table_[i] : direct(x);
  }
  static double direct(double x) { return x > 0 ? x * std::log2(x) : 0.0; }

 private:
  std::vector<double> table_;
};

}  // namespace bough
