#include "bough/forest/few_draws.hpp"

#include <array>
#include <limits>

#include "bough/machine/processor.hpp"

#if defined(BOUGH_LONG_REGISTERS)
#include <immintrin.h>

// GCC's own header begins some results with what is undefined, all of which is overwritten.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

// Also with permutations of bytes, and products of 64-bit numbers.
#define BOUGH_FEW_DRAWS                                                                       \
  __attribute__((                                                                             \
      target("avx2,popcnt,avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,prefer-vector-width=" \
             "512")))
#endif

namespace bough {

namespace {

#if defined(BOUGH_FEW_DRAWS)

constexpr int kLongs = 8;  // numbers of 64 bits in a register

// How far the random number of each column is from the state before the first, if all columns vary; that of
// its cut is one step further on.
struct RandomSteps {
  alignas(64) std::array<std::uint64_t, FewDraws::kMostDrawn> column{};

  constexpr RandomSteps() {
    for (std::size_t j = 0; j < column.size(); ++j) column[j] = (2 * j + 1) * Random::kStep;
  }
};
constexpr RandomSteps kSteps;

// As Random::mixed.
BOUGH_FEW_DRAWS inline __m512i mixed_numbers(__m512i z) {
  z = _mm512_mullo_epi64(_mm512_xor_si512(z, _mm512_srli_epi64(z, 30)),
                         _mm512_set1_epi64(static_cast<std::int64_t>(Random::kFirstFactor)));
  z = _mm512_mullo_epi64(_mm512_xor_si512(z, _mm512_srli_epi64(z, 27)),
                         _mm512_set1_epi64(static_cast<std::int64_t>(Random::kSecondFactor)));
  return _mm512_xor_si512(z, _mm512_srli_epi64(z, 31));
}

// The states whose mixtures are those numbers of eight columns.
BOUGH_FEW_DRAWS inline __m512i states_of(std::uint64_t state, int first) {
  return _mm512_add_epi64(_mm512_set1_epi64(static_cast<std::int64_t>(state)),
                          _mm512_load_si512(&kSteps.column[static_cast<std::size_t>(first)]));
}

// Where each of eight columns is drawn from, the first of them the `first` of all.
BOUGH_FEW_DRAWS inline __m128i drawn_from(std::uint64_t state, int first, int n_columns) {
  const __m512i seen = _mm512_add_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64(first));
  const __m512i upper = _mm512_srli_epi64(mixed_numbers(states_of(state, first)), 32);
  const __m512i below =
      _mm512_srli_epi64(_mm512_mul_epu32(upper, _mm512_sub_epi64(_mm512_set1_epi64(n_columns), seen)), 32);
  return _mm512_cvtepi64_epi8(_mm512_add_epi64(seen, below));
}

// The same of all drawn columns.
BOUGH_FEW_DRAWS inline __m256i all_drawn_from(std::uint64_t state, int n_drawn, int n_columns) {
  const __m128i low = drawn_from(state, 0, n_columns);
  if (n_drawn <= kLongs) return _mm256_zextsi128_si256(low);
  return _mm256_zextsi128_si256(_mm_unpacklo_epi64(low, drawn_from(state, kLongs, n_columns)));
}

BOUGH_FEW_DRAWS inline std::uint32_t lowest_bits(int n) {
  return static_cast<std::uint32_t>((std::uint64_t{1} << n) - 1);
}

// The columns as bytes.
BOUGH_FEW_DRAWS inline __m256i read_order(const FewDrawRows& rows) {
  const std::uint32_t all = lowest_bits(static_cast<int>(rows.width));
  const __m512i low = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(all), rows.columns),
                high = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(all >> 16), rows.columns + 16);
  return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm512_cvtepi32_epi8(low)),
                                 _mm512_cvtepi32_epi8(high), 1);
}

