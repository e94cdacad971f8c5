// Vectors of four or eight numbers, and what comparing them gives.
#pragma once

#include <cstdint>

#include "bough/machine/processor.hpp"

namespace bough {

template <int kLanes>
struct VectorsOf;
template <>
struct VectorsOf<4> {
  using Numbers = double __attribute__((vector_size(32), aligned(8)));
  using Words = std::uint64_t __attribute__((vector_size(32), aligned(8)));
  using Tests = std::int64_t __attribute__((vector_size(32)));
};
template <>
struct VectorsOf<8> {
  using Numbers = double __attribute__((vector_size(64), aligned(8)));
  using Words = std::uint64_t __attribute__((vector_size(64), aligned(8)));
  using Tests = std::int64_t __attribute__((vector_size(64)));
};

// Whether any of the tests holds.
template <int kLanes>
BOUGH_INLINE bool any_of(const typename VectorsOf<kLanes>::Tests& tests) {
  std::int64_t any = 0;
  for (int k = 0; k < kLanes; ++k) any |= tests[k];
  return any != 0;
}

}  // namespace bough
