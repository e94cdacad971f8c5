// A cut that is passed over has less gain than the greatest so far, for counts and for weights whose sums
// are rounded.
#include <vector>

#include "bough/quinlan/gain_bound.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

using namespace quinlan;

// What a cut gains a case, in bits.
template <class T>
double gain_of(const std::vector<T>& all, const std::vector<T>& low, const std::vector<T>& high,
               double known) {
  const auto info = [](const std::vector<T>& weight) {
    double sum = 0, total = 0;
    for (const T w : weight) sum += Weka::xlog2x(static_cast<double>(w)), total += static_cast<double>(w);
    return Weka::xlog2x(total) - sum;
  };
  return (info(all) - info(low) - info(high)) / known;
}

}  // namespace

TEST(no_cut_of_two_classes_is_passed_over_that_gains_more) {
  constexpr int kMost = 9;
  int passed_over = 0;
  for (std::int64_t zeros = 1; zeros <= kMost; ++zeros)
    for (std::int64_t ones = 1; ones <= kMost; ++ones) {
      const std::vector<double> all{static_cast<double>(zeros), static_cast<double>(ones)};
      const auto known = static_cast<double>(zeros + ones);
      for (std::int64_t l0 = 0; l0 <= zeros; ++l0)
        for (std::int64_t l1 = 0; l1 <= ones; ++l1) {
          const std::int64_t left = l0 + l1, right = zeros + ones - left;
          if (left == 0 || right == 0) continue;
          const std::vector<double> low{static_cast<double>(l0), static_cast<double>(l1)},
              high{static_cast<double>(zeros - l0), static_cast<double>(ones - l1)};
          const double gain = gain_of(all, low, high, known);
          for (const double share : {0.3, 0.9, 1.0, 1.5, 2.5}) {
            GainBound<double> bound(all, known, 1, 1e-9);
            bound.raise(gain * share);
            const bool matters = bound.may_matter(l1, ones - l1, left, right);
            if (share <= 1) CHECK(matters);
            passed_over += !matters;
            const std::int64_t lows[] = {l0, l1}, highs[] = {zeros - l0, ones - l1};
            if (share <= 1) CHECK(bound.may_matter(lows, highs, left, right));
            if (share <= 1) CHECK(bound.may_matter(low.data(), high.data()));
          }
        }
    }
  CHECK(passed_over > 1000);
}

TEST(no_cut_of_weights_is_passed_over_that_gains_more) {
  Draws draws(17);
  int passed_over = 0;
  for (int times = 0; times < 4000; ++times) {
    const int k = 2 + draws.below(4), n = 4 + draws.below(200);
    std::vector<float> all(k, 0.0f), low(k, 0.0f), weight(n);
    std::vector<int> label(n);
    for (int i = 0; i < n; ++i) {
      label[i] = draws.below(k);
      all[label[i]] += weight[i] = static_cast<float>(0.05 + draws.share());
    }
    double known = 0;
    for (const float w : all) known += w;
    std::vector<float> high = all;
    const int cut = 1 + draws.below(n - 1);
    for (int i = 0; i < cut; ++i) low[label[i]] += weight[i], high[label[i]] -= weight[i];
    const double gain = gain_of(all, low, high, known);
    for (const double share : {0.5, 1.0, 3.0}) {
      GainBound<float> bound(all, known, 1, 1e-6);
      bound.raise(static_cast<float>(gain * share));
      const bool matters = bound.may_matter(low.data(), high.data());
      if (share <= 1) CHECK(matters);
      passed_over += !matters;
    }
  }
  CHECK(passed_over > 1000);
}

}  // namespace bough::tests
