// Measuring a node: the statistics of its rows, and for numbers the grid on which their sums are exact.
//
// On the grid y becomes rint((y - origin) * 2^exponent), so chosen that the sum of all absolute values stays
// below 2^53: then every partial sum is a whole number that a double holds, and no order of summation
// matters.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "bough/data/entry.hpp"
#include "bough/data/rows.hpp"
#include "bough/grow/branching.hpp"
#include "bough/grow/problem.hpp"
#include "bough/grow/row_sequence.hpp"
#include "bough/grow/row_sums.hpp"

namespace bough {

// A node and the part of every list that holds its rows.
struct Range {
  int node = 0;
  int begin = 0;
  int count = 0;
  int depth = 0;
  double weight = 0;  // in units of the rows' weights
  double sum = 0;     // of the grid; with two classes the weight of the second
  int exponent = 0;
  bool live = false;      // may be split
  std::uint64_t key = 0;  // of the node's random numbers
  // Between these the answers below the node stay, where columns are constrained.
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double centre = 0;  // of its rows, where there are bounds
};

// Whether a node that is not pure may be split, as far as its size and its risk go.
inline bool large_enough_to_split(const Range& range, const Node& node, const Limits& limits,
                                  double root_risk) {
  if (limits.min_risk > 0 && !(node.risk > limits.min_risk * root_risk)) return false;
  return range.depth < limits.max_depth && node.cases >= limits.min_cases_split &&
         node.cases >= 2 * limits.min_cases_of_two();
}

// The same for what is known of numbers alone: their variance, and their events.
inline bool varied_enough(const Range& range, const Node& node, const Rows& rows, const Recipe& recipe) {
  if (node.risk / node.weight < recipe.limits.min_variance) return false;
  const double events = std::ldexp(range.sum, -range.exponent) * rows.weight_unit;
  return !(recipe.criterion.reads_rates() && events < recipe.limits.min_events);
}

inline bool pure_enough(const double* counts, int n_classes, double weight, const Limits& limits) {
  const double most = *std::max_element(counts, counts + n_classes);
  return most >= limits.purity * weight || weight - counts[0] < limits.min_events;
}

// The least loss that one answer for the whole node can have. loss: [true][answered]; null: 1 for every
// error.
inline double risk_of_classes(const double* counts, int n_classes, double weight, const double* loss) {
  if (!loss) return weight - *std::max_element(counts, counts + n_classes);
  std::vector<double> lost(n_classes, 0.0);
  for (int c = 0; c < n_classes; ++c) {
    if (counts[c] == 0) continue;
    const double* of_class = loss + static_cast<std::ptrdiff_t>(c) * n_classes;
    for (int answer = 0; answer < n_classes; ++answer) lost[answer] += counts[c] * of_class[answer];
  }
  return *std::min_element(lost.begin(), lost.end());
}

// The weight and the risk of a node that has these counts, which are brought to the unit of the weights.
inline void weigh_classes(Range& range, const Rows& rows, int n_classes, const double* loss, Node& node,
                          double* counts) {
  double own = 0;
  for (int c = 0; c < n_classes; ++c) own += counts[c];
  range.weight = own;
  if (n_classes == 2) range.sum = counts[1];
  node.weight = own * rows.own_unit;
  for (int c = 0; c < n_classes; ++c) counts[c] *= rows.own_unit;
  node.risk = risk_of_classes(counts, n_classes, node.weight, loss);
}

// Rows of two classes are counted so fast that only many are shared out.
constexpr int kCountedAlone = 1 << 16;

// Counts the rows of each class, all threads side by side.
template <class E>
void count_together(const E* list, int count, const Rows& rows, int n_classes, double* counts,
                    RowSums& sums) {
  std::vector<std::vector<std::int64_t>> found(RowSums::n_pieces(count));
  sums.in_pieces(count, [&](int begin, int end, int piece) {
    std::vector<std::int64_t> own(n_classes, 0);
    if (n_classes == 2)
      for (int i = begin; i < end; ++i) own[1] += label_bit(list[i]);
    else
      for (int i = begin; i < end; ++i) ++own[rows.label[index_of(list[i])]];
    if (n_classes == 2) own[0] = end - begin - own[1];
    found[piece] = std::move(own);
  });
  for (const std::vector<std::int64_t>& own : found)
    for (int c = 0; c < n_classes; ++c) counts[c] += static_cast<double>(own[c]);
}

template <class E>
void measure_classes(const E* list, Range& range, const Rows& rows, int n_classes, const double* loss,
                     Node& node, double* counts, RowSums& sums) {
  std::fill_n(counts, n_classes, 0.0);
  const bool counted = !rows.weight && !rows.cases;
  if (counted && (n_classes == 2 ? range.count > kCountedAlone : !rows.own) && sums.shares(range.count)) {
    count_together(list, range.count, rows, n_classes, counts, sums);
    node.cases = range.count;
  } else if (counted && n_classes == 2) {
    std::int64_t ones = 0;
    for (int i = 0; i < range.count; ++i) ones += label_bit(list[i]);
    counts[0] = static_cast<double>(range.count - ones);
    counts[1] = static_cast<double>(ones);
    node.cases = range.count;
  } else {
    double cases = 0;
    for (int i = 0; i < range.count; ++i) {
      const std::uint32_t row = index_of(list[i]);
      counts[rows.label[row]] += rows.own_at(row);
      cases += rows.cases_at(row);
    }
    node.cases = cases;
  }
  weigh_classes(range, rows, n_classes, loss, node, counts);
  if (!rows.own) return;
  range.weight = 0;
  for (int i = 0; i < range.count; ++i) range.weight += rows.weight_at(index_of(list[i]));
}

// The median of a target: the value at which half of the weight is reached, or the middle of two values if it
// is reached exactly.
template <class E>
double median_of(const E* list, int count, const Rows& rows, int target = 0) {
  const auto y = [&](std::uint32_t row) { return rows.ys_at(row)[target]; };
  std::vector<std::uint32_t> order(count);
  for (int i = 0; i < count; ++i) order[i] = index_of(list[i]);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return y(a) < y(b); });
  double total = 0, below = 0;
  for (std::uint32_t row : order) total += rows.weight_at(row);
  for (int i = 0; i < count; ++i) {
    below += rows.weight_at(order[i]);
    if (2 * below == total && i + 1 < count) return y(order[i]) / 2 + y(order[i + 1]) / 2;
    if (2 * below >= total) return y(order[i]);
  }
  return y(order[count - 1]);
}

