// Random numbers: a stream that depends on a seed and the number of the stream alone, one for each tree of a
// forest or for each node of a tree, so that the same trees grow on any number of threads.
#pragma once

#include <cstdint>

namespace bough {

// SplitMix64 (Steele, Lea and Flood 2014).
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) : state_(mixed(seed + mixed(stream + kStep))) {}

  // The numbers that follow are those of this, and kStep further on for each number drawn.
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;
  static constexpr std::uint64_t kFirstFactor = 0xbf58476d1ce4e5b9u, kSecondFactor = 0x94d049bb133111ebu;
  std::uint64_t state() const { return state_; }
  void skip(int n) { state_ += static_cast<std::uint64_t>(n) * kStep; }

  std::uint64_t next() { return mixed(state_ += kStep); }

  // A whole number below n.
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>(((next() >> 32) * static_cast<std::uint64_t>(n)) >> 32);
  }
  // A number in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  static constexpr std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * kFirstFactor;
    z = (z ^ (z >> 27)) * kSecondFactor;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace bough
