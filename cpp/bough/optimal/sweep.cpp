#include "bough/optimal/sweep.hpp"

#include <cstring>
#include <type_traits>

#if defined(__x86_64__) && defined(__GNUC__)
#define BOUGH_X86 1
#include <immintrin.h>
#endif

namespace bough::optimal {

namespace {

#define BOUGH_INLINE inline __attribute__((always_inline))

template <class T>
struct VectorOf {
  typedef T Type __attribute__((vector_size(64)));
};

template <class T>
using Vector = typename VectorOf<T>::Type;

template <class T>
using Whole = std::conditional_t<sizeof(T) == 2, std::int16_t,
                                 std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>;

// The lane of 16-bit sums that bit `bit` of a mask belongs to: the mask is repeated as a 32-bit number, whose
// halves are the even and the odd lanes.
template <class T>
constexpr int lane_of(int bit) {
  return sizeof(T) == 2 ? 2 * (bit % 16) + bit / 16 : bit;
}

template <class T>
BOUGH_INLINE void lane_bits(Vector<Whole<T>>& bits) {
  for (int bit = 0; bit < kSweepLanes<T>; ++bit)
    bits[lane_of<T>(bit)] = static_cast<Whole<T>>(1U << (sizeof(T) == 2 ? bit % 16 : bit));
}

// All ones where the lane sends the row to the left.
template <class T>
BOUGH_INLINE void chosen_lanes(std::uint32_t mask, const Vector<Whole<T>>& bits, Vector<Whole<T>>& chosen) {
  using Words = std::conditional_t<sizeof(T) == 2, std::int32_t, Whole<T>>;
  Vector<Words> repeated = Vector<Words>{} + static_cast<Words>(mask);
  Vector<Whole<T>> own;
  std::memcpy(&own, &repeated, sizeof own);
  chosen = (own & bits) != 0;
}

template <class V>
BOUGH_INLINE void lower_to(V& least, const V& value) {
  least = value < least ? value : least;
}

template <class V>
BOUGH_INLINE void raise_to(V& most, const V& value) {
  most = value > most ? value : most;
}

template <class T>
BOUGH_INLINE void store(const Vector<T>& v, T* to) {
  for (int bit = 0; bit < kSweepLanes<T>; ++bit) to[bit] = v[lane_of<T>(bit)];
}

// Sums of one side of all lanes while an axis is swept.
template <class T>
struct Side {
  Vector<T> sum{}, cases{}, low{}, high{}, allowed_low{}, allowed_high{}, total_cases{};

  BOUGH_INLINE void add(const Vector<Whole<T>>& chosen, T value) {
    sum += chosen ? Vector<T>{} + value : Vector<T>{};
  }
  BOUGH_INLINE void add_cases(const Vector<Whole<T>>& chosen, T value) {
    cases += chosen ? Vector<T>{} + value : Vector<T>{};
  }
  BOUGH_INLINE void cut() {
    lower_to(low, sum);
    raise_to(high, sum);
  }
  BOUGH_INLINE void cut_allowed(T least, const Vector<T>& never_low, const Vector<T>& never_high) {
    const auto enough = (cases >= least) & ((total_cases - cases) >= least);
    const Vector<T> lowest = enough ? sum : never_low, highest = enough ? sum : never_high;
    lower_to(allowed_low, lowest);
    raise_to(allowed_high, highest);
  }
};

template <class T>
BOUGH_INLINE void sum_cases(const NodeRows& node, const SweepRows<T>& rows,
                            const Vector<Whole<T>>& bits, Side<T>* side) {
  const std::uint32_t* order = node.order(0);
  for (int i = 0; i < node.n; ++i) {
    Vector<Whole<T>> chosen;
    chosen_lanes<T>(rows.mask[order[i]], bits, chosen);
    side[0].add_cases(chosen, rows.cases[order[i]]);
    side[1].add_cases(~chosen, rows.cases[order[i]]);
  }
  for (int s = 0; s < 2; ++s) side[s].total_cases = side[s].cases;
}

template <class T, bool kLimited>
BOUGH_INLINE void sweep_axis(const Axis& axis, const std::uint32_t* order, int n, const SweepRows<T>& rows,
                             const Vector<Whole<T>>& bits, Side<T>* side) {
  const Vector<T> never_low = Vector<T>{} + rows.unreachable, never_high = Vector<T>{} - rows.unreachable;
  for (int s = 0; s < 2; ++s) side[s].sum = side[s].cases = Vector<T>{};
  std::uint32_t group = axis.group[order[0]];
  for (int i = 0; i < n; ++i) {
    const std::uint32_t row = order[i];
    Vector<Whole<T>> chosen;
    chosen_lanes<T>(rows.mask[row], bits, chosen);
    side[0].add(chosen, rows.advantage[row]);
    side[1].add(~chosen, rows.advantage[row]);
    if constexpr (kLimited) {
      side[0].add_cases(chosen, rows.cases[row]);
      side[1].add_cases(~chosen, rows.cases[row]);
    }
    const std::uint32_t next = i + 1 < n ? axis.group[order[i + 1]] : ~0U;
    if (next == group) continue;
    const bool known = group != axis.missing_group && next != axis.missing_group && next != ~0U;
    group = next;
    if (!known) continue;
    for (int s = 0; s < 2; ++s) {
      side[s].cut();
      if constexpr (kLimited) side[s].cut_allowed(rows.min_cases, never_low, never_high);
    }
  }
}

template <class T, bool kLimited>
BOUGH_INLINE void sweep_all(const Problem& problem, const NodeRows& node, const SweepRows<T>& rows,
                            LaneSums<T>& sums) {
  Vector<Whole<T>> bits;
  lane_bits<T>(bits);
  Side<T> side[2];
  for (Side<T>& each : side) {
    each.allowed_low += rows.unreachable;
    each.allowed_high -= rows.unreachable;
  }
  if constexpr (kLimited) sum_cases(node, rows, bits, side);
  for (const std::int32_t a : node.axes())
    sweep_axis<T, kLimited>(problem.axes[a], node.order(a), node.n, rows, bits, side);
  for (int s = 0; s < 2; ++s) {
    store<T>(side[s].sum, sums.total[s]);
    store<T>(side[s].low, sums.low[s]);
    store<T>(side[s].high, sums.high[s]);
    store<T>(side[s].allowed_low, sums.allowed_low[s]);
    store<T>(side[s].allowed_high, sums.allowed_high[s]);
  }
}

template <class T>
BOUGH_INLINE void sweep_either(const Problem& problem, const NodeRows& node, const SweepRows<T>& rows,
                               LaneSums<T>& sums) {
  if (rows.cases)
    sweep_all<T, true>(problem, node, rows, sums);
  else
    sweep_all<T, false>(problem, node, rows, sums);
}

#ifdef BOUGH_X86
template <class T>
__attribute__((target("avx2"))) void sweep_avx2(const Problem& problem, const NodeRows& node,
                                                const SweepRows<T>& rows, LaneSums<T>& sums) {
  sweep_either(problem, node, rows, sums);
}

template <class T>
__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))) void sweep_avx512(
    const Problem& problem, const NodeRows& node, const SweepRows<T>& rows, LaneSums<T>& sums) {
  sweep_either(problem, node, rows, sums);
}

