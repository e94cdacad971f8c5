#include "bough/grow/handful.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace bough {

// The rows of a node, numbered from 0.
struct Handful::Node {
  const Range& range;
  Set set;
  int n = 0;
  int row[kMostPaired];  // of the handful
  double y[kMostPaired];
  const std::int32_t* code[kMostPaired];
  std::uint32_t bit[kMostPaired];
  std::int32_t term[kMostPaired];
  float slip = 0;  // how far rounding may move the root of a cut's value

  Node(const Handful& in, Set rows, const Range& of) : range(of), set(rows) {
    for (Set rest = rows; rest; rest &= rest - 1, ++n) {
      row[n] = std::countr_zero(rest);
      y[n] = in.in_.rows.grid[in.index_[row[n]]];
      code[n] = in.codes_of(row[n]);
      bit[n] = Set{1} << row[n];
    }
  }

  // Each term is off by a half; a sum that is too long for a float, by one.
  void set_terms() {
    constexpr double kLargest = 1 << 24;
    const double mean = range.sum / n;
    double deviation = 0;
    for (int i = 0; i < n; ++i) deviation += std::abs(y[i] - mean);
    const double scale = deviation > 0 ? kLargest / deviation : 0;
    constexpr double kWhole = 0x1.8p52;  // added and subtracted, it leaves the nearest whole number
    for (int i = 0; i < n; ++i)
      term[i] = static_cast<std::int32_t>(((y[i] - mean) * scale + kWhole) - kWhole) * 64 + 1;
    slip = static_cast<float>((n + 4) / std::sqrt(n - 1.0));
  }
  // The least rounded value that a cut as good as this one may have.
  float as_good_as(float value) const {
    constexpr float kRounded = 1 - 1e-5F;
    const float root = std::sqrt(std::max(value, 0.0F)) * kRounded - slip;
    return root > 0 ? root * root * kRounded : 0;
  }
};

int Handful::most_rows(const Problem& problem) {
  const bool plain_squares = problem.pairs && problem.fast_squares && problem.recipe.surrogates.most == 0;
  return plain_squares ? pair_kernels().most : 0;
}

Handful::Handful(const NodeLists<Entry>& in, std::size_t n_indices)
    : in_(in),
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
Handful::Split Handful::of_two(const Node& node) const {
  for (int c = 0; c < n_columns_; ++c) {
    if (node.code[0][c] == node.code[1][c]) continue;
    const int low = node.code[1][c] < node.code[0][c];
    const AnswerRule rule = in_.answer_rule(c, node.range);
    if (rule.any && !rule.permits(node.y[low], node.y[1 - low])) continue;
    return {SquaredError::value(1, node.y[0], 1, node.y[1], node.range.weight), c, node.bit[low]};
  }
  return {};
}

Handful::Set Handful::rows_left_of(int column, int row, const Node& node) const {
  Set left = 0;
  for (int j = 0; j < node.n; ++j) left |= node.code[j][column] <= node.code[row][column] ? node.bit[j] : 0;
  return left;
}

// Evaluates the cuts of a column whose rounded value reaches the bar, the lowest first.
void Handful::look_into(int column, const Node& node, float& bar, Split& best) const {
  int high[kMostPaired], n_high = 0;
  for (int i = 0; i < node.n; ++i)
    if (value_[i * stride_ + column] >= bar) high[n_high++] = i;
  const auto code = [&](int i) { return node.code[i][column]; };
  if (n_high > 1) std::sort(high, high + n_high, [&](int a, int b) { return code(a) < code(b); });
  const AnswerRule rule = in_.answer_rule(column, node.range);
  for (int h = 0; h < n_high; ++h) {
    const float about = value_[high[h] * stride_ + column];
    if (about < bar || (h > 0 && code(high[h]) == code(high[h - 1]))) continue;
    const Set left = rows_left_of(column, high[h], node);
    if (left == best.left || (left ^ node.set) == best.left) continue;  // the value is the same
    double sum = 0;
    for (int j = 0; j < node.n; ++j)
      if (code(j) <= code(high[h])) sum += node.y[j];
    const double all = node.range.sum, n_left = std::popcount(left), n_right = node.n - n_left;
    if (rule.any && !rule.permits(sum / n_left, (all - sum) / n_right)) continue;
    const double value = SquaredError::value(n_left, sum, n_right, all - sum, node.range.weight);
    if (!(value > best.value)) continue;
    best = {value, column, left};
    bar = std::max(bar, node.as_good_as(about));
  }
}

Handful::Split Handful::best(Set rows, const Range& range) {
  Node node(*this, rows, range);
  if (node.n == 2) return of_two(node);
  node.set_terms();
  pair_kernels().squares({node.code, node.bit, node.n, stride_, node.term},
                         {value_.data(), highest_.data(), set_.data(), second_.data()});
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
