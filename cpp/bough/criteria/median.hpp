// Absolute error: the median of a changing set of rows, and the sum of distances from it. RunningMedian
// (Fenwick trees) lets rows come and go in any order; MedianSweep (a linked list) only lets them go, but each
// in constant time. Values are whole numbers whose weighted sums are exact.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <vector>

namespace bough {

// Values of up to 52 bits times weights of up to 52 bits: their sums fit in 128.
__extension__ typedef __int128 Wide;

inline Wide wide(double x) { return static_cast<std::int64_t>(x); }

// A number as a sum holds it: whole ones exactly, or any as it is.
template <class Sum>
Sum summand(double x) {
  if constexpr (std::same_as<Sum, double>)
    return x;
  else
    return wide(x);
}

class RunningMedian {
 public:
  // values: the distinct values, ascending.
  void reset(const std::vector<double>& values) {
    values_ = &values;
    nodes_.assign(values.size() + 1, {});
    weight_ = 0;
    sum_ = 0;
  }

  void add(std::uint32_t rank, double weight) {
    const Wide s = wide(weight) * wide((*values_)[rank]);
    weight_ += weight;
    sum_ += s;
    for (std::size_t i = rank + 1; i < nodes_.size(); i += i & (~i + 1)) {
      nodes_[i].weight += weight;
      nodes_[i].sum += s;
    }
  }
  void remove(std::uint32_t rank, double weight) { add(rank, -weight); }

  double weight() const { return weight_; }

  // The lower weighted median of what was added.
  double median() const { return (*values_)[below_median().rank]; }

  // Sum of the weighted distances from the median.
  double deviation() const {
    const Below b = below_median();
    const Wide m = wide((*values_)[b.rank]);
    return static_cast<double>((m * wide(b.weight) - b.sum) +
                               ((sum_ - b.sum) - m * wide(weight_ - b.weight)));
  }

 private:
  struct Sums {
    double weight = 0;
    Wide sum = 0;
  };
  struct Below {
    std::size_t rank;
    double weight;
    Wide sum;
  };

  Below below_median() const {
    Below b{0, 0, 0};
    for (std::size_t step = std::bit_floor(nodes_.size() - 1); step > 0; step /= 2) {
      const std::size_t next = b.rank + step;
      if (next < nodes_.size() - 1 && 2 * (b.weight + nodes_[next].weight) < weight_) {
        b.weight += nodes_[next].weight;
        b.sum += nodes_[next].sum;
        b.rank = next;
      }
    }
    return b;
  }

  const std::vector<double>* values_ = nullptr;
  std::vector<Sums> nodes_;
  double weight_ = 0;
  Wide sum_ = 0;
};

// The rows of a node in ascending order of their values.
struct OrderedRows {
  std::vector<double> value, weight;
};

// Sum: Wide, or double where values or weights are no whole numbers.
template <class Sum>
class MedianSweep {
 public:
  // Begins with all rows, or with those for which present[place] holds.
  void reset(const OrderedRows& rows, const std::uint8_t* present) {
    rows_ = &rows;
    const auto n = static_cast<std::int32_t>(rows.value.size());
    previous_.resize(n);
    next_.resize(n);
    weight_ = weight_below_ = 0;
    sum_ = sum_below_ = 0;
    std::int32_t last = -1;
    median_ = -1;
    for (std::int32_t i = 0; i < n; ++i) {
      if (present && !present[i]) continue;
      previous_[i] = last;
      if (last >= 0)
        next_[last] = i;
      else
        median_ = i;
      last = i;
      weight_ += rows.weight[i];
      sum_ += weighted(i);
    }
    next_[last] = -1;
    settle();
  }

  // Takes away the row at a place of the order; at least one must remain.
  void remove(std::int32_t place) {
    const double w = rows_->weight[place];
    const Sum s = weighted(place);
    weight_ -= w;
    sum_ -= s;
    const std::int32_t before = previous_[place], after = next_[place];
    if (before >= 0) next_[before] = after;
    if (after >= 0) previous_[after] = before;
    if (place < median_) {
      weight_below_ -= w;
      sum_below_ -= s;
    } else if (place == median_) {
      if (after >= 0)
        median_ = after;
      else
        step_down(before);
    }
    settle();
  }

  // Sum of the weighted distances from the median.
  double deviation() const {
    const Sum m = summand<Sum>(rows_->value[median_]);
    return static_cast<double>((m * summand<Sum>(weight_below_) - sum_below_) +
                               ((sum_ - sum_below_) - m * summand<Sum>(weight_ - weight_below_)));
  }

 private:
  Sum weighted(std::int32_t place) const {
    return summand<Sum>(rows_->weight[place]) * summand<Sum>(rows_->value[place]);
  }

  void step_down(std::int32_t to) {
    median_ = to;
    weight_below_ -= rows_->weight[to];
    sum_below_ -= weighted(to);
  }

  // Moves to the first place at which half of the weight is reached.
  void settle() {
    while (previous_[median_] >= 0 && 2 * weight_below_ >= weight_) step_down(previous_[median_]);
    while (next_[median_] >= 0 && 2 * (weight_below_ + rows_->weight[median_]) < weight_) {
      weight_below_ += rows_->weight[median_];
      sum_below_ += weighted(median_);
      median_ = next_[median_];
    }
  }

  const OrderedRows* rows_ = nullptr;
  std::vector<std::int32_t> previous_, next_;
  std::int32_t median_ = -1;
  double weight_ = 0, weight_below_ = 0;
  Sum sum_ = 0, sum_below_ = 0;
};

}  // namespace bough
