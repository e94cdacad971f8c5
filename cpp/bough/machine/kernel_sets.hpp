// Sets of the same kernels compiled for several kinds of processors, of which the fastest that runs is taken.
#pragma once

#include <type_traits>
#include <vector>

#include "bough/machine/processor.hpp"

// The address of a set that some compilers do not have.
#if defined(BOUGH_AVX2)
#define BOUGH_SET_OF_AVX2(set) &(set)
#else
#define BOUGH_SET_OF_AVX2(set) nullptr
#endif
#if defined(BOUGH_LONG_REGISTERS)
#define BOUGH_SET_OF_LONG_REGISTERS(set) &(set)
#else
#define BOUGH_SET_OF_LONG_REGISTERS(set) nullptr
#endif

namespace bough {

// The sets that this processor runs, the fastest last.
template <class Kernels>
std::vector<const Kernels*> runnable_sets(
    const Kernels& anywhere, const std::type_identity_t<Kernels>* with_avx2,
    const std::type_identity_t<Kernels>* with_long_registers = nullptr) {
  std::vector<const Kernels*> sets{&anywhere};
  if (with_avx2 && has_avx2()) sets.push_back(with_avx2);
  if (with_long_registers && has_avx2() && has_long_registers()) sets.push_back(with_long_registers);
  return sets;
}

// What comes last among the kernels, or sets of them, that this processor runs.
template <auto runnable>
const auto& fastest() {
  static const auto chosen = runnable().back();
  return chosen;
}

}  // namespace bough
