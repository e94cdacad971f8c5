// What a scan for the best cut is given besides its list.
#pragma once

#include "bough/criteria/list.hpp"
#include "bough/data/rows.hpp"
#include "bough/search/search.hpp"

namespace bough {

struct ScanTask {
  const Rows& rows;
  const Evaluator& evaluator;
  LeafLimits limits;
  double node_weight;
  double* left;         // width zeros; of several targets there is room for as many more
  double* right;        // the statistics of all known rows
  double right_weight;  // and their weight
  double right_cases;   // and cases
  bool whole = false;   // whether all weights are whole numbers
  bool exact = false;   // of numbers: whether sums of weights and of the grid are exact, in any order
  const double* moments = nullptr;  // of numbers: weight and grid of each index, side by side; may be null

  bool allowed(double left_cases, double left_weight, double weight_right) const {
    return left_cases >= limits.min_cases && right_cases - left_cases >= limits.min_cases &&
           left_weight > 0 && weight_right > 0 &&  // a rounded sum of rows may be 0
           left_weight >= limits.min_weight && weight_right >= limits.min_weight &&
           (!limits.answers.any || limits.answers.permits(answer_of(evaluator.criterion(), left),
                                                          answer_of(evaluator.criterion(), right)));
  }
};

}  // namespace bough
