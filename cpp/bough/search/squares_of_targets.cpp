#include "bough/search/squares_of_targets.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <vector>

#include "bough/machine/processor.hpp"
#include "bough/search/value_of_targets.hpp"

namespace bough {

namespace {

constexpr int kAhead = 12, kMostVectors = 8;

using EightSums [[gnu::vector_size(8 * sizeof(double)), gnu::aligned(alignof(double))]] = double;

// The types of vectors by name: as parameters of templates they would be taken for aligned ones.
struct InFours {
  using Vector = FourSums;
};
struct InEights {
  using Vector = EightSums;
};

// Adds the squares of left - part * total to lanes, with the factors of the columns from `at` on where the
// criterion has some.
template <class Value, class Lanes>
[[gnu::always_inline]] inline void add_squares(const typename Lanes::Vector& left,
                                               const typename Lanes::Vector& total, double part,
                                               const double* factor, int at,
                                               typename Lanes::Vector& squares) {
  const typename Lanes::Vector d = left - total * part;
  if constexpr (Value::kFactors)
    squares += d * d * *reinterpret_cast<const typename Lanes::Vector*>(factor + at);
  else
    squares += d * d;
}

// The same of many sums, in four lanes.
template <class Value>
[[gnu::always_inline]] inline void squares_of(const FourSums* left, const FourSums* total, double part,
                                              const double* factor, int many, FourSums& squares) {
  squares = FourSums{0, 0, 0, 0};
  for (int v = 0; v < many; ++v)
    add_squares<Value, InFours>(left[v], total[v], part, factor, v * kTargetLanes, squares);
}

// The sums of the rows to the left of a cut, in registers: eight at a time where these are long, and the last
// four by themselves.
template <int kVectors, bool kLong>
struct MovingSums {
  static constexpr int kEights = kLong ? kVectors / 2 : 0, kFours = kVectors - 2 * kEights;
  EightSums eights[kEights ? kEights : 1] = {};
  FourSums fours[kFours ? kFours : 1] = {};

  [[gnu::always_inline]] void add(const double* y) {
    for (int v = 0; v < kEights; ++v) eights[v] += *reinterpret_cast<const EightSums*>(y + 8 * v);
    for (int v = 0; v < kFours; ++v) fours[v] += *reinterpret_cast<const FourSums*>(y + 8 * kEights + 4 * v);
  }

  template <class Value>
  [[gnu::always_inline]] void squares(const double* total, double part, const double* factor,
                                      FourSums& squares) const {
    squares = FourSums{0, 0, 0, 0};
    for (int v = 0; v < kFours; ++v) {
      const int at = 8 * kEights + 4 * v;
      add_squares<Value, InFours>(fours[v], *reinterpret_cast<const FourSums*>(total + at), part, factor, at,
                                  squares);
    }
    if constexpr (kEights > 0) {
      EightSums of_eights = {};
      for (int v = 0; v < kEights; ++v)
        add_squares<Value, InEights>(eights[v], *reinterpret_cast<const EightSums*>(total + 8 * v), part,
                                     factor, 8 * v, of_eights);
      squares += __builtin_shufflevector(of_eights, of_eights, 0, 1, 2, 3) +
                 __builtin_shufflevector(of_eights, of_eights, 4, 5, 6, 7);
    }
  }

