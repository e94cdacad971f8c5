#include "bough/forest/drawn_values.hpp"

#include <cstring>

#include "bough/criteria/criterion.hpp"
#include "bough/machine/kernel_sets.hpp"

namespace bough {

namespace {

constexpr int kValues = 4;  // side by side
using Values = double __attribute__((vector_size(8 * kValues)));
using Wholes = std::int32_t __attribute__((vector_size(4 * kValues)));

BOUGH_INLINE void read_values(Values& values, const double* from) {
  std::memcpy(&values, from, sizeof values);
}

BOUGH_INLINE void read_wholes(Values& values, const std::int32_t* from) {
  Wholes own;
  std::memcpy(&own, from, sizeof own);
  values = __builtin_convertvector(own, Values);
}

// Keeps the values of cuts that leave enough on both sides.
BOUGH_INLINE void write_values(const Values& value, const Values& left, const Values& right, double least,
                               double* to) {
  const Values none = Values{} + kNoSplit, bar = Values{} + least;
  const Values kept = left >= bar ? (right >= bar ? value : none) : none;
  std::memcpy(to, &kept, sizeof kept);
}

// As SquaredError::value.
BOUGH_INLINE void value_moments(const double* weight, const double* sum, int n, const DrawnTotals& node,
                                double* value) {
  for (int c = 0; c < n; c += kValues) {
    Values left, left_sum;
    read_values(left, weight + c);
    read_values(left_sum, sum + c);
    const Values right = node.weight - left, right_sum = node.sum - left_sum;
    const Values d = left_sum * right - right_sum * left;
    write_values(d * d / (left * right) / ((left + right) * node.node_weight), left, node.node_weight - left,
                 node.least, value + c);
  }
}

// As gini_of_counts.
BOUGH_INLINE void value_counts(const std::uint32_t* count, int n, const DrawnTotals& node, double* value) {
  for (int c = 0; c < n; c += kValues) {
    std::int32_t below[kValues], second[kValues];
    for (int i = 0; i < kValues; ++i) {
      below[i] = static_cast<std::int32_t>(count[c + i] & 0xffffu);
      second[i] = static_cast<std::int32_t>(count[c + i] >> 16);
    }
    Values left, left_second;
    read_wholes(left, below);
    read_wholes(left_second, second);
    const Values right = node.node_weight - left;
    const Values d = left_second * node.node_weight - node.second * left;
    write_values(d * d / (left * right), left, right, node.least, value + c);
  }
}

// As Gini::Bound::value.
BOUGH_INLINE void value_squares(const std::int32_t* weight, const std::int32_t* squares,
                                const std::int32_t* products, int n, const DrawnTotals& node, double* value) {
  for (int c = 0; c < n; c += kValues) {
    Values left, of_left, product;
    read_wholes(left, weight + c);
    read_wholes(of_left, squares + c);
    read_wholes(product, products + c);
    const Values right = node.node_weight - left, of_right = node.squares - 2.0 * product + of_left;
    const Values of_both = node.squares - of_left - of_right;
    const Values sum = right * right * of_left + left * left * of_right - left * right * of_both;
    write_values(sum / (left * right) / ((left + right) * node.node_weight), left, right, node.least,
                 value + c);
  }
}

#define BOUGH_DRAWN_VALUES(name, target)                                                                \
  namespace name {                                                                                      \
  target void of_moments(const double* weight, const double* sum, int n, const DrawnTotals& node,       \
                         double* value) {                                                               \
    value_moments(weight, sum, n, node, value);                                                         \
  }                                                                                                     \
  target void of_counts(const std::uint32_t* count, int n, const DrawnTotals& node, double* value) {    \
    value_counts(count, n, node, value);                                                                \
  }                                                                                                     \
  target void of_squares(const std::int32_t* weight, const std::int32_t* squares,                       \
                         const std::int32_t* products, int n, const DrawnTotals& node, double* value) { \
    value_squares(weight, squares, products, n, node, value);                                           \
  }                                                                                                     \
  constexpr DrawnValueKernels kValueKernels{of_moments, of_counts, of_squares};                         \
  }

BOUGH_DRAWN_VALUES(drawn_values_anywhere, )
#if defined(BOUGH_AVX2)
BOUGH_DRAWN_VALUES(drawn_values_avx2, BOUGH_AVX2)
#endif

}  // namespace

std::vector<const DrawnValueKernels*> runnable_drawn_values() {
  return runnable_sets(drawn_values_anywhere::kValueKernels,
                       BOUGH_SET_OF_AVX2(drawn_values_avx2::kValueKernels));
}

}  // namespace bough
