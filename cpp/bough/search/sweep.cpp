#include "bough/search/sweep.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

namespace bough {

namespace {

// Rows on one line are seen under angles that differ by rounding alone.
constexpr double same_angle = 1e-12;

using Crossings = std::vector<std::pair<double, std::size_t>>;

// Bits that order as the number does: those of a negative number are turned over.
std::uint64_t rank_of(double number) {
  const auto bits = std::bit_cast<std::uint64_t>(number);
  return bits ^ (bits >> 63 ? ~std::uint64_t{0} : std::uint64_t{1} << 63);
}

// Sorts by the number at which a row crosses: by digits of eleven bits, the lowest first. Rows that cross
// together come in any order: what is summed over them is exact.
void sort_by_number(Crossings& crossings) {
  constexpr int digit_bits = 11, n_digits = 6;
  constexpr std::size_t few = 512, n_buckets = std::size_t{1} << digit_bits;
  if (crossings.size() < few) {
    std::sort(crossings.begin(), crossings.end());
    return;
  }
  const auto digit = [](double number, int pass) {
    return (rank_of(number) >> (pass * digit_bits)) & (n_buckets - 1);
  };
  std::vector<std::size_t> count(n_digits * n_buckets, 0);
  for (const auto& [number, row] : crossings)
    for (int pass = 0; pass < n_digits; ++pass) ++count[pass * n_buckets + digit(number, pass)];
  Crossings sorted(crossings.size());
  for (int pass = 0; pass < n_digits; ++pass) {
    std::size_t* start = count.data() + pass * n_buckets;
    if (start[digit(crossings.front().first, pass)] == crossings.size()) continue;
    std::exclusive_scan(start, start + n_buckets, start, std::size_t{0});
    for (const auto& crossing : crossings) sorted[start[digit(crossing.first, pass)]++] = crossing;
    crossings.swap(sorted);
  }
}

// The two sides of a split while rows cross from one to the other.
class Sides {
 public:
  Sides(const SweptRows& rows, const Evaluator& evaluator, const LeafLimits& limits)
      : rows_(rows),
        evaluator_(evaluator),
        limits_(limits),
        total_(evaluator.width()),
        left_(evaluator.width()),
        right_(evaluator.width()) {
    for (std::size_t row = 0; row < rows.n_rows; ++row) {
      for (std::size_t c = 0; c < total_.size(); ++c) total_[c] += statistics(row)[c];
      total_cases_ += rows.cases[row];
    }
  }

  void clear() {
    std::fill(left_.begin(), left_.end(), 0.0);
    cases_ = 0;
  }

  void take(std::size_t row, double sign) {
    for (std::size_t c = 0; c < left_.size(); ++c) left_[c] += sign * statistics(row)[c];
    cases_ += sign * rows_.cases[row];
  }

  // Minus infinity if a side is too small.
  double value() {
    for (std::size_t c = 0; c < left_.size(); ++c) right_[c] = total_[c] - left_[c];
    if (!large_enough(evaluator_, limits_, left_.data(), cases_) ||
        !large_enough(evaluator_, limits_, right_.data(), total_cases_ - cases_))
      return -std::numeric_limits<double>::infinity();
    return evaluator_.value(left_.data(), right_.data(), rows_.node_weight);
  }

 private:
  const double* statistics(std::size_t row) const { return rows_.statistics + row * total_.size(); }