// Swaps each drawn column, from the `first` on, with the one it is drawn from; keeps the order after each.
BOUGH_FEW_DRAWS inline __m256i swapped_columns(__m256i order, __m256i from, int first, int n, FewDraws& to) {
  const __m256i identity = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                                            19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
  for (int j = first; j < n; ++j) {
    const __m256i own = _mm256_set1_epi8(static_cast<char>(j)), other = _mm256_permutexvar_epi8(own, from);
    __m256i swap = _mm256_mask_mov_epi8(identity, _mm256_cmpeq_epi8_mask(identity, other), own);
    swap = _mm256_mask_mov_epi8(swap, __mmask32{1} << j, other);
    order = _mm256_permutexvar_epi8(swap, order);
    _mm256_store_si256(reinterpret_cast<__m256i*>(to.order[j]), order);
  }
  return order;
}

// Numbers of each column, in two registers.
struct OfColumns {
  __m512 part[2];

  BOUGH_FEW_DRAWS inline void read(const float* from, std::size_t width) {
    const std::uint32_t all = lowest_bits(static_cast<int>(width));
    part[0] = _mm512_maskz_loadu_ps(static_cast<__mmask16>(all), from);
    part[1] = _mm512_maskz_loadu_ps(static_cast<__mmask16>(all >> 16), from + 16);
  }
  BOUGH_FEW_DRAWS inline __m512 at(__m512i columns) const {
    return _mm512_permutex2var_ps(part[0], columns, part[1]);
  }
};

BOUGH_FEW_DRAWS inline void find_all_extremes(const FewDrawRows& rows, OfColumns& least, OfColumns& most) {
  least.read(rows.cells + rows.index[0] * rows.width, rows.width);
  most = least;
  for (int i = 1; i < rows.n; ++i) {
    OfColumns own;
    own.read(rows.cells + rows.index[i] * rows.width, rows.width);
    for (int k = 0; k < 2; ++k) {
      least.part[k] = _mm512_min_ps(own.part[k], least.part[k]);
      most.part[k] = _mm512_max_ps(own.part[k], most.part[k]);
    }
  }
}

// Draws the columns: as if all varied, and from one that does not on once more. Returns their order; back: by
// how many numbers fewer were drawn before the cut of each, times Random::kStep.
BOUGH_FEW_DRAWS inline __m512i drawn_columns(const FewDrawRows& rows, std::uint64_t state,
                                             std::uint32_t varying, FewDraws& to, __m512i* back) {
  const auto own = static_cast<__mmask16>((1u << rows.n_drawn) - 1);
  __m256i order = read_order(rows);
  back[0] = back[1] = _mm512_setzero_si512();
  to.constant = 0;
  for (int first = 0;;) {
    const __m256i from = all_drawn_from(state, rows.n_drawn, static_cast<int>(rows.width));
    order = swapped_columns(order, from, first, rows.n_drawn, to);
    const __m512i columns = _mm512_cvtepu8_epi32(_mm256_castsi256_si128(order));
    const __m512i bits = _mm512_srlv_epi32(_mm512_set1_epi32(static_cast<std::int32_t>(varying)), columns);
    const unsigned constant = _mm512_mask_testn_epi32_mask(own, bits, _mm512_set1_epi32(1)) >> first << first;
    if (constant == 0) return columns;
    const int missed = __builtin_ctz(constant);
    to.constant |= 1u << missed;
    first = missed + 1;
    if (first == rows.n_drawn) return columns;
    order = _mm256_load_si256(reinterpret_cast<const __m256i*>(to.order[missed]));
    state -= Random::kStep;
    const unsigned later = 0xffffu << first;
    const __m512i step = _mm512_set1_epi64(static_cast<std::int64_t>(Random::kStep));
    for (int k = 0; k < 2; ++k)
      back[k] = _mm512_mask_add_epi64(back[k], static_cast<__mmask8>(later >> kLongs * k), back[k], step);
  }
}

// Cuts of eight columns as TreeGrower::drawn_cut has them, before they are kept within the extremes.
BOUGH_FEW_DRAWS inline __m256 cuts_within(__m256 least, __m256 most, __m512i states, __mmask8& finite) {
  const __m512d low = _mm512_cvtps_pd(least), reach = _mm512_sub_pd(_mm512_cvtps_pd(most), low);
  const __m512i numbers =
      mixed_numbers(_mm512_add_epi64(states, _mm512_set1_epi64(static_cast<std::int64_t>(Random::kStep))));
  const __m512d share =
      _mm512_mul_pd(_mm512_cvtepu64_pd(_mm512_srli_epi64(numbers, 11)), _mm512_set1_pd(0x1p-53));
  finite = _mm512_cmp_pd_mask(reach, _mm512_set1_pd(std::numeric_limits<double>::infinity()), _CMP_LT_OQ);
  return _mm512_cvtpd_ps(_mm512_add_pd(low, _mm512_mul_pd(share, reach)));
}

