#include "bough/forest/sums_below.hpp"

#include "bough/machine/avx2.hpp"

namespace bough {

namespace {

constexpr int kLanes = 4;

using Four [[gnu::vector_size(kLanes * sizeof(double)), gnu::aligned(alignof(double))]] = double;

[[gnu::always_inline]] inline void sum_any(const float* values, float cut, const std::uint32_t* index, int n,
                                           const Rows& rows, SumsBelow& sums) {
  const int many = rows.grid_width / kLanes;
  sums.grid.assign(static_cast<std::size_t>(rows.grid_width), 0.0);
  Four* to = reinterpret_cast<Four*>(sums.grid.data());
  double weight = 0, cases = 0;
  for (int i = 0; i < n; ++i) {
    const std::uint32_t at = index[i];
    const double below = values[i] < cut ? 1.0 : 0.0;
    const Four* y = reinterpret_cast<const Four*>(rows.grids_at(at));
    for (int v = 0; v < many; ++v) to[v] += y[v] * below;
    weight += rows.weight[at] * below;
    cases += rows.cases[at] * below;
  }
  sums.weight = weight;
  sums.cases = cases;
}

#if defined(__x86_64__)
BOUGH_AVX2 void sum_avx2(const float* values, float cut, const std::uint32_t* index, int n, const Rows& rows,
                         SumsBelow& sums) {
  sum_any(values, cut, index, n, rows, sums);
}
#endif

}  // namespace

void sum_below(const float* values, float cut, const std::uint32_t* index, int n, const Rows& rows,
               SumsBelow& sums) {
#if defined(__x86_64__)
  if (has_avx2()) return sum_avx2(values, cut, index, n, rows, sums);
#endif
  sum_any(values, cut, index, n, rows, sums);
}

}  // namespace bough
