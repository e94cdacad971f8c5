// Bins found by counting rows of buckets against those found by sorting, and both against the rule.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bough/data/bins.hpp"
#include "bough/data/counted_bins.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

std::vector<double> values_of(Draws& draws, int n, int kind) {
  std::vector<double> values(n);
  for (double& x : values) {
    x = draws.share() * 4 - 2;
    if (kind == 1) x = std::floor(x * 50);                            // few values
    if (kind == 2) x = static_cast<float>(x * x * x);                 // floats, dense about 0
    if (kind == 3) x = 1.6e9 + std::floor(draws.share() * 3000) / 8;  // many doubles to a float
    if (kind == 4) x = draws.below(2) ? 0.0 : x;                      // many equal ones
    if (kind == 5) x = std::floor(x * 4) / 10;                        // few values, which are not floats
    if (draws.below(20) == 0) x = std::numeric_limits<double>::quiet_NaN();
  }
  return values;
}

BinnedTable sorted_bins(const Column& column, std::int64_t n, const std::vector<std::uint8_t>& in_rule,
                        int max_bins) {
  Team team(2);
  return bin_table({column}, n, nullptr, in_rule.data(), max_bins, team, [] {});
}

}  // namespace

TEST(counting_finds_the_bins_that_sorting_finds) {
  Draws draws(7);
  Team team(2);
  for (int round = 0; round < 72; ++round) {
    const int n = 200 + draws.below(3000), max_bins = 2 + draws.below(round % 2 ? 300 : 20);
    const std::vector<double> values = values_of(draws, n, round % 6);
    const Column column = view(values);
    std::vector<std::uint8_t> in_rule(n, 1);
    for (std::uint8_t& counts : in_rule) counts = round % 3 > 0 || draws.below(4) > 0;
    const BinnedTable sorted = sorted_bins(column, n, in_rule, max_bins);
    BinnedTable counted;
    counted.n_rows = n;
    counted.columns.resize(1);
    counted.narrow.resize(1);
    counted.wide.resize(1);
    const BucketedColumns buckets = bucket_columns({column}, n, in_rule.data(), max_bins, team, [] {});
    bin_by_counting(column, buckets.columns[0], max_bins, counted, 0);
    CHECK_EQUAL(counted.columns[0].n_bins, sorted.columns[0].n_bins);
    CHECK(counted.columns[0].lowest == sorted.columns[0].lowest);
    CHECK(counted.columns[0].highest == sorted.columns[0].highest);
    CHECK_EQUAL(counted.columns[0].has_missing, sorted.columns[0].has_missing);
    // The rows that do not count for the bins are coded apart, by the cuts between them.
    for (int i = 0; i < n; ++i)
      if (in_rule[i]) CHECK_EQUAL(counted.code(0, i), sorted.code(0, i));
  }
}

// The sample that decides on buckets then misses some values: those share a bucket with others.
TEST(counting_finds_values_that_its_sample_does_not_have) {
  constexpr int kRows = 40000;
  Draws draws(11);
  Team team(2);
  for (const int max_bins : {4, 12, 60, 255}) {
    std::vector<double> values(kRows);
    for (double& x : values) x = draws.below(400) == 0 ? 9.5 + draws.below(40) / 100.0 : draws.below(4);
    values[17] = std::numeric_limits<double>::infinity();
    values[23] = -1e300;
    const Column column = view(values);
    const BinnedTable counted = bin_table({column}, kRows, nullptr, nullptr, max_bins, team, [] {});
    const std::vector<double> cases(kRows, 1.0);  // with cases, columns are sorted
    const BinnedTable sorted = bin_table({column}, kRows, cases.data(), nullptr, max_bins, team, [] {});
    CHECK(counted.columns[0].lowest == sorted.columns[0].lowest);
    CHECK(counted.columns[0].highest == sorted.columns[0].highest);
    for (int i = 0; i < kRows; ++i) CHECK_EQUAL(counted.code(0, i), sorted.code(0, i));
  }
}

TEST(bins_end_at_ranks_of_cases) {
  const std::vector<double> values = {1, 1, 2, 3, 5, 8, std::numeric_limits<double>::quiet_NaN(), 9};
  Team team(1);
  const BinnedTable table = bin_table({view(values)}, 8, nullptr, nullptr, 3, team, [] {});
  const int codes[] = {0, 0, 0, 1, 1, 2, 3, 2};
  for (int i = 0; i < 8; ++i) CHECK_EQUAL(table.code(0, i), codes[i]);
  CHECK(table.columns[0].has_missing);
}

TEST(levels_are_bins_of_their_own) {
  std::vector<std::int32_t> codes(400);
  for (int i = 0; i < 400; ++i) codes[i] = i % 300 - 1;
  Team team(1);
  const BinnedTable table =
      bin_table({view(codes, 300, Scale::nominal)}, 400, nullptr, nullptr, 2, team, [] {});
  CHECK(table.columns[0].is_wide());
  for (int i = 0; i < 400; ++i) CHECK_EQUAL(table.code(0, i), codes[i] < 0 ? 300 : codes[i]);
}

}  // namespace bough::tests
