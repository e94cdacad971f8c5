// How threads wait for each other: they spin briefly, then sleep.
#pragma once

#include <atomic>

namespace bough {

// Waits until the value is no longer `old`.
template <class T>
void wait_while(const std::atomic<T>& value, T old) {
  constexpr int kSpins = 2000;
  for (int i = 0; i < kSpins; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace bough
