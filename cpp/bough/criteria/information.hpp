// Information in bits, times the weight: what entropy, deviance and gain ratio share.
#pragma once

#include "bough/criteria/criterion.hpp"

namespace bough {

// Bits needed for the classes of a node: w log2 w - sum of c log2 c.
inline double class_information(const Evaluator& evaluator, const double* counts, double& weight) {
  const XLog2X& xlog2x = evaluator.xlog2x();
  double terms = 0;
  weight = 0;
  for (int c = 0; c < evaluator.width(); ++c) {
    terms += xlog2x(counts[c]);
    weight += counts[c];
  }
  return xlog2x(weight) - terms;
}

// Bits per unit of weight.
inline double class_entropy(const Evaluator& evaluator, const double* counts) {
  double weight;
  const double information = class_information(evaluator, counts, weight);
  return information / evaluator.weight(counts);
}

// Bits that knowing the child saves, the bits needed to name the child, and the weight of all children.
struct SavedInformation {
  double saved, of_split, weight;
};

// The bits needed to name the child, of two that weigh wl and wr.
inline double information_of_split(const XLog2X& xlog2x, double wl, double wr) {
  return xlog2x(wl + wr) - (xlog2x(wl) + xlog2x(wr));
}

// Of two children that weigh wl and wr and need the information `within`; terms: of the classes of both.
inline SavedInformation saved_by_two(const XLog2X& xlog2x, double wl, double wr, double within,
                                     double terms) {
  const double both = xlog2x(wl + wr) - terms;
  return {both - within > kRoundingShare * both ? both - within : 0.0, information_of_split(xlog2x, wl, wr),
          wl + wr};
}

inline SavedInformation saved_by_two(const Evaluator& evaluator, const double* left, const double* right) {
  const XLog2X& xlog2x = evaluator.xlog2x();
  double wl, wr, terms = 0;
  const double within = class_information(evaluator, left, wl) + class_information(evaluator, right, wr);
  for (int c = 0; c < evaluator.width(); ++c) terms += xlog2x(left[c] + right[c]);
  return saved_by_two(xlog2x, wl, wr, within, terms);
}

inline SavedInformation saved_by_many(const Evaluator& evaluator, const double* children, int n_children) {
  const int k = evaluator.width();
  std::vector<double> total(k, 0.0);
  double within = 0, of_children = 0, weight;
  for (int j = 0; j < n_children; ++j) {
    const double* child = children + static_cast<std::ptrdiff_t>(j) * k;
    ClassWeights::add(total.data(), child, k);
    within += class_information(evaluator, child, weight);
    of_children += evaluator.xlog2x()(weight);
  }
  const double parent = class_information(evaluator, total.data(), weight);
  const double saved = parent - within;
  return {saved > kRoundingShare * parent ? saved : 0.0, evaluator.xlog2x()(weight) - of_children,
          ClassWeights::weight(children, n_children * k)};
}

// An upper bound of the information saved, from sums of c log2 c that change with every row: the value in
// bits is (bound - that of the unsplit node) / node weight.
struct InformationBound {
  const XLog2X& xlog2x;
  double terms_left = 0, terms_right = 0;
  double slip;  // what rounding may have taken from them
  double n_targets;

  InformationBound(const Evaluator& evaluator, const double* total, int n)
      : xlog2x(evaluator.xlog2x()), n_targets(evaluator.n_targets()) {
    double weight = 0;
    for (int c = 0; c < evaluator.width(); ++c) {
      terms_right += xlog2x(total[c]);
      weight += total[c];
    }
    slip = std::abs(xlog2x(weight)) * n * 0x1p-51;
  }
  void move(double left, double right, double w) {
    terms_left += xlog2x(left + w) - xlog2x(left);
    terms_right += xlog2x(right - w) - xlog2x(right);
  }
  double of_sides(double wl, double wr) const {
    return slip + (terms_left - n_targets * xlog2x(wl)) + (terms_right - n_targets * xlog2x(wr));
  }
  double unsplit(double weight) const { return terms_right - n_targets * xlog2x(weight); }
};

}  // namespace bough