// 16-bit sums without a least number of cases: masks need not be expanded.
__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))) void sweep_words(
    const Problem& problem, const NodeRows& node, const SweepRows<std::int16_t>& rows,
    LaneSums<std::int16_t>& sums) {
  __m512i low_left = _mm512_setzero_si512(), high_left = low_left, low_right = low_left, high_right = low_left;
  __m512i left = low_left, right = low_left;
  const int n = node.n;
  for (const std::int32_t a : node.axes()) {
    const Axis& axis = problem.axes[a];
    const std::uint32_t *order = node.order(a), *groups = axis.group.data();
    left = right = _mm512_setzero_si512();
    std::uint32_t row = order[0], group = groups[row];
    for (int i = 0; i < n; ++i) {
      const __mmask32 mask = rows.mask[row];
      const __m512i advantage = _mm512_set1_epi16(rows.advantage[row]);
      left = _mm512_mask_add_epi16(left, mask, left, advantage);
      right = _mm512_mask_add_epi16(right, ~mask, right, advantage);
      if (i + 1 == n) break;
      row = order[i + 1];
      const std::uint32_t next = groups[row];
      if (next == group) continue;
      const bool known = group != axis.missing_group && next != axis.missing_group;
      group = next;
      if (!known) continue;
      low_left = _mm512_min_epi16(low_left, left);
      high_left = _mm512_max_epi16(high_left, left);
      low_right = _mm512_min_epi16(low_right, right);
      high_right = _mm512_max_epi16(high_right, right);
    }
  }
  _mm512_storeu_si512(sums.total[0], left);
  _mm512_storeu_si512(sums.total[1], right);
  _mm512_storeu_si512(sums.low[0], low_left);
  _mm512_storeu_si512(sums.low[1], low_right);
  _mm512_storeu_si512(sums.high[0], high_left);
  _mm512_storeu_si512(sums.high[1], high_right);
}
#endif

}  // namespace

template <class T>
void sweep(const Problem& problem, const NodeRows& node, const SweepRows<T>& rows, LaneSums<T>& sums) {
#ifdef BOUGH_X86
  static const bool avx512 = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                             __builtin_cpu_supports("avx512dq");
  static const bool avx2 = __builtin_cpu_supports("avx2");
  if (avx512) {
    if constexpr (sizeof(T) == 2)
      if (!rows.cases) return sweep_words(problem, node, rows, sums);
    return sweep_avx512<T>(problem, node, rows, sums);
  }
  if (avx2) return sweep_avx2<T>(problem, node, rows, sums);
#endif
  sweep_either<T>(problem, node, rows, sums);
}

template void sweep(const Problem&, const NodeRows&, const SweepRows<std::int16_t>&, LaneSums<std::int16_t>&);
template void sweep(const Problem&, const NodeRows&, const SweepRows<std::int32_t>&, LaneSums<std::int32_t>&);
template void sweep(const Problem&, const NodeRows&, const SweepRows<double>&, LaneSums<double>&);

}  // namespace bough::optimal
