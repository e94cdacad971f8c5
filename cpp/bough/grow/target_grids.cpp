#include "bough/grow/target_grids.hpp"

#include <cstring>

#include "bough/machine/processor.hpp"

namespace bough {

namespace {

// Four targets of a row at a time; three groups of four fit in the registers. Where four does not divide the
// number of targets, the last group overlaps the one before: what is computed twice is the same.
using FourNumbers [[gnu::vector_size(4 * sizeof(double)), gnu::aligned(alignof(double))]] = double;
constexpr int kMostGroups = 3;

BOUGH_INLINE const FourNumbers& four_at(const double* numbers) {
  return *reinterpret_cast<const FourNumbers*>(numbers);
}

// Does the work for the groups of four among n numbers, up to three of them in one pass:
// pass(std::integral_constant of their number, first number of each).
template <class Pass>
BOUGH_INLINE void in_groups(int n, const Pass& pass) {
  const int n_groups = (n + 3) / 4;
  int first[kMostGroups];
  for (int group = 0; group < n_groups; group += kMostGroups) {
    const int many = std::min(kMostGroups, n_groups - group);
    for (int j = 0; j < many; ++j) first[j] = std::min(4 * (group + j), n - 4);
    if (many == 1)
      pass(std::integral_constant<int, 1>{}, first);
    else if (many == 2)
      pass(std::integral_constant<int, 2>{}, first);
    else
      pass(std::integral_constant<int, 3>{}, first);
  }
}

template <int kGroups, class E>
BOUGH_INLINE void bound_groups(const E* list, int count, const Rows& rows, TargetGrids& grids,
                               const int* first) {
  FourNumbers low[kGroups], high[kGroups];
  for (int j = 0; j < kGroups; ++j) low[j] = high[j] = four_at(rows.ys_at(index_of(list[0])) + first[j]);
  for (int i = 1; i < count; ++i) {
    const double* row = rows.ys_at(index_of(list[i]));
    for (int j = 0; j < kGroups; ++j) {
      const FourNumbers y = four_at(row + first[j]);
      low[j] = y < low[j] ? y : low[j];
      high[j] = high[j] < y ? y : high[j];
    }
  }
  for (int j = 0; j < kGroups; ++j) {
    std::memcpy(grids.low + first[j], &low[j], sizeof low[j]);
    std::memcpy(grids.high + first[j], &high[j], sizeof high[j]);
  }
}

// The nearest whole number of less than 2^51.
constexpr double kWhole = 0x1.8p52;

// The numbers of a row, its weight, the factors of it before and after rounding, and where its grid lies.
struct TargetsOfRow {
  const double* y;
  double weight, before, after;
  double* to;
};

BOUGH_INLINE TargetsOfRow targets_of(const Rows& rows, std::uint32_t row) {
  const double w = rows.weight_at(row);
  return {rows.ys_at(row), w, rows.whole_weights ? 1 : w, rows.whole_weights ? w : 1, rows.grids_at(row)};
}

template <int kGroups, class E>
BOUGH_INLINE void lay_groups(const E* list, int count, const Rows& rows, TargetGrids& grids,
                             const int* first) {
  FourNumbers origin[kGroups], scale[kGroups], to_unit[kGroups], sum[kGroups] = {}, squares[kGroups] = {};
  for (int j = 0; j < kGroups; ++j) {
    origin[j] = four_at(grids.origin + first[j]);
    scale[j] = four_at(grids.scale + first[j]);
    to_unit[j] = four_at(grids.to_unit + first[j]);
  }
  for (int i = 0; i < count; ++i) {
    const auto [y, w, before, after, to] = targets_of(rows, index_of(list[i]));
    for (int j = 0; j < kGroups; ++j) {
      const FourNumbers off = four_at(y + first[j]) - origin[j];
      const FourNumbers g = after * ((before * (off * scale[j]) + kWhole) - kWhole);
      squares[j] += w * (off * off);
      sum[j] += g;
      const FourNumbers entry = g * to_unit[j];
      std::memcpy(to + first[j], &entry, sizeof entry);
    }
  }
  for (int j = 0; j < kGroups; ++j) {
    std::memcpy(grids.sum + first[j], &sum[j], sizeof sum[j]);
    std::memcpy(grids.squares + first[j], &squares[j], sizeof squares[j]);
  }
}

template <int kGroups, class E>
BOUGH_INLINE void sum_groups(const E* list, int count, const Rows& rows, double* sums, const int* first) {
  FourNumbers sum[kGroups] = {};
  for (int i = 0; i < count; ++i) {
    const double* row = rows.grids_at(index_of(list[i]));
    for (int j = 0; j < kGroups; ++j) sum[j] += four_at(row + first[j]);
  }
  for (int j = 0; j < kGroups; ++j) std::memcpy(sums + first[j], &sum[j], sizeof sum[j]);
}

// Fewer than four targets.
template <class E>
void bound_few(const E* list, int count, const Rows& rows, TargetGrids& grids) {
  const double* first = rows.ys_at(index_of(list[0]));
  std::copy_n(first, rows.n_targets, grids.low);
  std::copy_n(first, rows.n_targets, grids.high);
  for (int i = 1; i < count; ++i) {
    const double* y = rows.ys_at(index_of(list[i]));
    for (int t = 0; t < rows.n_targets; ++t) {
      grids.low[t] = std::min(grids.low[t], y[t]);
      grids.high[t] = std::max(grids.high[t], y[t]);
    }
  }
}

template <class E>
void lay_few(const E* list, int count, const Rows& rows, TargetGrids& grids) {
  for (int i = 0; i < count; ++i) {
    const auto [y, w, before, after, to] = targets_of(rows, index_of(list[i]));
    for (int t = 0; t < rows.n_targets; ++t) {
      const double off = y[t] - grids.origin[t],
                   g = after * ((before * (off * grids.scale[t]) + kWhole) - kWhole);
      grids.squares[t] += w * (off * off);
      grids.sum[t] += g;
      to[t] = g * grids.to_unit[t];
    }
  }
}

enum class Work { bound, lay, sum };

template <Work kWork, class E>
BOUGH_INLINE void work_any(const E* list, int count, const Rows& rows, TargetGrids* grids, double* sums) {
  if constexpr (kWork == Work::bound)
    in_groups(rows.n_targets, [&](auto groups, const int* first) __attribute__((always_inline)) {
      bound_groups<groups()>(list, count, rows, *grids, first);
    });
  else if constexpr (kWork == Work::lay)
    in_groups(rows.n_targets, [&](auto groups, const int* first) __attribute__((always_inline)) {
      lay_groups<groups()>(list, count, rows, *grids, first);
    });
  else
    in_groups(rows.grid_width, [&](auto groups, const int* first) __attribute__((always_inline)) {
      sum_groups<groups()>(list, count, rows, sums, first);
    });
}

#if defined(BOUGH_AVX2)
template <Work kWork, class E>
BOUGH_AVX2 void work_avx2(const E* list, int count, const Rows& rows, TargetGrids* grids, double* sums) {
  work_any<kWork>(list, count, rows, grids, sums);
}
#endif

template <Work kWork, class E>
void work(const E* list, int count, const Rows& rows, TargetGrids* grids, double* sums) {
#if defined(BOUGH_AVX2)
  if (has_avx2()) return work_avx2<kWork>(list, count, rows, grids, sums);
#endif
  work_any<kWork>(list, count, rows, grids, sums);
}

}  // namespace

template <class E>
void bound_targets(const E* list, int count, const Rows& rows, TargetGrids& grids) {
  if (rows.n_targets < 4) return bound_few(list, count, rows, grids);
  work<Work::bound>(list, count, rows, &grids, nullptr);
}

template <class E>
void lay_on_grids(const E* list, int count, const Rows& rows, TargetGrids& grids) {
  if (rows.n_targets < 4) return lay_few(list, count, rows, grids);
  work<Work::lay>(list, count, rows, &grids, nullptr);
}

template <class E>
void sum_grids(const E* list, int count, const Rows& rows, double* sums) {
  work<Work::sum>(list, count, rows, nullptr, sums);
}

template void bound_targets(const std::uint32_t*, int, const Rows&, TargetGrids&);
template void bound_targets(const std::uint64_t*, int, const Rows&, TargetGrids&);
template void lay_on_grids(const std::uint32_t*, int, const Rows&, TargetGrids&);
template void lay_on_grids(const std::uint64_t*, int, const Rows&, TargetGrids&);
template void sum_grids(const std::uint32_t*, int, const Rows&, double*);
template void sum_grids(const std::uint64_t*, int, const Rows&, double*);

}  // namespace bough
