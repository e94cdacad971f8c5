// The screened scan of whole sums against the scan of all cuts, bit for bit.
#include <algorithm>
#include <vector>

#include "bough/boost/gain_scan.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// Sums up to each of n codes, and what the codes and the missing values have together.
struct DrawnSums {
  std::vector<std::int32_t> gradient, hessian;
  std::int32_t missing_gradient = 0, missing_hessian = 0;
  GainScan scan{};

  // size: of the sums of a code. empty: of how many codes one is not empty.
  DrawnSums(Draws& draws, int n, int size, int empty)
      : gradient(n + kScreenLanes), hessian(n + kScreenLanes) {
    std::int32_t g = 0, h = 0;
    const auto add = [&](std::int32_t& to_gradient, std::int32_t& to_hessian) {
      to_gradient += draws.below(2 * size + 1) - size;
      to_hessian += draws.below(size + 1);
    };
    for (int b = 0; b < n; ++b) {
      if (draws.below(empty) == 0) add(g, h);
      gradient[b] = g;
      hessian[b] = h;
    }
    if (draws.below(2) == 0) add(missing_gradient, missing_hessian);
    std::int32_t all_gradient = g + missing_gradient, all_hessian = h + missing_hessian;
    add(all_gradient, all_hessian);  // of the codes after these
    scan.gradient = all_gradient;
    scan.hessian = scan.size = all_hessian;
    scan.l2 = draws.below(2) * draws.share() * size;
    scan.min_hessian = draws.share();
    scan.min_size = draws.below(3) * draws.share() * size;
    scan.min_hessian = std::max(scan.min_hessian, 1e-300);
  }
};

void check_same(DrawnSums& drawn, int n, bool with_missing) {
  const std::int32_t g = with_missing ? drawn.missing_gradient : 0,
                     h = with_missing ? drawn.missing_hessian : 0;
  std::vector<double> gradient(drawn.gradient.begin(), drawn.gradient.begin() + n),
      hessian(drawn.hessian.begin(), drawn.hessian.begin() + n), gain(n);
  const double most =
      scan_gains(drawn.scan, gradient.data(), hessian.data(), hessian.data(), n,
                 {static_cast<double>(g), static_cast<double>(h), static_cast<double>(h)}, gain.data());
  std::vector<float> screened(n + kScreenLanes);
  CHECK(can_screen(drawn.scan));
  const FoundCut found =
      best_whole_cut(drawn.scan, drawn.gradient.data(), drawn.hessian.data(), n, g, h, screened.data());
  CHECK_EQUAL(found.gain, most);
  if (most >= 0) CHECK_EQUAL(found.at, std::find(gain.begin(), gain.end(), most) - gain.begin());
}

}  // namespace

TEST(screened_cut_is_the_first_of_the_best) {
  Draws draws(11);
  for (int time = 0; time < 4000; ++time) {
    const int n = 1 + draws.below(time % 3 == 0 ? 8 : 300);
    const int sizes[] = {1, 3, 50, 32767, 2147483000 / (n + 2)};
    DrawnSums drawn(draws, n, sizes[draws.below(5)], 1 + draws.below(4));
    check_same(drawn, n, false);
    check_same(drawn, n, true);
  }
}

TEST(cuts_with_a_penalty_of_the_gradient_are_not_screened) {
  GainScan scan{};
  CHECK(can_screen(scan));
  scan.l1 = 1;
  CHECK(!can_screen(scan));
  scan.l1 = 0;
  scan.l2 = 1e300;
  CHECK(!can_screen(scan));
}

}  // namespace bough::tests
