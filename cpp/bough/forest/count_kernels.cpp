#include "bough/forest/count_kernels.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "bough/machine/kernel_sets.hpp"

namespace bough {

namespace {

// Vectors that the compiler maps on what the processor has.
using Ints = std::int32_t __attribute__((vector_size(4 * kLanes)));
using Counts = std::uint32_t __attribute__((vector_size(4 * kLanes)));
using Floats = float __attribute__((vector_size(4 * kLanes)));
using Bytes = std::uint8_t __attribute__((vector_size(kLanes)));

template <class V, class T>
BOUGH_INLINE void load(V& v, const T* from) {
  std::memcpy(&v, from, sizeof v);
}

template <class V, class T>
BOUGH_INLINE void store(const V& v, T* to) {
  std::memcpy(to, &v, sizeof v);
}

// The least number of draws that reaches what is asked for.
BOUGH_INLINE std::int32_t at_least(double least) {
  const auto whole = static_cast<std::int32_t>(std::min(least, 32768.0));
  return std::max(1, whole + (whole < least));
}

// Numbers of draws are whole and below 2^15, so their products are exact.
BOUGH_INLINE void value(const Counts& left, const CountedNode& node, std::int32_t least, Floats& worth) {
  const Ints draws = reinterpret_cast<Ints>(left & 0xffff), ones = reinterpret_cast<Ints>(left >> 16);
  const Ints rest = node.all - draws, d = ones * node.all - node.second * draws;
  const Floats from = __builtin_convertvector(d, Floats),
               sides = __builtin_convertvector(draws * rest, Floats);
  const Ints allowed = (draws >= least) & (rest >= least);
  const Floats quotient = from * from / sides;
  worth = allowed ? quotient : (Floats{} - 1);
}

// Writes the values of kLanes cuts and raises the highest so far.
BOUGH_INLINE void write_values(const Counts& left, const CountedNode& node, std::int32_t least, float* worth,
                               Floats& peak) {
  Floats here;
  value(left, node, least, here);
  store(here, worth);
  peak = here > peak ? here : peak;
}

BOUGH_INLINE float highest_of(const Floats& v) {
  float lane[kLanes];
  store(v, lane);
  for (int half = kLanes / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) lane[i] = lane[i] > lane[i + half] ? lane[i] : lane[i + half];
  return lane[0];
}

BOUGH_INLINE float cut_rows(const std::int32_t* code, const std::uint32_t* count, int n, std::int32_t highest,
                            std::uint32_t base, const CountedNode& node, std::uint32_t* left, float* worth) {
  const std::int32_t least = at_least(node.least);
  Floats peak = Floats{} - 1;
  for (int begin = 0; begin < n; begin += kLanes) {
    Ints own;
    load(own, code + begin);
    Counts below = Counts{} + base;
    for (int i = 0; i < n; ++i) below += reinterpret_cast<Counts>(own >= code[i]) & count[i];
    below &= reinterpret_cast<Counts>(own < highest);
    store(below, left + begin);
    write_values(below, node, least, worth + begin, peak);
  }
  return highest_of(peak);
}

BOUGH_INLINE float values(const std::uint32_t* left, int n, const CountedNode& node, float* worth) {
  const std::int32_t least = at_least(node.least);
  Floats peak = Floats{} - 1;
  for (int i = 0; i < n; i += kLanes) {
    Counts counted;
    load(counted, left + i);
    write_values(counted, node, least, worth + i, peak);
  }
  return highest_of(peak);
}

// The value is convex in the two counts, so within a bin it is highest at a corner: where all of one class
// come first.
BOUGH_INLINE bool may_beat(const std::uint32_t* before, const std::uint32_t* content, int n,
                           const CountedNode& node, double floor, std::uint8_t* open) {
  const std::int32_t first = node.all - node.second;
  const auto bar = static_cast<float>(floor * (1 - 8 * static_cast<double>(kRough)));
  Ints any = {};
  for (int i = 0; i < n; i += kLanes) {
    Counts counted, bin;
    load(counted, before + i);
    load(bin, content + i);
    const Ints draws = reinterpret_cast<Ints>(counted & 0xffff), ones = reinterpret_cast<Ints>(counted >> 16);
    const Ints inside_ones = reinterpret_cast<Ints>(bin >> 16),
               zeros = reinterpret_cast<Ints>(bin & 0xffff) - inside_ones;
    const Ints d = ones * node.all - node.second * draws;
    const Ints at_high = draws + inside_ones, at_low = draws + zeros;
    const Floats high = __builtin_convertvector(d + inside_ones * first, Floats),
                 low = __builtin_convertvector(d - zeros * node.second, Floats);
    const Ints opens = (high * high > bar * __builtin_convertvector(at_high * (node.all - at_high), Floats)) |
                       (low * low > bar * __builtin_convertvector(at_low * (node.all - at_low), Floats));
    const Bytes bytes = __builtin_convertvector(opens, Bytes) & 1;
    store(bytes, open + i);
    any |= opens;
  }
  std::int32_t lane[kLanes], some = 0;
  store(any, lane);
  for (std::int32_t one : lane) some |= one;
  return some != 0;
}

BOUGH_INLINE int list_within(const std::int32_t* code, int n, const std::int32_t* first,
                             const std::int32_t* last, int n_ranges, std::uint64_t* key) {
  int found = 0;
  const auto put = [&](int i) {
    key[found++] = static_cast<std::uint64_t>(code[i]) << 32 | static_cast<std::uint32_t>(i);
  };
  for (int i = 0; i < n; i += kLanes) {
    Ints own, within = {};
    load(own, code + i);
    for (int r = 0; r < n_ranges; ++r) within |= (own >= first[r]) & (own <= last[r]);
    const Bytes bytes = __builtin_convertvector(within, Bytes);
    std::uint64_t hits;
    store(bytes, &hits);
    for (hits &= 0x8080808080808080u; hits; hits &= hits - 1)
      if (const int at = i + __builtin_ctzll(hits) / 8; at < n) put(at);
  }
  return found;
}

// V: a vector of T's.
template <class V, class T, class From>
BOUGH_INLINE std::pair<T, T> fetch(const Cells<From>& from, const std::uint32_t* index, int n, T* to,
                                   T none_below, T none_above) {
  V least = V{} + none_above, most = V{} + none_below;
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const std::uint32_t* at = index + i;
    const V own = {static_cast<T>(from[at[0]]), static_cast<T>(from[at[1]]), static_cast<T>(from[at[2]]),
                   static_cast<T>(from[at[3]]), static_cast<T>(from[at[4]]), static_cast<T>(from[at[5]]),
                   static_cast<T>(from[at[6]]), static_cast<T>(from[at[7]])};
    store(own, to + i);
    least = own < least ? own : least;
    most = own > most ? own : most;
  }
  T low = none_above, high = none_below;
  for (; i < n; ++i) {
    const T own = to[i] = static_cast<T>(from[index[i]]);
    low = own < low ? own : low;
    high = own > high ? own : high;
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    low = least[lane] < low ? least[lane] : low;
    high = most[lane] > high ? most[lane] : high;
  }
  return {low, high};
}

BOUGH_INLINE std::pair<std::int32_t, std::int32_t> fetch_codes(const Cells<std::uint32_t>& code,
                                                               const std::uint32_t* index, int n,
                                                               std::int32_t* to) {
  return fetch<Ints>(code, index, n, to, std::int32_t{-1}, std::numeric_limits<std::int32_t>::max());
}

BOUGH_INLINE std::pair<std::int32_t, std::int32_t> around(const std::int32_t* code, int n,
                                                          std::int32_t last) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  Ints under = Ints{} - 1, over = Ints{} + kMost;
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Ints own;
    load(own, code + i);
    const Ints right = own > last, lower = right ? Ints{} - 1 : own, upper = right ? own : Ints{} + kMost;
    under = lower > under ? lower : under;
    over = upper < over ? upper : over;
  }
  std::int32_t below = -1, above = kMost;
  for (; i < n; ++i) {
    below = std::max(below, code[i] > last ? -1 : code[i]);
    above = std::min(above, code[i] > last ? code[i] : kMost);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    below = std::max(below, static_cast<std::int32_t>(under[lane]));
    above = std::min(above, static_cast<std::int32_t>(over[lane]));
  }
  return {below, above};
}

