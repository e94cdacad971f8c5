#include "bough/forest/drawn_cuts.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>

#include "bough/machine/kernel_sets.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bough {

namespace {

using CellLanes = float __attribute__((vector_size(4 * kLanes)));
using CountLanes = std::int32_t __attribute__((vector_size(4 * kLanes)));
using HalfLanes = float __attribute__((vector_size(2 * kLanes)));
using MomentLanes = double __attribute__((vector_size(4 * kLanes)));
using LongLanes = std::int64_t __attribute__((vector_size(4 * kLanes)));

template <class V, class T>
BOUGH_INLINE void read_lanes(V& lanes, const T* from) {
  V own;  // copied one by one: an array of vectors would be copied through memory
  std::memcpy(&own, from, sizeof own);
  lanes = own;
}

template <class V, class T>
BOUGH_INLINE void write_lanes(const V& lanes, T* to) {
  const V own = lanes;
  std::memcpy(to, &own, sizeof own);
}

// Calls run<G>(c) for G groups of columns from column c on, as many at once as the registers hold.
template <int kMost, class Work>
BOUGH_INLINE void by_groups(int n_groups, const Work& work) {
  int c = 0;
  for (; n_groups >= kMost; n_groups -= kMost, c += kMost * kLanes) work.template run<kMost>(c);
  if constexpr (kMost > 3)
    if (n_groups == 3) return work.template run<3>(c);
  if constexpr (kMost > 2)
    if (n_groups == 2) return work.template run<2>(c);
  if (n_groups == 1) work.template run<1>(c);
}

struct ColumnExtremes {
  const CellRows& rows;
  float *least, *most;

  template <int G>
  BOUGH_INLINE void run(int c) const {
    CellLanes low[G], high[G];
    const float* first = rows.cells_of(0) + c;
    for (int g = 0; g < G; ++g) {
      read_lanes(low[g], first + g * kLanes);
      high[g] = low[g];
    }
    for (int i = 1; i < rows.n; ++i) {
      const float* row = rows.cells_of(i) + c;
      for (int g = 0; g < G; ++g) {
        CellLanes own;
        read_lanes(own, row + g * kLanes);
        low[g] = own < low[g] ? own : low[g];
        high[g] = own > high[g] ? own : high[g];
      }
    }
    for (int g = 0; g < G; ++g) {
      write_lanes(low[g], least + c + g * kLanes);
      write_lanes(high[g], most + c + g * kLanes);
    }
  }
};

struct MomentsBelow {
  const CellRows& rows;
  const float* cut;
  const double *weight, *sum;
  double *weights, *sums;

  template <int G>
  BOUGH_INLINE void run(int c) const {
    constexpr int kHalf = kLanes / 2;
    HalfLanes cuts[2 * G];
    for (int h = 0; h < 2 * G; ++h) read_lanes(cuts[h], cut + c + h * kHalf);
    MomentLanes of_weight[2 * G] = {}, of_sum[2 * G] = {};
    for (int i = 0; i < rows.n; ++i) {
      const std::uint32_t at = rows.index[i];
      const float* row = rows.cells_of(i) + c;
      const auto w = reinterpret_cast<LongLanes>(MomentLanes{} + weight[at]),
                 s = reinterpret_cast<LongLanes>(MomentLanes{} + sum[at]);
      for (int h = 0; h < 2 * G; ++h) {
        HalfLanes own;
        read_lanes(own, row + h * kHalf);
        const LongLanes below = __builtin_convertvector(own < cuts[h], LongLanes);
        of_weight[h] += reinterpret_cast<MomentLanes>(below & w);
        of_sum[h] += reinterpret_cast<MomentLanes>(below & s);
      }
    }
    for (int h = 0; h < 2 * G; ++h) {
      write_lanes(of_weight[h], weights + c + h * kHalf);
      write_lanes(of_sum[h], sums + c + h * kHalf);
    }
  }
};

struct CountsBelow {
  const CellRows& rows;
  const float* cut;
  const std::uint32_t* count;
  std::uint32_t* below;

