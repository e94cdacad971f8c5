// The kernels that compare all pairs of a few rows, against cuts made one by one.
#include <algorithm>

#include "bough/search/pair_kernels.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

struct PlainCut {
  float value = -1;
  std::uint32_t set = 0;
};

// The cut above the code of a row.
PlainCut plain_cut(const PairedRows& rows, int i, int c) {
  PlainCut cut;
  double d = 0, left = 0;
  for (int j = 0; j < rows.n; ++j) {
    if (rows.code[j][c] > rows.code[i][c]) continue;
    d += (rows.term[j] - 1) / 64;
    ++left;
    cut.set |= rows.bit[j];
  }
  if (left < rows.n) cut.value = static_cast<float>(d * d / (left * (rows.n - left)));
  return cut;
}

void check_kernel(const PairKernels& kernels, Draws& draws, int n, int n_columns, int n_codes) {
  const int stride = (n_columns + kPairLanes - 1) / kPairLanes * kPairLanes;
  std::vector<std::int32_t> code(static_cast<std::size_t>(n) * stride), term(n);
  std::vector<std::uint32_t> bit(n);
  std::vector<const std::int32_t*> codes(n);
  for (int i = 0; i < n; ++i) {
    for (int c = 0; c < n_columns; ++c) code[i * stride + c] = draws.below(n_codes);
    codes[i] = code.data() + i * stride;
    term[i] = (draws.below(2000) - 1000) * 64 + 1;
    bit[i] = std::uint32_t{1} << (kMostPaired - 1 - i);
  }
  std::vector<float> value(code.size()), highest(stride), second(stride);
  std::vector<std::uint32_t> set(stride);
  const PairedRows rows{codes.data(), bit.data(), n, stride, term.data()};
  kernels.squares(rows, {value.data(), highest.data(), set.data(), second.data()});
  for (int c = 0; c < stride; ++c) {
    std::vector<float> values;
    bool set_is_of_highest = highest[c] == -1;
    for (int i = 0; i < n; ++i) {
      const PlainCut cut = plain_cut(rows, i, c);
      CHECK_CLOSE(value[i * stride + c], cut.value, 1e-6);
      values.push_back(value[i * stride + c]);
      set_is_of_highest |= value[i * stride + c] == highest[c] && set[c] == cut.set;
    }
    CHECK(set_is_of_highest);
    std::sort(values.rbegin(), values.rend());
    CHECK_EQUAL(highest[c], values[0]);
    CHECK_EQUAL(second[c], values[1]);
  }
}

}  // namespace

TEST(pairs_of_rows_give_the_cuts_of_all_columns) {
  Draws draws(5);
  for (const PairKernels* kernels : runnable_pair_kernels())
    for (int n = 2; n <= kMostPaired; ++n)
      for (const int n_columns : {1, 16, 19})
        for (const int n_codes : {2, 5, 4096}) check_kernel(*kernels, draws, n, n_columns, n_codes);
}

}  // namespace bough::tests
