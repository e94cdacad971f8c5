// The running median against sorting.
#include <algorithm>

#include "bough/criteria/median.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// The values that are in, each as often as its weight.
class Multiset {
 public:
  explicit Multiset(const std::vector<double>& values) : values_(values), weight_(values.size(), 0) {}
  void add(std::uint32_t rank, int weight) { weight_[rank] += weight; }
  int weight(std::uint32_t rank) const { return weight_[rank]; }

  std::vector<double> sorted() const {
    std::vector<double> all;
    for (std::size_t i = 0; i < values_.size(); ++i) all.insert(all.end(), weight_[i], values_[i]);
    return all;
  }

 private:
  const std::vector<double>& values_;
  std::vector<int> weight_;
};

void check_median(const RunningMedian& running, const Multiset& plain) {
  const std::vector<double> all = plain.sorted();
  CHECK_EQUAL(running.weight(), static_cast<double>(all.size()));
  if (all.empty()) return;
  const double median = all[(all.size() - 1) / 2];
  double deviation = 0;
  for (double x : all) deviation += std::abs(x - median);
  CHECK_EQUAL(running.median(), median);
  CHECK_EQUAL(running.deviation(), deviation);
}

// Deviation of the rows that are in from their lower weighted median.
double plain_deviation(const OrderedRows& rows, const std::vector<std::uint8_t>& in) {
  std::vector<double> all;
  for (std::size_t i = 0; i < rows.value.size(); ++i)
    if (in[i]) all.insert(all.end(), static_cast<std::size_t>(rows.weight[i]), rows.value[i]);
  double deviation = 0;
  for (double x : all) deviation += std::abs(x - all[(all.size() - 1) / 2]);
  return deviation;
}

}  // namespace

TEST(the_running_median_is_that_of_the_sorted_values) {
  Draws draws(70);
  for (int n_values : {1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 100}) {
    std::vector<double> values(n_values);
    double last = -500;
    for (double& x : values) x = last += 1 + draws.below(20);
    RunningMedian running;
    running.reset(values);
    Multiset plain(values);
    for (int step = 0; step < 200; ++step) {
      const auto rank = static_cast<std::uint32_t>(draws.below(n_values));
      const int weight = 1 + draws.below(4);
      if (draws.below(3) == 0 && plain.weight(rank) >= weight) {
        running.remove(rank, weight);
        plain.add(rank, -weight);
      } else {
        running.add(rank, weight);
        plain.add(rank, weight);
      }
      check_median(running, plain);
    }
  }
}

TEST(a_reset_forgets_what_was_added) {
  const std::vector<double> few = {1, 2}, many = {1, 2, 3, 4, 5};
  RunningMedian running;
  running.reset(many);
  running.add(4, 100);
  running.reset(few);
  CHECK_EQUAL(running.weight(), 0.0);
  running.add(1, 1);
  CHECK_EQUAL(running.median(), 2.0);
  CHECK_EQUAL(running.deviation(), 0.0);
}

TEST(sums_of_large_values_are_exact) {
  const std::vector<double> values = {-0x1p50, -1, 0, 1, 0x1p50};
  RunningMedian running;
  running.reset(values);
  for (std::uint32_t rank : {0u, 4u, 1u, 3u, 2u}) running.add(rank, 1);
  CHECK_EQUAL(running.deviation(), 0x1p51 + 2);
  running.remove(0, 1);
  running.remove(4, 1);
  CHECK_EQUAL(running.deviation(), 2.0);
}

TEST(a_sweep_knows_the_deviation_of_what_is_left) {
  Draws draws(71);
  for (int n : {1, 2, 3, 5, 8, 40})
    for (int round = 0; round < 20; ++round) {
      OrderedRows rows;
      double last = -50;
      for (int i = 0; i < n; ++i) {
        rows.value.push_back(last += draws.below(4));  // equal values, too
        rows.weight.push_back(1 + draws.below(5));
      }
      std::vector<std::uint8_t> in(n, 1);
      for (int i = 1; i < n && round % 2; ++i) in[i] = draws.below(4) > 0;
      MedianSweep<Wide> sweep;
      sweep.reset(rows, round % 2 ? in.data() : nullptr);
      auto left = std::count(in.begin(), in.end(), 1);
      for (;;) {
        CHECK_EQUAL(sweep.deviation(), plain_deviation(rows, in));
        if (--left == 0) break;
        int place = draws.below(n);
        while (!in[place]) place = (place + 1) % n;
        in[place] = 0;
        sweep.remove(place);
      }
    }
}

}  // namespace bough::tests
