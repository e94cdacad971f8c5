#include "bough/forest/few_two_classes.hpp"

#include <algorithm>
#include <cstring>

#include "bough/forest/cut_keys.hpp"
#include "bough/forest/row_table.hpp"
#include "bough/forest/share_lanes.hpp"

namespace bough {

namespace {

using namespace few;

// How far an estimate may be from the value. Of entropy, the shares, their logarithms, their products and the
// sums of these are off by less than 40 times 2^-24 together, as the shares of the sides and of the classes
// add up to 1; of Gini by less than 15 times.
constexpr float kValueSlack = 4e-6f;

// Cuts of columns side by side: the weights of both classes on both sides, and all bits set where the rows
// next to a cut differ and both sides weigh something, and estimates of the values in single precision.
struct CutsOfTwo {
  using OfCuts = double[FewTwoClassRows::kMost][kColumns];
  alignas(64) OfCuts left[2], right[2];
  alignas(64) std::int32_t allowed[FewTwoClassRows::kMost][kColumns];
  alignas(64) float estimate[FewTwoClassRows::kMost][kColumns];
};

// Sums up the sides of all cuts, half of the columns at a time.
template <int N>
struct HalfSumsOfTwo {
  using Doubles = double __attribute__((vector_size(8 * kHalf)));
  using Longs = std::int64_t __attribute__((vector_size(8 * kHalf)));

