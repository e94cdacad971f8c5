// Runs of whole numbers in random order, as numpy's RandomState.permutation draws them one after the other.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace bough {

struct ShuffledRuns {
  std::vector<std::int32_t> number;  // run after run, each of 0 to length - 1
  std::size_t n_used = 0;            // of the random numbers
};

// random: the 32-bit numbers that the generator draws. None if they do not suffice.
inline std::optional<ShuffledRuns> shuffled_runs(const std::uint32_t* random, std::size_t n_random,
                                                 int length, std::size_t n_runs) {
  ShuffledRuns runs;
  runs.number.resize(n_runs * static_cast<std::size_t>(length));
  std::size_t used = 0;
  for (std::size_t r = 0; r < n_runs; ++r) {
    std::int32_t* own = runs.number.data() + r * static_cast<std::size_t>(length);
    for (int i = 0; i < length; ++i) own[i] = i;
    for (auto i = static_cast<std::uint32_t>(length - 1); i > 0; --i) {
      const std::uint32_t mask = (std::uint32_t{2} << (std::bit_width(i) - 1)) - 1;
      std::uint32_t other;
      do {  // a number above i is drawn again
        if (used == n_random) return {};
        other = random[used++] & mask;
      } while (other > i);
      std::swap(own[i], own[other]);
    }
  }
  runs.n_used = used;
  return runs;
}

}  // namespace bough