// Absolute error, or Poisson deviance.
inline double loss_of(Criterion criterion, double y, double centre) {
  const double off = y - centre;
  if (criterion.reads_values()) return std::abs(off);
  return y > 0 ? 2 * (y * std::log(y / centre) - off) : -2 * off;
}

// Sum of the losses.
template <class E>
double risk_of(const E* list, const Range& range, const Rows& rows, Criterion criterion, double centre,
               RowSums& sums) {
  const int count = range.count;
  if (rows.sequence)
    return rows.sequence->sum_of_losses(
        range.node, list, count, [&](std::uint32_t row) { return loss_of(criterion, rows.y[row], centre); });
  const double risk = sums.in_order(count, [&](int begin, int end, const auto& take) {
    for (int i = begin; i < end; ++i) {
      const std::uint32_t row = index_of(list[i]);
      take(i, rows.weight_at(row) * loss_of(criterion, rows.y[row], centre));
    }
  });
  return risk * rows.weight_unit;
}

// Poisson: the node's rate as if the prior events had been seen in the prior exposure as well.
template <class E>
void shrink_rate(const E* list, const Range& range, const Rows& rows, const Recipe& recipe, Node& node,
                 RowSums& sums) {
  if (rows.prior_exposure <= 0) return;
  const double exposure = range.weight * rows.weight_unit;
  node.centre = (node.centre * exposure + recipe.prior_events) / (exposure + rows.prior_exposure);
  node.risk = std::max(0.0, risk_of(list, range, rows, recipe.criterion, node.centre, sums));
}

// The exponent that std::frexp gives, without a call where the number is normal.
inline int exponent_of(double x) {
  const auto biased = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff);
  if (biased != 0 && biased != 0x7ff) return biased - 1022;
  int exponent;
  std::frexp(x, &exponent);
  return exponent;
}

// x / 2^exponent, with the exponent of x: in [0.5, 1).
inline double fraction_of(double x, int exponent) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  if ((bits >> 52 & 0x7ff) == 0) return std::ldexp(x, -exponent);
  return std::bit_cast<double>((bits & 0x800fffffffffffffu) | std::uint64_t{1022} << 52);
}

inline double power_of_two(int exponent) {
  if (exponent >= -1022 && exponent <= 1023)
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  return std::ldexp(1.0, exponent);
}

// x / 2^exponent.
inline double unscaled(double x, int exponent) {
  return exponent > -1000 && exponent < 1000 ? x * power_of_two(-exponent) : std::ldexp(x, -exponent);
}

// The power of two for which weight * radius becomes less than 2^52, 1000 at most.
inline int grid_exponent(double weight, double radius) {
  const int weight_power = exponent_of(weight), radius_power = exponent_of(radius);
  // The fractions lie in [0.5, 1), their product in [0.25, 1).
  const double fractions = fraction_of(weight, weight_power) * fraction_of(radius, radius_power);
  return std::min(52 - (weight_power + radius_power + (fractions < 0.5 ? -1 : 0)), 1000);
}

// Where a node's grid begins and how far its values lie from there.
struct Spread {
  double origin, radius;
};