  BOUGH_INLINE static void run(const FewTwoClassRows& rows, const Keys* key, CutsOfTwo& cuts) {
    for (int half = 0; half < kColumns; half += kHalf) {
      Doubles left[2] = {}, right[2], wl = {}, wr;
      for (int c = 0; c < 2; ++c) right[c] = Doubles{} + rows.total[c];
      wr = Doubles{} + rows.node_weight;
      for (int i = 0; i + 1 < rows.n; ++i) {
        const HalfCut keys(key + i, half);
        Doubles w[2];
        for (int lane = 0; lane < kHalf; ++lane)
          for (int c = 0; c < 2; ++c) w[c][lane] = rows.of_class[c][keys.row(lane)];
        wl += w[0] + w[1];
        wr -= w[0] + w[1];
        for (int c = 0; c < 2; ++c) {
          left[c] += w[c];
          right[c] -= w[c];
          std::memcpy(cuts.left[c][i] + half, &left[c], sizeof left[c]);
          std::memcpy(cuts.right[c][i] + half, &right[c], sizeof right[c]);
        }
        const Longs both_weigh = (wl > 0) & (wr > 0);
        HalfKeys allowed;
        keys.differ(allowed);
        allowed &= __builtin_convertvector(both_weigh, HalfKeys);
        std::memcpy(cuts.allowed[i] + half, &allowed, sizeof allowed);
      }
    }
  }
};

// The shares of the node's weight that a class has on one side of eight cuts.
BOUGH_INLINE void shares_of(const double* weight, double per_weight, ShareLanes& to) {
  using Doubles = double __attribute__((vector_size(8 * kColumns)));
  Doubles all;
  std::memcpy(&all, weight, sizeof all);
  to = __builtin_convertvector(all * per_weight, ShareLanes);
}

// Estimates the values of eight cuts. One where a side weighs next to nothing may be off by any number, so
// that it counts as the highest there is.
template <bool kEntropy>
BOUGH_INLINE void estimate_values(const ShareLanes* left, const ShareLanes* right, float unsplit,
                                  ShareLanes& value) {
  constexpr float kLeastSide = 1e-9f, kAny = std::numeric_limits<float>::max();
  const ShareLanes wl = left[0] + left[1], wr = right[0] + right[1];
  if constexpr (kEntropy) {
    ShareLanes of_left[2], of_right[2], all_left, all_right;
    for (int c = 0; c < 2; ++c) {
      x_log2_x(left[c], of_left[c]);
      x_log2_x(right[c], of_right[c]);
    }
    x_log2_x(wl, all_left);
    x_log2_x(wr, all_right);
    value = ((of_left[0] + of_left[1]) - all_left) + ((of_right[0] + of_right[1]) - all_right) - unsplit;
  } else {
    const ShareLanes d = left[1] * wr - right[1] * wl;
    value = 2 * d * d / (wl * wr);
  }
  value = (wl > kLeastSide) & (wr > kLeastSide) ? value : ShareLanes{} + kAny;
}

// The highest estimate of each column, and the highest of those that are near the value.
struct Peaks {
  ShareLanes of_all, known;
};

// Writes the estimates of all cuts, far below 0 where a cut is not allowed.
template <bool kEntropy>
BOUGH_INLINE void write_estimates(const FewTwoClassRows& rows, CutsOfTwo& cuts, Peaks& peaks) {
  constexpr float kNone = -std::numeric_limits<float>::max(), kAnyFrom = 1e30f;
  const double weight = rows.total[0] + rows.total[1], per_weight = 1 / weight;
  float unsplit = 0;
  if constexpr (kEntropy) {
    ShareLanes shares = {}, terms;
    for (int c = 0; c < 2; ++c) shares[c] = static_cast<float>(rows.total[c] * per_weight);
    x_log2_x(shares, terms);
    unsplit = terms[0] + terms[1];
  }
  peaks.of_all = peaks.known = ShareLanes{} + kNone;
  for (int i = 0; i + 1 < rows.n; ++i) {
    ShareLanes left[2], right[2], value;
    for (int c = 0; c < 2; ++c) {
      shares_of(cuts.left[c][i], per_weight, left[c]);
      shares_of(cuts.right[c][i], per_weight, right[c]);
    }
    estimate_values<kEntropy>(left, right, unsplit, value);
    ShareBits allowed;
    std::memcpy(&allowed, cuts.allowed[i], sizeof allowed);
    value = allowed != 0 ? value : ShareLanes{} + kNone;
    std::memcpy(cuts.estimate[i], &value, sizeof value);
    peaks.of_all = value > peaks.of_all ? value : peaks.of_all;
    peaks.known = (value > peaks.known) & (value < kAnyFrom) ? value : peaks.known;
  }
}

// Evaluates the cuts of many columns from `first` on that may be the best.
BOUGH_INLINE void take_contenders(const FewTwoClassRows& rows, const CutsOfTwo& cuts, const Peaks& peaks,
                                  const Keys* key, int first, int many, double enough, FewCut& best) {
  double highest = peaks.known[0];
  for (int c = 1; c < many; ++c) highest = std::max<double>(highest, peaks.known[c]);
  const double bar = std::min(highest, enough) - 2 * kValueSlack;
  for (int c = 0; c < many && best.value < enough; ++c) {
    if (peaks.of_all[c] < bar) continue;
    for (int i = 0; i + 1 < rows.n; ++i) {
      if (cuts.estimate[i][c] < std::max(bar, best.value - kValueSlack)) continue;
      const double left[2] = {cuts.left[0][i][c], cuts.left[1][i][c]},
                   right[2] = {cuts.right[0][i][c], cuts.right[1][i][c]};
      if (!cuts.allowed[i][c]) continue;
      const double value = rows.evaluator->value(left, right, rows.node_weight);
      if (!(value > best.value)) continue;
      best = {value, first + c, static_cast<int>(static_cast<std::uint32_t>(key[i][c]) & kPlaceMask),
              static_cast<int>(static_cast<std::uint32_t>(key[i + 1][c]) & kPlaceMask)};
    }
  }
}

template <class Sums, int N>
BOUGH_INLINE void search_two_classes_of(const FewTwoClassRows& rows, const FewCodes& codes,
                                        const int* columns, int n, double enough, FewCut& best) {
  Keys key[N];
  CutsOfTwo cuts;
  for (int first = 0; first < n && best.value < enough; first += kColumns) {
    const int many = std::min(kColumns, n - first);
    int own[kColumns];
    own_columns(columns, first, many, own);
    sorted_keys<N>(codes, own, rows.n, key);
    Sums::run(rows, key, cuts);
    Peaks peaks;
    if (rows.entropy)
      write_estimates<true>(rows, cuts, peaks);
    else
      write_estimates<false>(rows, cuts, peaks);
    take_contenders(rows, cuts, peaks, key, first, many, enough, best);
  }
}

// kMost: the most rows that there may be. Each number of rows has a function of its own, since compilers take
// long over one that holds all networks.
template <template <int> class Search, int kMost>
BOUGH_INLINE void search_few_two_classes_by(const FewTwoClassRows& rows, const FewCodes& codes,
                                            const int* columns, int n, double enough, FewCut& best) {
  if constexpr (kMost > 32)
    search_few<Search, 4, 8, 12, 16, 24, 32, 48, 64>(rows.n, rows, codes, columns, n, enough, best);
  else
    search_few<Search, 4, 8, 12, 16, 24, 32>(rows.n, rows, codes, columns, n, enough, best);
}

constexpr int kMostWithoutLong = FewTwoClassRows::kMost / 2;

// Without AVX2 columns are put in order one by one instead.
void few_two_classes_anywhere(const FewTwoClassRows& rows, const FewCodes& codes, const int* columns, int n,
                              double enough, FewCut& best) {
  search_two_classes_of<HalfSumsOfTwo<kMostWithoutLong>, kMostWithoutLong>(rows, codes, columns, n, enough,
                                                                           best);
}

#if defined(BOUGH_AVX2)
template <int N>
struct SearchOfTwoAvx2 {
  BOUGH_AVX2 __attribute__((noinline)) static void run(const FewTwoClassRows& rows, const FewCodes& codes,
                                                       const int* columns, int n, double enough,
                                                       FewCut& best) {
    search_two_classes_of<HalfSumsOfTwo<N>, N>(rows, codes, columns, n, enough, best);
  }
};

BOUGH_AVX2 void few_two_classes_avx2(const FewTwoClassRows& rows, const FewCodes& codes, const int* columns,
                                     int n, double enough, FewCut& best) {
  search_few_two_classes_by<SearchOfTwoAvx2, kMostWithoutLong>(rows, codes, columns, n, enough, best);
}
#endif

#if defined(BOUGH_LONG_REGISTERS)

// The same for all columns: the weights of all rows are in registers.
template <int N>
struct LongSumsOfTwo {
  BOUGH_LONG_REGISTERS static inline void run(const FewTwoClassRows& rows, const Keys* key, CutsOfTwo& cuts) {
    const RowTable<N> zeros(rows.of_class[0]), ones(rows.of_class[1]);
    const __m512d none = _mm512_setzero_pd();
    __m512d l0 = none, l1 = none, wl = none, r0 = _mm512_set1_pd(rows.total[0]),
            r1 = _mm512_set1_pd(rows.total[1]), wr = _mm512_set1_pd(rows.node_weight);
    CutKeys keys(key);
    for (int i = 0; i + 1 < rows.n; ++i) {
      keys.advance();
      const __m512i row = keys.rows();
      const __m512d zero = _mm512_castsi512_pd(zeros.at(row)), one = _mm512_castsi512_pd(ones.at(row)),
                    w = _mm512_add_pd(zero, one);
      _mm512_store_pd(cuts.left[0][i], l0 = _mm512_add_pd(l0, zero));
      _mm512_store_pd(cuts.left[1][i], l1 = _mm512_add_pd(l1, one));
      _mm512_store_pd(cuts.right[0][i], r0 = _mm512_sub_pd(r0, zero));
      _mm512_store_pd(cuts.right[1][i], r1 = _mm512_sub_pd(r1, one));
      wl = _mm512_add_pd(wl, w);
      wr = _mm512_sub_pd(wr, w);
      __mmask8 allowed = _mm512_mask_cmp_pd_mask(keys.differ(), wl, none, _CMP_GT_OQ);
      allowed = _mm512_mask_cmp_pd_mask(allowed, wr, none, _CMP_GT_OQ);
      const __m256i bits = _mm256_maskz_set1_epi32(allowed, -1);
      std::memcpy(cuts.allowed[i], &bits, sizeof bits);
    }
  }
};

template <int N>
struct LongSearchOfTwo {
  BOUGH_LONG_REGISTERS __attribute__((noinline)) static void run(const FewTwoClassRows& rows,
                                                                 const FewCodes& codes, const int* columns,
                                                                 int n, double enough, FewCut& best) {
    search_two_classes_of<LongSumsOfTwo<N>, N>(rows, codes, columns, n, enough, best);
  }
};

BOUGH_LONG_REGISTERS void few_two_classes_with_long_registers(const FewTwoClassRows& rows,
                                                              const FewCodes& codes, const int* columns,
                                                              int n, double enough, FewCut& best) {
  search_few_two_classes_by<LongSearchOfTwo, FewTwoClassRows::kMost>(rows, codes, columns, n, enough, best);
}
#endif

}  // namespace

std::vector<FewTwoClassesKernel> runnable_few_two_classes() {
  std::vector<FewTwoClassesKernel> kernels{{0, few_two_classes_anywhere}};
#if defined(BOUGH_AVX2)
  if (has_avx2()) kernels.push_back({kMostWithoutLong, few_two_classes_avx2});
#endif
#if defined(BOUGH_LONG_REGISTERS)
  if (has_avx2() && has_long_registers())
    kernels.push_back({FewTwoClassRows::kMost, few_two_classes_with_long_registers});
#endif
  return kernels;
}

}  // namespace bough
