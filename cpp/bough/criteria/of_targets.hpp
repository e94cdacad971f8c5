// A criterion of several targets: the mean of its values for each of them, as in scikit-learn. The statistics
// are those of the targets side by side.
#pragma once

#include <vector>

#include "bough/criteria/absolute_error.hpp"
#include "bough/criteria/criterion.hpp"
#include "bough/criteria/squared_error.hpp"

namespace bough {

template <class C>
struct OfTargets : CriterionDefaults {
  using OfOne = C;
  using Statistics = typename SeveralOf<typename C::Statistics>::type;
  static constexpr std::string_view kName = C::kName;
  static constexpr bool kConcave = C::kConcave, kPureIsBest = C::kPureIsBest,
                        kUsesLogarithms = C::kUsesLogarithms, kGrowsWithWeight = C::kGrowsWithWeight;
  static constexpr int kPowerOfY = C::kPowerOfY;
  static constexpr bool kClasses = std::same_as<typename C::Statistics, ClassWeights>;

  // Squares are summed in lanes, so that scans can sum them four at a time.
  static constexpr int kLanes = 4;

  // Of squared error, from the sum over the targets of d^2, d being the imbalance of sums and weights.
  static double value(double squares, double wl, double wr, double node_weight, int n_targets) {
    return squares / (wl * wr) / ((wl + wr) * node_weight * n_targets);
  }

  static double value_of_two(const Evaluator& evaluator, Summed left, Summed right, double node_weight) {
    if constexpr (std::same_as<C, SquaredError>) {
      double squares[kLanes] = {0, 0, 0, 0};
      for (int t = 0; t < evaluator.n_targets(); ++t) {
        const double d = left[1 + t] * right[0] - right[1 + t] * left[0];
        squares[t % kLanes] += d * d;
      }
      return value((squares[0] + squares[1]) + (squares[2] + squares[3]), left[0], right[0], node_weight,
                   evaluator.n_targets());
    }
    return mean(evaluator, [&](const Evaluator& one, int t, int first) {
      if constexpr (kClasses) {
        return C::value_of_two(one, left + first, right + first, node_weight);
      } else {
        const double l[2] = {left[0], left[1 + t]}, r[2] = {right[0], right[1 + t]};
        return C::value_of_two(one, l, r, node_weight);
      }
    });
  }

  static double value_of_many(const Evaluator& evaluator, Summed children, int n_children, double node_weight)
    requires requires { &C::value_of_many; }
  {
    std::vector<double> own;
    return mean(evaluator, [&](const Evaluator& one, int t, int first) {
      own.clear();
      for (int j = 0; j < n_children; ++j) {
        const double* child = children + static_cast<std::ptrdiff_t>(j) * evaluator.width();
        if constexpr (kClasses)
          own.insert(own.end(), child + first, child + first + one.width());
        else
          own.insert(own.end(), {child[0], child[1 + t]});
      }
      return C::value_of_many(one, own.data(), n_children, node_weight);
    });
  }

  static double impurity(const Evaluator& evaluator, Summed counts)
    requires(kClasses && requires { &C::impurity; })
  {
    return mean(evaluator,
                [&](const Evaluator& one, int, int first) { return C::impurity(one, counts + first); });
  }

  static double rounding(const NodeTotals& node) { return C::rounding(node); }

 private:
  // value(evaluator of the target, target, its first class)
  template <class Value>
  static double mean(const Evaluator& evaluator, const Value& value) {
    double sum = 0;
    int first = 0;
    for (int t = 0; t < evaluator.n_targets(); ++t) {
      const Evaluator& one = evaluator.target(t);
      sum += value(one, t, first);
      first += one.width();
    }
    return sum / evaluator.n_targets();
  }
};

// Medians of several targets are followed row by row (see median_search.hpp); statistics of values that many
// rows would share are not kept.
template <>
struct OfTargets<AbsoluteError> : CriterionDefaults {
  using OfOne = AbsoluteError;
  using Statistics = ValueWeights;
  static constexpr std::string_view kName = AbsoluteError::kName;
  static constexpr int kPowerOfY = AbsoluteError::kPowerOfY;

  static double value_of_two(const Evaluator&, Summed, Summed, double) { return kNoSplit; }
  static double rounding(const NodeTotals& node) { return AbsoluteError::rounding(node); }
};

}  // namespace bough
