// The kernels of the search among two counted classes do what plain loops do by definition, and those for any
// processor give the results of those for this one to the bit.
#include <algorithm>
#include <cstring>
#include <limits>

#include "bough/forest/count_kernels.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

constexpr int kMostRows = 3 * kLanes + 1;
constexpr int kTimes = 30;  // tables of each size

int padded(int n) { return (n + kLanes - 1) / kLanes * kLanes; }

std::uint32_t counted(int draws, int second) {
  return static_cast<std::uint32_t>(draws) | static_cast<std::uint32_t>(second) << 16;
}

int draws_of(std::uint32_t count) { return static_cast<int>(count & 0xffff); }
int second_of(std::uint32_t count) { return static_cast<int>(count >> 16); }

// The counts of n rows or bins, some of them none, and the node they add up to with what lies before them.
struct DrawnCounts {
  std::vector<std::uint32_t> count;
  std::uint32_t base = 0;
  CountedNode node{};

  DrawnCounts(Draws& draws, int n) : count(padded(n) + kLanes, 0) {
    const int most = draws.below(2) ? 3 : static_cast<int>(kMostBrief) / (n + 1);
    const auto any = [&] {
      const int all = draws.below(most + 1);
      return draws.below(8) ? counted(all, draws.below(all + 1)) : counted(all, draws.below(2) ? all : 0);
    };
    if (draws.below(2)) base = any();
    std::uint32_t total = base;
    for (int i = 0; i < n; ++i) total += count[i] = any();
    const double least[] = {0, 1, 1.5, 3, draws_of(total) / 4.0, 1e9};
    node = {draws_of(total), second_of(total), least[draws.below(6)]};
  }

  // What has so much on its left, of entries in their order.
  std::vector<std::uint32_t> lefts() const {
    std::vector<std::uint32_t> left(count.size(), 0);
    std::uint32_t sum = base;
    for (std::size_t i = 0; i < count.size(); ++i) left[i] = sum += count[i];
    return left;
  }
};

double true_value(int left, int second_left, const CountedNode& node, double least) {
  const double rest = node.all - left;
  if (left < std::max(1.0, least) || rest < std::max(1.0, least)) return -1;
  const double d = static_cast<double>(second_left) * node.all - static_cast<double>(node.second) * left;
  return d * d / (left * rest);
}

void check_values(const std::vector<std::uint32_t>& left, int n, const CountedNode& node,
                  const std::vector<float>& value, float highest) {
  float most = -1;
  for (int i = 0; i < n; ++i) {
    const double exact = true_value(draws_of(left[i]), second_of(left[i]), node, node.least);
    CHECK(std::abs(value[i] - exact) <= kRough * std::abs(exact));
    if (exact < 0) CHECK_EQUAL(value[i], -1.0f);
    most = std::max(most, value[i]);
  }
  CHECK_EQUAL(highest, most);
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class Body>
void for_all_sizes(std::uint64_t seed, const Body& body) {
  Draws draws(seed);
  for (int n = 0; n <= kMostRows; ++n)
    for (int time = 0; time < kTimes; ++time) body(draws, n);
}

// Evaluates cuts, of what lies `left` of each, with every set of kernels; all must give the same bits.
template <class Evaluate>
void check_values_of_all(const DrawnCounts& drawn, int n, const std::vector<std::uint32_t>& left,
                         const Evaluate& evaluate) {
  std::vector<float> first;
  for (const CountKernels* kernels : runnable_kernels()) {
    std::vector<float> value(padded(n));
    const float most = evaluate(*kernels, value.data());
    check_values(left, padded(n), drawn.node, value, most);
    if (first.empty()) first = value;
    CHECK(same_bits(value, first));
  }
}

}  // namespace

TEST(count_kernels_are_the_fastest_that_run) {
  const auto sets = runnable_kernels();
  CHECK(!sets.empty());
  CHECK(sets.back() == &count_kernels());
}

