// Grows the trees of a forest one after the other, each by one thread.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "bough/forest/answer_bounds.hpp"
#include "bough/forest/block.hpp"
#include "bough/forest/class_search.hpp"
#include "bough/forest/class_tally.hpp"
#include "bough/forest/column_search.hpp"
#include "bough/forest/count_search.hpp"
#include "bough/forest/counted_codes.hpp"
#include "bough/forest/drawn_cuts.hpp"
#include "bough/forest/few_classes.hpp"
#include "bough/forest/few_cuts.hpp"
#include "bough/forest/few_rates.hpp"
#include "bough/forest/few_two_classes.hpp"
#include "bough/forest/grown.hpp"
#include "bough/forest/level_order.hpp"
#include "bough/forest/moment_screen.hpp"
#include "bough/forest/plan.hpp"
#include "bough/forest/row_parting.hpp"
#include "bough/forest/sparse_tree.hpp"
#include "bough/forest/sums_below.hpp"
#include "bough/forest/target_screen.hpp"
#include "bough/forest/two_class_screen.hpp"
#include "bough/forest/view.hpp"
#include "bough/machine/random.hpp"

namespace bough {

// The float nearest to the cut if it parts the same values: forests are kept in floats.
inline double short_cut(double cut, double low, double high) {
  const auto rounded = static_cast<double>(static_cast<float>(cut));
  return low < rounded && rounded <= high ? rounded : cut;
}

// The cut between neighbouring numbers: their middle itself goes left, as in randomForest, ranger and
// scikit-learn. So the cut, below which values go left, is the next number above the middle: a float if one
// parts the two.
inline double cut_above_middle(double low, double high) {
  const double middle = cut_between(low, high, Scale::numeric);
  if (middle == high) return short_cut(high, low, high);
  auto above = static_cast<float>(middle);
  if (static_cast<double>(above) <= middle)
    above = std::nextafterf(above, std::numeric_limits<float>::infinity());
  const auto cut = static_cast<double>(above);
  return cut <= high ? cut : std::nextafter(middle, high);
}

// Sums over some rows of a node: class weights, or weight and sum; and cases.
struct PartSums {
  std::vector<double> statistics;
  double weight = 0, cases = 0;

  explicit PartSums(int width) : statistics(width, 0.0) {}
  void clear() {
    std::fill(statistics.begin(), statistics.end(), 0.0);
    weight = cases = 0;
  }
  void add(const RowView& view, std::uint32_t at, bool classes) {
    weight += view.weight_at(at);
    cases += view.cases_at(at);
    add_row(statistics.data(), view, at, classes);
  }
  void add(const PartSums& other) {
    for (std::size_t i = 0; i < statistics.size(); ++i) statistics[i] += other.statistics[i];
    weight += other.weight;
    cases += other.cases;
  }
};

class TreeGrower {
 public:
  explicit TreeGrower(const ForestPlan& plan);

  // stopped: asked now and then; when it says so, what was grown so far is returned. The tree is there until
  // the next one is grown.
  ForestTree& grow(std::uint64_t tree, const std::function<bool()>& stopped);

 private:
  // A node and the part of the list of rows that is its own.
  struct Span {
    int node, begin, count, depth;
    std::uint64_t constant = 0;  // the columns, as bits, that are known not to vary among them
  };
  struct RowMoments {
    double weight, sum, cases;
  };
  class Whole;
  class Small;
  class Sparse;

