// A screen of the columns of a node under squared error or Poisson: it bounds the value of all cuts of a
// column from above with a few operations a row, so that only columns that may have the best cut are put in
// order.
//
// Sums are taken from the node's mean, so that a cut with the weights l and r on its sides and the sum s on
// its left has the value s^2 / (l r). Few rows are compared pair by pair. More are summed in bins of
// neighbouring codes; by the inequality of Cauchy and Schwarz, the sum of some rows of a bin of weight w lies
// within sqrt(w v) / 2 of their share of the bin's sum, where v is the sum of squares of the bin about its
// mean. Of Poisson's value see divergence.hpp: the share of events left of a cut is that of the weight and s
// in other units.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "bough/forest/cells.hpp"
#include "bough/forest/forest_split.hpp"
#include "bough/forest/listed_cuts.hpp"
#include "bough/forest/view.hpp"
#include "bough/machine/kernel_sets.hpp"
#include "bough/search/moment_bar.hpp"
#include "bough/search/search.hpp"

namespace bough {

// Of a row or a bin; the fourth number fills a vector.
struct alignas(32) MomentSums {
  double weight = 0, sum = 0, squares = 0, none = 0;
};

// The sums on both sides of every cut of few rows, after each of them.
using FewSides = SidesOfCuts<64>;

// How far rounding may move the sums of few rows.
struct FewSlack {
  float weight, sum;
  float tilt = 0;  // of Poisson: the share of all events in a unit of sums; 0: squared error
};

struct ScreenKernels {
  static constexpr int kMostLanes = 16;  // codes may be read this far past the last

  // Puts few rows in the order of their codes, equals in the order they come in.
  void (*order)(const std::int32_t* code, int n, std::uint8_t* order);
  // Marks the cuts that reach the bar. Returns whether there is any.
  bool (*cuts_of_few)(const FewSides& sides, int n, const MomentBar& bar, std::int64_t* may);
  // The highest bound of few rows; see MomentScreen::highest.
  float (*pairs)(const std::int32_t* code, const float* weight, const float* sum, int n, std::int32_t last,
                 const FewSlack& slack);
  // Adds rows to bins: bin (code - least) >> shift.
  void (*fill)(const std::int32_t* code, const MomentSums* row, int n, std::int32_t least, int shift,
               int n_bins, MomentSums* bin);
  // The highest bound of n bins. exact: a bin holds one code each. tilt: see FewSlack.
  double (*bins)(const MomentSums* bin, int n, bool exact, double sum_slack, double tilt, double* left);
  // Weight and sum of the rows whose value is below the cut.
  std::pair<double, double> (*below)(const float* value, float cut, const double* weight, const double* sum,
                                     int n);
  // Of kLanes columns, whose cells are next to each other in each row: the least and the greatest value.
  void (*extremes)(const Cells<float>& cells, const std::uint32_t* index, int n, float* least, float* most);
};

// Every set of kernels that this processor can run.
std::vector<const ScreenKernels*> runnable_screens();
inline const ScreenKernels& screen_kernels() { return *fastest<runnable_screens>(); }

class MomentScreen {
 public:
  static constexpr int kFewRows = FewSides::kMost;
  // So few that searching a column costs no more than a bound.
  static constexpr int kTinyRows = 8;

  // Cuts are searched for, or drawn at random.
  MomentScreen(const Evaluator& evaluator, std::size_t most_rows, bool drawn);

  // Takes the rows of a node.
  void start(const std::uint32_t* index, int n, const RowView& view, const NodeSums& sums);

  // The same of a block's node whose rows lie in the order of each column; risk: that of the node.
  void start_listed(int n, const PackedRows& rows, const NodeSums& sums, double risk);
  // No cut of such a list has a value above the highest, and some cut, if limits allow it, one above the
  // least; -inf if there is none.
  ValueRange range_listed(const std::uint32_t* list, bool ties) const;
  // The same of a column of few codes, by the node's rows.
  ValueRange range_coded(const std::uint8_t* code, std::uint32_t n_codes, const std::uint32_t* index) const;

  // The value of the cut of a column below which such rows lie is not above this; by the node's rows.
  double highest_drawn(const float* value, float cut) const;

  // Betters `best` by the cuts of a column if it can, as ColumnSearch does; among few rows only.
  void search_few(int column, const Cells<std::uint32_t>& codes, const std::uint32_t* index,
                  const NodeSums& sums, const LeafLimits& limits, ForestSplit& best);

  // No cut of the column has a value above this; -inf if it has no cut. Codes must not be missing.
  double highest(const Cells<std::uint32_t>& codes, const std::uint32_t* index);

 private:
  static constexpr int kMostLanes = ScreenKernels::kMostLanes;
  struct FewRow {
    double weight, sum, cases;
  };

  void start_units(const NodeSums& sums, double mean);
  double in_units(double bound, double slack) const;
  ValueRange range_of_peak(const PeakOfCuts& peak) const;

  const Evaluator& evaluator_;
  const ScreenKernels& kernels_ = screen_kernels();
  const ListedPeaks peaks_ = listed_peaks();
  ListedNode listed_;
  double listed_slack_ = 0;  // how far rounding may move the root of a peak
  const bool drawn_;
  int n_ = 0;
  bool within_range_ = true;
  double unit_of_value_ = 1, of_squares_ = 1;  // and of the value of squared error
  double value_slack_ = 0;                     // what rounding may add to a value
  double sum_slack_ = 0;                       // how far rounding may move a sum
  double tilt_ = 0;
  FewSlack few_slack_{0, 0};
  std::vector<std::int32_t> code_;
  std::vector<MomentSums> row_, bin_;
  std::vector<float> few_weight_, few_sum_;
  FewRow few_[kFewRows];  // of a node
  // Of a column of few rows: their order, and of each cut the sums, cases, and whether it may be the best.
  std::uint8_t order_[kFewRows];
  FewSides sides_{};
  double cases_[kFewRows];
  std::int64_t may_[kFewRows];
  std::vector<double> left_;
  std::vector<double> weight_, sum_;  // of rows, where cuts are drawn
};

}  // namespace bough
