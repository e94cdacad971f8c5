// Work of a team under a watch: members without work wait for the others, so that the thread of the monitor
// keeps polling while they finish.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

#include "bough/machine/team.hpp"
#include "bough/machine/watch.hpp"

namespace bough {

// Calls work(item, member) for every item in [0, n_items), unless the watch is stopped.
template <class Work>
void run_watched(Team& team, Watch& watch, int n_items, const Work& work) {
  std::atomic<int> left{n_items};
  struct Item {
    std::atomic<int>& left;
    int exceptions = std::uncaught_exceptions();
    // After an exception the items that are left are not handed out.
    ~Item() { std::uncaught_exceptions() > exceptions ? left.store(0) : void(left.fetch_sub(1)); }
  };
  team.run(n_items + team.size(), [&](int i, int member) {
    if (i >= n_items) {
      while (left.load() > 0 && !watch.should_stop())
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      return;
    }
    const Item item{left};
    if (!watch.stopped()) work(i, member);
  });
}

}  // namespace bough
