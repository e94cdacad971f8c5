// The kernels that compare all pairs of a few rows, against cuts made one by one.
#include <algorithm>
#include <bit>
#include <cmath>

#include "bough/search/pair_kernels.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// The codes of some rows, in columns that are filled up to whole vectors.
struct DrawnRows {
  int n, stride;
  std::vector<std::int32_t> code, term;
  std::vector<const std::int32_t*> codes;
  std::vector<std::uint32_t> bit, set;
  std::vector<float> weight, excess, value, highest, second;
  PairedRows rows;
  PairedCuts cuts;

  DrawnRows(Draws& draws, int n_rows, int n_columns, int n_codes)
      : n(n_rows),
        stride((n_columns + kPairLanes - 1) / kPairLanes * kPairLanes),
        code(static_cast<std::size_t>(n) * stride),
        term(n),
        codes(n),
        bit(n),
        set(stride),
        weight(n),
        excess(n),
        value(code.size()),
        highest(stride),
        second(stride) {
    for (int i = 0; i < n; ++i) {
      for (int c = 0; c < n_columns; ++c) code[i * stride + c] = draws.below(n_codes);
      codes[i] = code.data() + i * stride;
      bit[i] = std::uint32_t{1} << (kMostPaired - 1 - i);
    }
    rows = {codes.data(), bit.data(), n, stride};
    rows.term = term.data();
    rows.weight = weight.data();
    rows.excess = excess.data();
    cuts = {value.data(), highest.data(), set.data(), second.data()};
  }
  DrawnRows(const DrawnRows&) = delete;
  DrawnRows& operator=(const DrawnRows&) = delete;

  bool is_left(int j, int i, int c) const { return codes[j][c] <= codes[i][c]; }
  std::uint32_t set_left_of(int i, int c) const {
    std::uint32_t left = 0;
    for (int j = 0; j < n; ++j) left |= is_left(j, i, c) ? bit[j] : 0;
    return left;
  }
  bool is_top(int i, int c) const { return static_cast<int>(std::popcount(set_left_of(i, c))) == n; }

  // Checks that the two highest values of each column are told, and the rows left of the highest.
  void check_highest() const {
    for (int c = 0; c < stride; ++c) {
      std::vector<float> values;
      bool set_is_of_highest = highest[c] == -1;
      for (int i = 0; i < n; ++i) {
        values.push_back(value[i * stride + c]);
        set_is_of_highest |= values.back() == highest[c] && set[c] == set_left_of(i, c);
      }
      CHECK(set_is_of_highest);
      std::sort(values.rbegin(), values.rend());
      CHECK_EQUAL(highest[c], values[0]);
      CHECK_EQUAL(second[c], values[1]);
    }
  }

  // Calls check(row, column, value) for every cut that has rows above it.
  template <class Check>
  void each_value(const Check& check) const {
    for (int c = 0; c < stride; ++c)
      for (int i = 0; i < n; ++i) {
        const float here = value[i * stride + c];
        if (is_top(i, c))
          CHECK_EQUAL(here, -1.0F);
        else
          check(i, c, here);
      }
  }
};

// Calls run(kernels, rows) for kernels of every kind of processor, and rows of all sizes.
template <class Run>
void with_rows(std::uint64_t seed, const Run& run) {
  Draws draws(seed);
  for (const PairKernels* kernels : runnable_pair_kernels())
    for (int n = 2; n <= kMostPaired; ++n)
      for (const int n_columns : {1, 16, 19})
        for (const int n_codes : {2, 5, 4096}) {
          DrawnRows drawn(draws, n, n_columns, n_codes);
          run(*kernels, drawn, draws);
        }
}

}  // namespace

TEST(pairs_of_rows_give_the_cuts_of_all_columns) {
  with_rows(5, [](const PairKernels& kernels, DrawnRows& drawn, Draws& draws) {
    for (std::int32_t& term : drawn.term) term = (draws.below(2000) - 1000) * 64 + 1;
    kernels.squares(drawn.rows, drawn.cuts);
    drawn.check_highest();
    drawn.each_value([&](int i, int c, float here) {
      double d = 0, left = 0;
      for (int j = 0; j < drawn.n; ++j) {
        if (!drawn.is_left(j, i, c)) continue;
        d += (drawn.term[j] - 1) / 64;
        ++left;
      }
      CHECK_CLOSE(here, static_cast<float>(d * d / (left * (drawn.n - left))), 1e-6);
    });
  });
}

TEST(pairs_of_weighted_rows_give_the_cuts_of_all_columns) {
  with_rows(6, [](const PairKernels& kernels, DrawnRows& drawn, Draws& draws) {
    for (float& weight : drawn.weight) weight = static_cast<float>(draws.share() + 0.01);
    for (float& excess : drawn.excess) excess = static_cast<float>(draws.share() - 0.5);
    kernels.weights(drawn.rows, drawn.cuts);
    drawn.check_highest();
    drawn.each_value([&](int i, int c, float here) {
      double d = 0, left = 0, right = 0;
      for (int j = 0; j < drawn.n; ++j) {
        const bool is_left = drawn.is_left(j, i, c);
        d += is_left ? drawn.excess[j] : 0;
        (is_left ? left : right) += drawn.weight[j];
      }
      CHECK(std::abs(std::sqrt(here) - std::abs(d) / std::sqrt(left * right)) <
            1e-5 * (1 + drawn.n / std::sqrt(left * right)));
    });
  });
}

TEST(pairs_of_rows_of_classes_give_the_cuts_of_all_columns) {
  with_rows(8, [](const PairKernels& kernels, DrawnRows& drawn, Draws& draws) {
    std::vector<int> label(drawn.n), word_end;
    std::vector<std::int32_t> of_all;
    const int n_classes = 1 + draws.below(drawn.n);
    for (int i = 0; i < drawn.n; ++i) label[i] = i * n_classes / drawn.n;
    for (int i = 0; i < drawn.n; ++i) {
      const std::size_t word = label[i] / kClassesOfWord;
      drawn.term[i] = 1 << 8 * (label[i] % kClassesOfWord);
      if (word == of_all.size()) of_all.push_back(0), word_end.push_back(0);
      of_all[word] += drawn.term[i];
      word_end[word] = i + 1;
    }
    drawn.rows.word_end = word_end.data();
    drawn.rows.of_all = of_all.data();
    drawn.rows.n_words = static_cast<int>(of_all.size());
    kernels.classes(drawn.rows, drawn.cuts);
    drawn.check_highest();
    drawn.each_value([&](int i, int c, float here) {
      std::vector<double> count(2 * n_classes, 0.0);
      double size[2] = {}, squares[2] = {};
      for (int j = 0; j < drawn.n; ++j) {
        const int side = !drawn.is_left(j, i, c);
        ++count[side * n_classes + label[j]];
        ++size[side];
      }
      for (int k = 0; k < 2 * n_classes; ++k) squares[k >= n_classes] += count[k] * count[k];
      CHECK_CLOSE(here, static_cast<float>(squares[0] / size[0] + squares[1] / size[1]), 1e-6);
    });
  });
}

}  // namespace bough::tests
