// Weka's PART (Frank and Witten 1998): a list of rules, each the largest leaf of a partial tree of J48 that
// is grown on the rows left over by the rules before it.
#pragma once

#include <vector>

#include "bough/machine/watch.hpp"
#include "bough/quinlan/class_search.hpp"

namespace bough::quinlan {

enum class PartPruning { none, error_based, reduced_error };

struct PartOptions {
  C45Options splits;
  PartPruning pruning = PartPruning::error_based;
  double confidence = 0.25;
  double deviate = 0;                  // the normal deviate of the confidence
  std::vector<std::uint8_t> held_out;  // which rows reduced-error pruning counts errors on, or empty
};

// One test on the way to a leaf, and the branch taken. levels: of a test of a nominal column, those that meet
// it; fraction: what of a row without a value meets it.
struct PartCondition {
  int column;
  bool up_to;  // of a number: x <= cut, otherwise x > cut
  double cut;
  std::vector<std::int32_t> levels;
  double fraction;
};

struct PartRule {
  std::vector<PartCondition> conditions;
  std::vector<double> distribution;  // class weights of the rows, in parts, that it takes
};

std::vector<PartRule> part_rules(const Data& data, const PartOptions& options, int n_threads,
                                 const Monitor& monitor);

}  // namespace bough::quinlan
