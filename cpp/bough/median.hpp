// Absolute error: the running median of a set of rows whose values are known as ranks, by Fenwick trees of
// their weights and weighted values. Values are whole numbers whose weighted sums are exact.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace bough {

class RunningMedian {
 public:
  // values: the distinct values, ascending.
  void reset(const std::vector<double>& values) {
    values_ = &values;
    nodes_.assign(values.size() + 1, {});
    weight_ = sum_ = 0;
  }

  void add(std::uint32_t rank, double weight) {
    const double s = weight * (*values_)[rank];
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
    const double m = (*values_)[b.rank];
    return (m * b.weight - b.sum) + ((sum_ - b.sum) - m * (weight_ - b.weight));
  }

 private:
  struct Sums {
    double weight = 0, sum = 0;
  };
  struct Below {
    std::size_t rank;
    double weight, sum;
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
  double weight_ = 0, sum_ = 0;
};

}  // namespace bough