BOUGH_FEW_DRAWS inline void copy_cells(const FewDrawRows& rows, __m512i columns, float* to) {
  for (int i = 0; i < rows.n; ++i) {
    OfColumns own;
    own.read(rows.cells + rows.index[i] * rows.width, rows.width);
    _mm512_store_ps(to + i * FewDraws::kMostDrawn, own.at(columns));
  }
}

BOUGH_FEW_DRAWS bool draw_few(const FewDrawRows& rows, const Random& random, FewDraws& to) {
  const std::uint64_t state = random.state();
  OfColumns least_of_all, most_of_all;
  find_all_extremes(rows, least_of_all, most_of_all);
  std::uint32_t varying = 0;
  for (int k = 0; k < 2; ++k)
    varying |=
        static_cast<std::uint32_t>(_mm512_cmp_ps_mask(least_of_all.part[k], most_of_all.part[k], _CMP_LT_OQ))
        << 16 * k;
  __m512i back[2];
  const __m512i columns = drawn_columns(rows, state, varying, to, back);
  const __m512 least = least_of_all.at(columns), most = most_of_all.at(columns);
  __mmask8 finite[2] = {0, 0xff};
  const __m256 low_cuts = cuts_within(_mm512_castps512_ps256(least), _mm512_castps512_ps256(most),
                                      _mm512_sub_epi64(states_of(state, 0), back[0]), finite[0]);
  __m256 high_cuts = low_cuts;
  if (rows.n_drawn > kLongs)
    high_cuts = cuts_within(_mm512_extractf32x8_ps(least, 1), _mm512_extractf32x8_ps(most, 1),
                            _mm512_sub_epi64(states_of(state, kLongs), back[1]), finite[1]);
  const auto own = static_cast<__mmask16>((1u << rows.n_drawn) - 1);
  if ((~(finite[0] | finite[1] << kLongs) & own) != 0) return false;
  copy_cells(rows, columns, to.cell);
  const __m512 drawn = _mm512_insertf32x8(_mm512_castps256_ps512(low_cuts), high_cuts, 1);
  __mmask16 within = _mm512_cmp_ps_mask(drawn, least, _CMP_GT_OQ);
  within = _mm512_mask_cmp_ps_mask(within, drawn, most, _CMP_LE_OQ);
  const __mmask16 cuts = own & static_cast<__mmask16>(~to.constant);
  const __m512 none = _mm512_set1_ps(-std::numeric_limits<float>::infinity());
  _mm512_store_ps(to.cut, _mm512_mask_mov_ps(none, cuts, _mm512_mask_mov_ps(most, within, drawn)));
  _mm512_store_ps(to.least, least);
  _mm512_store_ps(to.most, most);
  return true;
}

BOUGH_FEW_DRAWS void write_order(const FewDraws& draws, int seen, int n_columns, int* columns) {
  const __m256i order = _mm256_load_si256(reinterpret_cast<const __m256i*>(draws.order[seen - 1]));
  const std::uint32_t all = lowest_bits(n_columns);
  _mm512_mask_storeu_epi32(columns, static_cast<__mmask16>(all),
                           _mm512_cvtepu8_epi32(_mm256_castsi256_si128(order)));
  _mm512_mask_storeu_epi32(columns + 16, static_cast<__mmask16>(all >> 16),
                           _mm512_cvtepu8_epi32(_mm256_extracti128_si256(order, 1)));
}

constexpr FewDrawKernels kFewDraws{draw_few, write_order};
#pragma GCC diagnostic pop

#endif

}  // namespace

const FewDrawKernels* few_draw_kernels() {
#if defined(BOUGH_FEW_DRAWS)
  static const bool runs = has_avx2() && has_long_registers() && __builtin_cpu_supports("avx512dq") &&
                           __builtin_cpu_supports("avx512vbmi");
  if (runs) return &kFewDraws;
#endif
  return nullptr;
}

}  // namespace bough
