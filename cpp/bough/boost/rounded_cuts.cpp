#include "bough/boost/rounded_cuts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bough {

namespace {

constexpr int kLeastHeight = 4;  // one register has the first four levels of a search tree

}  // namespace

RoundedCuts::RoundedCuts(std::span<const double> cuts) : cuts_(cuts.begin(), cuts.end()) {
  const auto n = cuts.size();
  if (n > 0 && std::isfinite(cuts[n / 2])) base_ = cuts[n / 2];
  height_ = std::max(kLeastHeight, static_cast<int>(std::bit_width(n)));
  pivot_.assign(std::size_t{1} << height_, std::numeric_limits<float>::quiet_NaN());
  for (int level = 0; level < height_; ++level)
    for (std::size_t i = 0; i < std::size_t{1} << level; ++i) {
      const std::size_t cut = ((2 * i + 1) << (height_ - level - 1)) - 1;
      if (cut < n) pivot_[(std::size_t{1} << level) + i] = static_cast<float>(cuts[cut] - base_);
    }
}

#if defined(BOUGH_LONG_REGISTERS)

namespace {

constexpr int kLanes = 16;

// The pivots of a level, one for each lane, by the number of a node of that level in each lane.
template <int level>
BOUGH_LONG_REGISTERS BOUGH_INLINE __m512 pivots_at(const float* pivot, __m512i node) {
  if constexpr (level < 4) {
    return _mm512_maskz_permutexvar_ps(0xffff, node, _mm512_loadu_ps(pivot));
  } else if constexpr (level == 4) {
    return _mm512_maskz_permutexvar_ps(0xffff, node, _mm512_loadu_ps(pivot + 16));
  } else {
    const auto pair = [&](int at) BOUGH_LONG_REGISTERS {
      return _mm512_permutex2var_ps(_mm512_loadu_ps(pivot + at), node, _mm512_loadu_ps(pivot + at + kLanes));
    };
    if constexpr (level == 5) return pair(32);
    const __mmask16 second = _mm512_test_epi32_mask(node, _mm512_set1_epi32(32));
    if constexpr (level == 6) return _mm512_mask_blend_ps(second, pair(64), pair(96));
    const __mmask16 later = _mm512_test_epi32_mask(node, _mm512_set1_epi32(64));
    return _mm512_mask_blend_ps(later, _mm512_mask_blend_ps(second, pair(128), pair(160)),
                                _mm512_mask_blend_ps(second, pair(192), pair(224)));
  }
}

// Takes the values one level down, from a node to one of its children; `reached` is the last pivot reached.
template <int level>
BOUGH_LONG_REGISTERS BOUGH_INLINE void descend(const float* pivot, __m512 x, __m512i& node, __m512& reached) {
  const __m512 at = pivots_at<level>(pivot, node);
  const __mmask16 right = _mm512_cmp_ps_mask(x, at, _CMP_GE_OQ);
  reached = _mm512_mask_mov_ps(reached, right, at);
  node = _mm512_add_epi32(node, node);
  node = _mm512_mask_add_epi32(node, right, node, _mm512_set1_epi32(1));
}

template <int height, int level = 0>
BOUGH_LONG_REGISTERS BOUGH_INLINE void descend_all(const float* pivot, __m512 x, __m512i& node,
                                                   __m512& reached) {
  descend<level>(pivot, x, node, reached);
  if constexpr (level + 1 < height) descend_all<height, level + 1>(pivot, x, node, reached);
}

}  // namespace

template <int height>
BOUGH_LONG_REGISTERS bool RoundedCuts::search(const Column& column, const RowRange& rows,
                                              const float* rounded, std::int8_t* codes) const {
  const float* pivot = pivot_.data();
  const __m512i offset = _mm512_set1_epi32(kLeastCode - (1 << height));
  unsigned any_missing = 0;
  for (int i = 0; i < kRows; i += kLanes) {
    const __m512 x = _mm512_loadu_ps(rounded + i);
    __m512i node = _mm512_set1_epi32(1);
    __m512 reached = _mm512_set1_ps(std::numeric_limits<float>::quiet_NaN());
    descend_all<height>(pivot, x, node, reached);
    const __mmask16 missing = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    any_missing |= missing;
    const __m128i code = _mm512_maskz_cvtepi32_epi8(0xffff, _mm512_add_epi32(node, offset));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(codes + i),
                     _mm_mask_mov_epi8(code, missing, _mm_set1_epi8(kMissingLast)));
    for (unsigned equal = _mm512_cmp_ps_mask(x, reached, _CMP_EQ_OQ); equal != 0; equal &= equal - 1) {
      const int at = i + std::countr_zero(equal);
      const double exact = column.value(rows.begin + std::min(at, rows.count - 1));
      const auto n = std::upper_bound(cuts_.begin(), cuts_.end(), exact) - cuts_.begin();
      codes[at] = static_cast<std::int8_t>(kLeastCode + n);
    }
  }
  return any_missing != 0;
}

BOUGH_LONG_REGISTERS bool RoundedCuts::code(const Column& column, const RowRange& rows, const float* rounded,
                                            std::int8_t* codes) const {
  switch (height_) {
    case 4:
      return search<4>(column, rows, rounded, codes);
    case 5:
      return search<5>(column, rows, rounded, codes);
    case 6:
      return search<6>(column, rows, rounded, codes);
    case 7:
      return search<7>(column, rows, rounded, codes);
    default:
      return search<8>(column, rows, rounded, codes);
  }
}

