// Tables to grow trees from: columns of every kind, a target and weights, in memory of their own.
#pragma once

#include <deque>
#include <limits>

#include "bough/grow/problem.hpp"
#include "draws.hpp"

namespace bough::tests {

class DrawnData {
 public:
  DrawnData(Draws& draws, int n_rows) : draws_(draws) { data_.n_rows = n_rows; }
  DrawnData(const DrawnData&) = delete;
  DrawnData& operator=(const DrawnData&) = delete;

  const Data& data() const { return data_; }

  // Numbers drawn from about n_distinct; one in `missing` is NaN (0: none).
  DrawnData& floats(int n_distinct, int missing = 0) {
    std::vector<float>& x = floats_.emplace_back(rows());
    for (float& v : x) v = is_missing(missing) ? kNaN : static_cast<float>(draws_.below(n_distinct)) / 4 - 3;
    data_.columns.push_back(view(x));
    return *this;
  }
  DrawnData& doubles(int n_distinct, int missing = 0) {
    std::vector<double>& x = doubles_.emplace_back(rows());
    for (double& v : x) v = is_missing(missing) ? kNaN : 1 + draws_.below(n_distinct) * 0x1p-30;
    data_.columns.push_back(view(x));
    return *this;
  }
  DrawnData& levels(int n_levels, Scale scale, int missing = 0) {
    std::vector<std::int32_t>& x = codes_.emplace_back(rows());
    for (auto& v : x) v = is_missing(missing) ? -1 : draws_.below(n_levels);
    data_.columns.push_back(view(x, n_levels, scale));
    return *this;
  }

  // The class follows the first column, with noise; so do the numbers.
  DrawnData& classes(int n_classes) {
    label_.resize(rows());
    for (std::size_t i = 0; i < rows(); ++i)
      label_[i] = draws_.below(3) ? known_of(0, i) % n_classes : draws_.below(n_classes);
    data_.n_classes = n_classes;
    data_.label = label_.data();
    return *this;
  }
  DrawnData& numbers(int n_distinct) {
    y_.resize(rows());
    for (std::size_t i = 0; i < rows(); ++i) y_[i] = 0.25 * (known_of(0, i) + draws_.below(n_distinct));
    data_.y = y_.data();
    return *this;
  }

  // Whole numbers below 4, which count cases; or shares, each of which is one case.
  DrawnData& whole_weights() {
    weight_.resize(rows());
    for (double& w : weight_) w = draws_.below(4);
    weight_[0] = 1;
    data_.weight = data_.cases = weight_.data();
    return *this;
  }
  DrawnData& share_weights() {
    weight_.resize(rows());
    cases_.resize(rows());
    for (std::size_t i = 0; i < rows(); ++i) {
      weight_[i] = draws_.below(5) && i > 0 ? draws_.share() : i == 0;
      cases_[i] = weight_[i] > 0;
    }
    data_.weight = weight_.data();
    data_.cases = cases_.data();
    return *this;
  }
  // A weight for each class, by which the class of a row multiplies its cases; call it after classes().
  DrawnData& class_weights(const std::vector<double>& of_class) {
    weight_.resize(rows());
    cases_.assign(rows(), 1.0);
    for (std::size_t i = 0; i < rows(); ++i) weight_[i] = of_class[label_[i]];
    data_.weight = weight_.data();
    data_.cases = cases_.data();
    return *this;
  }

 private:
  static constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

  std::size_t rows() const { return static_cast<std::size_t>(data_.n_rows); }
  bool is_missing(int one_in) { return one_in > 0 && draws_.below(one_in) == 0; }
  // A whole number that grows with the value; 0 where missing.
  int known_of(int c, std::size_t row) const {
    const double x = data_.columns[c].value(static_cast<std::int64_t>(row));
    return x != x ? 0 : static_cast<int>(x > 0 ? x : -x);
  }

  Draws& draws_;
  Data data_;
  std::deque<std::vector<float>> floats_;
  std::deque<std::vector<double>> doubles_;
  std::deque<std::vector<std::int32_t>> codes_;
  std::vector<std::int32_t> label_;
  std::vector<double> y_, weight_, cases_;
};

// The columns of some rows of a table, copied.
class CopiedColumns {
 public:
  std::vector<Column> of(const std::vector<Column>& columns, const std::vector<std::int64_t>& rows) {
    std::vector<Column> copies;
    for (const Column& column : columns) {
      if (column.type == Column::Type::code) {
        std::vector<std::int32_t>& codes = codes_.emplace_back();
        for (std::int64_t row : rows) codes.push_back(column.code(row));
        copies.push_back(view(codes, column.n_levels, column.scale));
      } else {
        std::vector<double>& numbers = numbers_.emplace_back();
        for (std::int64_t row : rows) numbers.push_back(column.value(row));
        copies.push_back(view(numbers));
      }
    }
    return copies;
  }

 private:
  std::deque<std::vector<double>> numbers_;
  std::deque<std::vector<std::int32_t>> codes_;
};

}  // namespace bough::tests
