// A second thread that takes over a share of many short pieces of work, for which a team would wait too long.
// Its caller never waits for a piece that the thread has not begun, but does it itself, and does not wait
// long for one in progress, so that a machine busy with other work costs nothing. The thread lives as long as
// the object, and is started by the first piece. Between two pieces it spins briefly, then sleeps.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

namespace bough {

class SecondThread {
 public:
  // work: does the piece that was offered last, whose input the caller writes before. It must not throw.
  explicit SecondThread(std::function<void()> work) : work_(std::move(work)) {}
  ~SecondThread();
  SecondThread(const SecondThread&) = delete;
  SecondThread& operator=(const SecondThread&) = delete;

  // Whether this process may run two threads at once, and no others wait for the cores of the machine.
  static bool is_useful();

  // Whether nothing is in progress: only then the input of a piece may be written, and its result read.
  bool is_idle() const { return done_.load(std::memory_order_acquire) == offered_; }

  // Lets the thread begin a piece of work, if it is awake.
  void offer();

  // Starts the thread, or wakes it if it sleeps, after a piece was offered; worth while if more follow soon.
  void wake();

  // Ends the thread, unless it is at work, as soon as it runs; the caller does all pieces from now on.
  void retire();

  // Has the piece done, by the caller unless the thread has begun it. If it has, waits for it, but no longer
  // than some tens of nanoseconds `patience` times; false if it is still in progress then.
  bool finish(int patience);

 private:
  void serve();
  bool begin(std::uint32_t piece);

  const std::function<void()> work_;
  std::thread thread_;
  bool refused_ = false;       // the machine gives no thread
  std::uint32_t offered_ = 0;  // as the caller knows it
  // Each on a line of its own, as both threads write them.
  alignas(64) std::atomic<std::uint32_t> shown_{0};
  alignas(64) std::atomic<std::uint32_t> begun_{0};
  alignas(64) std::atomic<std::uint32_t> done_{0};
  alignas(64) std::atomic<bool> asleep_{false};
  std::atomic<bool> stop_{false};
};

}  // namespace bough