  [[gnu::always_inline]] void write(FourSums* to) const {
    if constexpr (kEights > 0) std::memcpy(to, eights, sizeof eights);
    if constexpr (kFours > 0) std::memcpy(to + 2 * kEights, fours, sizeof fours);
  }
  [[gnu::always_inline]] void read(const FourSums* from) {
    if constexpr (kEights > 0) std::memcpy(eights, from, sizeof eights);
    if constexpr (kFours > 0) std::memcpy(fours, from + 2 * kEights, sizeof fours);
  }
};

[[gnu::always_inline]] inline double sum_of(const FourSums& four) {
  return (four[0] + four[1]) + (four[2] + four[3]);
}

// The sums of the lanes of four vectors, one in each lane.
[[gnu::always_inline]] inline void sum_each(const FourSums& a, const FourSums& b, const FourSums& c,
                                            const FourSums& d, FourSums& sums) {
  const FourSums ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const FourSums cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
  sums = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

// A list of entries of either size, read by 32 bits at a time, so that one scan serves both.
class EitherList {
 public:
  template <class E>
  EitherList(const E* list, int n)
      : at_(reinterpret_cast<const std::byte*>(list)),
        n_(n),
        shift_(sizeof(E) == 8 ? 3 : 2),
        index_at_(sizeof(E) == 8 && std::endian::native == std::endian::big ? 4 : 0),
        code_at_(sizeof(E) == 8 ? 4 - index_at_ : 0),
        index_bits_(sizeof(E) == 8 ? 0xffffffffu : 0xffffu),
        code_bits_(sizeof(E) == 8 ? 0xffffffffu : 0xffff0000u) {}

  [[gnu::always_inline]] int n() const { return n_; }
  [[gnu::always_inline]] std::uint32_t index(int i) const { return (word(i, index_at_) & index_bits_) >> 1; }
  // Whether the row and the next one have the same value.
  [[gnu::always_inline]] bool ties(int i) const {
    return !((word(i, code_at_) ^ word(i + 1, code_at_)) & code_bits_);
  }

 private:
  [[gnu::always_inline]] std::uint32_t word(int i, int place) const {
    std::uint32_t found;
    std::memcpy(&found, at_ + (static_cast<std::ptrdiff_t>(i) << shift_) + place, sizeof found);
    return found;
  }

  const std::byte* at_;
  int n_, shift_, index_at_, code_at_;
  std::uint32_t index_bits_, code_bits_;
};

// The scan of one list: the sums of the rows to the left of a cut, and the best cut so far. kVectors: of four
// sums each; 0: as many as the sums have. kLong: whether registers hold eight.
template <class Value, int kVectors, bool kLong>
class TargetScan {
 public:
  [[gnu::always_inline]] TargetScan(const EitherList& list, const ScanTask& task, double floor,
                                    const TargetSums& sums)
      : list_(list), n_(list.n()), task_(task), sums_(cleared(sums)), of_cut_(task, sums_), best_{floor, 0} {
    FourSums all;
    squares_of<Value>(sums_.total, sums_.total, 0, factor_, many(), all);
    slack_ = 1e-21 * sum_of(all);
    raise(floor);
  }

  [[gnu::always_inline]] Cut best() {
    if constexpr (kVectors == 0) {
      take_rows(0, n_ - 1);
    } else {
      MovingSums<kVectors, kLong> left;
      for (int i = 0, end = 0; end < n_ - 1; i = end) {
        for (; i + 4 < n_ && !some_may_be_best(i, left); i += 4) left.write(sums_.left);
        end = i + 4 < n_ ? i + 4 : n_ - 1;
        take_rows(i, end);  // here alone: its code is long
        left.read(sums_.left);
      }
    }
    return best_;
  }

 private:
  [[gnu::always_inline]] int many() const { return kVectors ? kVectors : sums_.n_vectors; }

  [[gnu::always_inline]] static const TargetSums& cleared(const TargetSums& sums) {
    const int many = kVectors ? kVectors : sums.n_vectors;
    std::memset(sums.left, 0, many * sizeof(FourSums));
    std::memset(sums.total, 0, many * sizeof(FourSums));
    return sums;
  }

  // Sets what the squares of a cut must reach that is as good as one of this value.
  [[gnu::always_inline]] void raise(double value) {
    bar_ = value > 0 ? value * of_cut_.unit() * (1 - 1e-9) * (share_ * share_) : 0;
  }

  // The sums of a row; fetches those of a row that follows soon.
  [[gnu::always_inline]] const double* row_at(int i) const {
    if (i + kAhead < n_) {
      const double* ahead = rows_.grids_at(list_.index(i + kAhead));
      for (int v = 0; v < many(); v += 2) __builtin_prefetch(ahead + v * kTargetLanes);
    }
    return rows_.grids_at(list_.index(i));
  }

  // Adds four rows to the sums, and tells whether one of the cuts after them may be the best. Squares are
  // computed at less cost than in a value, and rounded otherwise: by as much as the slack where sums nearly
  // cancel. If it returns true, neither weight nor cases have been added.
  [[gnu::always_inline]] bool some_may_be_best(int i, MovingSums<kVectors, kLong>& left) {
    FourSums squares[4], wl = {};
    double weight = wl_;
    for (int j = 0; j < 4; ++j) {
      left.add(row_at(i + j));
      weight += rows_.weight_at(list_.index(i + j));
      wl[j] = weight;
      left.template squares<Value>(reinterpret_cast<const double*>(sums_.total), weight * share_, factor_,
                                   squares[j]);
    }
    FourSums found;
    sum_each(squares[0], squares[1], squares[2], squares[3], found);
    const auto below = found < bar_ * (wl * (weight_ - wl)) - slack_;
    if (!((below[0] & below[1]) & (below[2] & below[3]))) return true;
    wl_ = weight;
    for (int j = 0; j < 4; ++j) cases_ += rows_.cases_at(list_.index(i + j));
    return false;
  }

  // Adds rows one by one, and evaluates the cuts after them that may be the best.
  [[gnu::always_inline]] void take_rows(int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const FourSums* y = reinterpret_cast<const FourSums*>(row_at(i));
      for (int v = 0; v < many(); ++v) sums_.left[v] += y[v];
      wl_ += rows_.weight_at(list_.index(i));
      cases_ += rows_.cases_at(list_.index(i));
      if (list_.ties(i)) continue;
      const double wr = weight_ - wl_;
      FourSums squares;
      squares_of<Value>(sums_.left, sums_.total, wl_ * share_, factor_, many(), squares);
      if (sum_of(squares) < bar_ * (wl_ * wr) - slack_ || !task_.allowed(cases_, wl_, wr)) continue;
      const double value = of_cut_.value(sums_, wl_, wr);
      if (!(value > best_.value)) continue;
      best_ = {value, i + 1};
      raise(value);
    }
  }

  const EitherList list_;
  const int n_;
  const ScanTask& task_;
  const Rows& rows_ = task_.rows;
  const TargetSums sums_;
  const Value of_cut_;
  const double weight_ = task_.right_weight, share_ = 1 / weight_;
  const double* factor_ = task_.evaluator.column_factors();
  double bar_ = 0, slack_ = 0, wl_ = 0, cases_ = 0;
  Cut best_;
};

template <class Value, int kVectors, bool kLong>
[[gnu::always_inline]] inline Cut scan(const EitherList& list, const ScanTask& task, double floor,
                                       const TargetSums& sums) {
  return TargetScan<Value, kVectors, kLong>(list, task, floor, sums).best();
}

// As many sums as there are, in memory.
template <class Value>
[[gnu::always_inline]] inline Cut scan_many(const EitherList& list, const ScanTask& task, double floor) {
  const int many = task.rows.grid_width / kTargetLanes;
  std::vector<double> space(static_cast<std::size_t>(2 * many) * kTargetLanes);
  FourSums* first = reinterpret_cast<FourSums*>(space.data());
  return scan<Value, 0, false>(list, task, floor, TargetSums{first, first + many, many});
}

// The scan of kVectors or more vectors of sums, with as many registers as they need.
template <class Value, bool kLong, int kVectors>
[[gnu::always_inline]] inline Cut scan_some(const EitherList& list, const ScanTask& task, double floor,
                                            const TargetSums& sums) {
  if constexpr (kVectors > kMostVectors)
    return scan_many<Value>(list, task, floor);
  else if (sums.n_vectors == kVectors)
    return scan<Value, kVectors, kLong>(list, task, floor, sums);
  else
    return scan_some<Value, kLong, kVectors + 1>(list, task, floor, sums);
}

template <class Value, bool kLong>
[[gnu::always_inline]] inline Cut scan_any(const EitherList& list, const ScanTask& task, double floor) {
  FourSums space[2 * kMostVectors];
  return scan_some<Value, kLong, 1>(list, task, floor,
                                    {space, space + kMostVectors, task.rows.grid_width / kTargetLanes});
}

#if defined(BOUGH_AVX2)
template <class Value>
BOUGH_AVX2 Cut scan_avx2(const EitherList& list, const ScanTask& task, double floor) {
  return scan_any<Value, false>(list, task, floor);
}
// Old processors are few: one scan for any number of sums, for a shorter build.
template <class Value>
Cut scan_plain(const EitherList& list, const ScanTask& task, double floor) {
  return scan_many<Value>(list, task, floor);
}
#else
template <class Value>
Cut scan_plain(const EitherList& list, const ScanTask& task, double floor) {
  return scan_any<Value, false>(list, task, floor);
}
#endif
#if defined(BOUGH_LONG_REGISTERS)
template <class Value>
BOUGH_LONG_REGISTERS Cut scan_long(const EitherList& list, const ScanTask& task, double floor) {
  return scan_any<Value, true>(list, task, floor);
}
#endif

template <class Value>
Cut scan_here(const EitherList& list, const ScanTask& task, double floor) {
#if defined(BOUGH_LONG_REGISTERS)
  if (has_long_registers()) return scan_long<Value>(list, task, floor);
#endif
#if defined(BOUGH_AVX2)
  if (has_avx2()) return scan_avx2<Value>(list, task, floor);
#endif
  return scan_plain<Value>(list, task, floor);
}

}  // namespace

template <class E>
Cut best_squares_of_targets(const E* list, int n, const ScanTask& task, double floor) {
  return scan_here<ValueOfSquares>({list, n}, task, floor);
}

template <class E>
Cut best_gini_of_targets(const E* list, int n, const ScanTask& task, double floor) {
  return some_of_two(task.evaluator) ? scan_here<ValueOfClasses<true>>({list, n}, task, floor)
                                     : scan_here<ValueOfClasses<false>>({list, n}, task, floor);
}

template Cut best_squares_of_targets(const std::uint32_t*, int, const ScanTask&, double);
template Cut best_squares_of_targets(const std::uint64_t*, int, const ScanTask&, double);
template Cut best_gini_of_targets(const std::uint32_t*, int, const ScanTask&, double);
template Cut best_gini_of_targets(const std::uint64_t*, int, const ScanTask&, double);

}  // namespace bough
