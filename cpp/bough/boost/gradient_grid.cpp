#include "bough/boost/gradient_grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "bough/boost/exponential.hpp"
#include "bough/grow/measure.hpp"
#include "bough/machine/processor.hpp"

namespace bough {

namespace {

// Up to this many rows, histograms keep all bits of gradients: it costs little
// and counts rows exactly.
constexpr std::int64_t kWideRows = 16384;

// Where the mean absolute gradient has fewer steps of the narrow grid than
// this, the wide one is taken.
constexpr double kLeastSteps = 8;

BOUGH_INLINE QuantizedSums quantize(const double* gradient, const double* hessian, const std::uint32_t* rows,
                                    std::int64_t count, const GradientGrid& grid, std::uint32_t seed,
                                    RowEntry* entries, std::uint32_t first_row) {
  QuantizedSums sums;
  const double gradient_scale = grid.gradient_scale, hessian_scale = grid.hessian_scale;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t z = hash_of(first_row + rows[i], seed);
    const double u = (static_cast<std::int32_t>(z & 0xffff) + 0.5) * 0x1p-16 - 0.5;
    const double v = (static_cast<std::int32_t>(z >> 16) + 0.5) * 0x1p-16 - 0.5;
    const std::int64_t g = rounded(gradient[i] * gradient_scale + u),
                       h = rounded(hessian[i] * hessian_scale + v);
    sums.gradient += g;
    sums.hessian += h;
    const auto narrow = static_cast<std::int32_t>(g);  // 16 bits, which processors multiply faster than 64
    sums.squares += static_cast<std::int64_t>(narrow) * narrow;
    entries[i] = (static_cast<std::uint64_t>(g) << 48) + (static_cast<std::uint64_t>(h) << 32) + rows[i];
  }
  return sums;
}

#if defined(BOUGH_AVX2)
BOUGH_AVX2
QuantizedSums quantize_avx2(const double* gradient, const double* hessian, const std::uint32_t* rows,
                            std::int64_t count, const GradientGrid& grid, std::uint32_t seed,
                            RowEntry* entries, std::uint32_t first_row) {
  return quantize(gradient, hessian, rows, count, grid, seed, entries, first_row);
}
#endif
#if defined(BOUGH_LONG_REGISTERS)
BOUGH_LONG_REGISTERS
QuantizedSums quantize_long(const double* gradient, const double* hessian, const std::uint32_t* rows,
                            std::int64_t count, const GradientGrid& grid, std::uint32_t seed,
                            RowEntry* entries, std::uint32_t first_row) {
  return quantize(gradient, hessian, rows, count, grid, seed, entries, first_row);
}
#endif

// The greatest power of two by which numbers up to `most` stay at most `bound`.
double scale_for(double most, double bound) {
  if (!(most > 0)) return 1;
  int power;
  std::frexp(bound / most, &power);
  return std::ldexp(1.0, std::clamp(power - 1, -1000, 1000));
}

}  // namespace

// Sums and maxima of every fourth row, which do not wait for each other.
void GradientRange::add(const double* gradient, const double* hessian, std::int64_t count) {
  using Two = double __attribute__((vector_size(16)));
  using Bits = std::int64_t __attribute__((vector_size(16)));
  constexpr int kPairs = 2, kRows = 2 * kPairs;
  constexpr std::int64_t kAllButSign = std::numeric_limits<std::int64_t>::max();
  Two gradients[kPairs] = {}, hessians[kPairs] = {}, sums[kPairs] = {};
  std::int64_t i = 0;
  for (; i + kRows <= count; i += kRows)
    for (int k = 0; k < kPairs; ++k) {
      Two g, h;
      std::memcpy(&g, gradient + i + 2 * k, sizeof(Two));
      std::memcpy(&h, hessian + i + 2 * k, sizeof(Two));
      const Two size = reinterpret_cast<Two>(reinterpret_cast<Bits>(g) & kAllButSign);
      gradients[k] = size > gradients[k] ? size : gradients[k];
      hessians[k] = h > hessians[k] ? h : hessians[k];
      sums[k] += size;
    }
  for (int row = 0; row < kRows; ++row)
    add({gradients[row / 2][row % 2], hessians[row / 2][row % 2], sums[row / 2][row % 2]});
  for (; i < count; ++i) add({std::abs(gradient[i]), hessian[i], std::abs(gradient[i])});
}

