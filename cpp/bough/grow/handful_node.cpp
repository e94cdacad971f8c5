#include "bough/grow/handful_node.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace bough {

HandfulNode::Kind HandfulNode::kind_of(const Problem& problem) {
  const Criterion criterion = problem.recipe.criterion;
  if (!problem.pairs || problem.recipe.surrogates.most > 0) return Kind::none;
  if (problem.fast_squares) return Kind::squares;
  if (criterion == criterion_of<SquaredError>) return Kind::weights;
  if (criterion == criterion_of<Gini> && problem.unit_weights && problem.data.n_classes > 2)
    return Kind::classes;
  return Kind::none;
}

HandfulNode::HandfulNode(Kind kind, const Rows& rows, const Range& range, Set set, const std::uint32_t* index,
                         const std::int32_t* codes, int stride)
    : kind_(kind), rows_(rows), range_(range), set_(set), stride_(stride) {
  for (Set rest = set; rest; rest &= rest - 1, ++n_) {
    const int row = std::countr_zero(rest);
    index_[n_] = index[row];
    code_[n_] = codes + row * stride;
    bit_[n_] = Set{1} << row;
  }
  if (kind == Kind::classes) {
    set_terms_of_classes();
    return;
  }
  for (int i = 0; i < n_; ++i) y_[i] = rows.grid[index_[i]];
  if (kind == Kind::squares) return;
  for (int i = 0; i < n_; ++i) weight_[i] = rows.weight_at(index_[i]);
}

// Each term is off by a half; a sum that is too long for a float, by one.
void HandfulNode::set_terms_of_squares() {
  constexpr double kLargest = 1 << 24;
  const double mean = range_.sum / n_;
  double deviation = 0;
  for (int i = 0; i < n_; ++i) deviation += std::abs(y_[i] - mean);
  const double scale = deviation > 0 ? kLargest / deviation : 0;
  constexpr double kWhole = 0x1.8p52;  // added and subtracted, it leaves the nearest whole number
  for (int i = 0; i < n_; ++i)
    term_[i] = static_cast<std::int32_t>(((y_[i] - mean) * scale + kWhole) - kWhole) * 64 + 1;
  slip_ = static_cast<float>((n_ + 4) / std::sqrt(n_ - 1.0));
}

// A sum of n floats whose absolute values sum to s is off by n s / 2^24 at most, the rounding of its terms
// included. Sums of weights are off by no more than such a part of themselves. Where the weight of a row is a
// tiny part of the node's, y less its mean is the difference of two numbers far greater than itself: there
// doubles round too, those of the exact values among them.
void HandfulNode::set_shares() {
  constexpr double kRounded = 0x1p-24, kRoundedDouble = 0x1p-50;
  const double weight = range_.weight, mean = range_.sum / weight;
  double deviation = 0, size = 0, lightest = 1;
  for (int i = 0; i < n_; ++i) {
    share_[i] = static_cast<float>(weight_[i] / weight);
    deviation += std::abs(y_[i] - mean * weight_[i]);
    size += std::abs(y_[i]);
    lightest = std::min(lightest, weight_[i] / weight);
  }
  const double scale = deviation > 0 ? 1 / deviation : 0;
  for (int i = 0; i < n_; ++i) excess_[i] = static_cast<float>((y_[i] - mean * weight_[i]) * scale);
  const double slip = (n_ + 4) * kRounded + size * scale * kRoundedDouble;
  slip_ = static_cast<float>(2 * slip / std::sqrt(lightest * (1 - lightest)));
}

// Numbers the classes of the node, and puts its rows in the order of their classes.
void HandfulNode::set_terms_of_classes() {
  std::pair<std::int32_t, int> row_of[kMostPaired];  // of each label
  for (int i = 0; i < n_; ++i) row_of[i] = {rows_.label[index_[i]], std::countr_zero(bit_[i])};
  std::sort(row_of, row_of + n_);
  const std::int32_t* first = code_[0] - std::countr_zero(bit_[0]) * stride_;
  for (int i = 0, c = 0; i < n_; ++i) {
    const int row = row_of[i].second;
    if (i > 0 && row_of[i].first != row_of[i - 1].first) ++c;
    class_[i] = c;
    bit_[i] = Set{1} << row;
    code_[i] = first + row * stride_;
    term_[i] = 1 << 8 * (c % kClassesOfWord);
    const int word = c / kClassesOfWord;
    if (word == n_words_) of_all_[n_words_++] = 0;
    of_all_[word] += term_[i];
    word_end_[word] = i + 1;
  }
}

void HandfulNode::evaluate_all(const PairedCuts& cuts) {
  const PairKernels& kernels = pair_kernels();
  PairedRows rows{code_, bit_, n_, stride_};
  if (kind_ == Kind::squares || kind_ == Kind::classes) {
    if (kind_ == Kind::squares) set_terms_of_squares();
    rows.term = term_;
    rows.word_end = word_end_;
    rows.of_all = of_all_;
    rows.n_words = n_words_;
    return (kind_ == Kind::squares ? kernels.squares : kernels.classes)(rows, cuts);
  }
  set_shares();
  rows.weight = share_;
  rows.excess = excess_;
  kernels.weights(rows, cuts);
}

float HandfulNode::as_good_as(float value) const {
  constexpr float kRounded = 1 - 1e-5F, kRoundedClasses = 1 - 1e-6F;
  if (value <= 0) return 0;
  if (kind_ == Kind::classes) return value * kRoundedClasses;
  const float root = std::sqrt(value) * kRounded - slip_;
  return root > 0 ? root * root * kRounded : 0;
}

double HandfulNode::value(Set left, const AnswerRule& rule) const {
  if (kind_ == Kind::classes) return value_of_classes(left);
  double weight = 0, sum = 0;
  for (int i = 0; i < n_; ++i) sum += left & bit_[i] ? y_[i] : 0.0;
  if (kind_ == Kind::squares)
    weight = std::popcount(left);
  else
    for (int i = 0; i < n_; ++i) weight += left & bit_[i] ? weight_[i] : 0.0;
  const double below[] = {weight, sum}, above[] = {range_.weight - weight, range_.sum - sum};
  if (rule.any && !rule.permits(below[1] / below[0], above[1] / above[0])) return kNoSplit;
  return SquaredError::value(below[0], below[1], above[0], above[1], range_.weight);
}

double HandfulNode::value_of_classes(Set left) const {
  double squares_left = 0, squares_right = 0, squares = 0;
  for (int i = 0, end; i < n_; i = end) {
    int n_left = 0;
    for (end = i; end < n_ && class_[end] == class_[i]; ++end) n_left += (left & bit_[end]) != 0;
    const double l = n_left, r = end - i - n_left;
    squares_left += l * l;
    squares_right += r * r;
    squares += (l + r) * (l + r);
  }
  const double n_left = std::popcount(left);
  return Gini::Bound::value_of_squares(squares_left, squares_right, squares, n_left, n_ - n_left,
                                       range_.weight);
}

}  // namespace bough
