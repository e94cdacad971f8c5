// Rows that stand for many: their class weights, of each of several targets, are given.
//
// Every target cuts the same total weight into its classes, one after the other. Each piece between two
// neighbouring cuts, of whatever targets, lies in one class of each target, and is a row. So there is at most
// one row for each class, less one for each target but the first; of one target there is a row for each
// class.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace bough {

class JointRows {
 public:
  // targets: the number of classes of each.
  explicit JointRows(std::vector<int> targets) : targets_(std::move(targets)), label_(targets_.size()) {
    for (const int k : targets_) end_.push_back((end_.empty() ? 0 : end_.back()) + k);
    left_.resize(targets_.size());
    most_ = end_.back() - static_cast<int>(targets_.size()) + 1;
  }

  // The greatest number of rows.
  int most() const { return most_; }

  // Calls put(labels, weight) for each row, once at least. of_class: the weights of the classes of all
  // targets, as whole numbers or rounded; a label is a place among them.
  template <class Put>
  void write(const double* of_class, const Put& put) {
    const std::size_t k = targets_.size();
    for (std::size_t t = 0; t < k; ++t) {
      label_[t] = end_[t] - targets_[t];
      left_[t] = of_class[label_[t]];
      if (!(left_[t] > 0) && !advance(t, of_class)) left_[t] = 0;
    }
    for (bool more = true; more;) {
      const double weight = *std::min_element(left_.begin(), left_.end());
      put(label_.data(), weight);
      for (std::size_t t = 0; t < k; ++t) {
        left_[t] -= weight;
        if (!(left_[t] > 0)) more &= advance(t, of_class);
      }
    }
  }

 private:
  // Goes to the next class of the target that has weight; whether there is one.
  bool advance(std::size_t t, const double* of_class) {
    for (std::int32_t c = label_[t] + 1; c < end_[t]; ++c) {
      if (!(of_class[c] > 0)) continue;
      label_[t] = c;
      left_[t] = of_class[c];
      return true;
    }
    return false;
  }

  std::vector<int> targets_, end_;
  std::vector<std::int32_t> label_;
  std::vector<double> left_;  // of the class where each target is
  int most_;
};

}  // namespace bough