void GradientRange::add(const GradientRange& other) {
  most_gradient = std::max(most_gradient, other.most_gradient);
  most_hessian = std::max(most_hessian, other.most_hessian);
  sum_gradient += other.sum_gradient;
}

GradientGrid grid_of(const GradientRange& range, std::int64_t n_rows, bool unit_hessians) {
  const auto n = static_cast<double>(n_rows);
  // Sums of all rows stay below 2^31.
  const double bound = std::floor(2147483000.0 / n) - 1;
  const double scale = scale_for(range.most_gradient, std::min(bound, 32766.0));
  const bool coarse = range.sum_gradient > 0 && range.sum_gradient / n * scale < kLeastSteps;
  if (n_rows <= kWideRows || coarse || bound < 4) {
    const auto power = [n](double most) {
      return std::ldexp(1.0, most > 0 ? grid_exponent(n, most) - 1 : 0);
    };
    return {true, power(range.most_gradient), power(range.most_hessian)};
  }
  return {false, scale, unit_hessians ? 1 : scale_for(range.most_hessian, std::min(bound, 65534.0))};
}

QuantizedSums quantized(const double* gradient, const double* hessian, const std::uint32_t* rows,
                        std::int64_t count, const GradientGrid& grid, std::uint32_t seed, RowEntry* entries,
                        std::uint32_t first_row) {
#if defined(BOUGH_LONG_REGISTERS)
  if (has_avx2() && has_long_registers())
    return quantize_long(gradient, hessian, rows, count, grid, seed, entries, first_row);
#endif
#if defined(BOUGH_AVX2)
  if (has_avx2()) return quantize_avx2(gradient, hessian, rows, count, grid, seed, entries, first_row);
#endif
  return quantize(gradient, hessian, rows, count, grid, seed, entries, first_row);
}

QuantizedSums rounded_wide(const double* gradient, const double* hessian, const std::uint32_t* rows,
                           std::int64_t count, const GradientGrid& grid, WideGradients::Terms* terms,
                           RowEntry* entries) {
  QuantizedSums sums;
  const double gradient_scale = grid.gradient_scale, hessian_scale = grid.hessian_scale;
  for (std::int64_t i = 0; i < count; ++i) {
    // Numbers below 2^51, which are rounded without a call of the library.
    const double g = gradient[i] * gradient_scale + kRounder - kRounder,
                 h = hessian[i] * hessian_scale + kRounder - kRounder;
    terms[rows[i]] = {g, h};
    sums.gradient += static_cast<std::int64_t>(g);
    sums.hessian += static_cast<std::int64_t>(h);
    const std::int64_t coarse = rounded(g / kUnitOfSquares);
    sums.squares += coarse * coarse;
    entries[i] = rows[i];
  }
  return sums;
}

std::vector<std::uint8_t> RoundSeeds::drawn_columns(int n, double share, int round, std::size_t which) const {
  std::vector<std::uint8_t> columns(n, 1);
  if (share >= 1) return columns;
  const int many = std::max(1, static_cast<int>(std::lround(share * n)));
  std::vector<int> order(n);
  for (int c = 0; c < n; ++c) order[c] = c;
  Random random(of(Stream::columns, round, which), 0);
  std::fill(columns.begin(), columns.end(), 0);
  for (int i = 0; i < many; ++i) {
    std::swap(order[i], order[i + static_cast<int>(random.below(n - i))]);
    columns[order[i]] = 1;
  }
  return columns;
}

}  // namespace bough