  template <int G>
  BOUGH_INLINE void run(int c) const {
    CellLanes cuts[G];
    for (int g = 0; g < G; ++g) read_lanes(cuts[g], cut + c + g * kLanes);
    CountLanes sums[G] = {};
    for (int i = 0; i < rows.n; ++i) {
      const float* row = rows.cells_of(i) + c;
      const CountLanes one = CountLanes{} + static_cast<std::int32_t>(count[i]);
      for (int g = 0; g < G; ++g) {
        CellLanes own;
        read_lanes(own, row + g * kLanes);
        sums[g] += (own < cuts[g]) & one;
      }
    }
    for (int g = 0; g < G; ++g) write_lanes(sums[g], below + c + g * kLanes);
  }
};

struct ClassesBelow {
  const CellRows& rows;
  const float* cut;
  const std::int32_t* label;
  const double* weight;
  std::int32_t* below;
  std::size_t stride;

  template <int G>
  BOUGH_INLINE void run(int c) const {
    CellLanes cuts[G];
    for (int g = 0; g < G; ++g) read_lanes(cuts[g], cut + c + g * kLanes);
    for (int i = 0; i < rows.n; ++i) {
      const std::uint32_t at = rows.index[i];
      const float* row = rows.cells_of(i) + c;
      std::int32_t* to = below + static_cast<std::size_t>(label[at]) * stride + c;
      const CountLanes one = CountLanes{} + static_cast<std::int32_t>(weight[at]);
      for (int g = 0; g < G; ++g) {
        CellLanes own;
        CountLanes sum;
        read_lanes(own, row + g * kLanes);
        read_lanes(sum, to + g * kLanes);
        sum += (own < cuts[g]) & one;
        write_lanes(sum, to + g * kLanes);
      }
    }
  }
};

BOUGH_INLINE void copy_columns(const CellRows& rows, const int* columns, const CellRows& picked, float* to) {
  const auto n_columns = static_cast<int>(picked.width);
  for (int i = 0; i < rows.n; ++i) {
    const float* row = rows.cells_of(i);
    for (int c = 0; c < n_columns; ++c) to[c] = row[columns[c]];
    to += n_columns;
  }
}

// One group of columns at a time.
BOUGH_INLINE void sum_squares(const std::int32_t* below, std::size_t stride, int n_groups,
                              const std::int32_t* total, int n_classes, const SquaresBelow& to) {
  for (int c = 0; c < n_groups * kLanes; c += kLanes) {
    CountLanes weight = {}, squares = {}, products = {};
    for (int k = 0; k < n_classes; ++k) {
      if (total[k] == 0) continue;
      CountLanes own;
      read_lanes(own, below + k * stride + c);
      weight += own;
      squares += own * own;
      products += own * total[k];
    }
    write_lanes(weight, to.weight + c);
    write_lanes(squares, to.squares + c);
    write_lanes(products, to.products + c);
  }
}

#define BOUGH_DRAWN_KERNELS(name, target)                                                                 \
  namespace name {                                                                                        \
  target void of_extremes(const CellRows& rows, int n_groups, float* least, float* most) {                \
    by_groups<4>(n_groups, ColumnExtremes{rows, least, most});                                            \
  }                                                                                                       \
  target void of_moments(const CellRows& rows, int n_groups, const float* cut, const double* weight,      \
                         const double* sum, double* weights, double* sums) {                              \
    by_groups<1>(n_groups, MomentsBelow{rows, cut, weight, sum, weights, sums});                          \
  }                                                                                                       \
  target void of_counts(const CellRows& rows, int n_groups, const float* cut, const std::uint32_t* count, \
                        std::uint32_t* below) {                                                           \
    by_groups<4>(n_groups, CountsBelow{rows, cut, count, below});                                         \
  }                                                                                                       \
  target void of_classes(const CellRows& rows, int n_groups, const float* cut, const std::int32_t* label, \
                         const double* weight, std::int32_t* below, std::size_t stride) {                 \
    by_groups<4>(n_groups, ClassesBelow{rows, cut, label, weight, below, stride});                        \
  }                                                                                                       \
  target void of_squares(const std::int32_t* below, std::size_t stride, int n_groups,                     \
                         const std::int32_t* total, int n_classes, const SquaresBelow& to) {              \
    sum_squares(below, stride, n_groups, total, n_classes, to);                                           \
  }                                                                                                       \
  target void of_pick(const CellRows& rows, const int* columns, const CellRows& picked, float* to,        \
                      float* least, float* most) {                                                        \
    copy_columns(rows, columns, picked, to);                                                              \
    of_extremes(picked, static_cast<int>(picked.width + kLanes - 1) / kLanes, least, most);               \
  }                                                                                                       \
  constexpr DrawnKernels kDrawn{of_extremes, of_moments, of_counts, of_classes, of_squares, of_pick, 0};  \
  }

BOUGH_DRAWN_KERNELS(drawn_anywhere, )
#if defined(BOUGH_AVX2)
BOUGH_DRAWN_KERNELS(drawn_avx2, BOUGH_AVX2)
#endif

#if defined(BOUGH_LONG_REGISTERS)

// The same as MomentsBelow: a mask leaves the rows out of a sum that are not below.
struct LongMomentsBelow : MomentsBelow {
  template <int G>
  BOUGH_LONG_REGISTERS inline void run(int c) const {
    __m256 cuts[G];
    __m512d of_weight[G], of_sum[G];
    for (int g = 0; g < G; ++g) {
      cuts[g] = _mm256_loadu_ps(cut + c + g * kLanes);
      of_weight[g] = of_sum[g] = _mm512_setzero_pd();
    }
    for (int i = 0; i < rows.n; ++i) {
      const std::uint32_t at = rows.index[i];
      const float* row = rows.cells_of(i) + c;
      const __m512d w = _mm512_set1_pd(weight[at]), s = _mm512_set1_pd(sum[at]);
      for (int g = 0; g < G; ++g) {
        const __mmask8 below = _mm256_cmp_ps_mask(_mm256_loadu_ps(row + g * kLanes), cuts[g], _CMP_LT_OQ);
        of_weight[g] = _mm512_mask_add_pd(of_weight[g], below, of_weight[g], w);
        of_sum[g] = _mm512_mask_add_pd(of_sum[g], below, of_sum[g], s);
      }
    }
    for (int g = 0; g < G; ++g) {
      _mm512_storeu_pd(weights + c + g * kLanes, of_weight[g]);
      _mm512_storeu_pd(sums + c + g * kLanes, of_sum[g]);
    }
  }
};

BOUGH_LONG_REGISTERS void of_long_moments(const CellRows& rows, int n_groups, const float* cut,
                                          const double* weight, const double* sum, double* weights,
                                          double* sums) {
  by_groups<4>(n_groups, LongMomentsBelow{{rows, cut, weight, sum, weights, sums}});
}

constexpr int kLong = 2 * kLanes;
constexpr std::size_t kMostPermuted = 2 * kLong;

// The cells of a row that fit in two registers are put in the order of the columns by one instruction. The
// extremes are those of the plain loop to the bit, for minima and maxima compare in the same way.
BOUGH_LONG_REGISTERS void of_long_pick(const CellRows& rows, const int* columns, const CellRows& picked,
                                       float* to, float* least, float* most) {
  const auto n_columns = static_cast<int>(picked.width), width = static_cast<int>(rows.width);
  if (rows.width > kMostPermuted || n_columns > kLong)
    return drawn_avx2::of_pick(rows, columns, picked, to, least, most);
  const auto lanes_of = [](int n) { return static_cast<__mmask16>((1u << std::clamp(n, 0, kLong)) - 1); };
  const __mmask16 first = lanes_of(width), second = lanes_of(width - kLong), own = lanes_of(n_columns);
  const __m512i order = _mm512_maskz_loadu_epi32(own, columns);
  const float* row = rows.cells_of(0);
  __m512 low = _mm512_permutex2var_ps(_mm512_maskz_loadu_ps(first, row), order,
                                      _mm512_maskz_loadu_ps(second, row + kLong));
  __m512 high = low;
  for (int i = 0; i < rows.n; ++i) {
    row = rows.cells_of(i);
    const __m512 cells = _mm512_permutex2var_ps(_mm512_maskz_loadu_ps(first, row), order,
                                                _mm512_maskz_loadu_ps(second, row + kLong));
    low = _mm512_maskz_min_ps(own, cells, low);
    high = _mm512_maskz_max_ps(own, cells, high);
    _mm512_storeu_ps(to, cells);  // the next row overwrites what is too much
    to += n_columns;
  }
  _mm512_mask_storeu_ps(least, own, low);
  _mm512_mask_storeu_ps(most, own, high);
}

constexpr DrawnKernels kDrawnWithLongRegisters{
    drawn_avx2::of_extremes, of_long_moments, drawn_avx2::of_counts, drawn_avx2::of_classes,
    drawn_avx2::of_squares,  of_long_pick,    kMostPermuted};
#endif

const DrawnKernels& drawn_kernels() {
  static const DrawnKernels& chosen = *runnable_drawn_kernels().back();
  return chosen;
}

}  // namespace

