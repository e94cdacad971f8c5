#include "bough/machine/team.hpp"

#include <system_error>
#include <utility>

#include "bough/machine/waiting.hpp"

namespace bough {

void Team::start() {
  if (!threads_.empty()) return;
  threads_.reserve(n_members_ - 1);
  try {
    for (int member = 1; member < n_members_; ++member)
      threads_.emplace_back([this, member] { serve(member); });
  } catch (const std::system_error&) {
    // The machine gives no more threads: those we have do the work.
  }
}

Team::~Team() {
  stop_.store(true);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::run(int n_items, const std::function<void(int, int)>& work) {
  work_ = &work;
  n_items_ = n_items;
  next_.store(0, std::memory_order_relaxed);
  if (n_items > 1 && n_members_ > 1) start();
  const bool together = !threads_.empty() && n_items > 1;
  if (together) {
    busy_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }
  take_items(0);
  if (together) {
    for (int left = busy_.load(std::memory_order_acquire); left != 0;
         left = busy_.load(std::memory_order_acquire))
      wait_while(busy_, left);
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Team::take_items(int member) {
  try {
    for (int item = next_.fetch_add(1); item < n_items_; item = next_.fetch_add(1)) (*work_)(item, member);
  } catch (...) {
    next_.store(n_items_);
    const std::lock_guard<std::mutex> lock(failure_lock_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void Team::serve(int member) {
  std::uint32_t seen = 0;
  for (;;) {
    wait_while(round_, seen);
    seen = round_.load(std::memory_order_acquire);
    if (stop_.load()) return;
    take_items(member);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

}  // namespace bough
