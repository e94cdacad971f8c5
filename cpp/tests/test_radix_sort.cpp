// Keys of 32 and of 64 bits are put in order by some of their bits, stably.
#include <algorithm>
#include <vector>

#include "bough/machine/radix_sort.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// What lies below the bits that are sorted by is the place of each key.
template <class Key>
void check_sorted(Draws& draws, int n, int low, int bits) {
  std::vector<Key> keys(n), scratch(n);
  const Key most = (Key{1} << (bits - 1)) - 1 + (Key{1} << (bits - 1));
  const bool alike = draws.below(5) == 0;
  for (int i = 0; i < n; ++i)
    keys[i] = (alike ? most : static_cast<Key>(draws.bits()) & most) << low | static_cast<Key>(i);
  std::vector<Key> expected = keys;
  std::sort(expected.begin(), expected.end());
  const Key* sorted = radix_sort(keys.data(), scratch.data(), n, low, bits);
  CHECK(std::equal(expected.begin(), expected.end(), sorted));
}

}  // namespace

TEST(keys_are_sorted_by_any_bits_up_to_the_last) {
  Draws draws(41);
  for (const int n : {1, 2, 39, 40, 41, 300, 4096}) {
    for (const int low : {12, 16})
      for (int bits = 1; bits <= 32 - low; ++bits) check_sorted<std::uint32_t>(draws, n, low, bits);
    for (const int low : {16, 32})
      for (int bits = 1; bits <= 32; ++bits) check_sorted<std::uint64_t>(draws, n, low, bits);
  }
}

}  // namespace bough::tests
