// A criterion turns the statistics of a split's children into one number: the larger, the better the split.
//
// Each criterion is a type in a file of its own, and list.hpp lists them. From the type comes its record,
// which is all that the rest of the core knows of it. A split and its mirror image get the same value to the
// last bit.
#pragma once

#include <algorithm>
#include <concepts>
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

// The statistics of a node or a child: what was summed over its rows.
using Summed = const double*;

// Sums over a node of numbers, from which the size of rounding errors follows.
struct NodeTotals {
  double weight = 0, sum = 0, risk = 0;
};

struct CriterionRecord {
  std::string_view name;
  StatisticsKind statistics;

  // node_weight is the weight of the node with its missing cases: what is gained for the known cases counts
  // in proportion to their share of the node.
  double (*value_of_two)(const Evaluator&, Summed left, Summed right, double node_weight);
  // Of n children, a row of statistics each. Null: it is defined for two children only.
  double (*value_of_many)(const Evaluator&, Summed children, int n_children, double node_weight);
  // Of one node, per unit of weight. Null: it evaluates a split as a whole.
  double (*impurity)(const Evaluator&, Summed statistics);
  // The value that rounding may give to a split that gains nothing, where weights and sums are not on a grid.
  double (*rounding)(const NodeTotals&);

  bool concave;            // the best subset of levels is a cut in the order of their shares or means
  bool pure_is_best;       // no value exceeds that of pure children, which is the impurity of the node
  bool uses_logarithms;    // of counts, which are kept in a table
  bool grows_with_weight;  // the value is proportional to the weights
  bool reads_losses;       // the losses of errors count in splits, not in altered weights of the classes
  bool several;            // it is the mean over several targets
  bool has_bound;          // scans evaluate only the cuts that an upper bound leaves open
  int power_of_y;          // the value is proportional to this power of the unit of y
};

// What a criterion has unless its type says otherwise.
struct CriterionDefaults {
  static constexpr bool kConcave = true, kPureIsBest = false, kUsesLogarithms = false,
                        kGrowsWithWeight = false, kReadsLosses = false,
                        kBoundAdds = false;  // over targets: that of all their classes bounds the sum
  static constexpr int kPowerOfY = 0;
  static double rounding(const NodeTotals&) { return 0; }
};

// A text that a template can take.
template <std::size_t N>
struct Text {
  char letters[N];
  consteval Text(const char (&given)[N]) { std::copy_n(given, N, letters); }
};

// What the type of a criterion derives from: its name, and the kind of statistics that it reads.
template <Text Name, class S>
struct CriterionOf : CriterionDefaults {
  static constexpr std::string_view kName{Name.letters};
  using Statistics = S;
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
                    requires { typename C::OfOne; },
                    requires { typename C::Bound; },
                    C::kPowerOfY};
  if constexpr (requires(const Evaluator& e, const double* s) { C::value_of_many(e, s, 2, 1.0); })
    r.value_of_many = &C::value_of_many;
  if constexpr (requires(const Evaluator& e, const double* s) { C::impurity(e, s); })
    r.impurity = &C::impurity;
  return r;
}

// A criterion by reference to its record; two are equal if they are the same one.
class Criterion {
 public:
  constexpr explicit Criterion(const CriterionRecord* record) : record_(record) {}

  constexpr const CriterionRecord* operator->() const { return record_; }
  constexpr bool operator==(const Criterion&) const = default;

  constexpr bool several() const { return record_->several; }
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

  // A class of several targets as a column that is 1 where a row has it. Two classes have one column, that of
  // the second, which counts twice; a single class has none.
  struct ClassColumn {
    int place;
    bool of_two;
  };

  // For criteria of several targets, each of as many classes as it has in the list, or a number: 0.
  static Evaluator of_targets(Criterion criterion, Criterion of_one, const std::vector<int>& n_classes,
                              std::size_t whole_counts = 4096) {
    Evaluator all(criterion, criterion.reads_moments() ? 1 + static_cast<int>(n_classes.size()) : 0, 0);
    Evaluator one(of_one, 2, whole_counts);
    all.xlog2x_ = one.xlog2x_;
    all.n_targets_ = static_cast<int>(n_classes.size());
    for (const int k : n_classes) {
      if (k > 0) one.narrow(k);
      all.targets_.push_back(one);
      for (int c = k == 2; c < k && k > 1; ++c) all.class_columns_.push_back({all.width_ + c, k == 2});
      all.width_ += k;
    }
    for (const ClassColumn& column : all.class_columns_) all.factors_.push_back(column.of_two ? 2 : 1);
    all.factors_.resize((all.factors_.size() + 3) / 4 * 4, 0.0);
    return all;
  }

  // Leaves out classes of weight 0: the width becomes that of the others.
  void narrow(int width) { width_ = width; }

  // Under Poisson, lets a child have no events at all.
  void allow_zero_rates() {
    zero_rates_ = true;
    for (Evaluator& target : targets_) target.allow_zero_rates();
  }

  // For criteria that read losses: the loss of each answer for each class, width x width, [true][answered].
  void set_loss(std::vector<double> loss) { loss_ = std::move(loss); }

  Criterion criterion() const { return criterion_; }
  int width() const { return width_; }
  int n_targets() const { return n_targets_; }
  const Evaluator& target(int t) const { return targets_[t]; }  // of one of several targets
  const std::vector<ClassColumn>& class_columns() const { return class_columns_; }
  const double* column_factors() const {
    return factors_.data();
  }  // of the columns, zeros up to whole vectors
  const XLog2X& xlog2x() const { return xlog2x_; }
  const std::vector<double>& values() const { return values_; }
  bool zero_rates() const { return zero_rates_; }
  const std::vector<double>& loss() const { return loss_; }  // empty: every error costs 1

  // The weight of the rows that were summed.
  double weight(const double* statistics) const {
    if (criterion_.reads_moments()) return Moments::weight(statistics, width_);
    return ClassWeights::weight(statistics, n_targets_ == 1 ? width_ : targets_[0].width_);
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
  int width_, n_targets_ = 1;
  bool zero_rates_ = false;
  XLog2X xlog2x_;
  std::vector<double> values_, loss_;
  std::vector<Evaluator> targets_;
  std::vector<ClassColumn> class_columns_;
  std::vector<double> factors_;
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
