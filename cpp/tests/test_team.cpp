// A team does every item once, in any number of rounds, and hands exceptions to its caller.
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "bough/machine/team.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// How often each item was done; whether every member's number was one of the team's.
struct Tally {
  std::vector<std::atomic<int>> times;
  std::atomic<bool> strangers{false};

  explicit Tally(int n) : times(n) {}
  void run(Team& team) {
    team.run(static_cast<int>(times.size()), [this, &team](int item, int member) {
      ++times[item];
      if (member < 0 || member >= team.size()) strangers = true;
    });
  }
  bool each(int expected) const {
    for (const auto& t : times)
      if (t != expected) return false;
    return !strangers;
  }
};

}  // namespace

TEST(every_item_is_done_once) {
  for (int n_members = 1; n_members <= 8; ++n_members) {
    Team team(n_members);
    CHECK(team.size() >= 1 && team.size() <= n_members);
    for (int n : {0, 1, 2, 3, 7, 1000}) {
      Tally tally(n);
      tally.run(team);
      CHECK(tally.each(1));
    }
  }
}

TEST(a_team_of_none_is_its_caller) {
  for (int n_members : {0, -3}) {
    Team team(n_members);
    CHECK_EQUAL(team.size(), 1);
    Tally tally(5);
    tally.run(team);
    CHECK(tally.each(1));
  }
}

TEST(many_rounds) {
  for (int n_members : {1, 2, 4, 8}) {
    Team team(n_members);
    Tally tally(5);
    for (int round = 0; round < 500; ++round) tally.run(team);
    CHECK(tally.each(500));
  }
}

TEST(what_members_wrote_is_seen_by_the_caller) {
  Team team(4);
  std::vector<int> plain(64, 0);
  for (int round = 1; round <= 200; ++round) {
    team.run(64, [&](int item, int) { plain[item] += round; });
    CHECK_EQUAL(plain[63], round * (round + 1) / 2);
  }
}

TEST(members_that_slept_wake_again) {
  Team team(3);
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(15));
    Tally tally(6);
    tally.run(team);
    CHECK(tally.each(1));
  }
}

TEST(an_exception_reaches_the_caller_and_the_team_lives_on) {
  for (int n_members : {1, 2, 8}) {
    Team team(n_members);
    for (int round = 0; round < 50; ++round) {
      CHECK_THROWS(team.run(20,
                            [&](int item, int) {
                              if (item == round % 20) throw std::runtime_error("an item failed");
                            }),
                   std::runtime_error);
      Tally tally(20);
      tally.run(team);
      CHECK(tally.each(1));
    }
  }
}

TEST(of_many_exceptions_one_is_thrown) {
  Team team(4);
  CHECK_THROWS(team.run(1000, [](int, int) { throw std::logic_error("every item fails"); }),
               std::logic_error);
  team.run(10, [](int, int) {});
}

TEST(teams_come_and_go) {
  for (int i = 0; i < 50; ++i) {
    Team idle(4);
    Team team(2);
    Tally tally(3);
    tally.run(team);
    CHECK(tally.each(1));
  }
}

}  // namespace bough::tests