std::vector<const DrawnKernels*> runnable_drawn_kernels() {
  return runnable_sets(drawn_anywhere::kDrawn, BOUGH_SET_OF_AVX2(drawn_avx2::kDrawn),
                       BOUGH_SET_OF_LONG_REGISTERS(kDrawnWithLongRegisters));
}

DrawnCuts::DrawnCuts(int n_columns, int n_classes)
    : kernels_(drawn_kernels()), n_columns_(n_columns), n_classes_(n_classes) {
  set_columns(n_columns);
  const std::size_t padded = stride_;
  for (auto* of : {&least_, &most_, &cut_}) of->resize(padded);
  for (auto* of : {&weights_, &sums_, &value_}) of->resize(padded);
  counts_.resize(padded);
  for (auto* of : {&class_weights_, &squares_, &products_}) of->resize(n_classes ? padded : 0);
  total_.resize(static_cast<std::size_t>(n_classes));
  classes_.resize(padded * static_cast<std::size_t>(n_classes));
  if (n_classes <= ClassWordKernels::kMostClasses) class_words_ = class_word_kernels();
}

void DrawnCuts::set_columns(int n_columns) {
  n_groups_ = (n_columns + kLanes - 1) / kLanes;
  stride_ = static_cast<std::size_t>(n_groups_) * kLanes;
  rows_.width = static_cast<std::size_t>(n_columns);
}

