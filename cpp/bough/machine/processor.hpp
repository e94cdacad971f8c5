// What this processor has beyond what every one of its kind has; functions for it are chosen at run time.
#pragma once

#if defined(__x86_64__)
#define BOUGH_AVX2 __attribute__((target("avx2,popcnt")))
#endif

// Small functions of hot loops, which the compiler must inline.
#define BOUGH_INLINE inline __attribute__((always_inline))

namespace bough {

inline bool has_avx2() {
#if defined(BOUGH_AVX2)
  static const bool yes = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
  return yes;
#else
  return false;
#endif
}

}  // namespace bough
