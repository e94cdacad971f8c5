#include "bough/forest/sums_below.hpp"

#include <cstring>

#include "bough/machine/processor.hpp"

namespace bough {

namespace {

constexpr int kSumLanes = 4;

using Four [[gnu::vector_size(kSumLanes * sizeof(double)), gnu::aligned(alignof(double))]] = double;

// The rows of a side, in their order; returns how many.
template <class Belongs>
[[gnu::always_inline]] inline int side_of(const float* values, const std::uint32_t* index, int n,
                                          const Belongs& belongs, std::uint32_t* to) {
  int many = 0;
  for (int i = 0; i < n; ++i) {
    to[many] = index[i];
    many += belongs(values[i]);
  }
  return many;
}

// kVectors: of four sums each; 0: as many as the grid has.
template <int kVectors>
[[gnu::always_inline]] inline void sum_rows(const std::uint32_t* index, int n, const Rows& rows,
                                            double* grid) {
  const int many = kVectors ? kVectors : rows.grid_width / kSumLanes;
  Four own[kVectors ? kVectors : 1] = {};
  Four* to = kVectors ? own : reinterpret_cast<Four*>(grid);
  for (int i = 0; i < n; ++i) {
    const Four* y = reinterpret_cast<const Four*>(rows.grids_at(index[i]));
    for (int v = 0; v < many; ++v) to[v] += y[v];
  }
  if (kVectors) std::memcpy(grid, own, sizeof own);
}

[[gnu::always_inline]] inline void sum_any(const float* values, float cut, const std::uint32_t* index, int n,
                                           const Rows& rows, SumsBelow& sums) {
  sums.grid.assign(static_cast<std::size_t>(rows.grid_width), 0.0);
  if (sums.rows.size() < static_cast<std::size_t>(n) + 1) sums.rows.resize(static_cast<std::size_t>(n) + 1);
  std::uint32_t* side = sums.rows.data();
  int many = side_of(values, index, n, [cut](float x) { return x < cut; }, side);
  sums.others = many > n - many;
  if (sums.others) many = side_of(values, index, n, [cut](float x) { return !(x < cut); }, side);
  switch (rows.grid_width / kSumLanes) {
    case 1:
      sum_rows<1>(side, many, rows, sums.grid.data());
      break;
    case 2:
      sum_rows<2>(side, many, rows, sums.grid.data());
      break;
    case 3:
      sum_rows<3>(side, many, rows, sums.grid.data());
      break;
    case 4:
      sum_rows<4>(side, many, rows, sums.grid.data());
      break;
    case 5:
      sum_rows<5>(side, many, rows, sums.grid.data());
      break;
    case 6:
      sum_rows<6>(side, many, rows, sums.grid.data());
      break;
    case 7:
      sum_rows<7>(side, many, rows, sums.grid.data());
      break;
    case 8:
      sum_rows<8>(side, many, rows, sums.grid.data());
      break;
    default:
      sum_rows<0>(side, many, rows, sums.grid.data());
  }
  double weight = 0, cases = 0;
  for (int i = 0; i < many; ++i) {
    weight += rows.weight[side[i]];
    cases += rows.cases[side[i]];
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
