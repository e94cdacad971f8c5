// Rows in the order of each column: they follow splits, and their cuts are those of sums by code, bit for
// bit.
#include <algorithm>
#include <cmath>
#include <vector>

#include "bough/boost/sorted_cuts.hpp"
#include "bough/boost/sorted_rows.hpp"
#include "draws.hpp"
#include "gain_scans.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// Columns of numbers, of which one has few values and the last one some missing.
struct Table {
  std::vector<std::vector<double>> values;
  BinnedTable bins;

  Table(Draws& draws, int n) : values(4, std::vector<double>(n)) {
    std::vector<Column> columns;
    for (int i = 0; i < n; ++i) {
      for (auto& column : values) column[i] = draws.share();
      values[1][i] = draws.below(3);
      if (draws.below(5) == 0) values[3][i] = std::nan("");
    }
    values[3][0] = std::nan("");
    for (const auto& column : values) columns.push_back(view(column));
    Team team(1);
    bins = bin_table(columns, n, nullptr, nullptr, draws.below(2) ? 255 : 400, team, [] {});
  }
};

struct DrawnLeaf {
  std::int64_t begin, count;
  int depth;
};

void check_rows(const Table& table, const SortedRows& sorted, const std::vector<RowEntry>& entries,
                const DrawnLeaf& leaf) {
  for (int c = 0; c < 3; ++c) {
    std::vector<SortedRow> wanted;
    for (std::int64_t i = leaf.begin; i < leaf.begin + leaf.count; ++i) {
      const std::uint32_t row = row_of(entries[i]);
      wanted.push_back(static_cast<SortedRow>(table.bins.code(c, row)) << 16 | row);
    }
    std::sort(wanted.begin(), wanted.end());
    CHECK(std::equal(wanted.begin(), wanted.end(), sorted.rows(c, leaf.begin, leaf.depth)));
  }
}

// Splits one of the leaves at random, as a tree does.
void split_leaf(Draws& draws, const Table& table, SortedRows& sorted, std::vector<RowEntry>& entries,
                std::vector<DrawnLeaf>& leaves) {
  const auto which = static_cast<std::size_t>(draws.below(static_cast<int>(leaves.size())));
  const DrawnLeaf leaf = leaves[which];
  if (leaf.count < 2) return;
  const int column = draws.below(3);
  const double cut = draws.share();
  const auto begin = entries.begin() + leaf.begin;
  const auto middle = std::stable_partition(
      begin, begin + leaf.count, [&](RowEntry entry) { return table.values[column][row_of(entry)] < cut; });
  const std::int64_t n_left = middle - begin;
  const SortedRows::Parted parted{leaf.begin, n_left, leaf.count - n_left, leaf.depth};
  sorted.mark(entries.data() + leaf.begin, parted);
  sorted.part(parted);
  leaves[which] = {leaf.begin, n_left, leaf.depth + 1};
  leaves.push_back({leaf.begin + n_left, leaf.count - n_left, leaf.depth + 1});
}

void check_tree(Draws& draws, const Table& table, SortedRows& sorted, int n, bool all) {
  std::vector<RowEntry> entries;
  for (int i = 0; i < n; ++i)
    if (all || entries.empty() || draws.below(3)) entries.push_back(static_cast<RowEntry>(i));
  sorted.start(entries.data(), static_cast<std::int64_t>(entries.size()));
  std::vector<DrawnLeaf> leaves = {{0, static_cast<std::int64_t>(entries.size()), 0}};
  for (int split = 0; split < 12; ++split) {
    split_leaf(draws, table, sorted, entries, leaves);
    for (const DrawnLeaf& each : leaves) check_rows(table, sorted, entries, each);
  }
}

// Only a cut above the bound is found, and then the same one.
void check_bound(Draws& draws, const GainScan& scan, const std::vector<SortedRow>& rows,
                 const WideGradients::Terms* terms, const FoundCut& best) {
  const auto n = static_cast<std::int64_t>(rows.size());
  const auto found_above = [&](double bound) {
    return best_sorted_cut(scan, rows.data(), n, terms, CutRange::of(scan, n), bound);
  };
  for (const double bound : {best.gain * draws.share(), std::nextafter(best.gain, 0.0)}) {
    CHECK_EQUAL(found_above(bound).gain, best.gain);
    CHECK_EQUAL(found_above(bound).at, best.at);
  }
  CHECK(found_above(best.gain).gain < 0);
}