// Puts the rows of a node on its grid; returns the sum of squared distances from its origin.
template <class E>
double lay_on_grid(const E* list, Range& range, const Rows& rows, bool median, Spread spread, RowSums& sums) {
  const double scale = power_of_two(range.exponent);
  // Puts rows on the grid; returns their sum there, and hands on the squared distance of each.
  const auto lay = [&](int begin, int end, const auto& take) {
    double sum = 0;
    for (int i = begin; i < end; ++i) {
      const std::uint32_t row = index_of(list[i]);
      const double off = rows.y[row] - spread.origin;
      double g = std::rint(off * scale), square = off * off;
      if (rows.weight && !median) {
        const double w = rows.weight[row];
        g = rows.whole_weights ? w * g : std::rint(w * (off * scale));
        square = w * square;
      }
      rows.grid[row] = g;
      sum += g;
      take(i, square);
    }
    return sum;
  };
  if (!sums.shares(range.count)) {
    double squares = 0;
    range.sum = lay(0, range.count, [&](int, double square) { squares += square; });
    return squares;
  }
  std::vector<double> of_piece(RowSums::n_pieces(range.count));
  double* const squares = sums.terms(range.count);
  sums.in_pieces(range.count, [&](int begin, int end, int piece) {
    of_piece[piece] = lay(begin, end, [&](int i, double square) { squares[i] = square; });
  });
  range.sum = 0;
  for (const double sum : of_piece) range.sum += sum;  // whole numbers, which no order of summation changes
  return sums.sum_of_terms(range.count);
}

// The least and the highest y of a node.
template <class E>
std::pair<double, double> bounds_of_numbers(const E* list, int count, const Rows& rows, RowSums& sums) {
  const auto bounds_of = [&](int begin, int end) {
    double low = rows.y[index_of(list[begin])], high = low;
    for (int i = begin; i < end; ++i) {
      const double y = rows.y[index_of(list[i])];
      low = std::min(low, y);
      high = std::max(high, y);
    }
    return std::pair{low, high};
  };
  if (!sums.shares(count)) return bounds_of(0, count);
  std::vector<std::pair<double, double>> found(RowSums::n_pieces(count));
  sums.in_pieces(count, [&](int begin, int end, int piece) { found[piece] = bounds_of(begin, end); });
  for (const auto& [low, high] : found)
    found[0] = {std::min(found[0].first, low), std::max(found[0].second, high)};
  return found[0];
}

// The sum of squared distances from the mean. squares: of the distances from the origin of the grid; off:
// that of the mean. Every row, or every case that it counts as, is up to a step of the grid from its place.
// Where that tells in the difference, the squares are summed anew.
template <class E>
double squares_about_mean(const E* list, int count, const Rows& rows, int target, double weight,
                          double squares, double off, int exponent, double mean) {
  const double risk = squares - weight * off * off;
  const double steps = rows.weight && !rows.whole_weights ? count : weight;
  const double error = steps * std::abs(off) * unscaled(1.0, exponent) + squares * 0x1p-50;
  if (risk > error * 0x1p20) return risk;
  double about = 0;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t row = index_of(list[i]);
    const double from_mean = rows.ys_at(row)[target] - mean;
    about += rows.weight_at(row) * (from_mean * from_mean);
  }
  return about;
}

// Weight and cases of a node; returns the weight in units of the rows' weights.
template <class E>
double weigh_node(const E* list, Range& range, const Rows& rows, Node& node) {
  double weight = range.count, cases = range.count;
  if (rows.weight || rows.cases) {
    weight = cases = 0;
    for (int i = 0; i < range.count; ++i) {
      weight += rows.weight_at(index_of(list[i]));
      cases += rows.cases_at(index_of(list[i]));
    }
  }
  range.weight = weight;
  node.weight = weight * rows.weight_unit;
  node.cases = cases;
  return weight;
}

// Returns whether all y are equal.
template <class E>
bool measure_numbers(const E* list, Range& range, const Rows& rows, const Recipe& recipe, Node& node,
                     RowSums& sums) {
  const Criterion criterion = recipe.criterion;
  const auto [low, high] = bounds_of_numbers(list, range.count, rows, sums);
  const double weight = weigh_node(list, range, rows, node);
  if (rows.own) {
    double own = 0;
    for (int i = 0; i < range.count; ++i) own += rows.own[index_of(list[i])];
    node.weight = own * rows.own_unit;
  }
  node.centre = low;
  node.risk = 0;
  if (low == high) {
    shrink_rate(list, range, rows, recipe, node, sums);
    return true;
  }

  const bool from_zero = criterion.reads_rates(), median = criterion.reads_values();
  const Spread spread = from_zero ? Spread{0, high} : Spread{low / 2 + high / 2, high / 2 - low / 2};
  range.exponent = grid_exponent(median && !rows.whole_weights ? 1.0 : weight, spread.radius);
  const double squares = lay_on_grid(list, range, rows, median, spread, sums);
  if (median) {
    node.centre = median_of(list, range.count, rows);
  } else {
    node.centre = spread.origin + unscaled(range.sum / weight, range.exponent);
  }
  if (!from_zero && !median) {
    const double off = unscaled(range.sum / weight, range.exponent);
    node.risk =
        squares_about_mean(list, range.count, rows, 0, weight, squares, off, range.exponent, node.centre) *
        rows.weight_unit;
  } else if (rows.prior_exposure > 0) {
    shrink_rate(list, range, rows, recipe, node, sums);
  } else {
    node.risk = std::max(0.0, risk_of(list, range, rows, criterion, node.centre, sums));
  }
  return false;
}

}  // namespace bough