TEST(kernels_cut_rows_by_their_codes) {
  for_all_sizes(1, [](Draws& draws, int n) {
    const DrawnCounts drawn(draws, n);
    const int n_codes = 1 + draws.below(draws.below(2) ? 4 : 1000);
    std::vector<std::int32_t> code(padded(n) + kLanes);
    for (int i = 0; i < n; ++i) code[i] = draws.below(n_codes);
    const std::int32_t highest = n ? *std::max_element(code.begin(), code.begin() + n) : 0;
    std::fill(code.begin() + n, code.end(), highest);
    std::vector<std::uint32_t> expected(padded(n), 0);
    for (int i = 0; i < n; ++i) {
      if (code[i] == highest) continue;
      expected[i] = drawn.base;
      for (int j = 0; j < n; ++j) expected[i] += code[j] <= code[i] ? drawn.count[j] : 0;
    }
    check_values_of_all(drawn, n, expected, [&](const CountKernels& kernels, float* value) {
      std::vector<std::uint32_t> left(padded(n));
      const float most = kernels.cut_rows(code.data(), drawn.count.data(), n, highest, drawn.base, drawn.node,
                                          left.data(), value);
      CHECK(left == expected);
      return most;
    });
  });
}

TEST(kernels_tell_the_value_of_what_lies_left) {
  for_all_sizes(2, [](Draws& draws, int n) {
    const DrawnCounts drawn(draws, n);
    const std::vector<std::uint32_t> left = drawn.lefts();
    check_values_of_all(drawn, n, left, [&](const CountKernels& kernels, float* value) {
      return kernels.values(left.data(), n, drawn.node, value);
    });
  });
}

// Among all orders of a bin's rows, the cut within it that is worth the most.
TEST(kernels_open_every_bin_that_may_hold_a_better_cut) {
  for_all_sizes(3, [](Draws& draws, int n) {
    const DrawnCounts drawn(draws, n);
    std::vector<std::uint32_t> before = drawn.lefts();
    for (std::size_t i = 0; i < before.size(); ++i) before[i] -= drawn.count[i];
    std::vector<double> most(n, 0);
    for (int i = 0; i < n; ++i) {
      const int second = second_of(drawn.count[i]), others = draws_of(drawn.count[i]) - second;
      const int pace = 1 + others / 20, second_pace = 1 + second / 20;
      for (int a = 0; a <= others; a += a < others ? std::min(pace, others - a) : 1)
        for (int b = 0; b <= second; b += b < second ? std::min(second_pace, second - b) : 1)
          most[i] = std::max(
              most[i], true_value(draws_of(before[i]) + a + b, second_of(before[i]) + b, drawn.node, 0));
    }
    const double floor = n && draws.below(6) ? most[draws.below(n)] * (0.9 + 0.2 * draws.share()) : 0;
    std::vector<std::uint8_t> first;
    for (const CountKernels* kernels : runnable_kernels()) {
      std::vector<std::uint8_t> open(padded(n), 2);
      const bool any =
          kernels->may_beat(before.data(), drawn.count.data(), n, drawn.node, floor, open.data());
      bool expected = false;
      for (int i = 0; i < n; ++i) {
        if (most[i] > floor) CHECK_EQUAL(open[i], 1);
        if (most[i] < floor * (1 - 1e-4)) CHECK_EQUAL(open[i], 0);
        expected |= open[i] != 0;
      }
      CHECK_EQUAL(any, expected);
      if (first.empty()) first = open;
      CHECK(same_bits(open, first));
    }
  });
}