BOUGH_INLINE std::pair<float, float> fetch_values(const Cells<float>& value, const std::uint32_t* index,
                                                  int n, float* to) {
  constexpr float kMost = std::numeric_limits<float>::infinity();
  return fetch<Floats>(value, index, n, to, -kMost, kMost);
}

BOUGH_INLINE std::uint32_t below(const float* value, const std::uint32_t* count, int n, float cut) {
  Counts sum = {};
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Floats own;
    Counts here;
    load(own, value + i);
    load(here, count + i);
    sum += reinterpret_cast<Counts>(own < cut) & here;
  }
  std::uint32_t total = 0;
  for (; i < n; ++i) total += value[i] < cut ? count[i] : 0;
  for (int lane = 0; lane < kLanes; ++lane) total += sum[lane];
  return total;
}

#define BOUGH_COUNT_KERNELS(name, target)                                                                  \
  namespace name {                                                                                         \
  target float of_rows(const std::int32_t* code, const std::uint32_t* count, int n, std::int32_t highest,  \
                       std::uint32_t base, const CountedNode& node, std::uint32_t* left, float* value) {   \
    return cut_rows(code, count, n, highest, base, node, left, value);                                     \
  }                                                                                                        \
  target float of_values(const std::uint32_t* left, int n, const CountedNode& node, float* value) {        \
    return values(left, n, node, value);                                                                   \
  }                                                                                                        \
  target bool of_may_beat(const std::uint32_t* before, const std::uint32_t* content, int n,                \
                          const CountedNode& node, double floor, std::uint8_t* open) {                     \
    return may_beat(before, content, n, node, floor, open);                                                \
  }                                                                                                        \
  target int of_list(const std::int32_t* code, int n, const std::int32_t* first, const std::int32_t* last, \
                     int n_ranges, std::uint64_t* key) {                                                   \
    return list_within(code, n, first, last, n_ranges, key);                                               \
  }                                                                                                        \
  target std::pair<std::int32_t, std::int32_t> of_codes(const Cells<std::uint32_t>& code,                  \
                                                        const std::uint32_t* index, int n,                 \
                                                        std::int32_t* to) {                                \
    return fetch_codes(code, index, n, to);                                                                \
  }                                                                                                        \
  target std::pair<std::int32_t, std::int32_t> of_around(const std::int32_t* code, int n,                  \
                                                         std::int32_t last) {                              \
    return around(code, n, last);                                                                          \
  }                                                                                                        \
  target std::pair<float, float> of_fetch(const Cells<float>& value, const std::uint32_t* index, int n,    \
                                          float* to) {                                                     \
    return fetch_values(value, index, n, to);                                                              \
  }                                                                                                        \
  target std::uint32_t of_below(const float* value, const std::uint32_t* count, int n, float cut) {        \
    return below(value, count, n, cut);                                                                    \
  }                                                                                                        \
  constexpr CountKernels kAll{of_rows,  of_values, of_may_beat, of_list,                                   \
                              of_codes, of_around, of_fetch,    of_below};                                 \
  }

BOUGH_COUNT_KERNELS(anywhere, )
#if defined(BOUGH_AVX2)
BOUGH_COUNT_KERNELS(avx2, BOUGH_AVX2)
#endif

}  // namespace

std::vector<const CountKernels*> runnable_kernels() {
  return runnable_sets(anywhere::kAll, BOUGH_SET_OF_AVX2(avx2::kAll));
}

}  // namespace bough
