// The hottest scans: the best cut of a sorted list under Gini, entropy and deviance with two classes, and
// under squared error, where all weights are one. They find what ThresholdScan finds, to the last bit: a fast
// pass bounds the value of every block of cuts from above, up to rounding, and only blocks that may hold the
// best are judged exactly.
#pragma once

#include <vector>

#include "bough/criteria/list.hpp"
#include "bough/data/entry.hpp"
#include "bough/search/search.hpp"

namespace bough {

struct Cut {
  double value;
  int left;  // entries on the left; 0: no cut is better than the floor
};

// What a scan needs besides its list; one for each thread.
struct ScanSpace {
  std::vector<double> peak;        // highest value in each block
  std::vector<double> start;       // what lies left of each block: ones, or the sum
  std::vector<double> reciprocal;  // 1 / (left * right) by left, for lists of this length:
  int reciprocals_of = 0;

  // All columns of a node are of one length, so the divisions are made once for all of them.
  const double* reciprocals(int n);
};

// The list holds n known entries, n_ones of them with label 1; each side must keep min_cases. Only a cut
// whose value exceeds the floor and whose sides the rule permits counts; the lowest of equals is taken.
template <class E>
Cut best_gini_cut(const E* list, int n, int n_ones, int min_cases, const AnswerRule& rule, double node_weight,
                  const Evaluator& evaluator, double floor, ScanSpace& space);

// The same for entropy and deviance.
template <class E>
Cut best_information_cut(const E* list, int n, int n_ones, int min_cases, const AnswerRule& rule,
                         double node_weight, const Evaluator& evaluator, double floor, ScanSpace& space);

// The scan of the criterion, which is one of the three.
template <class E>
Cut best_cut_of_two_classes(const E* list, int n, int n_ones, int min_cases, const AnswerRule& rule,
                            double node_weight, const Evaluator& evaluator, double floor, ScanSpace& space) {
  const auto scan =
      evaluator.criterion() == criterion_of<Gini> ? &best_gini_cut<E> : &best_information_cut<E>;
  return scan(list, n, n_ones, min_cases, rule, node_weight, evaluator, floor, space);
}

// The same for squared error: y[index] are whole numbers whose sums are exact; sum is that of the list.
template <class E>
Cut best_squares_cut(const E* list, int n, const double* y, double sum, int min_cases, const AnswerRule& rule,
                     double node_weight, double floor, ScanSpace& space);

// Cuts after `left` entries, first <= left <= last, between unequal neighbours.
struct Allowed {
  int first, last;
};

template <class E>
inline bool cuttable(const E* list, int left) {
  return code_of(list[left - 1]) != code_of(list[left]);
}

// Half of all nodes hold few rows; there, setting up blocks would cost more than the scan.
constexpr int kFew = 24;

struct Reciprocals {
  double of_sides[kFew + 1][kFew + 1] = {};  // 1 / (left * right) by n and left
  constexpr Reciprocals() {
    for (int n = 2; n <= kFew; ++n)
      for (int left = 1; left < n; ++left) of_sides[n][left] = 1.0 / (left * (n - left));
  }
};
constexpr Reciprocals kReciprocals;

template <class E>
Cut best_squares_of_few(const E* list, int n, const double* y, double sum, Allowed allowed,
                        const AnswerRule& rule, double node_weight, double floor) {
  constexpr double kNearly = 1 - 1e-12;
  const double* of_sides = kReciprocals.of_sides[n];
  Cut best{floor, 0};
  double bar = floor * n * node_weight * kNearly, left_sum = 0;
  for (int left = 1; left <= allowed.last; ++left) {
    left_sum += y[index_of(list[left - 1])];
    if (left < allowed.first || !cuttable(list, left)) continue;
    const double d = left_sum * (n - left) - (sum - left_sum) * left;
    const double about = d * d * of_sides[left];
    if (about < bar) continue;
    if (rule.any && !rule.permits(left_sum / left, (sum - left_sum) / (n - left))) continue;
    const double value = SquaredError::value(left, left_sum, n - left, sum - left_sum, node_weight);
    if (!(value > best.value)) continue;
    best = {value, left};
    bar = about * kNearly;
  }
  return best;
}

}  // namespace bough
