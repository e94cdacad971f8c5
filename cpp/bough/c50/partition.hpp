// Partitions a range of cases by the branches of a node. Cases whose value is missing go along
// every branch in turn, each time with a share of their weight.
#pragma once

#include "bough/c50/training.hpp"

namespace bough::c50 {

class Partition {
 public:
  Partition(Training& training, const Node& node, std::int64_t first, std::int64_t last);

  std::int64_t n_missing() const { return n_missing_; }
  std::int64_t first_known() const { return begin_ + n_missing_; }
  Count missing_weight() const { return training_.sum_weights(begin_, first_known()); }
  // Leaves the lightest of the missing cases out; returns how much they weigh.
  double leave_out_light(double least);

  // Puts the cases of a branch behind the missing ones.
  void take(int branch);
  bool taken_any() const { return end_ > first_known(); }
  Count known_weight() const { return training_.sum_weights(first_known(), end_); }
  Count known_plain_weight() const { return training_.sum_plain_weights(first_known(), end_); }

  // Calls visit(first, last) on the cases taken and the missing ones at `share` of their weight, and goes on.
  template <class Visit>
  void enter(double share, const Visit& visit) {
    for (std::int64_t i = begin_; i < first_known(); ++i)
      training_.weight[training_.order[i]] = static_cast<float>(training_.weight[training_.order[i]] * share);
    visit(begin_, end_);
    if (n_missing_ > 0) restore_weights(share);
    begin_ = end_;
  }

 private:
  bool belongs(Row row, int branch) const;
  void restore_weights(double share);

  Training& training_;
  const Node& node_;
  const Attribute& attribute_;
  std::int64_t begin_, end_, last_, n_missing_ = 0;
};

// The branch a value leads to, -1 if the node knows none for it. The value must not be missing.
int branch_of(const Node& node, const Attribute& attribute, Row row);

}  // namespace bough::c50
