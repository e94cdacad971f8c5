// What this processor has beyond what every one of its kind has; functions for it are chosen at run time.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define BOUGH_FOR_AVX2 __attribute__((target("avx2")))
#endif
#if defined(__GNUC__)
#define BOUGH_INLINE inline __attribute__((always_inline))
#else
#define BOUGH_INLINE inline
#endif

namespace bough {

inline bool has_avx2() {
#if defined(BOUGH_FOR_AVX2)
  static const bool yes = __builtin_cpu_supports("avx2");
  return yes;
#else
  return false;
#endif
}

}  // namespace bough