TEST(kernels_list_the_rows_within_ranges_in_their_order) {
  for_all_sizes(4, [](Draws& draws, int n) {
    constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
    const int n_codes = 1 + draws.below(100);
    std::vector<std::int32_t> code(padded(n)), first(draws.below(5)), last(first.size());
    for (std::int32_t& own : code) own = draws.below(20) ? draws.below(n_codes) : kMost;
    for (std::size_t r = 0; r < first.size(); ++r) {
      first[r] = draws.below(n_codes);
      last[r] = draws.below(8) ? first[r] + draws.below(1 + n_codes / 4) : kMost;
    }
    std::vector<std::uint64_t> expected;
    for (int i = 0; i < n; ++i) {
      bool within = false;
      for (std::size_t r = 0; r < first.size(); ++r) within |= first[r] <= code[i] && code[i] <= last[r];
      if (within)
        expected.push_back(static_cast<std::uint64_t>(code[i]) << 32 | static_cast<std::uint64_t>(i));
    }
    for (const CountKernels* kernels : runnable_kernels()) {
      std::vector<std::uint64_t> key(n);
      const int found = kernels->list_within(code.data(), n, first.data(), last.data(),
                                             static_cast<int>(first.size()), key.data());
      CHECK(found >= 0 && found <= n);
      key.resize(std::clamp(found, 0, n));
      CHECK(key == expected);
    }
  });
}

TEST(kernels_fetch_codes_and_their_range) {
  for_all_sizes(5, [](Draws& draws, int n) {
    const std::size_t stride = 1 + draws.below(3);  // by columns or by rows
    std::vector<std::uint32_t> code(50 * stride), index(n);
    for (std::uint32_t& own : code) own = static_cast<std::uint32_t>(draws.bits() >> 33);
    for (std::uint32_t& at : index) at = static_cast<std::uint32_t>(draws.below(50));
    std::int32_t low = std::numeric_limits<std::int32_t>::max(), high = -1;
    std::vector<std::int32_t> expected(n);
    for (int i = 0; i < n; ++i) {
      expected[i] = static_cast<std::int32_t>(code[index[i] * stride]);
      low = std::min(low, expected[i]);
      high = std::max(high, expected[i]);
    }
    for (const CountKernels* kernels : runnable_kernels()) {
      std::vector<std::int32_t> to(n);
      const auto [least, most] = kernels->fetch_codes({code.data(), stride}, index.data(), n, to.data());
      CHECK(to == expected);
      CHECK_EQUAL(least, low);
      CHECK_EQUAL(most, high);
    }
  });
}

TEST(kernels_fetch_values_and_sum_those_below_a_cut) {
  for_all_sizes(6, [](Draws& draws, int n) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const float odd[] = {
        -kInfinity, -0.0f, 0.0f, 1e-42f, 3e38f, kInfinity, std::numeric_limits<float>::quiet_NaN()};
    std::vector<float> value(50), expected(n);
    for (float& own : value)
      own = draws.below(3) ? static_cast<float>(draws.below(9)) / 4 - 1 : odd[draws.below(7)];
    if (draws.below(10) == 0) std::fill(value.begin(), value.end(), odd[6]);
    std::vector<std::uint32_t> index(n), count(n);
    for (int i = 0; i < n; ++i) {
      index[i] = static_cast<std::uint32_t>(draws.below(50));
      expected[i] = value[index[i]];
      const int all = draws.below(1000);
      count[i] = counted(all, draws.below(all + 1));
    }
    float low = kInfinity, high = -kInfinity, cut = value[draws.below(50)];
    std::uint32_t sum = 0;
    for (int i = 0; i < n; ++i) {
      low = expected[i] < low ? expected[i] : low;
      high = expected[i] > high ? expected[i] : high;
      if (expected[i] < cut) sum += count[i];
    }
    std::vector<std::pair<float, float>> ranges;
    for (const CountKernels* kernels : runnable_kernels()) {
      std::vector<float> to(n);
      ranges.push_back(kernels->fetch_values({value.data(), 1}, index.data(), n, to.data()));
      CHECK(same_bits(to, expected));
      CHECK_EQUAL(ranges.back().first, low);
      CHECK_EQUAL(ranges.back().second, high);
      CHECK(same_bits(ranges.back().first, ranges[0].first));
      CHECK(same_bits(ranges.back().second, ranges[0].second));
      CHECK_EQUAL(kernels->below(to.data(), count.data(), n, cut), sum);
    }
  });
}

}  // namespace bough::tests
