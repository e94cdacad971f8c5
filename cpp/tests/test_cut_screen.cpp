// A screen of columns by coarse sums keeps the best cut of all columns, and the first of equal ones.
#include <algorithm>
#include <cmath>
#include <vector>

#include "bough/boost/cut_screen.hpp"
#include "bough/boost/sorted_cuts.hpp"
#include "draws.hpp"
#include "gain_scans.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// The rows of a node in the order of several columns, one of which repeats another.
struct DrawnNode {
  WideGradients wide;
  std::vector<std::vector<SortedRow>> rows;
  CellSums all;

  DrawnNode(Draws& draws, int n, double size) {
    std::vector<RowEntry> entries(n);
    for (int i = 0; i < n; ++i) {
      entries[i] = static_cast<RowEntry>(i);
      const double gradient = std::rint((2 * draws.share() - 1) * size);
      wide.of_row.push_back({i % 7 == 0 ? gradient : std::rint(gradient * draws.share() / 100),
                             std::rint(draws.share() * size)});
    }
    all = wide.sums_of_rows(entries.data(), n);
    for (const int n_codes : {255, 4, 40, 1, 255, 12}) rows.push_back(in_order(draws, n, n_codes));
    rows.push_back(rows[2]);
  }

  static std::vector<SortedRow> in_order(Draws& draws, int n, int n_codes) {
    std::vector<SortedRow> column(n);
    for (int i = 0; i < n; ++i)
      column[i] = static_cast<SortedRow>(draws.below(n_codes)) << 16 | static_cast<SortedRow>(i);
    std::sort(column.begin(), column.end());
    return column;
  }

  FoundCut best(const GainScan& scan, std::size_t column, const CutRange& range) const {
    return best_sorted_cut(scan, rows[column].data(), static_cast<std::int64_t>(rows[column].size()),
                           wide.of_row.data(), range);
  }
};

// Returns how many columns may have the best cut.
int check_screen(const DrawnNode& node, const GainScan& scan, std::size_t n_columns) {
  const auto n = static_cast<std::int64_t>(node.rows[0].size());
  double sizes = 0;
  for (const WideGradients::Terms& each : node.wide.of_row) sizes += std::abs(each.gradient);
  CoarseTerms coarse;
  coarse.take(node.wide.of_row.data(), node.wide.of_row.size(), sizes, node.all.hessian);
  std::vector<ScreenedColumn> screened;
  std::vector<const SortedRow*> rows;
  for (std::size_t c = 0; c < n_columns; ++c) rows.push_back(node.rows[c].data());
  CutScreen screen(scan, n, coarse, screened);
  screen.screen(rows);
  double most = -1;
  for (std::size_t c = 0; c < n_columns; ++c)
    most = std::max(most, node.best(scan, c, CutRange::of(scan, n)).gain);
  int many = 0;
  for (std::size_t c = 0; c < n_columns; ++c) {
    const CutRange all = CutRange::of(scan, n), range = screen.may_be_best(c);
    CHECK(range.is_empty() || (range.first >= all.first && range.last <= all.last));
    many += !range.is_empty();
    const FoundCut wanted = node.best(scan, c, all);
    if (most < 0 || wanted.gain < most) continue;
    const FoundCut found = node.best(scan, c, range);
    CHECK_EQUAL(found.gain, wanted.gain);
    CHECK_EQUAL(found.at, wanted.at);
  }
  return many;
}

}  // namespace

TEST(a_screen_keeps_the_best_cut_of_all_columns) {
  if (!CutScreen::is_useful()) return;
  Draws draws(31);
  int many = 0, all = 0;
  for (int time = 0; time < 400; ++time) {
    const int n = time % 20 == 0 ? 1024 : 1 + draws.below(time % 2 ? 1024 : 60);
    const double size = time % 3 == 0 ? 3 : std::ldexp(1.0, 10 + draws.below(30));
    const DrawnNode node(draws, n, size);
    const GainScan scan = drawn_scan(draws, node.all);
    const auto n_columns = static_cast<std::size_t>(2 + draws.below(6));
    many += check_screen(node, scan, n_columns);
    all += static_cast<int>(n_columns);
  }
  CHECK(many < all / 2);
}

TEST(a_screen_tells_nothing_where_sums_are_too_coarse) {
  Draws draws(32);
  DrawnNode node(draws, 200, 1e6);
  for (const double l2 : {0.0, 1e30}) {
    GainScan scan{node.all.gradient, node.all.hessian, node.all.size, 0, l2, 1e-300, 1};
    check_screen(node, scan, 5);
    scan.min_hessian = node.all.hessian / 200;  // about that of a row
    check_screen(node, scan, 5);
  }
  // One row outweighs all others, so that their gradients are rounded away.
  node.wide.of_row[3] = {1e14, 1e14};
  node.all.gradient = node.all.hessian = 0;
  for (const WideGradients::Terms& each : node.wide.of_row) {
    node.all.gradient += each.gradient;
    node.all.hessian += each.hessian;
  }
  check_screen(node, {node.all.gradient, node.all.hessian, node.all.size, 0, 0, 1e-300, 1}, 5);
}

}  // namespace bough::tests