  void draw(std::uint64_t tree);
  template <class Place>
  void grow_below(Place& place, const Span& root, int hand_over);
  int draw_column(int seen);
  void draw_columns(int n);
  template <class Place>
  bool search(Place& place, const Span& span);
  void mark_side_by_side();
  template <class Place>
  void search_side_by_side(Place& place, const Span& span, const NodeSums& sums, int n);
  template <class Place>
  void search_two_rows(Place& place, const Span& span, const NodeSums& sums, int n);
  void draw_with_return(int n);
  void return_drawn(int kept, int n, const Random& before);
  bool set_few_classes(const std::uint32_t* index, int n, const RowView& view, const NodeSums& sums);
  bool set_few_of_two(const std::uint32_t* index, int n, const RowView& view, const NodeSums& sums);
  template <class Search>
  int search_drawn(const std::uint32_t* index, double pure, const Search& search);
  template <class Place>
  int search_few_classes(Place& place, const Span& span, const NodeSums& sums, double pure);
  template <class Place>
  int search_screened(Place& place, const Span& span, const NodeSums& sums);
  template <class Place>
  int search_two_classes(Place& place, const Span& span, const NodeSums& sums);
  template <class Place>
  void search_listed(Place& place, const Span& span, const NodeSums& sums, int n);
  template <class Place>
  void search_best(Place& place, int column, const Span& span, const NodeSums& sums);
  void look_closer();
  bool is_worth_making(const NodeSums& sums);
  template <class Place>
  bool search_pair(Place& place, int column, const Span& span, const NodeSums& sums);
  double value_of_pair(std::uint32_t left, const RowView& view, const NodeSums& sums);
  template <class Place>
  void search_random(Place& place, int column, const Span& span, const NodeSums& sums);
  template <class Place>
  void search_random_levels(Place& place, int column, const Span& span, const NodeSums& sums);
  template <class SearchColumn>
  void search_highest(const SearchColumn& search_column);
  template <class RangeOf>
  double bound_columns(int n, const RangeOf& range_of);
  template <class SearchColumn>
  void search_above(double floor, const SearchColumn& search_column);
  void sum_below_cuts(const RowView& view, const NodeSums& sums);
  bool start_squares(const NodeSums& sums);
  void offer_squares(int column, float cut, const DrawnCuts::Squares& squares, const NodeSums& sums);
  template <class Place>
  void offer_cut(Place& place, int column, int at, const Span& span, const NodeSums& sums);
  template <class Place>
  int search_cuts_together(Place& place, const Span& span, const NodeSums& sums, double pure);
  bool can_draw_together() const {
    return cuts_ && (!node_ || node_->brief()) && (!tally_ || tally_->counts());
  }
  template <class Place>
  int search_target_cuts(Place& place, const Span& span, const NodeSums& sums);
  bool tried_before(int n, float cut);
  void start_random(const std::uint32_t* index, int n, const RowView& view, const NodeSums& sums);
  RowMoments moments_below(float cut) const;
  bool offer_moments(int column, float cut, const RowMoments& below, const NodeSums& sums);
  bool offer_sums(int column, float cut, const NodeSums& sums);
  void place_tried(const RowView& view, std::uint32_t at, int side);
  void offer(int column, ForestSplit::Kind kind, double cut, const NodeSums& sums);
  bool offer_counted(int column, float cut, std::uint64_t below, const NodeSums& sums);
  static float drawn_cut(Random& random, float least, float most, bool numeric);
  void draw_cuts(int n, bool may_stop);
  template <class Place>
  bool pick_cuts(Place& place, const Span& span, int n);
  template <class Place>
  bool draw_few_cuts(Place& place, const Span& span, int n);
  void take_back(int first, int n);
  void note_constant();
  bool is_constant(int column) const { return constant_ >> column & 1; }
  bool picks(int n) const { return n >= kLeastPicked && static_cast<std::size_t>(n) <= cuts_->most_picked(); }
  bool value_cuts(const NodeSums& sums);
  int take_best_cut(int n, double pure);
  template <class Place>
  int search_cuts_of_two(Place& place, const Span& span, const NodeSums& sums, double pure);
  void offer_class_of_two(int column, float cut, int below, std::uint32_t row, const RowView& view,
                          const NodeSums& sums);
  template <class Place, class Right>
  int parted(Place& place, const Span& span, Right right);
  template <class Place>
  int part_kept(Place& place, const Span& span, const std::int32_t* kept);
  template <class Place>
  int part_fetched(Place& place, const Span& span);
  template <class Place, class Cell>
  int part_values(Place& place, const Span& span, float cut, Cell cell);
  template <class Place>
  int part_codes(Place& place, const Span& span);
  template <class Place>
  int part(Place& place, const Span& span);
  template <class Place>
  int part_rows(Place& place, const Span& span, int child);
  template <class Place>
  void settle_default(Place& place, const Span& span);
  template <class Place>
  void write_split(Place& place, const Span& span, int left);
  template <class Place>
  void write_levels(Place& place, const Span& span, int left);
  template <class Place>
  void sum_up(Place& place, const Span& span);
  void set_single(int at, std::uint32_t row, const RowView& view);
  template <class Place>
  void sum_up_smaller(Place& place, const Span& span, const Span& low, const Span& high);
  template <class Place>
  void sum_up_targets(Place& place, const Span& span);
  void sum_targets_below(const std::uint32_t* index, int n, float cut, const Rows& rows,
                         const NodeSums& sums);
  void expand_targets(const Rows& rows);
  void weigh_numbers();
  void balance_targets(double total);
  std::size_t moments_at(int node) const { return static_cast<std::size_t>(node) * plan_.evaluator.width(); }
  template <class Place>
  void split(Place& place, const Span& span, std::vector<Span>& stack);
  const std::vector<int>& columns_ahead();
  double value_if_pure(const NodeSums& sums) const;
  void set_cuts();
  void set_counted(int node, std::uint64_t counted, int rows);
  void add_nodes(int n);
  bool live(const Span& span) const;
  double least_gain(int node) const;
  NodeSums sums_of(int node) const;
  // Of several targets of numbers, the risk of each.
  const double* risks_of(int node) const {
    return tree_.statistics.data() + static_cast<std::ptrdiff_t>(node) * k_ + plan_.data.n_targets();
  }

