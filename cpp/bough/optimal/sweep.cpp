#include "bough/optimal/sweep.hpp"

#include <cstring>
#include <memory>
#include <type_traits>

#include "bough/machine/processor.hpp"

#if defined(__x86_64__)
#define BOUGH_X86 1
#include <immintrin.h>
#define BOUGH_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))
#endif

namespace bough::optimal {

namespace {

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
BOUGH_INLINE void set_lane_bits(Vector<Whole<T>>& bits) {
  for (int bit = 0; bit < kSweepLanes<T>; ++bit)
    bits[lane_of<T>(bit)] = static_cast<Whole<T>>(1U << (sizeof(T) == 2 ? bit % 16 : bit));
}

// All ones where the lane sends the row to the left.
template <class T>
BOUGH_INLINE void find_lanes(std::uint32_t mask, const Vector<Whole<T>>& bits, Vector<Whole<T>>& chosen) {
  using Words = std::conditional_t<sizeof(T) == 2, std::int32_t, Whole<T>>;
  const Vector<Words> repeated = Vector<Words>{} + static_cast<Words>(mask);
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
BOUGH_INLINE void add_where(const Vector<Whole<T>>& chosen, T value, Vector<T>& sum) {
  sum += chosen ? Vector<T>{} + value : Vector<T>{};
}

template <class T>
BOUGH_INLINE void store(const Vector<T>& v, T* to) {
  for (int bit = 0; bit < kSweepLanes<T>; ++bit) to[bit] = v[lane_of<T>(bit)];
}

// The cases below a cut, in both sides of all lanes.
template <class T>
struct CasesBelow {
  Vector<T> sum[2]{}, total[2]{};

  BOUGH_INLINE void add(const Vector<Whole<T>>& chosen, T cases) {
    add_where<T>(chosen, cases, sum[0]);
    add_where<T>(~chosen, cases, sum[1]);
  }
  BOUGH_INLINE void find_enough(int s, T least, Vector<Whole<T>>& enough) const {
    enough = (sum[s] >= least) & ((total[s] - sum[s]) >= least);
  }
};

template <class T, bool kLimited, bool kDistinct, class Tally>
BOUGH_INLINE void sweep_axis(const SweepRows<T>& rows, const Axis& axis, const std::uint32_t* order,
                             const Vector<Whole<T>>& bits, CasesBelow<T>& cases, Tally& tally) {
  Vector<Whole<T>> chosen;
  std::uint32_t row = order[0], group = axis.group[row];
  for (int i = 1; i < rows.node->n; ++i) {
    find_lanes<T>(rows.mask[row], bits, chosen);
    tally.add(chosen, row);
    if constexpr (kLimited) cases.add(chosen, rows.cases[row]);
    row = order[i];
    if constexpr (!kDistinct) {
      const std::uint32_t next = axis.group[row];
      if (next == group) continue;
      const bool allowed = axis.can_cut(group, next);
      group = next;
      if (!allowed) continue;
    }
    tally.template cut<kLimited>(cases);
  }
}

// Passes over the rows of a node once for each axis. A tally has start(), add(chosen, row) and cut(cases).
// kDistinct: whether axes of distinct values have a loop of their own.
template <class T, bool kLimited, bool kDistinct, class Tally>
BOUGH_INLINE void sweep_axes(const SweepRows<T>& rows, Tally& tally) {
  const NodeRows& node = *rows.node;
  Vector<Whole<T>> bits, chosen;
  set_lane_bits<T>(bits);
  CasesBelow<T> cases;
  for (int i = 0; i < node.n; ++i) {
    const std::uint32_t row = node.order(0)[i];
    find_lanes<T>(rows.mask[row], bits, chosen);
    tally.add_total(chosen, row);
    if constexpr (kLimited) cases.add(chosen, rows.cases[row]);
  }
  for (int s = 0; s < 2; ++s) cases.total[s] = cases.sum[s];
  tally.keep_cases(cases);
  for (const std::int32_t a : node.axes()) {
    tally.start();
    for (int s = 0; s < 2; ++s) cases.sum[s] = Vector<T>{};
    const Axis& axis = rows.problem->axes[a];
    if (kDistinct && axis.is_distinct())
      sweep_axis<T, kLimited, true>(rows, axis, node.order(a), bits, cases, tally);
    else
      sweep_axis<T, kLimited, false>(rows, axis, node.order(a), bits, cases, tally);
  }
}

template <bool kDistinct, class T, class Tally>
BOUGH_INLINE void sweep_either(const SweepRows<T>& rows, Tally& tally) {
  if (rows.cases)
    sweep_axes<T, true, kDistinct>(rows, tally);
  else
    sweep_axes<T, false, kDistinct>(rows, tally);
}

#ifdef BOUGH_X86
template <class T, class Tally>
BOUGH_AVX2 void sweep_avx2(const SweepRows<T>& rows, Tally& tally) {
  sweep_either<true>(rows, tally);
}

template <class T, class Tally>
BOUGH_AVX512 void sweep_avx512(const SweepRows<T>& rows, Tally& tally) {
  sweep_either<true>(rows, tally);
}

bool has_avx512() {
  static const bool yes = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512dq");
  return yes;
}
#endif

template <class T, class Tally>
void sweep(const SweepRows<T>& rows, Tally& tally) {
#ifdef BOUGH_X86
  if (has_avx512()) return sweep_avx512(rows, tally);
  if (has_avx2()) return sweep_avx2(rows, tally);
  sweep_either<false>(rows, tally);  // old processors are few: one loop for every axis, for a shorter build
#else
  sweep_either<true>(rows, tally);
#endif
}

template <class T>
struct TwoClassTally {
  const T *advantage, *second;
  T min_cases, unreachable;
  Vector<T> total[2]{}, total_second[2]{}, cases_of_side[2]{}, sum[2]{}, low[2]{}, high[2]{},
      allowed_low[2]{}, allowed_high[2]{};

  TwoClassTally(const T* advantages, const T* seconds, const SweepRows<T>& rows)
      : advantage(advantages), second(seconds), min_cases(rows.min_cases), unreachable(rows.unreachable) {
    for (int s = 0; s < 2; ++s) {
      allowed_low[s] += unreachable;
      allowed_high[s] -= unreachable;
    }
  }
  BOUGH_INLINE void add_total(const Vector<Whole<T>>& chosen, std::uint32_t row) {
    add_where<T>(chosen, advantage[row], total[0]);
    add_where<T>(~chosen, advantage[row], total[1]);
    add_where<T>(chosen, second[row], total_second[0]);
    add_where<T>(~chosen, second[row], total_second[1]);
  }
  BOUGH_INLINE void keep_cases(const CasesBelow<T>& cases) {
    for (int s = 0; s < 2; ++s) cases_of_side[s] = cases.total[s];
  }
  BOUGH_INLINE void start() { sum[0] = sum[1] = Vector<T>{}; }
  BOUGH_INLINE void add(const Vector<Whole<T>>& chosen, std::uint32_t row) {
    add_where<T>(chosen, advantage[row], sum[0]);
    add_where<T>(~chosen, advantage[row], sum[1]);
  }
  template <bool kLimited>
  BOUGH_INLINE void cut(const CasesBelow<T>& cases) {
    for (int s = 0; s < 2; ++s) {
      lower_to(low[s], sum[s]);
      raise_to(high[s], sum[s]);
      if constexpr (kLimited) {
        Vector<Whole<T>> enough;
        cases.find_enough(s, min_cases, enough);
        const Vector<T> never = Vector<T>{} + unreachable;
        const Vector<T> lowest = enough ? sum[s] : never, highest = enough ? sum[s] : -never;
        lower_to(allowed_low[s], lowest);
        raise_to(allowed_high[s], highest);
      }
    }
  }
};

// Savings of the best cut of each side; Own has save(side, value), which fills in what a cut saves there.
template <class T, class Own>
struct SavingsTally {
  T min_cases;
  Vector<T> saved[2]{}, allowed[2]{};

  explicit SavingsTally(const SweepRows<T>& rows) : min_cases(rows.min_cases) {
    for (int s = 0; s < 2; ++s) allowed[s] -= 1;
  }
  BOUGH_INLINE void keep_cases(const CasesBelow<T>&) {}
  template <bool kLimited>
  BOUGH_INLINE void cut(const CasesBelow<T>& cases) {
    for (int s = 0; s < 2; ++s) {
      Vector<T> value;
      static_cast<const Own*>(this)->save(s, value);
      raise_to(saved[s], value);
      if constexpr (kLimited) {
        Vector<Whole<T>> enough;
        cases.find_enough(s, min_cases, enough);
        const Vector<T> possible = enough ? value : Vector<T>{} - 1;
        raise_to(allowed[s], possible);
      }
    }
  }
  void write(LaneSavings<T>& out) const {
    for (int s = 0; s < 2; ++s) {
      store<T>(saved[s], out.saved[s]);
      store<T>(allowed[s], out.allowed[s]);
    }
  }
};

template <class T>
struct ClassTally : SavingsTally<T, ClassTally<T>> {
  const RowSavings<T>& savings;
  Vector<T>*sum[2], *total[2];

  ClassTally(const RowSavings<T>& given, const SweepRows<T>& rows, Vector<T>* room)
      : SavingsTally<T, ClassTally<T>>(rows), savings(given) {
    for (int s = 0; s < 2; ++s) {
      sum[s] = room + s * given.n_classes;
      total[s] = room + (2 + s) * given.n_classes;
    }
    for (int j = 0; j < 4 * given.n_classes; ++j) room[j] = Vector<T>{};
  }
  BOUGH_INLINE void add_to(Vector<T>* const to[2], const Vector<Whole<T>>& chosen, std::uint32_t row) {
    for (std::uint32_t e = savings.start[row]; e < savings.start[row + 1]; ++e) {
      add_where<T>(chosen, savings.saving[e], to[0][savings.predicted[e]]);
      add_where<T>(~chosen, savings.saving[e], to[1][savings.predicted[e]]);
    }
  }
  BOUGH_INLINE void add_total(const Vector<Whole<T>>& chosen, std::uint32_t row) {
    add_to(total, chosen, row);
  }
  BOUGH_INLINE void add(const Vector<Whole<T>>& chosen, std::uint32_t row) { add_to(sum, chosen, row); }
  BOUGH_INLINE void start() {
    for (int s = 0; s < 2; ++s)
      for (int j = 0; j < savings.n_classes; ++j) sum[s][j] = Vector<T>{};
  }
  BOUGH_INLINE void save(int s, Vector<T>& value) const {
    Vector<T> below = sum[s][0], above = total[s][0] - sum[s][0];
    for (int j = 1; j < savings.n_classes; ++j) {
      const Vector<T> rest = total[s][j] - sum[s][j];
      raise_to(below, sum[s][j]);
      raise_to(above, rest);
    }
    value = below + above;
  }
};

struct SquaresTally : SavingsTally<double, SquaresTally> {
  const double *weight, *weighted_y;
  double least_weight;
  Vector<double> w[2]{}, y[2]{}, total_w[2]{}, total_y[2]{};

  SquaresTally(const SquaresRows& given, const SweepRows<double>& rows)
      : SavingsTally<double, SquaresTally>(rows),
        weight(given.weight),
        weighted_y(given.weighted_y),
        least_weight(given.least_weight) {}
  BOUGH_INLINE void add_total(const Vector<std::int64_t>& chosen, std::uint32_t row) {
    add_where<double>(chosen, weight[row], total_w[0]);
    add_where<double>(~chosen, weight[row], total_w[1]);
    add_where<double>(chosen, weighted_y[row], total_y[0]);
    add_where<double>(~chosen, weighted_y[row], total_y[1]);
  }
  BOUGH_INLINE void add(const Vector<std::int64_t>& chosen, std::uint32_t row) {
    add_where<double>(chosen, weight[row], w[0]);
    add_where<double>(~chosen, weight[row], w[1]);
    add_where<double>(chosen, weighted_y[row], y[0]);
    add_where<double>(~chosen, weighted_y[row], y[1]);
  }
  BOUGH_INLINE void start() {
    for (int s = 0; s < 2; ++s) w[s] = y[s] = Vector<double>{};
  }
  BOUGH_INLINE void save(int s, Vector<double>& value) const {
    const Vector<double> rest_w = total_w[s] - w[s], rest_y = total_y[s] - y[s];
    const Vector<double> both = (y[s] * y[s] * rest_w + rest_y * rest_y * w[s]) / (w[s] * rest_w);
    value = (w[s] > least_weight) & (rest_w > least_weight) ? both : Vector<double>{} - 1;
  }
};

#ifdef BOUGH_X86
// 16-bit sums of two classes without a least number of cases: masks need not be expanded.
BOUGH_AVX512 void sweep_words(const SweepRows<std::int16_t>& rows, const std::int16_t* advantage,
                              const std::int16_t* second, LaneSums<std::int16_t>& sums) {
  const __m512i zero = _mm512_setzero_si512();
  __m512i low_left = zero, high_left = zero, low_right = zero, high_right = zero;
  __m512i left = zero, right = zero, second_left = zero, second_right = zero;
  const NodeRows& node = *rows.node;
  const std::uint32_t* any = node.order(0);
  for (int i = 0; i < node.n; ++i) {
    const __mmask32 mask = rows.mask[any[i]];
    const __m512i loss = _mm512_set1_epi16(second[any[i]]);
    second_left = _mm512_mask_add_epi16(second_left, mask, second_left, loss);
    second_right = _mm512_mask_add_epi16(second_right, ~mask, second_right, loss);
  }
  for (const std::int32_t a : node.axes()) {
    const Axis& axis = rows.problem->axes[a];
    const std::uint32_t *order = node.order(a), *groups = axis.group.data();
    left = right = zero;
    const bool distinct = axis.is_distinct();
    std::uint32_t row = order[0], group = groups[row];
    for (int i = 1; i <= node.n; ++i) {
      const __mmask32 mask = rows.mask[row];
      const __m512i repeated = _mm512_set1_epi16(advantage[row]);
      left = _mm512_mask_add_epi16(left, mask, left, repeated);
      right = _mm512_mask_add_epi16(right, ~mask, right, repeated);
      if (i == node.n) break;
      row = order[i];
      if (!distinct) {
        const std::uint32_t next = groups[row];
        const bool allowed = axis.can_cut(group, next);
        group = next;
        if (!allowed) continue;
      }
      low_left = _mm512_min_epi16(low_left, left);
      high_left = _mm512_max_epi16(high_left, left);
      low_right = _mm512_min_epi16(low_right, right);
      high_right = _mm512_max_epi16(high_right, right);
    }
  }
  _mm512_storeu_si512(sums.advantage[0], left);
  _mm512_storeu_si512(sums.advantage[1], right);
  _mm512_storeu_si512(sums.second[0], second_left);
  _mm512_storeu_si512(sums.second[1], second_right);
  _mm512_storeu_si512(sums.low[0], low_left);
  _mm512_storeu_si512(sums.low[1], low_right);
  _mm512_storeu_si512(sums.high[0], high_left);
  _mm512_storeu_si512(sums.high[1], high_right);
}
#endif

}  // namespace

template <class T>
void sweep_two_classes(const SweepRows<T>& rows, const T* advantage, const T* second, LaneSums<T>& sums) {
#ifdef BOUGH_X86
  if constexpr (sizeof(T) == 2)
    if (!rows.cases && has_avx512()) return sweep_words(rows, advantage, second, sums);
#endif
  TwoClassTally<T> tally(advantage, second, rows);
  sweep(rows, tally);
  for (int s = 0; s < 2; ++s) {
    store<T>(tally.total[s], sums.advantage[s]);
    store<T>(tally.total_second[s], sums.second[s]);
    store<T>(tally.cases_of_side[s], sums.cases[s]);
    store<T>(tally.low[s], sums.low[s]);
    store<T>(tally.high[s], sums.high[s]);
    store<T>(tally.allowed_low[s], sums.allowed_low[s]);
    store<T>(tally.allowed_high[s], sums.allowed_high[s]);
  }
}

template <class T>
void sweep_classes(const SweepRows<T>& rows, const RowSavings<T>& savings, LaneSavings<T>& out) {
  const auto room = std::make_unique<Vector<T>[]>(4 * static_cast<std::size_t>(savings.n_classes));
  ClassTally<T> tally(savings, rows, room.get());
  sweep(rows, tally);
  tally.write(out);
}

void sweep_squares(const SweepRows<double>& rows, const SquaresRows& squares, LaneSavings<double>& out) {
  SquaresTally tally(squares, rows);
  sweep(rows, tally);
  tally.write(out);
}

template void sweep_two_classes(const SweepRows<std::int16_t>&, const std::int16_t*, const std::int16_t*,
                                LaneSums<std::int16_t>&);
template void sweep_two_classes(const SweepRows<std::int32_t>&, const std::int32_t*, const std::int32_t*,
                                LaneSums<std::int32_t>&);
template void sweep_two_classes(const SweepRows<double>&, const double*, const double*, LaneSums<double>&);
template void sweep_classes(const SweepRows<std::int16_t>&, const RowSavings<std::int16_t>&,
                            LaneSavings<std::int16_t>&);
template void sweep_classes(const SweepRows<std::int32_t>&, const RowSavings<std::int32_t>&,
                            LaneSavings<std::int32_t>&);
template void sweep_classes(const SweepRows<double>&, const RowSavings<double>&, LaneSavings<double>&);

}  // namespace bough::optimal