namespace {

constexpr int kTogether = 8;  // columns that are read at once

BOUGH_LONG_REGISTERS BOUGH_INLINE __m512d load_some(__mmask8 lanes, const double* from) {
  return _mm512_maskz_loadu_pd(lanes, from);
}
BOUGH_LONG_REGISTERS BOUGH_INLINE __m512d load_some(__mmask8 lanes, const float* from) {
  return _mm512_maskz_cvtps_pd(0xff, _mm256_maskz_loadu_ps(lanes, from));
}

// Columns next to each other, and where each of them goes; lanes without a column are not read.
struct Neighbours {
  const Column* first;
  __mmask8 lanes = 0;
  double base[kTogether] = {};
  float* values[kTogether] = {};
};

BOUGH_LONG_REGISTERS BOUGH_INLINE __m512 low_pairs(__m512 a, __m512 b) {
  return _mm512_castpd_ps(_mm512_maskz_unpacklo_pd(0xff, _mm512_castps_pd(a), _mm512_castps_pd(b)));
}
BOUGH_LONG_REGISTERS BOUGH_INLINE __m512 high_pairs(__m512 a, __m512 b) {
  return _mm512_castpd_ps(_mm512_maskz_unpackhi_pd(0xff, _mm512_castps_pd(a), _mm512_castps_pd(b)));
}

// Turns 16 rows of 8 columns into columns of 16 rows. A register has two rows, four apart.
BOUGH_LONG_REGISTERS BOUGH_INLINE void transpose(__m512* row) {
  __m512 pair[8], four[8];
  for (int i = 0; i < 8; i += 2) {
    pair[i] = _mm512_maskz_unpacklo_ps(0xffff, row[i], row[i + 1]);
    pair[i + 1] = _mm512_maskz_unpackhi_ps(0xffff, row[i], row[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    four[i] = low_pairs(pair[i], pair[i + 2]);
    four[i + 1] = high_pairs(pair[i], pair[i + 2]);
    four[i + 2] = low_pairs(pair[i + 1], pair[i + 3]);
    four[i + 3] = high_pairs(pair[i + 1], pair[i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    row[i] = _mm512_maskz_shuffle_f32x4(0xffff, four[i], four[i + 4], 0x88);
    row[i + 4] = _mm512_maskz_shuffle_f32x4(0xffff, four[i], four[i + 4], 0xdd);
  }
}

template <class T>
BOUGH_LONG_REGISTERS void round_neighbours(const Neighbours& of, const RowRange& rows, int done) {
  const __m512d base = _mm512_loadu_pd(of.base);
  const auto read = [&](int i) BOUGH_LONG_REGISTERS {
    const auto* from = &of.first->at<T>(rows.begin + std::min(done + i, rows.count - 1));
    return _mm512_maskz_cvtpd_ps(0xff, _mm512_sub_pd(load_some(of.lanes, from), base));
  };
  __m512 row[8];
  for (int i = 0; i < 8; ++i) {
    const int first = i < 4 ? i : i + 4;
    const __m256 one = read(first), other = read(first + 4);
    row[i] = _mm512_castpd_ps(_mm512_maskz_insertf64x4(0xff, _mm512_castps_pd(_mm512_castps256_ps512(one)),
                                                       _mm256_castps_pd(other), 1));
  }
  transpose(row);
  for (unsigned lanes = of.lanes; lanes != 0; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    _mm512_storeu_ps(of.values[lane] + done, row[lane]);
  }
}

BOUGH_LONG_REGISTERS void round_alone(const Column& column, const RowRange& rows,
                                      const RoundedColumn& wanted) {
  const int count = std::min(rows.count, RoundedCuts::kRows);
  if (column.type == Column::Type::float64 && column.stride == sizeof(double)) {
    const double* from = &column.at<double>(rows.begin);
    for (int i = 0; i < count; ++i) wanted.values[i] = static_cast<float>(from[i] - wanted.base);
  } else {
    for (int i = 0; i < count; ++i)
      wanted.values[i] = static_cast<float>(column.value(rows.begin + i) - wanted.base);
  }
  std::fill(wanted.values + count, wanted.values + RoundedCuts::kRows, 0.0F);
}

}  // namespace

BOUGH_LONG_REGISTERS void round_rows(const std::vector<Column>& columns, const RowRange& rows,
                                     std::span<const RoundedColumn> wanted) {
  std::vector<Neighbours> groups;
  for (std::size_t j = 0; j < wanted.size();) {
    const Column& first = columns[wanted[j].column];
    const bool is_float = first.type == Column::Type::float32;
    const int size = is_float ? sizeof(float) : sizeof(double);
    Neighbours group{&first};
    std::size_t next = j;
    for (; next < wanted.size(); ++next) {
      const int lane = wanted[next].column - wanted[j].column;
      if (lane >= kTogether) break;
      const Column& column = columns[wanted[next].column];
      if (column.type != first.type || column.stride != first.stride ||
          column.data != first.data + lane * size)
        break;
      group.lanes = static_cast<__mmask8>(group.lanes | 1U << lane);
      group.base[lane] = wanted[next].base;
      group.values[lane] = wanted[next].values;
    }
    if ((is_float || first.type == Column::Type::float64) && next > j + 1) {
      groups.push_back(group);
    } else {
      next = j + 1;
      round_alone(first, rows, wanted[j]);
    }
    j = next;
  }
  for (int done = 0; done < RoundedCuts::kRows; done += kLanes)
    for (const Neighbours& group : groups)
      if (group.first->type == Column::Type::float32)
        round_neighbours<float>(group, rows, done);
      else
        round_neighbours<double>(group, rows, done);
}

#endif

}  // namespace bough