void DrawnCuts::make_room_to_pick(std::size_t most_rows, int most_columns) {
  picked_ = make_buffer<float>(most_rows * static_cast<std::size_t>(most_columns) + 2 * kLanes);
  identity_.resize(most_rows);
  std::iota(identity_.begin(), identity_.end(), 0u);
}

void DrawnCuts::start(const float* cells, const std::uint32_t* index, int n) {
  set_columns(n_columns_);
  picked_cells_ = nullptr;
  rows_.cells = cells;
  rows_.index = rows_.place = index;
  rows_.n = n;
  kernels_.extremes(rows_, n_groups_, least_.data(), most_.data());
  std::fill(cut_.begin(), cut_.end(), -std::numeric_limits<float>::infinity());
}

void DrawnCuts::pick(const float* cells, const std::uint32_t* index, int n, const int* columns,
                     int n_columns) {
  const CellRows from{cells, static_cast<std::size_t>(n_columns_), index, n, index};
  set_columns(n_columns);
  rows_.cells = picked_cells_ = picked_.get();
  rows_.index = index;
  rows_.place = identity_.data();
  rows_.n = n;
  kernels_.pick(from, columns, rows_, picked_.get(), least_.data(), most_.data());
  std::fill_n(cut_.begin(), stride_, -std::numeric_limits<float>::infinity());
}

