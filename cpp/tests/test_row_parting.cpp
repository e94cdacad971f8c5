// Rows are parted by their codes alike on any processor, both sides in their old order.
#include <algorithm>
#include <numeric>
#include <vector>

#include "bough/forest/row_parting.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

TEST(rows_are_parted_in_their_order_on_any_processor) {
  Draws draws(17);
  for (const int n : {1, 2, 15, 16, 17, 31, 32, 33, 100, 1000})
    for (const int n_codes : {1, 2, 50, 1 << 30})
      for (const bool all_left : {false, true}) {
        std::vector<std::uint32_t> rows(n);
        std::iota(rows.begin(), rows.end(), 7u);
        std::vector<std::int32_t> code;
        for (int i = 0; i < n; ++i) code.push_back(draws.below(n_codes));
        const std::int32_t last = all_left ? n_codes : draws.below(n_codes);
        std::vector<std::uint32_t> expected = rows;
        const auto middle = std::stable_partition(expected.begin(), expected.end(),
                                                  [&](std::uint32_t row) { return code[row - 7] <= last; });
        for (const PartRows part : runnable_row_partings()) {
          std::vector<std::uint32_t> parted = rows, spare(n);
          CHECK_EQUAL(part(parted.data(), code.data(), n, last, spare.data()),
                      static_cast<int>(middle - expected.begin()));
          CHECK(parted == expected);
        }
      }
}

}  // namespace

}  // namespace bough::tests
