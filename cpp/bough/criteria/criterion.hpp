// A criterion turns the statistics of a split's children into one number: the larger, the better the split.
//
// Each criterion is a type in a file of its own, and list.hpp lists them. From the type comes its record,
// which is all that the rest of the core knows of it. A split and its mirror image get the same value to the
// last bit.
#pragma once

#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "bough/criteria/statistics.hpp"
#include "bough/criteria/xlog2x.hpp"

namespace bough {

// The value of a split that must not be made.
constexpr double kNoSplit = -std::numeric_limits<double>::infinity();
// What is left of a difference of sums below this share of the terms is rounding, not information.
constexpr double kRoundingShare = 1e-12;

class Evaluator;

// Sums over a node of numbers, from which the size of rounding errors follows.
struct NodeTotals {
  double weight = 0, sum = 0, risk = 0;
};

struct CriterionRecord {
  std::string_view name;
  StatisticsKind statistics;

  // node_weight is the weight of the node with its missing cases: what is gained for the known cases counts
  // in proportion to their share of the node.
  double (*value_of_two)(const Evaluator&, const double* left, const double* right, double node_weight);
  // Of n children, a row of statistics each. Null: it is defined for two children only.
  double (*value_of_many)(const Evaluator&, const double* children, int n_children, double node_weight);
  // Of one node, per unit of weight. Null: it evaluates a split as a whole.
  double (*impurity)(const Evaluator&, const double* statistics);
  // The value that rounding may give to a split that gains nothing, where weights and sums are not on a grid.
  double (*rounding)(const NodeTotals&);

  bool concave;            // the best subset of levels is a cut in the order of their shares or means
  bool pure_is_best;       // no value exceeds that of pure children, which is the impurity of the node
  bool uses_logarithms;    // of counts, which are kept in a table
  bool grows_with_weight;  // the value is proportional to the weights
  bool reads_losses;       // the losses of errors count in splits, not in altered weights of the classes
  bool has_bound;          // scans evaluate only the cuts that an upper bound leaves open
  int power_of_y;          // the value is proportional to this power of the unit of y
};

// What a criterion has unless its type says otherwise.
struct CriterionDefaults {
  static constexpr bool kConcave = true, kPureIsBest = false, kUsesLogarithms = false,
                        kGrowsWithWeight = false, kReadsLosses = false;
  static constexpr int kPowerOfY = 0;
  static double rounding(const NodeTotals&) { return 0; }
};

template <class C>
concept CriterionType = std::derived_from<C, CriterionDefaults> && Statistics<typename C::Statistics> &&
                        requires(const Evaluator& evaluator, const double* s) {
                          { C::kName } -> std::convertible_to<std::string_view>;
                          { C::value_of_two(evaluator, s, s, 1.0) } -> std::same_as<double>;
                        };

template <CriterionType C>
constexpr CriterionRecord record_of() {
  CriterionRecord r{C::kName,
                    C::Statistics::kKind,
                    &C::value_of_two,
                    nullptr,
                    nullptr,
                    &C::rounding,
                    C::kConcave,
                    C::kPureIsBest,
                    C::kUsesLogarithms,
                    C::kGrowsWithWeight,
                    C::kReadsLosses,
                    requires { typename C::Bound; },
                    C::kPowerOfY};
  if constexpr (requires { &C::value_of_many; }) r.value_of_many = &C::value_of_many;
  if constexpr (requires { &C::impurity; }) r.impurity = &C::impurity;
  return r;
}

// A criterion by reference to its record; two are equal if they are the same one.
class Criterion {
 public:
  constexpr explicit Criterion(const CriterionRecord* record) : record_(record) {}

  constexpr const CriterionRecord* operator->() const { return record_; }
  constexpr bool operator==(const Criterion&) const = default;

  constexpr bool reads_classes() const { return record_->statistics == StatisticsKind::classes; }
  constexpr bool reads_moments() const { return is_moments(record_->statistics); }
  constexpr bool reads_rates() const { return record_->statistics == StatisticsKind::rates; }
  constexpr bool reads_values() const { return record_->statistics == StatisticsKind::values; }

 private:
  const CriterionRecord* record_;
};

// A criterion with all it needs to evaluate splits: the number of statistics, and its tables.
class Evaluator {
 public:
  // width: number of classes; 2 for moments. whole_counts: counts up to this are looked up in tables.
  Evaluator(Criterion criterion, int width, std::size_t whole_counts = 4096)
      : criterion_(criterion), width_(width), xlog2x_(criterion->uses_logarithms ? whole_counts : 0) {}

  // For criteria that read the weights of values: the distinct values of y, ascending.
  Evaluator(Criterion criterion, std::vector<double> values)
      : criterion_(criterion),
        width_(static_cast<int>(values.size())),
        xlog2x_(0),
        values_(std::move(values)) {}

  // Leaves out classes of weight 0: the width becomes that of the others.
  void narrow(int width) { width_ = width; }

  // Under Poisson, lets a child have no events at all.
  void allow_zero_rates() { zero_rates_ = true; }

  // For criteria that read losses: the loss of each answer for each class, width x width, [true][answered].
  void set_loss(std::vector<double> loss) { loss_ = std::move(loss); }

  Criterion criterion() const { return criterion_; }
  int width() const { return width_; }
  const XLog2X& xlog2x() const { return xlog2x_; }
  const std::vector<double>& values() const { return values_; }
  bool zero_rates() const { return zero_rates_; }
  const std::vector<double>& loss() const { return loss_; }  // empty: every error costs 1

  // The weight of the rows that were summed.
  double weight(const double* statistics) const {
    return criterion_.reads_moments() ? Moments::weight(statistics, width_)
                                      : ClassWeights::weight(statistics, width_);
  }

  // Impurity of one node per unit of weight. Where moments are used, statistics are (weight, sum, sum of
  // squares). Throws std::invalid_argument where the criterion measures splits only.
  double impurity(const double* statistics) const;

  // Mean of numbers; their (lower) weighted median where weights of values are read.
  double centre(const double* statistics) const;

  // The value of a split into children, each a row of `width` statistics.
  double value(const double* children, int n_children, double node_weight) const;

  // The same for two children, neither of them empty; the hot case.
  double value(const double* left, const double* right, double node_weight) const {
    return criterion_->value_of_two(*this, left, right, node_weight);
  }

 private:
  Criterion criterion_;
  int width_;
  bool zero_rates_ = false;
  XLog2X xlog2x_;
  std::vector<double> values_, loss_;
};

// The rise of a score, per unit of the node's weight: the sum of score(statistics, weight) over the children
// that are not empty, less the score of all of them together.
template <class S, class Score>
double rise_in_score(const Evaluator& evaluator, const double* children, int n_children, double node_weight,
                     const Score& score) {
  const int width = evaluator.width();
  std::vector<double> total(width, 0.0);
  double within = 0, weight = 0;
  for (int j = 0; j < n_children; ++j) {
    const double* child = children + static_cast<std::ptrdiff_t>(j) * width;
    const double own = S::weight(child, width);
    if (own == 0) continue;
    weight += own;
    S::add(total.data(), child, width);
    within += score(child, own);
  }
  const double saved = within - score(total.data(), weight);
  return (saved > kRoundingShare * (within < 0 ? -within : within) ? saved : 0.0) / node_weight;
}

}  // namespace bough
