// Sums of few rows in two numbers against those in three, and their cuts against the scan of all cuts, bit
// for bit.
#include <algorithm>
#include <cmath>
#include <vector>

#include "bough/boost/small_gradients.hpp"
#include "draws.hpp"
#include "gain_scans.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// Rows with a code of n or a missing value, and their terms.
struct DrawnRows {
  std::vector<std::uint8_t> code;
  std::vector<RowEntry> entries;
  std::vector<std::uint32_t> rows;
  WideGradients wide;
  SmallGradients small;
  bool fits = false;

  DrawnRows(Draws& draws, int many, int n, double size) : entries(many), rows(many) {
    for (int i = 0; i < many; ++i) {
      rows[i] = static_cast<std::uint32_t>(i);
      entries[i] = rows[i];
      code.push_back(static_cast<std::uint8_t>(draws.below(n + 1)));
      wide.of_row.push_back({std::rint((2 * draws.share() - 1) * size), std::rint(draws.share() * size)});
    }
    fits = small.take(wide.of_row, rows);
  }
};

struct Cuts {
  std::vector<double> gradient, hessian, size, gain;
  std::vector<int> code;
  explicit Cuts(int n) : gradient(n), hessian(n), size(n), gain(n), code(n) {}
  CutSums view() { return {gradient.data(), hessian.data(), size.data(), code.data()}; }
};

void check_cuts(Draws& draws, const DrawnRows& drawn, int n) {
  const auto many_rows = static_cast<std::int64_t>(drawn.rows.size());
  Cuts cuts(n + 1);
  std::vector<double> wide_cells((n + 1) * WideGradients::kWidth);
  std::vector<std::uint64_t> cells((n + 1) * SmallGradients::kWidth);
  std::vector<PairedSums> paired(n + 1);
  std::vector<int> code(n + 1);
  CellSums missing, missing_paired;
  const int many = drawn.wide.cumulate_rows(drawn.code.data(), drawn.entries.data(), many_rows, n,
                                            wide_cells.data(), cuts.view(), missing);
  CHECK_EQUAL(drawn.small.cumulate_rows(drawn.code.data(), drawn.entries.data(), many_rows, n, cells.data(),
                                        paired.data(), code.data(), missing_paired),
              many);
  CHECK_EQUAL(missing_paired.gradient, missing.gradient);
  CHECK_EQUAL(missing_paired.size, missing.size);
  CHECK(std::all_of(cells.begin(), cells.end(), [](std::uint64_t cell) { return cell == 0; }));
  const CellSums all = drawn.small.sums_of_rows(drawn.entries.data(), many_rows);
  const CellSums all_wide = drawn.wide.sums_of_rows(drawn.entries.data(), many_rows);
  CHECK_EQUAL(all.gradient, all_wide.gradient);
  CHECK_EQUAL(all.hessian, all_wide.hessian);
  CHECK_EQUAL(all.size, all_wide.size);
  drawn.small.fill_wide(std::vector<std::uint16_t>(drawn.code.begin(), drawn.code.end()).data(),
                        drawn.entries.data(), many_rows, cells.data());
  std::vector<PairedSums> again(n + 1);
  CHECK_EQUAL(SmallGradients::cumulate_pairs(cells.data(), n, again.data(), cuts.code.data()), many);
  for (int i = 0; i < many; ++i) {
    CHECK_EQUAL(paired[i].gradient_of(), cuts.gradient[i]);
    CHECK_EQUAL(paired[i].hessian_of(), cuts.hessian[i]);
    CHECK_EQUAL(static_cast<double>(paired[i].count()), cuts.size[i]);
    CHECK_EQUAL(again[i].gradient_and_count, paired[i].gradient_and_count);
    CHECK_EQUAL(cuts.code[i], code[i]);
  }
  if (many == 0) return;
  const GainScan scan = drawn_scan(draws, all);
  for (const bool with_missing : {false, true}) {
    const GainShift shift =
        with_missing ? GainShift{missing.gradient, missing.hessian, missing.size} : GainShift{};
    const double most = scan_gains(scan, cuts.gradient.data(), cuts.hessian.data(), cuts.size.data(), many,
                                   shift, cuts.gain.data());
    std::vector<double> gain(many);
    const FoundCut found = best_paired_cut(scan, paired.data(), many, shift, gain.data());
    CHECK_EQUAL(found.gain, most);
    CHECK(std::equal(gain.begin(), gain.end(), cuts.gain.begin()));
    CHECK_EQUAL(found.at, std::find(gain.begin(), gain.end(), most) - gain.begin());
  }
}

}  // namespace

TEST(paired_sums_and_their_cuts_are_those_of_three_numbers) {
  Draws draws(5);
  for (int time = 0; time < 1500; ++time) {
    const int many = 1 + draws.below(time % 20 == 0 ? 4095 : 200), n = 1 + draws.below(254);
    const double sizes[] = {1, 40, 1e6, std::floor(0x1p51 / many) - 1};
    const DrawnRows drawn(draws, many, n, sizes[draws.below(4)]);
    CHECK(drawn.fits);
    check_cuts(draws, drawn, n);
  }
}

TEST(sums_that_two_numbers_cannot_hold_are_refused) {
  Draws draws(6);
  CHECK(DrawnRows(draws, 4095, 9, 100).fits);
  CHECK(!DrawnRows(draws, 4096, 9, 100).fits);
  CHECK(!DrawnRows(draws, 100, 9, 0x1p51).fits);
  SmallGradients small;
  CHECK(small.take({{1, 0}}, {0}));
  CHECK(!small.take({{1, -1}}, {0}));
  CHECK(small.take({{0x1p51 - 1, 1}}, {0}));
  CHECK(!small.take({{-0x1p51, 1}}, {0}));
}

}  // namespace bough::tests
