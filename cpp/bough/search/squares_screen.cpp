#include "bough/search/squares_screen.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "bough/machine/processor.hpp"

#if defined(BOUGH_LONG_REGISTERS)
#include <immintrin.h>
#endif

namespace bough {

namespace {

constexpr int kScreenLanes = 16;
constexpr double kLargestSum = 1 << 30;

// What a column is bounded by.
struct ScreenedNode {
  int n;
  float drift, slip, least_slip;
  const std::int32_t* term;
  const float* of_sides;
};

#if defined(BOUGH_LONG_REGISTERS)

BOUGH_LONG_REGISTERS inline __mmask16 unequal_among_sixteen(const std::uint32_t* at) {
  return _mm512_test_epi32_mask(_mm512_xor_si512(_mm512_loadu_si512(at), _mm512_loadu_si512(at + 1)),
                                _mm512_set1_epi32(static_cast<int>(0xffff0000u)));
}
BOUGH_LONG_REGISTERS inline unsigned unequal_codes(const std::uint64_t* at) {
  return _mm512_test_epi64_mask(_mm512_xor_si512(_mm512_loadu_si512(at), _mm512_loadu_si512(at + 1)),
                                _mm512_set1_epi64(static_cast<long long>(0xffffffff00000000u)));
}
BOUGH_LONG_REGISTERS inline __mmask16 unequal_among_sixteen(const std::uint64_t* at) {
  return static_cast<__mmask16>(unequal_codes(at) | unequal_codes(at + 8) << 8);
}

constexpr int kScreenBlock = 256;
// Longer lists are on their way from memory while what lies before is summed; shorter ones are in the cache.
constexpr int kStreamedRows = 1 << 15, kRowsAhead = 512;

using Floats = float __attribute__((vector_size(64)));
using Ints = std::int32_t __attribute__((vector_size(64)));

// The highest (|d| + slip)^2 / (left * right), with d the sum of the terms on the left less their share of
// the drift. Vectors are read past the last cut, where the reciprocals are 0; lists are padded.
template <class E>
BOUGH_LONG_REGISTERS float highest_square(const E* list, const ScreenedNode& of) {
  alignas(64) std::int32_t sums[kScreenBlock];
  constexpr Floats kNext = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  Floats peak = {};
  std::int32_t sum = 0;
  for (int begin = 0; begin < of.n - 1; begin += kScreenBlock) {
    const int count = std::min(kScreenBlock, of.n - 1 - begin);
    const E* entries = list + begin;
    if (sizeof(E) == 8 && of.n >= kStreamedRows)
      for (int j = 0; j < count; j += 8) __builtin_prefetch(entries + kRowsAhead + j);
#pragma GCC unroll 8
    for (int j = 0; j < count; ++j) sums[j] = sum += of.term[index_of(entries[j])];
    for (int j = count; j % kScreenLanes != 0; ++j) sums[j] = 0;
    for (int j = 0; j < count; j += kScreenLanes) {
      const Floats left = kNext + static_cast<float>(begin + j), right = static_cast<float>(of.n) - left;
      Ints own;
      Floats of_sides;
      std::memcpy(&own, sums + j, sizeof own);
      std::memcpy(&of_sides, of.of_sides + begin + j + 1, sizeof of_sides);
      const Floats d = __builtin_convertvector(own, Floats) - of.drift * left;
      const Floats most = (d < 0 ? -d : d) + ((left < right ? left : right) * of.slip + of.least_slip);
      const Floats bound = most * most * of_sides;
      peak = reinterpret_cast<Floats>(
          _mm512_mask_max_ps(reinterpret_cast<__m512>(peak), unequal_among_sixteen(entries + j),
                             reinterpret_cast<__m512>(peak), reinterpret_cast<__m512>(bound)));
    }
  }
  float highest = 0;
  for (int k = 0; k < kScreenLanes; ++k) highest = std::max(highest, peak[k]);
  return highest;
}

#else

template <class E>
float highest_square(const E*, const ScreenedNode&) {
  return 0;  // not called, as no node is screened
}

#endif

}  // namespace

bool SquaresScreen::serves() { return has_avx2() && has_long_registers(); }

// The sum of absolute deviations is at most the root of n times that of their squares.
template <class E>
bool SquaresScreen::start(const E* list, int n, const double* y, double sum, double squares, int min_cases) {
  const double spread = std::sqrt(n * squares), scale = kLargestSum / spread, mean = sum / n;
  if (!(spread > 0) || !std::isfinite(spread) || !std::isfinite(scale)) return false;
  constexpr double kWhole = 0x1.8p52;  // added and subtracted, it leaves the nearest whole number
  double total = 0, absolute = 0;
  for (int i = 0; i < n; ++i) {
    const std::uint32_t index = index_of(list[i]);
    const double term =
        std::clamp(((y[index] - mean) * scale + kWhole) - kWhole, -2 * kLargestSum, 2 * kLargestSum - 1);
    term_[index] = static_cast<std::int32_t>(term);
    total += term;
    absolute += std::abs(term);
  }
  if (!(absolute < 2 * kLargestSum - 1)) return false;
  n_ = n;
  drift_ = static_cast<float>(total / n);
  // A term is off by a half, and the drift's share of it by as much as it is long. Exact values take y as it
  // is to a few units.
  slip_ = static_cast<float>(0.501 + 1.001 * std::abs(total) / n);
  least_slip_ = static_cast<float>(1 + 16 * scale);
  constexpr double kRounded = 1 + 1e-5;
  unit_ = kRounded * n / (scale * scale);
  if (of_n_ == n && of_min_cases_ == min_cases) return true;
  of_sides_.assign(n + kScreenLanes, 0.0F);
  for (int left = std::max(min_cases, 1); left <= n - std::max(min_cases, 1); ++left)
    of_sides_[left] = 1.0F / (static_cast<float>(left) * static_cast<float>(n - left));
  of_n_ = n;
  of_min_cases_ = min_cases;
  return true;
}

template <class E>
double SquaresScreen::highest(const E* list) const {
  return unit_ * highest_square(list, {n_, drift_, slip_, least_slip_, term_.data(), of_sides_.data()});
}

template bool SquaresScreen::start(const std::uint32_t*, int, const double*, double, double, int);
template bool SquaresScreen::start(const std::uint64_t*, int, const double*, double, double, int);
template double SquaresScreen::highest(const std::uint32_t*) const;
template double SquaresScreen::highest(const std::uint64_t*) const;

}  // namespace bough