void DrawnCuts::draw_few_columns(int n_drawn) {
  few_kernels_ = few_draw_kernels();
  n_drawn_ = n_drawn;
  if (few_kernels_ && n_columns_ <= FewDraws::kMostColumns && n_drawn <= FewDraws::kMostDrawn)
    few_ = std::make_unique<FewDraws>();
}

bool DrawnCuts::draw_few(const float* cells, const std::uint32_t* index, int n, const Random& random,
                         int* columns) {
  static constexpr std::array<std::uint32_t, FewDraws::kMostRows> kPlace = [] {
    std::array<std::uint32_t, FewDraws::kMostRows> all{};
    std::iota(all.begin(), all.end(), 0u);
    return all;
  }();
  if (!few_kernels_->draw({cells, static_cast<std::size_t>(n_columns_), index, n, columns, n_drawn_}, random,
                          *few_))
    return false;
  keep_first(n_drawn_, columns);
  set_columns(n_drawn_);
  rows_ = {few_->cell, FewDraws::kMostDrawn, index, n, kPlace.data()};
  picked_cells_ = few_->cell;
  std::copy_n(few_->least, stride_, least_.begin());
  std::copy_n(few_->most, stride_, most_.begin());
  std::copy_n(few_->cut, stride_, cut_.begin());
  return true;
}

void DrawnCuts::sum_moments(const double* weight, const double* sum) {
  kernels_.moments(rows_, n_groups_, cut_.data(), weight, sum, weights_.data(), sums_.data());
}

void DrawnCuts::sum_counts(const std::uint32_t* count) {
  kernels_.counts(rows_, n_groups_, cut_.data(), count, counts_.data());
}

// Of few rows only the classes that are there are set to 0 first.
void DrawnCuts::count_classes(const std::int32_t* label, const double* weight) {
  if (class_words_ && n_groups_ == 1)
    return class_words_->count(rows_, cut_.data(), label, weight, n_classes_, classes_.data());
  if (rows_.n < n_classes_)
    for (int i = 0; i < rows_.n; ++i) std::fill_n(&classes_[label[rows_.index[i]] * stride_], stride_, 0);
  else
    std::fill_n(classes_.begin(), stride_ * static_cast<std::size_t>(n_classes_), 0);
  kernels_.classes(rows_, n_groups_, cut_.data(), label, weight, classes_.data(), stride_);
}

bool DrawnCuts::sum_few_squares(const std::int32_t* label, const double* weight, double node_weight,
                                double squares_of_both) {
  if (!class_words_ || n_groups_ != 1 || node_weight > ClassWordKernels::kMostWeight) return false;
  squares_of_both_ = squares_of_both;
  class_words_->squares(rows_, cut_.data(), label, weight,
                        {class_weights_.data(), squares_.data(), products_.data()});
  return true;
}

void DrawnCuts::sum_class_squares(const double* total, double squares_of_both) {
  squares_of_both_ = squares_of_both;
  for (int c = 0; c < n_classes_; ++c) total_[c] = static_cast<std::int32_t>(total[c]);
  kernels_.squares(classes_.data(), stride_, n_groups_, total_.data(), n_classes_,
                   {class_weights_.data(), squares_.data(), products_.data()});
}

double DrawnCuts::classes_below(int column, const double* total, double* statistics) const {
  const std::int32_t* below = classes_.data() + column;
  double weight = 0;
  for (int c = 0; c < n_classes_; ++c) {
    statistics[c] = total[c] > 0 ? below[c * stride_] : 0;
    weight += statistics[c];
  }
  return weight;
}

}  // namespace bough
