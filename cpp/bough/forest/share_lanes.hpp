// Vectors of shares of a node's weight in single precision, and their logarithms.
#pragma once

#include <cstdint>
#include <cstring>

#include "bough/machine/processor.hpp"

namespace bough {

constexpr int kShareLanes = 8;
using ShareLanes = float __attribute__((vector_size(4 * kShareLanes)));
using ShareBits = std::int32_t __attribute__((vector_size(4 * kShareLanes)));

// x log2 x; 0 log2 0 is 0. With x = 2^e m, log m is twice the area tangent of t = (m - 1) / (m + 1), whose
// series is cut off where m lies between the roots of 1/2 and 2.
BOUGH_INLINE void x_log2_x(const ShareLanes& given, ShareLanes& to) {
  constexpr float kLeast = 1e-30f, kTwoPerLn2 = 2.8853900817779268f;
  constexpr std::int32_t kRootOfHalf = 0x3f3504f3;
  const ShareLanes x = given > kLeast ? given : ShareLanes{} + kLeast;
  ShareBits bits;
  std::memcpy(&bits, &x, sizeof bits);
  const ShareBits exponent = (bits - kRootOfHalf) >> 23;
  bits -= exponent << 23;
  ShareLanes m;
  std::memcpy(&m, &bits, sizeof m);
  const ShareLanes t = (m - 1) / (m + 1), t2 = t * t;
  const ShareLanes series = t * (1 + t2 * (1 / 3.0f + t2 * (1 / 5.0f + t2 * (1 / 7.0f))));
  to = x * (__builtin_convertvector(exponent, ShareLanes) + kTwoPerLn2 * series);
}

}  // namespace bough
