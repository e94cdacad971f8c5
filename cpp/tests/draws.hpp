// Draws of numbers that are the same on every machine, and columns that view vectors of a test.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "bough/data/column.hpp"

namespace bough::tests {

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}

  // A whole number in [0, n).
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  // A number in [0, 1).
  double share() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  std::uint64_t bits() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

inline Column view(const std::vector<float>& values) {
  return {Column::Type::float32, Scale::numeric, reinterpret_cast<const char*>(values.data()), sizeof(float),
          0};
}

inline Column view(const std::vector<double>& values) {
  return {Column::Type::float64, Scale::numeric, reinterpret_cast<const char*>(values.data()), sizeof(double),
          0};
}

inline Column view(const std::vector<std::int32_t>& codes, int n_levels, Scale scale) {
  return {Column::Type::code, scale, reinterpret_cast<const char*>(codes.data()), sizeof(std::int32_t),
          n_levels};
}

}  // namespace bough::tests