  const SweptRows& rows_;
  const Evaluator& evaluator_;
  LeafLimits limits_;
  std::vector<double> total_, left_, right_;
  double total_cases_ = 0, cases_ = 0;
};

// Takes the rows in the order of their crossings; sign says to which side each goes.
template <class Sign>
Swept swept(Sides& sides, Crossings& crossings, Sign sign) {
  sort_by_number(crossings);
  Swept best;
  for (std::size_t i = 0; i + 1 < crossings.size(); ++i) {
    sides.take(crossings[i].second, sign(crossings[i].second));
    if (!(crossings[i].first < crossings[i + 1].first)) continue;
    const double value = sides.value();
    if (value > best.value) best = {value, crossings[i].first, crossings[i + 1].first};
  }
  return best;
}

// A line through the pivot, turned by half a circle: each other row crosses it at most once. The pivot, and
// rows in the same place, may be counted to either side.
void turn(const SweptRows& rows, const double* x, const double* y, std::size_t pivot, Sides& sides,
          Crossings& crossings, std::vector<std::size_t>& same, Swept& best) {
  crossings.clear();
  same.clear();
  sides.clear();
  for (std::size_t row = 0; row < rows.n_rows; ++row) {
    const double across = x[row] - x[pivot], up = y[row] - y[pivot];
    if (across == 0 && up == 0) {
      same.push_back(row);
      continue;
    }
    if (up > 0 || (up == 0 && across < 0)) sides.take(row, 1);
    // A row level with the pivot is not crossed while the line turns.
    if (up == 0) continue;
    const double angle = std::atan2(up, across);
    crossings.emplace_back(up > 0 ? angle : angle + std::numbers::pi, row);
  }
  // Of rows in one place only the first serves as pivot.
  if (same.front() != pivot) return;
  std::sort(crossings.begin(), crossings.end());
  double from = 0;
  for (std::size_t i = 0; i <= crossings.size(); ++i) {
    const double to = i < crossings.size() ? crossings[i].first : std::numbers::pi;
    if (to - from > same_angle) {
      for (const double sign : {1.0, -1.0}) {
        const double value = sides.value();
        if (value > best.value || (value == best.value && to - from > best.above - best.below))
          best = {value, from, to};
        for (const std::size_t row : same) sides.take(row, sign);
      }
    }
    if (i == crossings.size()) break;
    sides.take(crossings[i].second, y[crossings[i].second] > y[pivot] ? -1 : 1);
    from = to;
  }
}

}  // namespace

Swept best_cut(const SweptRows& rows, const Evaluator& evaluator, const LeafLimits& limits, const double* v) {
  Sides sides(rows, evaluator, limits);
  Crossings crossings;
  crossings.reserve(rows.n_rows);
  for (std::size_t row = 0; row < rows.n_rows; ++row)
    if (!std::isnan(v[row])) crossings.emplace_back(v[row], row);
  return swept(sides, crossings, [](std::size_t) { return 1.0; });
}

// A row lies below the cut for all delta on one side of (v - cut) / (x + gamma) (Breiman, Friedman, Olshen
// and Stone 1984, section 5.2.2). At first those of falling slope do, and of those that do not move some.
Swept best_step(const SweptRows& rows, const Evaluator& evaluator, const LeafLimits& limits, const double* v,
                double cut, const double* x, double gamma) {
  Sides sides(rows, evaluator, limits);
  Crossings crossings;
  crossings.reserve(rows.n_rows);
  for (std::size_t row = 0; row < rows.n_rows; ++row) {
    const double slope = x[row] + gamma, at = (v[row] - cut) / slope;
    const bool moves = slope != 0 && !std::isnan(at);
    if (moves) crossings.emplace_back(at, row);
    if (moves ? slope < 0 : v[row] < cut) sides.take(row, 1);
  }
  return swept(sides, crossings, [&](std::size_t row) { return x[row] + gamma > 0 ? 1.0 : -1.0; });
}

Swept best_angle(const SweptRows& rows, const Evaluator& evaluator, const LeafLimits& limits, const double* x,
                 const double* y, Watch& watch) {
  Sides sides(rows, evaluator, limits);
  Crossings crossings;
  std::vector<std::size_t> same;
  Swept best;
  for (std::size_t pivot = 0; pivot < rows.n_rows; ++pivot) {
    watch.poll_or_throw();
    turn(rows, x, y, pivot, sides, crossings, same, best);
  }
  return best;
}

}  // namespace bough
