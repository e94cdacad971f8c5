// Lists of rows: parted by any number of threads as std::stable_partition does, and their pairs added to the
// cells of their codes as one by one.
#include <algorithm>
#include <vector>

#include "bough/histogram/kernels.hpp"
#include "bough/histogram/row_list.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// A table of one column of n rows with so many codes.
BinnedTable drawn_codes(Draws& draws, std::int64_t n, int n_bins) {
  BinnedTable table;
  table.n_rows = n;
  table.columns.resize(1);
  table.narrow.resize(1);
  table.wide.resize(1);
  table.columns[0].n_bins = n_bins;
  make_room(table, 0);
  for (std::int64_t row = 0; row < n; ++row) {
    const int code = static_cast<int>(draws.below(n_bins + 1));
    if (table.columns[0].is_wide())
      table.wide[0][row] = static_cast<std::uint16_t>(code);
    else
      table.narrow[0][row] = static_cast<std::uint8_t>(code);
  }
  return table;
}

// Whether rows between 100 and n - 50 are parted as they should be, and the others stay.
bool parts_as_stable(const BinnedTable& table, double share_right, int n_threads, Draws& draws) {
  const std::int64_t n = table.n_rows, begin = std::min<std::int64_t>(100, n / 3),
                     count = std::max<std::int64_t>(0, n - begin - 50);
  RowList list(n);
  for (std::int64_t i = 0; i < n; ++i)
    list.entries()[i] = static_cast<RowEntry>(draws.below(1 << 20)) << 32 | static_cast<RowEntry>(i);
  std::vector<std::uint8_t> branch(table.columns[0].n_codes());
  for (std::uint8_t& each : branch) each = draws.share() < share_right;
  std::vector<RowEntry> expected(list.entries(), list.entries() + n);
  const auto first = expected.begin() + begin;
  const auto middle = std::stable_partition(
      first, first + count, [&](RowEntry entry) { return branch[table.code(0, row_of(entry))] == 0; });
  Team team(n_threads);
  const std::int64_t n_left = list.part(table, 0, branch.data(), begin, count, team);
  return n_left == middle - first && std::equal(expected.begin(), expected.end(), list.entries());
}

}  // namespace

TEST(rows_are_parted_in_their_order_by_any_number_of_threads) {
  Draws draws(1);
  for (const std::int64_t n : {1, 7, 160, 1000, 5003, 20011})
    for (const int n_bins : {1, 40, 255, 700}) {
      const BinnedTable table = drawn_codes(draws, n, n_bins);
      for (const int n_threads : {1, 2, 3, 5})
        for (const double share : {0.0, 0.1, 0.5, 1.0})
          CHECK(parts_as_stable(table, share, n_threads, draws));
    }
}

TEST(pairs_are_added_to_the_cells_of_all_columns) {
  Draws draws(2);
  constexpr int kCodes = HistogramLayout::kNarrowCodes;
  for (const int n_columns : {1, 3, 8, 13, 16, 17, 20, 28, 31, 32, 33, 70})
    for (const std::int64_t count : {0, 1, 500, 512, 513, 1700}) {
      const std::size_t n_rows = 2000, stride = static_cast<std::size_t>(n_columns) + 2;
      std::vector<std::uint8_t> codes(n_rows * stride + 64);
      for (std::uint8_t& code : codes) code = static_cast<std::uint8_t>(draws.below(256));
      std::vector<RowEntry> entries;
      for (std::int64_t i = 0; i < count; ++i)
        entries.push_back(entry_with_pair(static_cast<std::uint32_t>(draws.below(n_rows)),
                                          static_cast<std::int32_t>(draws.below(60000)) - 30000,
                                          static_cast<std::uint32_t>(draws.below(65536))));
      std::vector<PairOfSums> cells(static_cast<std::size_t>(n_columns) * kCodes, 5), expected = cells;
      for (const RowEntry entry : entries)
        for (int j = 0; j < n_columns; ++j)
          expected[j * kCodes + codes[row_of(entry) * stride + j]] += pair_of_entry(entry);
      add_pairs(codes.data(), n_columns, stride, entries.data(), count, cells.data());
      CHECK(cells == expected);
    }
}

TEST(pairs_are_summed_up_to_each_cell) {
  Draws draws(3);
  for (const int n : {0, 1, 7, 8, 9, 64, 254, 255}) {
    std::vector<PairOfSums> cells;
    for (int i = 0; i < n; ++i)
      cells.push_back(
          pair_of_sums(draws.below(2000000) - 1000000, static_cast<std::uint32_t>(draws.below(1 << 20))));
    std::vector<std::int32_t> upper(n + 1, 77), lower(n + 1, 77);
    cumulate_pairs(cells.data(), n, upper.data(), lower.data());
    PairOfSums run = 0;
    for (int i = 0; i < n; ++i) {
      run += cells[i];
      CHECK_EQUAL(upper[i], upper_sum(run));
      CHECK_EQUAL(lower[i], static_cast<std::int32_t>(lower_sum(run)));
    }
    CHECK_EQUAL(upper[n], 77);
    CHECK_EQUAL(lower[n], 77);
  }
}

}  // namespace bough::tests
