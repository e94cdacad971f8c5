// A buffer is uninitialized memory for large arrays: aligned for vectors, on huge pages where the system
// offers them, which saves most of the cost of touching it for the first time.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#elif defined(_WIN32)
#include <malloc.h>
#endif

namespace bough {

#if defined(_WIN32)
inline void* allocate_aligned(std::size_t alignment, std::size_t size) {
  return _aligned_malloc(size, alignment);
}
inline void free_aligned(void* p) { _aligned_free(p); }
#else
inline void* allocate_aligned(std::size_t alignment, std::size_t size) {
  return std::aligned_alloc(alignment, size);
}
inline void free_aligned(void* p) { std::free(p); }
#endif

struct FreeBuffer {
  void operator()(void* p) const { free_aligned(p); }
};

// Memory for n elements: large arrays begin a huge page.
template <class T>
T* allocate(std::size_t n) {
  constexpr std::size_t kLine = 64, kHugePage = std::size_t{1} << 21;
  const std::size_t alignment = n * sizeof(T) >= 2 * kHugePage ? kHugePage : kLine;
  const std::size_t size = (n * sizeof(T) + alignment) / alignment * alignment;
  void* p = allocate_aligned(alignment, size);
  if (p == nullptr) throw std::bad_alloc();
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (alignment == kHugePage)
    madvise(p, size, MADV_HUGEPAGE);  // a wish: where it is refused, pages stay small
#endif
  return static_cast<T*>(p);
}

// A vector whose new elements are not set to zero: they are all written before they are read. Those of few
// elements are not aligned, which would take longer than all else that is done to a small tree.
template <class T>
struct Unset : std::allocator<T> {
  T* allocate(std::size_t n) {
    constexpr std::size_t kFewBytes = 1024, kLine = 64, kAlignment = alignof(std::max_align_t);
    if (n * sizeof(T) > kFewBytes) return bough::allocate<T>(n);
    void* p = allocate_aligned(kAlignment, (n * sizeof(T) + kLine) / kLine * kLine);
    if (p == nullptr) throw std::bad_alloc();
    return static_cast<T*>(p);
  }
  void deallocate(T* p, std::size_t) { free_aligned(p); }
  template <class U>
  struct rebind {
    using other = Unset<U>;
  };
  template <class U>
  void construct(U* p) noexcept {
    ::new (static_cast<void*>(p)) U;
  }
  template <class U, class... Arguments>
  void construct(U* p, Arguments&&... arguments) {
    ::new (static_cast<void*>(p)) U(std::forward<Arguments>(arguments)...);
  }
};

template <class T>
using RawVector = std::vector<T, Unset<T>>;

template <class T>
using Buffer = std::unique_ptr<T[], FreeBuffer>;

template <class T>
Buffer<T> make_buffer(std::size_t n) {
  return Buffer<T>(allocate<T>(n));
}

}  // namespace bough
