// x log2 x, from a table where x is a small whole number.
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "bough/machine/processor.hpp"

namespace bough {

class XLog2X {
 public:
  explicit XLog2X(std::size_t table_size = 4096) : size_(table_size) {
    const auto table = std::make_shared<std::vector<double>>(table_size);
    for (std::size_t i = 0; i < table_size; ++i) (*table)[i] = direct(static_cast<double>(i));
    entries_ = table->data();
    table_ = table;
  }
  BOUGH_INLINE double operator()(double x) const {
    const auto i = static_cast<std::size_t>(x);
    return i < size_ && static_cast<double>(i) == x ? entries_[i] : direct(x);
  }
  static double direct(double x) { return x > 0 ? x * std::log2(x) : 0.0; }

 private:
  std::shared_ptr<const std::vector<double>> table_;  // copies share it
  const double* entries_;
  std::size_t size_;
};

}  // namespace bough
