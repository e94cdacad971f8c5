// Presorting against a stable sort by value.
#include <algorithm>
#include <limits>
#include <numeric>

#include "bough/data/entry.hpp"
#include "bough/data/presort.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::vector<std::uint32_t> all_rows(std::size_t n) {
  std::vector<std::uint32_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

// Rows of each column in ascending order of value, equal ones in their own order, missing last.
std::vector<std::uint32_t> sorted_rows(const Column& column, std::vector<std::uint32_t> rows) {
  std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    const double x = column.value(a), y = column.value(b);
    return x == x && (y != y || x < y);
  });
  return rows;
}

void check_list(const Column& column, const std::vector<std::uint32_t>& rows, const std::uint64_t* list,
                bool has_missing, const std::uint8_t* bit) {
  const std::vector<std::uint32_t> order = sorted_rows(column, rows);
  bool missing = false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double value = column.value(order[i]);
    const bool known = value == value;
    CHECK_EQUAL(index_of(list[i]), order[i]);
    CHECK_EQUAL(label_bit(list[i]), bit ? bit[order[i]] : 0u);
    CHECK_EQUAL(code_of(list[i]) != EntryTraits<std::uint64_t>::kMissing, known);
    missing |= !known;
    if (i == 0 || !known) continue;
    CHECK_EQUAL(code_of(list[i - 1]) == code_of(list[i]), column.value(order[i - 1]) == value);
    CHECK(code_of(list[i - 1]) <= code_of(list[i]));
  }
  CHECK_EQUAL(has_missing, missing);
}

void check_sorted(const std::vector<Column>& columns, const std::vector<std::uint32_t>& rows,
                  const std::uint8_t* bit = nullptr, int n_threads = 1) {
  Team team(n_threads);
  const SortedColumns sorted = presort(columns, rows, bit, team);
  for (std::size_t c = 0; c < columns.size(); ++c)
    check_list(columns[c], rows, sorted.lists[c], sorted.has_missing[c], bit);
}

// Every kind of float there is, each more than once.
std::vector<float> peculiar_floats(Draws& draws, int n) {
  const float some[] = {0.0f,       -0.0f, 1e-45f, -1e-45f, 1e-39f, kInfinite,
                        -kInfinite, kNaN,  1.0f,   -1.0f,   3.4e38f};
  std::vector<float> values(n);
  for (float& x : values)
    x = draws.below(2) ? some[draws.below(11)] : static_cast<float>(draws.share() * 1e3 - 500);
  return values;
}

// Doubles many of which share a float with another.
std::vector<double> peculiar_doubles(Draws& draws, int n) {
  std::vector<double> values(n);
  for (double& x : values) {
    const double bases[] = {1.0, -1.0, 0.0, 1e300, -1e300, 5e-324, -5e-324, 1e-320, 1e30, 3.5e38};
    const int kind = draws.below(14);
    if (kind < 10) {
      x = bases[kind] * (1 + draws.below(4) * 0x1p-52) + (kind < 2 ? draws.below(3) * 0x1p-40 : 0);
    } else {
      const double others[] = {-0.0, kNaN, kInfinite, -kInfinite};
      x = others[kind - 10];
    }
  }
  return values;
}

}  // namespace

TEST(ordered_bits_order_as_floats_do) {
  const float ascending[] = {-kInfinite, -3e38f, -1.0f, -1e-45f, 0.0f, 1e-45f, 1.0f, 3e38f, kInfinite};
  for (int i = 1; i < 9; ++i) CHECK(ordered_bits(ascending[i - 1]) < ordered_bits(ascending[i]));
  CHECK_EQUAL(ordered_bits(-0.0f), ordered_bits(0.0f));
  CHECK_EQUAL(ordered_bits(kNaN), EntryTraits<std::uint64_t>::kMissing);
  CHECK_EQUAL(ordered_bits(-kNaN), EntryTraits<std::uint64_t>::kMissing);
  CHECK(ordered_bits(kInfinite) < EntryTraits<std::uint64_t>::kMissing);
}

TEST(floats_of_every_kind_and_size) {
  Draws draws(41);
  for (int n : {1, 2, 3, 255, 256, 257, 1000, 4095, 4096, 4097, 8193}) {
    const std::vector<float> values = peculiar_floats(draws, n);
    check_sorted({view(values)}, all_rows(n));
  }
}

