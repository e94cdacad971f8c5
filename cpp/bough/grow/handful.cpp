#include "bough/grow/handful.hpp"

#include <algorithm>

namespace bough {

int Handful::most_rows(const Problem& problem) {
  return HandfulNode::kind_of(problem) == HandfulNode::Kind::none ? 0 : pair_kernels().most;
}

Handful::Handful(const NodeLists<Entry>& in, std::size_t n_indices)
    : in_(in),
      kind_(HandfulNode::kind_of(in.problem)),
      n_columns_(in.n_columns()),
      stride_((n_columns_ + kPairLanes - 1) / kPairLanes * kPairLanes),
      place_(n_indices),
      code_(static_cast<std::size_t>(stride_) * kMostPaired),
      value_(code_.size()),
      highest_(stride_),
      second_(stride_),
      set_(stride_) {}

void Handful::load(const Range& range) {
  n_ = range.count;
  begin_ = range.begin;
  const Entry* first = in_.lists[0] + begin_;
  for (int i = 0; i < n_; ++i) {
    index_[i] = index_of(first[i]);
    place_[index_[i]] = static_cast<std::uint8_t>(i);
  }
  for (int c = 0; c < n_columns_; ++c) {
    const Entry* list = in_.lists[c] + begin_;
    for (int i = 0; i < n_; ++i)
      code_[place_[index_of(list[i])] * stride_ + c] = static_cast<std::int32_t>(code_of(list[i]));
  }
}

void Handful::list(int column, Set rows, Entry* entries) const {
  const Entry* from = in_.lists[column] + begin_;
  for (int i = 0; i < n_; ++i) {
    *entries = from[i];
    entries += rows >> place_[index_of(from[i])] & 1;
  }
}

// Every column that tells two rows apart parts them alike: the first one whose rule permits it does.
Handful::Split Handful::of_two(const HandfulNode& node) const {
  for (int c = 0; c < n_columns_; ++c) {
    if (node.code(0, c) == node.code(1, c)) continue;
    const Set left = node.bit(node.code(1, c) < node.code(0, c));
    const AnswerRule rule = in_.answer_rule(c, node.range());
    const double value = node.value(left, rule);
    if (value != kNoSplit) return {value, c, left};
  }
  return {};
}

Handful::Set Handful::rows_left_of(int column, int row, const HandfulNode& node) const {
  Set left = 0;
  for (int j = 0; j < node.size(); ++j)
    left |= node.code(j, column) <= node.code(row, column) ? node.bit(j) : 0;
  return left;
}

// Evaluates the cuts of a column whose rounded value reaches the bar, the lowest first.
void Handful::look_into(int column, const HandfulNode& node, float& bar, Split& best) const {
  int high[kMostPaired], n_high = 0;
  for (int i = 0; i < node.size(); ++i)
    if (value_[i * stride_ + column] >= bar) high[n_high++] = i;
  const auto code = [&](int i) { return node.code(i, column); };
  if (n_high > 1) std::sort(high, high + n_high, [&](int a, int b) { return code(a) < code(b); });
  const AnswerRule rule = in_.answer_rule(column, node.range());
  for (int h = 0; h < n_high; ++h) {
    const float about = value_[high[h] * stride_ + column];
    if (about < bar || (h > 0 && code(high[h]) == code(high[h - 1]))) continue;
    const Set left = rows_left_of(column, high[h], node);
    if (left == best.left || (left ^ node.set()) == best.left) continue;  // the value is the same
    const double value = node.value(left, rule);
    if (!(value > best.value)) continue;
    best = {value, column, left};
    bar = std::max(bar, node.as_good_as(about));
  }
}

Handful::Split Handful::best(Set rows, const Range& range) {
  HandfulNode node(kind_, in_.rows, range, rows, index_, code_.data(), stride_);
  if (node.size() == 2) return of_two(node);
  node.evaluate_all({value_.data(), highest_.data(), set_.data(), second_.data()});
  // The highest cut of a constrained column may be one that its rule forbids.
  const std::vector<int>& monotonic = in_.problem.recipe.monotonic;
  float peak = -1;
  for (int c = 0; c < n_columns_; ++c)
    if (monotonic.empty() || monotonic[c] == 0) peak = std::max(peak, highest_[c]);
  float bar = node.as_good_as(peak);
  Split best;
  for (int c = 0; c < n_columns_; ++c) {
    if (highest_[c] < bar) continue;
    const bool known = set_[c] == best.left || (set_[c] ^ rows) == best.left;
    if (!known || second_[c] >= bar) look_into(c, node, bar, best);
  }
  return best;
}

}  // namespace bough
