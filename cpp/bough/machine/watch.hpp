// The watch of long native work: it reports progress to a monitor, learns from it whether to stop, and lets
// the threads of a team wait for each other without missing that.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace bough {

// Called now and then with the share of the work done, always by the thread that asked for the work; work
// stops when it returns false. May be empty.
using Monitor = std::function<bool(double)>;

// Thrown when the monitor asks to stop.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

// Any thread may call its functions; only the thread that made it calls the monitor, at most every 50 ms.
class Watch {
 public:
  // work: the sum of what will be passed to done(), in any unit.
  explicit Watch(Monitor monitor, double work = 1) : monitor_(std::move(monitor)), work_(work) {}
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void done(double work) { finished_.fetch_add(work, std::memory_order_relaxed); }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  void throw_if_stopped() const {
    if (stopped()) throw Interrupted();
  }

  // Calls the monitor if this is its thread, it is time and nothing has stopped the work yet.
  void poll() {
    if (!monitor_ || stopped() || std::this_thread::get_id() != owner_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(50);
    if (!monitor_(std::min(1.0, finished_.load(std::memory_order_relaxed) / std::max(work_, 1.0))))
      stopped_.store(true);
  }
  bool should_stop() {
    poll();
    return stopped();
  }
  void poll_or_throw() {
    poll();
    throw_if_stopped();
  }

  // Waits until all work, or so much of it, is done, or until it is stopped or has failed. Queue one wait per
  // thread after the work, so that the thread of the monitor keeps polling while others finish.
  void wait() { wait(work_); }
  void wait(double work) {
    while (!should_stop() && !failed_.load(std::memory_order_relaxed) &&
           finished_.load(std::memory_order_relaxed) < work)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  // A piece of the work: done when it goes out of scope. One that throws ends all waits.
  class Piece {
   public:
    Piece(Watch& watch, double work) : watch_(watch), work_(work) {}
    Piece(const Piece&) = delete;
    Piece& operator=(const Piece&) = delete;
    ~Piece() {
      if (std::uncaught_exceptions() > 0) watch_.failed_.store(true);
      watch_.done(work_);
    }

   private:
    Watch& watch_;
    double work_;
  };

 private:
  const Monitor monitor_;
  double work_;
  const std::thread::id owner_ = std::this_thread::get_id();
  std::atomic<double> finished_{0};
  std::atomic<bool> stopped_{false};
  std::atomic<bool> failed_{false};
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
};

}  // namespace bough
