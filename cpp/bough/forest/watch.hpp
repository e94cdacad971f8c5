// Asks the monitor now and then, from the calling thread only, whether to go on.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "bough/grow.hpp"
#include "bough/problem.hpp"

namespace bough {

class ForestWatch {
 public:
  ForestWatch(const Monitor& monitor, double work) : monitor_(monitor), work_(work) {}

  void done(double work) { finished_.fetch_add(work, std::memory_order_relaxed); }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

  // Whether to stop; `mine`: this is the calling thread.
  bool stop(bool mine) {
    if (mine) ask();
    return stopped();
  }
  // Asks until all work is done or it is told to stop.
  void wait() {
    while (!stop(true) && finished_.load(std::memory_order_relaxed) < work_)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  void ask() {
    const auto now = std::chrono::steady_clock::now();
    if (!monitor_ || now < next_) return;
    next_ = now + std::chrono::milliseconds(50);
    if (!monitor_(std::min(1.0, finished_.load(std::memory_order_relaxed) / std::max(work_, 1.0))))
      stopped_.store(true);
  }
  void ask_or_throw() {
    ask();
    check();
  }
  void check() const {
    if (stopped()) throw Interrupted();
  }

 private:
  const Monitor& monitor_;
  double work_;
  std::atomic<double> finished_{0};
  std::atomic<bool> stopped_{false};
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
};

}  // namespace bough
