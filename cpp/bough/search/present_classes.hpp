// The classes that occur in a node, numbered from 0 in their order. Where classes are many, a search sums and
// compares these alone, so that its cost grows with them and not with all classes. What is left out are
// zeros, so that every value stays the same to the last bit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bough/criteria/criterion.hpp"
#include "bough/data/rows.hpp"

namespace bough {

class PresentClasses {
 public:
  // Fewer classes than this are summed as they are.
  static constexpr int kMany = 32;

  // n_indices: the most that any index of a row may reach.
  PresentClasses(const Evaluator& evaluator, std::size_t n_indices)
      : evaluator_(evaluator), number_(evaluator.width(), -1), label_(n_indices) {}

  // Numbers the classes of the rows index(0), ..., index(n - 1).
  template <class Index>
  void start(int n, const Index& index, const Rows& rows) {
    for (const int c : classes_) number_[c] = -1;
    classes_.clear();
    for (int i = 0; i < n; ++i) {
      const std::int32_t c = rows.label[index(i)];
      if (number_[c] >= 0) continue;
      number_[c] = 0;
      classes_.push_back(c);
    }
    std::sort(classes_.begin(), classes_.end());
    for (std::size_t j = 0; j < classes_.size(); ++j) number_[classes_[j]] = static_cast<std::int32_t>(j);
    for (int i = 0; i < n; ++i) label_[index(i)] = number_[rows.label[index(i)]];
    evaluator_.narrow(static_cast<int>(classes_.size()));
    rows_ = rows;
    rows_.label = label_.data();
  }

  // Of the classes that are present.
  const Evaluator& evaluator() const { return evaluator_; }
  // The rows, with the numbers of their classes for labels.
  const Rows& rows() const { return rows_; }
  // The class of each number.
  const std::vector<int>& classes() const { return classes_; }

 private:
  Evaluator evaluator_;
  Rows rows_;
  std::vector<int> classes_;
  std::vector<std::int32_t> number_, label_;
};

}  // namespace bough