  const ForestPlan& plan_;
  const int k_;  // statistics a node: classes, or means and risks
  LevelOrder order_;
  Block block_;
  ColumnSearch search_;
  ForestTree tree_;
  std::vector<double> moments_;         // weight and sum, or sums, of each node; numbers only
  std::vector<std::uint64_t> counted_;  // of each node
  bool whole_classes_ = false;          // class weights and cases of all rows are whole numbers
  std::vector<char> uniform_;           // whether all y of a node are equal
  AnswerBounds bounds_;
  std::vector<std::uint32_t> count_, rows_, spare_, index_;
  std::vector<double> weight_, cases_, grid_, square_;  // of each row; what adds up to a node's risk
  std::vector<std::uint64_t> row_counted_, keys_, other_keys_;
  std::optional<NodeCounts> node_;             // where two classes are counted
  std::optional<CountSearch> counts_;          // of columns with an order, where two classes are counted
  std::optional<ClassSearch> classes_;         // where several classes are counted
  bool search_classes_ = false;                // in this node
  std::optional<CodeCounter> counter_;         // of nominal ones
  std::optional<MomentScreen> screen_;         // of means and rates
  std::optional<TwoClassScreen> two_classes_;  // where two classes are weighed, or compared by entropy
  std::vector<char> side_by_side_;             // whether a column is searched with others among few rows
  FewRows few_rows_;
  FewClassRows few_class_rows_;
  FewTwoClassRows few_rows_of_two_;
  int least_listed_ = 0;  // rows of a node for which lists are kept
  const FewCutsKernel few_cuts_;
  const FewClassesKernel few_classes_ = few_classes_kernel();
  const FewTwoClassesKernel few_two_classes_ = few_two_classes_kernel();
  std::optional<ClassTally> tally_;            // of classes, where cuts are drawn
  std::optional<TargetScreen> target_screen_;  // of several targets, where cuts are drawn together
  static constexpr int kFewSides = 6;          // rows, of which every set has a bit
  std::uint64_t sides_tried_ = 0;              // the sets of few rows left of the cuts that were evaluated
  std::optional<DrawnCuts> cuts_;              // of several columns, where they are drawn together
  // Of each column drawn together with others: where it was among the columns, and the random numbers after
  // it.
  struct Drawn {
    int from = 0;
    Random after{0, 0};
  };
  std::vector<Drawn> drawn_so_far_;
  static constexpr int kLeastPicked = 32;
  std::uint64_t constant_ = 0;       // the columns known not to vary in this node
  int best_picked_ = -1;             // the number of the best column among those picked, if they were
  std::vector<char> numeric_;        // whether a column is of numbers
  bool quick_moments_ = false;       // cuts are compared by squared error alone
  std::optional<Gini::Bound> gini_;  // where the values of their cuts follow from sums of squares
  bool drawn_together_ = false;      // the best cut is one of them: its values were not fetched
  std::vector<std::pair<double, int>>
      highest_;                       // bound of the value of each column seen, and when it was seen
  std::optional<SparseTree> sparse_;  // where columns are sparse
  RowView view_;
  std::vector<int> columns_;  // a tree's own, in an order that each node shuffles a little more
  std::vector<int> ahead_;    // the columns that a node will look at first
  int n_columns_ = 0, n_drawn_ = 0;
  double origin_ = 0;                   // of y on the grid
  std::vector<double> origins_;         // of several targets
  std::vector<double> low_y_, high_y_;  // the extremes of several targets in a node
  std::vector<std::uint8_t> side_;      // of each level
  double pair_value_[2] = {0, 0};  // of a node of two rows: with either on the left; NaN: not computed yet
  // Of a random split, or one of two rows: what lies left, what is missing, and both sides as they are tried.
  PartSums low_, missing_, tried_, rest_;
  SumsBelow below_;  // of several targets
  const CountKernels& kernels_ = count_kernels();
  const PartRows row_parting_ = bough::row_parting();
  static constexpr int kLeastFetched = 32;       // rows whose codes are fetched before they are parted
  std::vector<std::int32_t> part_code_;          // of the rows that are parted, where their order is kept
  std::vector<RowMoments> node_moments_;         // of the node's rows, where they are gathered
  std::vector<float> drawn_value_, best_value_;  // of the node's rows in the column tried, and in the best
  std::vector<std::uint32_t> level_first_, level_present_;
  std::vector<std::uint8_t> level_side_;
  ForestSplit best_;
  // Nodes whose cut is still to be told, and rows that hold the values next to it.
  struct Uncut {
    int node;
    std::uint32_t below, above;
  };
  std::vector<Uncut> uncut_;
  Random random_{0, 0};
  double root_weight_ = 0;
  const std::function<bool()>* stopped_ = nullptr;
};

}  // namespace bough