TEST(doubles_that_share_a_float_are_told_apart) {
  Draws draws(42);
  for (int n : {1, 2, 3, 255, 256, 257, 4097}) {
    const std::vector<double> values = peculiar_doubles(draws, n);
    check_sorted({view(values)}, all_rows(n));
  }
}

TEST(doubles_that_are_floats_stay_in_order) {
  Draws draws(43);
  std::vector<double> values;
  for (float x : peculiar_floats(draws, 3000)) values.push_back(x);
  check_sorted({view(values)}, all_rows(values.size()));
}

TEST(codes_of_levels) {
  Draws draws(44);
  for (int n : {1, 255, 256, 5000}) {
    std::vector<std::int32_t> few(n), many(n);
    for (auto& code : few) code = draws.below(4) - 1;
    for (auto& code : many) code = draws.below(1 << 30);
    check_sorted({view(few, 3, Scale::nominal), view(many, 1 << 30, Scale::ordinal)}, all_rows(n));
  }
}

TEST(columns_of_a_row_major_table_and_backwards) {
  Draws draws(45);
  const int n = 700, width = 3;
  const std::vector<float> table = peculiar_floats(draws, n * width);
  const std::vector<double> doubles = peculiar_doubles(draws, n * width);
  std::vector<Column> columns;
  for (int c = 0; c < width; ++c) {
    Column floats = view(table), reals = view(doubles);
    floats.data += c * static_cast<int>(sizeof(float));
    floats.stride *= width;
    reals.data += (static_cast<std::ptrdiff_t>(n) * width - 1 - c) * static_cast<int>(sizeof(double));
    reals.stride *= -width;
    columns.push_back(floats);
    columns.push_back(reals);
  }
  Column same = view(table);
  same.stride = 0;
  columns.push_back(same);
  check_sorted(columns, all_rows(n));
}

TEST(only_the_rows_asked_for_are_taken) {
  Draws draws(46);
  const std::vector<double> values = peculiar_doubles(draws, 6000);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < values.size(); ++i)
    if (draws.below(3)) rows.push_back(i);
  check_sorted({view(values)}, rows);
}

TEST(the_lowest_bit_is_the_one_given) {
  Draws draws(47);
  for (int n : {100, 5000}) {
    const std::vector<float> values = peculiar_floats(draws, n);
    std::vector<std::uint8_t> bit(n);
    for (auto& b : bit) b = static_cast<std::uint8_t>(draws.below(2));
    check_sorted({view(values)}, all_rows(n), bit.data());
  }
}

TEST(several_threads_sort_as_one) {
  Draws draws(48);
  std::vector<std::vector<double>> values;
  std::vector<Column> columns;
  for (int c = 0; c < 7; ++c) values.push_back(peculiar_doubles(draws, 9000));
  for (const auto& column : values) columns.push_back(view(column));
  check_sorted(columns, all_rows(9000), nullptr, 4);
}

TEST(lists_are_padded_with_zeros) {
  const std::vector<float> values = {2, 1, 3};
  Team team(1);
  const SortedColumns sorted = presort({view(values)}, all_rows(3), nullptr, team);
  for (int i = 3; i < 3 + 16; ++i) CHECK_EQUAL(sorted.lists[0][i], 0u);
}

TEST(a_cut_parts_its_neighbours) {
  const double infinite = kInfinite, tiny = 5e-324, most = std::numeric_limits<double>::max();
  const double ascending[] = {-infinite, -most, -1.0,    std::nextafter(-1.0, 0.0), -tiny, 0.0, tiny,
                              1.0,       most,  infinite};
  for (int i = 0; i < 10; ++i)
    for (int j = i + 1; j < 10; ++j) {
      const double cut = cut_between(ascending[i], ascending[j], Scale::numeric);
      CHECK(ascending[i] < cut);
      CHECK(ascending[j] >= cut);
    }
  CHECK_EQUAL(cut_between(1, 2, Scale::ordinal), 1.5);
  CHECK_EQUAL(cut_between(1, 4, Scale::ordinal), 2.5);
  CHECK_EQUAL(cut_between(2, 4, Scale::ordinal), 3.5);
  CHECK_EQUAL(cut_between(2.0, 3.0, Scale::numeric), 2.5);
}

}  // namespace bough::tests
