// A second thread: every piece of work is done once, by it or by its caller, who does not wait for it long.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "bough/machine/second_thread.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

constexpr int kNoEnd = 1 << 30;

void rest(int microseconds) { std::this_thread::sleep_for(std::chrono::microseconds(microseconds)); }

}  // namespace

TEST(pieces_of_a_second_thread_are_done_once_and_in_order) {
  for (const bool wakes : {true, false}) {
    std::vector<int> done;
    int piece = 0;
    SecondThread second([&] { done.push_back(piece); });
    std::vector<int> wanted;
    for (piece = 0; piece < 3000; ++piece) {
      second.offer();
      if (wakes && piece % 100 == 0) second.wake();
      if (piece % 500 == 0) rest(300);  // it falls asleep
      CHECK(second.finish(kNoEnd));
      CHECK(second.is_idle());
      wanted.push_back(piece);
    }
    CHECK(done == wanted);
  }
}

TEST(work_that_a_second_thread_began_is_not_done_twice_and_not_waited_for) {
  std::atomic<bool> goes_on{false}, began{false};
  std::atomic<int> n_done{0};
  const std::thread::id caller = std::this_thread::get_id();
  SecondThread second([&] {
    began.store(true);
    while (std::this_thread::get_id() != caller && !goes_on.load()) rest(10);
    n_done.fetch_add(1);
  });
  second.offer();
  second.wake();
  while (!began.load()) rest(10);
  CHECK(!second.finish(5));
  CHECK(!second.is_idle());
  CHECK_EQUAL(n_done.load(), 0);
  goes_on.store(true);
  CHECK(second.finish(kNoEnd));
  CHECK_EQUAL(n_done.load(), 1);
}

TEST(a_second_thread_ends_after_the_piece_that_it_has_begun) {
  for (const bool retires : {true, false}) {
    std::atomic<bool> goes_on{false}, began{false}, done{false};
    std::thread later;
    {
      SecondThread second([&] {
        began.store(true);
        while (!goes_on.load()) rest(10);
        done.store(true);
      });
      second.offer();
      second.wake();
      while (!began.load()) rest(10);
      CHECK(!second.finish(0));
      if (retires) second.retire();
      CHECK(!second.is_idle());
      later = std::thread([&] {
        rest(300);
        goes_on.store(true);
      });
    }
    CHECK(done.load());
    later.join();
  }
}

TEST(a_second_thread_that_was_never_needed_or_sleeps_ends) {
  int n_done = 0;
  {
    const SecondThread never([&] { ++n_done; });
  }
  CHECK_EQUAL(n_done, 0);
  {
    SecondThread sleeps([&] { ++n_done; });
    sleeps.offer();
    sleeps.wake();
    CHECK(sleeps.finish(kNoEnd));
    rest(2000);
  }
  CHECK_EQUAL(n_done, 1);
}

TEST(work_of_a_retired_second_thread_is_done_by_its_caller) {
  std::vector<std::thread::id> by;
  SecondThread second([&] { by.push_back(std::this_thread::get_id()); });
  second.offer();
  second.wake();
  CHECK(second.finish(kNoEnd));
  second.retire();
  rest(300);
  for (int piece = 0; piece < 10; ++piece) {
    second.offer();
    second.wake();
    CHECK(second.finish(0));
    CHECK(by.back() == std::this_thread::get_id());
  }
  CHECK_EQUAL(static_cast<int>(by.size()), 11);
}

}  // namespace bough::tests
