#include "bough/machine/second_thread.hpp"

#include <cstdio>
#include <system_error>

#if defined(__linux__)
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>
#endif

namespace bough {

namespace {

// Some tens of nanoseconds.
void rest_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("isb");  // "yield" takes no time on most of these processors
#endif
}

#if defined(__linux__)
// The number of threads of the whole machine that run or wait for a core; 0: not known.
int n_running() {
  const int file = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[128] = {};
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  int running = 0;
  // Three averages, which a locale may not read as numbers, come first.
  return length > 0 && std::sscanf(text, "%*s %*s %*s %d/", &running) == 1 ? running : 0;
}
#endif

}  // namespace

SecondThread::~SecondThread() {
  retire();
  if (thread_.joinable()) thread_.join();
}

void SecondThread::retire() {
  refused_ = true;
  if (!thread_.joinable()) return;
  stop_.store(true);
  shown_.fetch_add(1);  // it waits for another number
  shown_.notify_all();
}

bool SecondThread::is_useful() {
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) < 2) return false;
  if (n_running() >= sysconf(_SC_NPROCESSORS_ONLN)) return false;
#endif
  return std::thread::hardware_concurrency() != 1;
}

void SecondThread::wake() {
  if (thread_.joinable()) {
    if (!asleep_.load(std::memory_order_relaxed)) return;
    shown_.notify_all();
  } else if (!refused_) {
    try {
      thread_ = std::thread([this] { serve(); });
    } catch (const std::system_error&) {
      refused_ = true;  // the caller does all the work
    }
  }
}

void SecondThread::offer() { shown_.store(++offered_, std::memory_order_release); }

// Whether the piece is the asking thread's to do.
bool SecondThread::begin(std::uint32_t piece) {
  std::uint32_t before = piece - 1;
  return begun_.compare_exchange_strong(before, piece, std::memory_order_acq_rel);
}

bool SecondThread::finish(int patience) {
  if (is_idle()) return true;
  if (begin(offered_)) {
    work_();
    done_.store(offered_, std::memory_order_release);
    return true;
  }
  for (int i = 0; !is_idle(); ++i) {
    if (i >= patience) return false;
    rest_briefly();
  }
  return true;
}

void SecondThread::serve() {
  constexpr int kSpins = 1500;  // about the time between two trees of a small table
  std::uint32_t seen = 0;
  for (;;) {
    int spins = 0;
    std::uint32_t now = shown_.load(std::memory_order_acquire);
    for (; now == seen; now = shown_.load(std::memory_order_acquire)) {
      rest_briefly();
      if (++spins < kSpins) continue;
      asleep_.store(true, std::memory_order_relaxed);
      shown_.wait(seen, std::memory_order_acquire);
      asleep_.store(false, std::memory_order_relaxed);
    }
    if (stop_.load()) return;
    seen = now;
    if (!begin(seen)) continue;
    work_();
    done_.store(seen, std::memory_order_release);
  }
}

}  // namespace bough
