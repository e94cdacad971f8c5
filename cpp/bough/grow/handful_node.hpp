// A node of a handful (see handful.hpp): its rows, the rounded values of all its cuts, and the exact value of
// one.
#pragma once

#include <cstdint>
#include <limits>

#include "bough/grow/node_lists.hpp"
#include "bough/search/pair_kernels.hpp"

namespace bough {

class HandfulNode {
 public:
  using Set = std::uint32_t;  // a bit for each row of the handful

  // What the values of cuts are computed from; none: other searches are needed.
  enum class Kind { none, squares, weights, classes };
  static Kind kind_of(const Problem& problem);

  // index: of each row of the handful. codes: their codes, stride apart.
  HandfulNode(Kind kind, const Rows& rows, const Range& range, Set set, const std::uint32_t* index,
              const std::int32_t* codes, int stride);
  HandfulNode(const HandfulNode&) = delete;
  HandfulNode& operator=(const HandfulNode&) = delete;

  int size() const { return n_; }
  const Range& range() const { return range_; }
  Set set() const { return set_; }
  Set bit(int row) const { return bit_[row]; }
  std::int32_t code(int row, int column) const { return code_[row][column]; }

  // The rounded values of all cuts.
  void evaluate_all(const PairedCuts& cuts);
  // The least rounded value that a cut may have which is as good as one of this rounded value.
  float as_good_as(float value) const;

  // The value of a cut; kNoSplit if the rule forbids it.
  double value(Set left, const AnswerRule& rule) const;

 private:
  void set_terms_of_squares();
  void set_shares();
  void set_terms_of_classes();
  double value_of_classes(Set left) const;

  Kind kind_;
  const Rows& rows_;
  const Range& range_;
  Set set_;
  int n_ = 0, stride_;
  std::uint32_t index_[kMostPaired];
  const std::int32_t* code_[kMostPaired];
  Set bit_[kMostPaired];
  double y_[kMostPaired], weight_[kMostPaired];  // of numbers
  int class_[kMostPaired];                       // numbered from 0 within the node
  std::int32_t term_[kMostPaired];
  float share_[kMostPaired], excess_[kMostPaired];
  int word_end_[kMostPaired / kClassesOfWord + 1], n_words_ = 0;
  std::int32_t of_all_[kMostPaired / kClassesOfWord + 1];
  float slip_ = 0;  // how far rounding may move the root of a cut's value
};

}  // namespace bough
