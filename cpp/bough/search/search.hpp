// Search finds the best split of one column in one node from its contingency table: a row of statistics per
// distinct value or level that is present, in ascending order. Cases whose value is missing are not in the
// table.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "bough/criteria/list.hpp"

namespace bough {

enum class Nominal { subset, complete, one_vs_rest };

// What monotonic constraints ask of the answers of a split's children: the mean of y, or the share of the
// second of two classes.
struct AnswerRule {
  bool any = false;   // whether there is a rule at all
  int direction = 0;  // 1: the second child's answer is not below the first one's; -1: not above it
  double lower = -std::numeric_limits<double>::infinity();  // of the children's answers
  double upper = std::numeric_limits<double>::infinity();

  bool permits(double answer) const { return lower <= answer && answer <= upper; }
  bool permits(double first, double second) const {
    return permits(first) && permits(second) &&
           (direction == 0 || (direction > 0 ? first <= second : first >= second));
  }
};

// The answer of a node with these statistics, in the unit of the statistics.
inline double answer_of(Criterion criterion, const double* statistics) {
  return statistics[1] / (criterion.reads_classes() ? statistics[0] + statistics[1] : statistics[0]);
}

// What the children of a split must have for it to count.
struct LeafLimits {
  double min_cases = 1;       // at least two children have it: both, where there are two
  double min_weight = 0;      // every child that has any case
  double min_cases_leaf = 1;  // every child that has any case; no more than min_cases
  AnswerRule answers = {};
};

bool large_enough(const Evaluator&, const LeafLimits&, const double* statistics, double cases);

struct ContingencyTable {
  const double* statistics;  // n_rows x evaluator.width()
  const double* cases;       // n_rows
  int n_rows;
  double node_weight;            // with missing cases
  const int* classes = nullptr;  // of each statistic, where absent classes are left out; null: all are there
};

struct Found {
  double value = -std::numeric_limits<double>::infinity();
  std::vector<int> branch;  // of each row of the table
  bool any() const { return value > -std::numeric_limits<double>::infinity(); }
};

// Walks the rows of a table in order and keeps the best place to cut: the lowest of equals.
class ThresholdScan {
 public:
  ThresholdScan(const Evaluator& evaluator, const LeafLimits& limits, const double* total, double total_cases,
                double node_weight);

  // Takes the next row in ascending order; must be called for every row.
  void add(const double* statistics, double cases) {
    const int k = evaluator_.width();
    for (int i = 0; i < k; ++i) left_[i] += statistics[i];
    end_row(cases);
  }
  // The statistics of what lies left; a caller may add to them and then call end_row.
  double* left() { return left_.data(); }
  void end_row(double cases);

  double best_value() const { return best_; }
  int best_row() const { return best_row_; }  // the cut is after this row; -1: none

 private:
  const Evaluator& evaluator_;
  LeafLimits limits_;
  const double* total_;
  double total_cases_, node_weight_, cases_ = 0;
  std::vector<double> left_, right_;
  int row_ = -1, best_row_ = -1;
  double best_ = -std::numeric_limits<double>::infinity();
};

Found best_threshold(const ContingencyTable&, const Evaluator&, const LeafLimits&);
Found best_complete(const ContingencyTable&, const Evaluator&, const LeafLimits&);
Found best_one_vs_rest(const ContingencyTable&, const Evaluator&, const LeafLimits&);

// Up to max_exhaustive levels all 2^(m-1) - 1 subsets are tried, in Gray-code order. Where theory allows (two
// classes or numbers, with a concave impurity) one scan in the order of the share or mean finds the same best
// at any number of levels; under absolute error, where it does not, the scan in the order of the medians is
// taken. Beyond max_exhaustive without such theory, the scans in the order of each class's share and of the
// first principal component of the shares (Coppersmith, Hong and Hosking 1999) are tried; of several numbers
// those of the means.
Found best_subset(const ContingencyTable&, const Evaluator&, const LeafLimits&, int max_exhaustive);

// The best of all 2^(m-1) - 1 subsets; of equals the first by bit mask, the last row being in none of them.
Found first_best_subset(const ContingencyTable&, const Evaluator&, const LeafLimits&);

Found best_nominal(const ContingencyTable&, const Evaluator&, const LeafLimits&, Nominal, int max_exhaustive);

}  // namespace bough
