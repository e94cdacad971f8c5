// Functions that are compiled for AVX2 as well, and whether this machine has it.
#pragma once

#if defined(__x86_64__)
#define BOUGH_AVX2 __attribute__((target("avx2,popcnt")))
#endif

namespace bough {

inline bool has_avx2() {
#if defined(__x86_64__)
  static const bool yes = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
  return yes;
#else
  return false;
#endif
}

}  // namespace bough
