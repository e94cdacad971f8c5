// Random numbers as in java.util.Random, which Weka draws from.
#pragma once

#include <cstdint>

namespace bough {

// A linear congruential generator of 48 bits, specified in Java's documentation.
class JavaRandom {
 public:
  explicit JavaRandom(std::int64_t seed) : state_((static_cast<std::uint64_t>(seed) ^ kMultiplier) & kMask) {}

  // Any whole number of 32 bits.
  std::int32_t whole() {
    advance();
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(state_ >> 16));
  }

  // A whole number from 0 to below the bound.
  std::int32_t below(std::int32_t bound) {
    if ((bound & -bound) == bound) return static_cast<std::int32_t>((std::int64_t{bound} * next()) >> 31);
    std::int32_t bits, value;
    do {
      bits = next();
      value = bits % bound;
      // Numbers of the last, incomplete round would come up too often.
    } while (std::int64_t{bits} - value + (bound - 1) > 0x7fffffff);
    return value;
  }

 private:
  static constexpr std::uint64_t kMultiplier = 0x5DEECE66Du, kMask = (std::uint64_t{1} << 48) - 1;

  void advance() { state_ = (state_ * kMultiplier + 0xB) & kMask; }
  std::int32_t next() {
    advance();
    return static_cast<std::int32_t>(state_ >> 17);
  }

  std::uint64_t state_;
};

}  // namespace bough
