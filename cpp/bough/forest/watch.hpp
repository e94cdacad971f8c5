// Asks the monitor now and then, from the calling thread only, whether to go on.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

#include "bough/grow/grow.hpp"
#include "bough/grow/problem.hpp"

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
  // Waits until all work, or so much of it, is done or it is told to stop; the calling thread asks meanwhile.
  // A round of as many waits as the team has members, after all its items, leaves no time when nobody asks.
  void wait(bool mine) { wait(mine, work_); }
  void wait(bool mine, double work) {
    while (!stop(mine) && !failed_.load(std::memory_order_relaxed) &&
           finished_.load(std::memory_order_relaxed) < work)
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

  // A piece of the work: done when it goes out of scope. One that throws ends all waits.
  class Piece {
   public:
    Piece(ForestWatch& watch, double work) : watch_(watch), work_(work) {}
    Piece(const Piece&) = delete;
    Piece& operator=(const Piece&) = delete;
    ~Piece() {
      if (std::uncaught_exceptions() > 0) watch_.failed_.store(true);
      watch_.done(work_);
    }

   private:
    ForestWatch& watch_;
    double work_;
  };

 private:
  const Monitor& monitor_;
  double work_;
  std::atomic<double> finished_{0};
  std::atomic<bool> stopped_{false};
  std::atomic<bool> failed_{false};
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
};

}  // namespace bough
