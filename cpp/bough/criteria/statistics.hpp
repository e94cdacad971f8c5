// Statistics are what is summed over the rows of a node: all that a criterion reads. They are `width`
// numbers, which add and subtract without rounding because they are whole multiples of a grid. Each kind of
// statistics is a type with the functions that the concept below asks for.
#pragma once

#include <concepts>
#include <cstdint>
#include <numeric>

namespace bough {

enum class StatisticsKind { classes, moments, rates, values };

template <class S>
concept Statistics = requires(double* sums, const double* other, int width) {
  { S::kKind } -> std::convertible_to<StatisticsKind>;
  { S::weight(other, width) } -> std::same_as<double>;  // the size of a node
  { S::add(sums, other, width) } -> std::same_as<void>;
  { S::subtract(sums, other, width) } -> std::same_as<void>;
};

// Statistics of parts are those of the whole: every kind adds number by number.
struct AddedByNumber {
  static void add(double* sums, const double* other, int width) {
    for (int i = 0; i < width; ++i) sums[i] += other[i];
  }
  static void subtract(double* sums, const double* other, int width) {
    for (int i = 0; i < width; ++i) sums[i] -= other[i];
  }
};

// The weight of each class.
struct ClassWeights : AddedByNumber {
  static constexpr StatisticsKind kKind = StatisticsKind::classes;

  static double weight(const double* sums, int width) { return std::accumulate(sums, sums + width, 0.0); }
  template <class R>
  static void add_row(double* sums, const R& rows, std::uint32_t row) {
    sums[rows.label_at(row)] += rows.weight_at(row);
  }
  template <class R>
  static void subtract_row(double* sums, const R& rows, std::uint32_t row) {
    sums[rows.label_at(row)] -= rows.weight_at(row);
  }
};

// (weight, sum) of y, the sum measured from the middle of the node. For the impurity of a node, the sum of
// squares follows.
struct Moments : AddedByNumber {
  static constexpr StatisticsKind kKind = StatisticsKind::moments;

  static double weight(const double* sums, int) { return sums[0]; }
  template <class R>
  static void add_row(double* sums, const R& rows, std::uint32_t row) {
    sums[0] += rows.weight_at(row);
    sums[1] += rows.grid_at(row);
  }
  template <class R>
  static void subtract_row(double* sums, const R& rows, std::uint32_t row) {
    sums[0] -= rows.weight_at(row);
    sums[1] -= rows.grid_at(row);
  }
  // A row crosses from one side to the other; it is read once.
  template <class R>
  static void move_row(double* to, double* from, const R& rows, std::uint32_t row) {
    const double weight = rows.weight_at(row), y = rows.grid_at(row);
    to[0] += weight;
    from[0] -= weight;
    to[1] += y;
    from[1] -= y;
  }
};

// The same with sums from 0: (exposure, events).
struct Rates : Moments {
  static constexpr StatisticsKind kKind = StatisticsKind::rates;
};

// The weights of the classes of several targets side by side; a label is a place among all of them. Their
// weight is that of the rows as often as there are targets.
struct SeveralClassWeights : ClassWeights {
  template <class R>
  static void add_row(double* sums, const R& rows, std::uint32_t row) {
    const double weight = rows.weight_at(row);
    const std::int32_t* label = rows.labels_at(row);
    for (int t = 0; t < rows.targets(); ++t) sums[label[t]] += weight;
  }
  template <class R>
  static void subtract_row(double* sums, const R& rows, std::uint32_t row) {
    const double weight = rows.weight_at(row);
    const std::int32_t* label = rows.labels_at(row);
    for (int t = 0; t < rows.targets(); ++t) sums[label[t]] -= weight;
  }
};

// The weight, then the sum of y of each of several targets.
struct SeveralMoments : Moments {
  template <class R>
  static void add_row(double* sums, const R& rows, std::uint32_t row) {
    sums[0] += rows.weight_at(row);
    const double* y = rows.grids_at(row);
    for (int t = 0; t < rows.targets(); ++t) sums[1 + t] += y[t];
  }
  template <class R>
  static void subtract_row(double* sums, const R& rows, std::uint32_t row) {
    sums[0] -= rows.weight_at(row);
    const double* y = rows.grids_at(row);
    for (int t = 0; t < rows.targets(); ++t) sums[1 + t] -= y[t];
  }
  template <class R>
  static void move_row(double* to, double* from, const R& rows, std::uint32_t row) {
    add_row(to, rows, row);
    subtract_row(from, rows, row);
  }
};

// The same with sums from 0.
struct SeveralRates : SeveralMoments {
  static constexpr StatisticsKind kKind = StatisticsKind::rates;
};

// The statistics of several targets that each have the statistics S.
template <class S>
struct SeveralOf;
template <>
struct SeveralOf<ClassWeights> {
  using type = SeveralClassWeights;
};
template <>
struct SeveralOf<Moments> {
  using type = SeveralMoments;
};
template <>
struct SeveralOf<Rates> {
  using type = SeveralRates;
};

// The weight of each distinct value of y, ascending: what a median needs. Growers follow medians row by row
// instead (see median.hpp).
struct ValueWeights : AddedByNumber {
  static constexpr StatisticsKind kKind = StatisticsKind::values;

  static double weight(const double* sums, int width) { return std::accumulate(sums, sums + width, 0.0); }
};

static_assert(Statistics<ClassWeights> && Statistics<Moments> && Statistics<Rates> &&
              Statistics<ValueWeights> && Statistics<SeveralClassWeights> && Statistics<SeveralMoments> &&
              Statistics<SeveralRates>);

constexpr bool is_moments(StatisticsKind kind) {
  return kind == StatisticsKind::moments || kind == StatisticsKind::rates;
}

// Adds a row to class weights or to moments, of one target or of several.
template <class R>
void add_row(double* sums, const R& rows, std::uint32_t row, bool classes) {
  if (rows.targets() > 1)
    return classes ? SeveralClassWeights::add_row(sums, rows, row) : SeveralMoments::add_row(sums, rows, row);
  classes ? ClassWeights::add_row(sums, rows, row) : Moments::add_row(sums, rows, row);
}
template <class R>
void subtract_row(double* sums, const R& rows, std::uint32_t row, bool classes) {
  if (rows.targets() > 1)
    return classes ? SeveralClassWeights::subtract_row(sums, rows, row)
                   : SeveralMoments::subtract_row(sums, rows, row);
  classes ? ClassWeights::subtract_row(sums, rows, row) : Moments::subtract_row(sums, rows, row);
}

}  // namespace bough
