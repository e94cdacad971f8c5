#include "bough/forest/class_kernels.hpp"

#include <algorithm>
#include <cstring>

#include "bough/machine/kernel_sets.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bough {

namespace {

constexpr int kEight = 8;

using EightInts = std::int32_t __attribute__((vector_size(4 * kEight)));
using EightFloats = float __attribute__((vector_size(4 * kEight)));

// Vectors are passed by reference: how they are returned depends on the processor.
template <class V, class T>
BOUGH_INLINE void read(V& v, const T* from) {
  std::memcpy(&v, from, sizeof v);
}

// The value of cuts by their sums; V and F: vectors of whole numbers and of floats.
template <class V, class F>
BOUGH_INLINE void value_of_sums(const ClassedRows& rows, const V& own, const V& left, const V& squares,
                                const V& products, F& value) {
  const V right = rows.all - left, rest = rows.squares - (products * 2 - squares);
  const F both = __builtin_convertvector(squares, F) / __builtin_convertvector(left, F) +
                 __builtin_convertvector(rest, F) / __builtin_convertvector(right, F);
  const V allowed = (own < rows.highest) & (left >= rows.least) & (right >= rows.least);
  value = allowed ? both : F{} - 1;
}

// Writes what is told of the cuts behind the rows from `begin` on.
template <class V, class F>
BOUGH_INLINE void write_cuts(const ClassedRows& rows, const V& own, const V& left, const V& squares,
                             const V& products, int begin, const ClassedCuts& cuts, F& peak) {
  F value;
  value_of_sums(rows, own, left, squares, products, value);
  std::memcpy(cuts.left + begin, &left, sizeof left);
  std::memcpy(cuts.squares + begin, &squares, sizeof squares);
  std::memcpy(cuts.products + begin, &products, sizeof products);
  std::memcpy(cuts.value + begin, &value, sizeof value);
  peak = value > peak ? value : peak;
}

BOUGH_INLINE float cut_rows_of_classes(const ClassedRows& rows, const ClassedCuts& cuts) {
  EightFloats peak = EightFloats{} - 1;
  for (int begin = 0; begin < rows.n; begin += kEight) {
    EightInts own, left = {}, squares = {}, products = {};
    read(own, rows.code + begin);
    int j = 0;
    for (int c = 0; c < rows.n_classes; ++c) {
      EightInts count = {};
      for (; j < rows.end[c]; ++j) count += (own >= rows.code[j]) & rows.count[j];
      left += count;
      squares += count * count;
      products += count * rows.total[c];
    }
    write_cuts(rows, own, left, squares, products, begin, cuts, peak);
  }
  float most = -1;
  for (int lane = 0; lane < kEight; ++lane) most = std::max(most, peak[lane]);
  return most;
}

using FourFloats = float __attribute__((vector_size(16)));

// The sum of eight numbers, always in this order.
BOUGH_INLINE float sum_of(const EightFloats& v) {
  const FourFloats low = {v[0], v[1], v[2], v[3]}, high = {v[4], v[5], v[6], v[7]}, four = low + high;
  return (four[0] + four[2]) + (four[1] + four[3]);
}

BOUGH_INLINE void make_far(EightFloats& v) { v = v < 0 ? -v : v; }

// Within a bin, each d lies between where all rows of its class come first and where they come last, and the
// product of the sides is least at an end. In the first bin and in the last, where that product may be 0,
// d^2 / w is at most w times the squared distance of the bin's shares from the node's, which is longest where
// the bin holds one class alone.
template <int W>
BOUGH_INLINE float bound_bins_of_classes(const ClassedBins& bins, float* behind, float* within) {
  constexpr int kVectors = W / kEight;
  EightFloats share[kVectors], slack[kVectors], left[kVectors] = {}, own[kVectors];
  float squared_shares = 0;
  for (int v = 0; v < kVectors; ++v) {
    read(share[v], bins.share + v * kEight);
    read(slack[v], bins.slack + v * kEight);
    squared_shares += sum_of(share[v] * share[v]);
  }
  float wl = 0, peak = -1;
  for (int b = 0; b < bins.n; ++b) {
    EightFloats sum = {};
    for (int v = 0; v < kVectors; ++v) {
      EightInts counted;
      read(counted, bins.content + static_cast<std::size_t>(b) * W + v * kEight);
      own[v] = __builtin_convertvector(counted, EightFloats);
      sum += own[v];
    }
    const float inside = sum_of(sum), after = wl + inside;
    EightFloats squares = {}, most = {};
    float farthest = 0;
    for (int v = 0; v < kVectors; ++v) {
      const EightFloats d = left[v] - share[v] * wl, others = share[v] * (inside - own[v]),
                        apart = own[v] - share[v] * own[v];
      EightFloats high = d + apart, low = d - others, at = high - others;
      make_far(high);
      make_far(low);
      make_far(at);
      const EightFloats far = (high > low ? high : low) + slack[v], here = at + slack[v];
      most += far * far;
      squares += here * here;
      left[v] += own[v];
      const EightFloats alone = own[v] > 0 ? 1 - (share[v] + share[v]) : EightFloats{};
      for (int lane = 0; lane < kEight && (b == 0 || b == bins.n - 1); ++lane)
        farthest = std::max(farthest, alone[lane]);
    }
    const float at_low = wl * (bins.all - wl), at_high = after * (bins.all - after);
    wl = after;
    // What follows an empty bin is the cut behind the bin before.
    const bool allowed = after >= bins.least && bins.all - after >= bins.least;
    behind[b] = allowed && inside > 0 && b + 1 < bins.n ? sum_of(squares) / at_high : -1;
    peak = behind[b] > peak ? behind[b] : peak;
    if (b == 0 || b == bins.n - 1)
      within[b] = inside * (farthest + squared_shares) / (bins.all - inside);
    else
      within[b] = inside > 0 ? sum_of(most) / (at_low < at_high ? at_low : at_high) : -1;
  }
  return peak;
}

BOUGH_INLINE float bound_either(const ClassedBins& bins, float* behind, float* within) {
  return bins.width == kEight ? bound_bins_of_classes<8>(bins, behind, within)
                              : bound_bins_of_classes<16>(bins, behind, within);
}

// Lists the rows from `begin` on, where so many are listed already.
BOUGH_INLINE int list_rest(const OpenClassBins& bins, const std::int32_t* code, int begin, int n,
                           std::uint64_t* key, int found) {
  for (int i = begin; i < n; ++i) {
    key[found] = static_cast<std::uint64_t>(code[i]) << 32 | static_cast<std::uint32_t>(i);
    found += bins.has(code[i]);
  }
  return found;
}

namespace classes_anywhere {
float of_rows(const ClassedRows& rows, const ClassedCuts& cuts) { return cut_rows_of_classes(rows, cuts); }
float of_bins(const ClassedBins& bins, float* behind, float* within) {
  return bound_either(bins, behind, within);
}
int of_open(const OpenClassBins& bins, const std::int32_t* code, int n, std::uint64_t* key) {
  return list_rest(bins, code, 0, n, key, 0);
}
constexpr ClassKernels kAll{of_rows, of_bins, of_open};
}  // namespace classes_anywhere

#if defined(BOUGH_AVX2)
namespace classes_avx2 {
BOUGH_AVX2 float of_rows(const ClassedRows& rows, const ClassedCuts& cuts) {
  return cut_rows_of_classes(rows, cuts);
}
BOUGH_AVX2 float of_bins(const ClassedBins& bins, float* behind, float* within) {
  return bound_either(bins, behind, within);
}
BOUGH_AVX2 int of_open(const OpenClassBins& bins, const std::int32_t* code, int n, std::uint64_t* key) {
  return list_rest(bins, code, 0, n, key, 0);
}
constexpr ClassKernels kAll{of_rows, of_bins, of_open};
}  // namespace classes_avx2
#endif

#if defined(BOUGH_LONG_REGISTERS)

// The same as cut_rows_of_classes for kVectors times 16 rows from `begin` on: what is not below is left out
// of a sum by a mask. Several vectors share what is read of a row and the ends of the classes, which the
// processor cannot foresee.
template <int kVectors>
BOUGH_LONG_REGISTERS inline void cut_vectors(const ClassedRows& rows, int begin, const ClassedCuts& cuts,
                                             float& most) {
  using Ints = std::int32_t __attribute__((vector_size(64)));
  using Floats = float __attribute__((vector_size(64)));
  __m512i own[kVectors];
  Ints left[kVectors] = {}, squares[kVectors] = {}, products[kVectors] = {};
  for (int v = 0; v < kVectors; ++v) own[v] = _mm512_loadu_si512(rows.code + begin + v * kClassLanes);
  int j = 0;
  for (int c = 0; c < rows.n_classes; ++c) {
    __m512i sum[kVectors];
    for (__m512i& each : sum) each = _mm512_setzero_si512();
    for (; j < rows.end[c]; ++j) {
      const __m512i code = _mm512_set1_epi32(rows.code[j]), count = _mm512_set1_epi32(rows.count[j]);
      for (int v = 0; v < kVectors; ++v)
        sum[v] = _mm512_mask_add_epi32(sum[v], _mm512_cmpge_epi32_mask(own[v], code), sum[v], count);
    }
    for (int v = 0; v < kVectors; ++v) {
      const Ints of_class = reinterpret_cast<Ints>(sum[v]);
      left[v] += of_class;
      squares[v] += of_class * of_class;
      products[v] += of_class * rows.total[c];
    }
  }
  Floats peak = Floats{} - 1;
  for (int v = 0; v < kVectors; ++v)
    write_cuts(rows, reinterpret_cast<Ints>(own[v]), left[v], squares[v], products[v],
               begin + v * kClassLanes, cuts, peak);
  for (int lane = 0; lane < kClassLanes; ++lane) most = std::max(most, peak[lane]);
}

BOUGH_LONG_REGISTERS float cut_many_rows(const ClassedRows& rows, const ClassedCuts& cuts) {
  constexpr int kTogether = 4;
  float most = -1;
  for (int begin = 0; begin < rows.n; begin += kTogether * kClassLanes) {
    const int vectors = (rows.n - begin + kClassLanes - 1) / kClassLanes;
    if (vectors == 1)
      cut_vectors<1>(rows, begin, cuts, most);
    else if (vectors == 2)
      cut_vectors<2>(rows, begin, cuts, most);
    else if (vectors == 3)
      cut_vectors<3>(rows, begin, cuts, most);
    else
      cut_vectors<kTogether>(rows, begin, cuts, most);
  }
  return most;
}

// The bits of all bins are in two registers, from which each row takes its own.
BOUGH_LONG_REGISTERS int list_many_open(const OpenClassBins& bins, const std::int32_t* code, int n,
                                        std::uint64_t* key) {
  const __m512i low = _mm512_set1_epi32(bins.low), table = _mm512_load_si512(bins.open),
                upper_table = _mm512_load_si512(bins.open + 16), one = _mm512_set1_epi32(1);
  const __m128i shift = _mm_cvtsi32_si128(bins.shift);
  __m512i place = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  int found = 0, i = 0;
  for (; i + kClassLanes <= n; i += kClassLanes) {
    const __m512i own = _mm512_loadu_si512(code + i),
                  bin = _mm512_maskz_srl_epi32(0xffff, _mm512_sub_epi32(own, low), shift);
    const __m512i word =
        _mm512_permutex2var_epi32(table, _mm512_maskz_srli_epi32(0xffff, bin, 5), upper_table);
    const __mmask16 open = _mm512_test_epi32_mask(_mm512_maskz_rorv_epi32(0xffff, word, bin), one);
    const __m512i codes = _mm512_maskz_compress_epi32(open, own),
                  places = _mm512_maskz_compress_epi32(open, place);
    place = _mm512_add_epi32(place, _mm512_set1_epi32(kClassLanes));
    // 32 bits of each alternately: the lower halves of both registers make the first eight keys.
    const __m512i first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(8));
    _mm512_storeu_si512(key + found, _mm512_permutex2var_epi32(places, first, codes));
    _mm512_storeu_si512(key + found + 8, _mm512_permutex2var_epi32(places, second, codes));
    found += __builtin_popcount(open);
  }
  return list_rest(bins, code, i, n, key, found);
}

constexpr ClassKernels kClassesWithLongRegisters{cut_many_rows, classes_avx2::of_bins, list_many_open};
#endif

}  // namespace

std::vector<const ClassKernels*> runnable_class_kernels() {
  return runnable_sets(classes_anywhere::kAll, BOUGH_SET_OF_AVX2(classes_avx2::kAll),
                       BOUGH_SET_OF_LONG_REGISTERS(kClassesWithLongRegisters));
}

}  // namespace bough
