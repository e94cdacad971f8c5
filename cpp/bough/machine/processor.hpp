// What this processor has beyond what every one of its kind has; functions for it are chosen at run time.
#pragma once

#if defined(__x86_64__)
#define BOUGH_AVX2 __attribute__((target("avx2,popcnt")))
#if !defined(__clang__)  // which does not let a function ask for long registers
// Also with the instructions of AVX-512 for bytes, and registers of 512 bits.
#define BOUGH_LONG_REGISTERS \
  __attribute__((target("avx2,popcnt,avx512f,avx512bw,avx512vl,prefer-vector-width=512")))
#endif
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

inline bool has_long_registers() {
#if defined(BOUGH_LONG_REGISTERS)
  static const bool yes = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512vl");
  return yes;
#else
  return false;
#endif
}

}  // namespace bough
