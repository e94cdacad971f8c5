// Merging joins the levels of a column whose targets do not differ significantly, as in CHAID (Kass 1980,
// Biggs, de Ville and Suen 1991): the rows of a contingency table become groups, and the groups are tested.
#pragma once

#include <limits>
#include <vector>

namespace bough {

enum class IndependenceTest { pearson, likelihood_ratio, f };

// Which rows may share a group: any; neighbours; or neighbours, but the last row (missing values) any.
enum class MergingOrder { nominal, ordinal, floating };

// Levels of significance are logarithms.
struct MergingRules {
  IndependenceTest test = IndependenceTest::pearson;
  double merge_level = 0;  // the most similar pair is merged if its p-value is above
  double split_level = -std::numeric_limits<double>::infinity();  // a merged group is split again if at most
  double min_cases = 1;                                           // of every group
  int max_exhaustive = 12;  // levels of a group whose subsets are all tried when it is split again
  bool exhaustive = false;  // merge to two groups and keep the best partition on the way
  bool bonferroni = true;
};

// Statistics are class weights, or weight, sum and sum of squares of y; the F test counts cases.
struct LevelTable {
  const double* statistics;  // n_rows x width
  const double* cases;       // n_rows
  int n_rows;
  int width;
};

struct MergedLevels {
  std::vector<int> group;  // of each row; groups are numbered in the order of their first rows
  int n_groups = 0;
  bool tested = false;        // false: one group, or a group that is too small
  double log_p = 0;           // of the test of the groups
  double log_multiplier = 0;  // Bonferroni's: the number of ways to form the groups
};

MergedLevels merge_levels(const LevelTable& table, MergingOrder order, const MergingRules& rules);

// Logarithm of the p-value of a table of groups.
double log_p_value(const LevelTable& table, IndependenceTest test);

// Logarithm of the number of ways to merge n_levels into n_groups (Kass 1980, formulas 3.1 to 3.3), or of the
// number of pairs that exhaustive merging compares.
double log_multiplier(int n_levels, int n_groups, MergingOrder order, bool exhaustive);

}  // namespace bough
