// What this processor has beyond what every one of its kind has; functions for it are chosen at run time.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define BOUGH_FOR_AVX2 __attribute__((target("avx2")))
#if !defined(__clang__)  // which does not let a function ask for long registers
// Also with the instructions of AVX-512 for bytes, and registers of 512 bits.
#define BOUGH_FOR_AVX512 __attribute__((target("avx2,avx512f,avx512bw,avx512vl,prefer-vector-width=512")))
#endif
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

inline bool has_avx512() {
#if defined(BOUGH_FOR_AVX512)
  static const bool yes = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512vl");
  return yes;
#else
  return false;
#endif
}

}  // namespace bough
