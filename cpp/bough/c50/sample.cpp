#include "bough/c50/sample.hpp"

#include <array>

namespace bough::c50 {

namespace {

// Knuth's subtractive generator with lags 55 and 24, as C5.0 seeds it: by throwing numbers away.
class Draws {
 public:
  explicit Draws(int seed) {
    double now = 1.0, next = 0.314159285;
    for (int i = 1; i <= kLag; ++i) {
      const int at = (i * 21) % kLag;
      ring_[at] = now;
      now = next - now;
      if (now < 0) now += 1.0;
      next = ring_[at];
    }
    for (int round = 0; round < 6; ++round)
      for (int i = 0; i < kLag; ++i) subtract(i, (i + 30) % kLag);
    for (std::int64_t i = 0; i < std::int64_t{seed} + 1000; ++i) next_share();
  }

  double next_share() {
    first_ = (first_ + 1) % kLag;
    second_ = (second_ + 1) % kLag;
    subtract(first_, second_);
    return ring_[first_];
  }

 private:
  static constexpr int kLag = 55;

  void subtract(int from, int what) {
    ring_[from] -= ring_[what];
    if (ring_[from] < 0) ring_[from] += 1.0;
  }

  std::array<double, kLag> ring_{};
  int first_ = 0, second_ = 31;
};

}  // namespace

std::vector<Row> sample_rows(Row n_rows, float share, int seed) {
  Draws draws(seed);
  auto wanted = static_cast<Row>(n_rows * share + 0.5);
  std::vector<Row> rows;
  for (Row i = 0; i < n_rows; ++i) {
    if (!(draws.next_share() < wanted / static_cast<float>(n_rows - i))) continue;
    rows.push_back(i);
    --wanted;
  }
  return rows;
}

}  // namespace bough::c50
