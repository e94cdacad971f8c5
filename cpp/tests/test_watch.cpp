// A long growth shows how far it has come and can be stopped.
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

#include "bough/grow/grow.hpp"
#include "drawn_data.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// Growth that takes long enough to be asked about on any machine: the table doubles until it does.
class LongGrowth {
 public:
  LongGrowth() {
    recipe.criterion = Criterion::absolute_error;
    for (int n_rows = 4000;; n_rows *= 2) {
      drawn_ = std::make_unique<DrawnData>(draws_, n_rows);
      drawn_->floats(1 << 20).doubles(1 << 20).floats(1 << 20).numbers(1 << 20);
      const auto begin = std::chrono::steady_clock::now();
      grow(3, nullptr);
      if (std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(400)) return;
    }
  }
  GrownTree grow(int n_threads, const Monitor& monitor) const {
    return bough::grow(drawn_->data(), recipe, n_threads, monitor);
  }

  Recipe recipe;

 private:
  Draws draws_{91};
  std::unique_ptr<DrawnData> drawn_;
};

LongGrowth& long_growth() {
  static LongGrowth growth;
  return growth;
}

struct Refused : std::runtime_error {
  Refused() : std::runtime_error("refused") {}
};

}  // namespace

TEST(a_monitor_that_says_no_stops_growth) {
  LongGrowth& growth = long_growth();
  for (int max_leaves : {0, 1 << 20})
    for (int n_threads : {1, 3}) {
      growth.recipe.limits.max_leaves = max_leaves;
      CHECK_THROWS(growth.grow(n_threads, [](double) { return false; }), Interrupted);
    }
  growth.recipe.limits.max_leaves = 0;
}

TEST(what_a_monitor_throws_reaches_the_caller) {
  const LongGrowth& growth = long_growth();
  for (int n_threads : {1, 3})
    CHECK_THROWS(growth.grow(n_threads, [](double) -> bool { throw Refused(); }), Refused);
}

TEST(a_monitor_is_asked_by_the_calling_thread_about_a_growing_share) {
  const LongGrowth& growth = long_growth();
  const std::thread::id caller = std::this_thread::get_id();
  double last = 0;
  int asked = 0;
  const GrownTree tree = growth.grow(3, [&](double share) {
    CHECK(std::this_thread::get_id() == caller);
    CHECK(share >= last && share <= 1);
    last = share;
    ++asked;
    return true;
  });
  CHECK(asked > 0);
  CHECK(tree.parent.size() > 1000);
}

}  // namespace bough::tests