void check_cuts(Draws& draws, int n, int n_codes, double size) {
  std::vector<std::uint32_t> code(n);
  std::vector<RowEntry> entries(n);
  std::vector<SortedRow> rows(n);
  WideGradients wide;
  for (int i = 0; i < n; ++i) {
    entries[i] = static_cast<RowEntry>(i);
    code[i] = static_cast<std::uint32_t>(draws.below(n_codes));
    rows[i] = code[i] << 16 | static_cast<std::uint32_t>(i);
    wide.of_row.push_back({std::rint((2 * draws.share() - 1) * size), std::rint(draws.share() * size)});
  }
  std::sort(rows.begin(), rows.end());
  std::vector<double> gradient(n_codes), hessian(n_codes), count(n_codes), gain(n_codes);
  std::vector<double> cells((n_codes + 1) * WideGradients::kWidth);
  std::vector<int> code_of(n_codes);
  CellSums missing;
  const int many =
      wide.cumulate_rows(code.data(), entries.data(), n, n_codes, cells.data(),
                         {gradient.data(), hessian.data(), count.data(), code_of.data()}, missing);
  const CellSums all = wide.sums_of_rows(entries.data(), n);
  const GainScan scan = drawn_scan(draws, all);
  const double most = scan_gains(scan, gradient.data(), hessian.data(), count.data(), many, {}, gain.data());
  const FoundCut found = best_sorted_cut(scan, rows.data(), n, wide.of_row.data(), CutRange::of(scan, n));
  CHECK_EQUAL(found.gain, most);
  if (most < 0) return;
  if (most > 0) check_bound(draws, scan, rows, wide.of_row.data(), found);
  const auto at = std::find(gain.begin(), gain.begin() + many, most) - gain.begin();
  CHECK_EQUAL(code_of_sorted(rows[found.at]), code_of[at]);
  CHECK_EQUAL(found.at + 1, static_cast<int>(count[at]));
}

}  // namespace

TEST(sorted_rows_follow_splits) {
  Draws draws(8);
  for (int time = 0; time < 60; ++time) {
    const int n = time == 0 ? 1024 : 1 + draws.below(time % 2 ? 1024 : 60);
    const Table table(draws, n);
    SortedRows sorted(table.bins);
    for (const bool all : {true, false, true}) check_tree(draws, table, sorted, n, all);
    CHECK(sorted.has(0) && sorted.has(1) && !sorted.has(3));
    if (n > 60) CHECK(!sorted.has_all());  // in fewer rows, all values may be missing
  }
}

TEST(columns_of_another_thread_are_taken_back) {
  Draws draws(12);
  for (int time = 0; time < 60; ++time) {
    const int n = 2 + draws.below(1023);
    const Table table(draws, n);
    SortedRows sorted(table.bins);
    std::vector<RowEntry> entries;
    for (int i = 0; i < n; ++i) entries.push_back(static_cast<RowEntry>(i));
    sorted.start(entries.data(), n);
    sorted.share(static_cast<std::size_t>(1 + draws.below(3)));
    std::vector<DrawnLeaf> leaves = {{0, n, 0}};
    for (int split = draws.below(12); split > 0; --split) split_leaf(draws, table, sorted, entries, leaves);
    sorted.take_back();
    for (int more = 0; more < 3; ++more) {
      for (const DrawnLeaf& each : leaves) check_rows(table, sorted, entries, each);
      split_leaf(draws, table, sorted, entries, leaves);
    }
  }
}

TEST(rows_of_larger_tables_are_not_sorted) {
  Draws draws(9);
  const Table table(draws, 1025);
  SortedRows sorted(table.bins);
  std::vector<RowEntry> entries(1025);
  sorted.start(entries.data(), 1025);
  CHECK(!sorted.has(0));
  CHECK(!sorted.keeps_rows());
}

TEST(cuts_of_sorted_rows_are_those_of_sums_by_code) {
  Draws draws(10);
  for (int time = 0; time < 2000; ++time) {
    const int n = 1 + draws.below(time % 10 == 0 ? 1024 : 100);
    const double sizes[] = {1, 40, 1e6, std::floor(0x1p51 / n) - 1};
    check_cuts(draws, n, 1 + draws.below(time % 3 == 0 ? 5 : 300), sizes[draws.below(4)]);
  }
}

}  // namespace bough::tests
