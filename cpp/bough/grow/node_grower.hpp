// Splitting one node: search over its columns, then the partition of their lists. The trunk of the tree and
// its small subtrees run the same code on lists of 64 and of 32 bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "bough/criteria/median.hpp"
#include "bough/grow/branching.hpp"
#include "bough/grow/lists.hpp"
#include "bough/grow/measure.hpp"
#include "bough/grow/problem.hpp"
#include "bough/machine/team.hpp"
#include "bough/search/scan.hpp"
#include "bough/search/scan_any.hpp"

namespace bough {

// A node with fewer rows than this is searched and parted by one thread.
constexpr int kSharedRows = 4096;

// The branch of each level.
struct LevelBranches {
  std::vector<std::int32_t> code, branch;
};

// The best split found for a node.
struct Best {
  double value = -std::numeric_limits<double>::infinity();  // in grid units
  double score = value;                                     // by the price of the column: the higher wins
  int column = -1;
  int left = 0;  // threshold: known entries on the left
  int n_branches = 2;
  std::unique_ptr<LevelBranches> levels;  // null: threshold
  std::vector<Best> competitors;          // the best splits of other columns, if they are asked for
};

// A split that sends rows much as the node's own does.
struct Surrogate {
  int column = -1;
  int below = 0, above = 0;               // threshold: places in the list of the entries the cut lies between
  bool turned = false;                    // values below the cut take the second branch
  double agreed = 0;                      // weight sent alike, in units of the rows' own weight
  double majority = 0;                    // the weight on the heavier side, of the rows by which it is judged
  double known = 0;                       // and on both
  double n_sent = 0;                      // cases that it sends in place of the split
  std::unique_ptr<LevelBranches> levels;  // null: threshold
};

// What all nodes of a fit share.
struct Problem {
  const Data& data;
  const Recipe& recipe;
  std::vector<bool> has_missing;
  Judge judge;
  double root_weight = 0;      // in the unit of the weights given
  double min_weight_leaf = 0;  // in units of the rows' weights
  double root_improvement = 0;
  bool unit_weights = true;
  bool fast_gini = false, fast_squares = false;  // the scans of scan.hpp apply
  bool plain = false;                            // and no column is nominal or has missing values
  bool pairs = false;                            // and two rows are always parted where a column can
  int min_rows_leaf = 1;                         // for them
};

template <class E>
class NodeGrower {
 public:
  // global_row: the table's row of each index; null: the index itself. capacity: the most rows a list may
  // hold.
  NodeGrower(const Problem& problem, Rows rows, std::vector<E*> lists, const std::uint32_t* global_row,
             std::size_t capacity, std::size_t n_indices, Team* team);

  // Makes node `range.node` from the rows that stand in `list`, and says whether it may be split.
  void measure(const E* list, Range& range, Branching& out) const;

  // The best split of the node; column -1 if there is none. Columns are shared out over the team.
  Best search(const Range& range, const Branching& out);

  // Splits the node; returns its children, with their rows in place for those that are live. They are good
  // until the next split.
  const std::vector<Range>& split(const Range& range, const Best& best, Branching& out);

  // What a split saves in the whole tree; best-first growth takes the largest.
  double worth(const Best& best, const Range& range, const Branching& out) const {
    return gain(best.value, range, out) * out.nodes[range.node].weight;
  }

  // What a split improves, as rpart counts it: a share of the risk for squared error, else all that it gains.
  double improvement(const Best& best, const Range& range, const Branching& out) const {
    const double whole = worth(best, range, out);
    return problem_.recipe.criterion == Criterion::squared_error ? whole / out.nodes[range.node].risk : whole;
  }

 private:
  struct Space {  // one for each member of the team
    ScanSpace scan;
    std::vector<double> statistics, cases;  // of the groups of a list
    std::vector<double> left, totals;       // of a cut and of all known rows
    double total_weight = 0, total_cases = 0;
    std::vector<int> group_end;
    RunningMedian inside, outside;
    MedianSweep sweep;
    std::vector<std::uint8_t> present;  // known rows, by their place in the order of y
    std::unique_ptr<E[]> spare;
  };
  struct Known {
    const E* list;
    int count;
  };

  template <class Work>
  void for_columns(const Range& range, const Work& work) {
    const int n_columns = static_cast<int>(lists_.size());
    if (team_ && team_->size() > 1 && range.count >= kSharedRows) return team_->run(n_columns, work);
    for (int c = 0; c < n_columns; ++c) work(c, 0);
  }

  double highest_value(const Range&, const E* list) const;
  Best search_ranked(const Range&, const Branching&);
  void search_plain(const Range&, double ceiling, Best& best, Space&);
  void search_column(int c, const Range&, const Branching&, Best& best, Space&);
  void search_threshold(int c, Known, const Range&, const Branching&, Best& best, Space&);
  void known_totals(Known, const Range&, const Branching&, Space&) const;
  void search_levels(int c, Known, const Range&, Best& best, Space&);
  struct MedianGroups;
  void search_median_complete(int c, MedianGroups&, const Range&, Best& best);
  void search_median_threshold(int c, Known, const Range&, Best& best, Space&);
  void search_median(int c, Known, const Range&, Best& best, Space&);
  void rank_values(const Range&);
  void sum_groups(Known, Space&) const;
  void add_row(std::uint32_t row, double* statistics) const;
  bool tells(const Best&, Known) const;
  bool counts_enough(const Best&, Known, const Range&, const Branching&) const;
  void take_levels(Best&, int c, Known, const std::vector<int>& group_end,
                   const std::vector<int>& branch) const;
  std::vector<int> branch_of_known(const Best&, Known) const;
  double in_user_units(double value, const Range&) const;
  double gain(double value, const Range&, const Branching&) const;
  void record(const Range&, const Best&, Branching&) const;
  void record_cut(E below, E above, SpareSplit&) const;
  void record_competitors(const Range&, const Best&, Branching&) const;
  void send_known(const Best&, Known);
  void send_missing(const Range&, const Best&, Known);
  int default_branch(const Node* children) const;
  std::vector<Surrogate> find_surrogates(const Range&, const Best&, Known);
  int higher_branch(Known) const;
  void surrogate_cut(const E* list, int count, Surrogate&) const;
  void surrogate_levels(const E* list, int count, Surrogate&) const;
  void record_surrogates(const Range&, Branching&) const;
  int branch_by_surrogate(const Range&, E entry);
  void part_others(const Range&, int split_column);
  void split_pair(const Range& pair, const Range& parent, int parent_column, Branching&) const;

  const Column& column(int c) const { return problem_.data.columns[c]; }
  std::uint32_t table_row(E entry) const {
    return global_row_ ? global_row_[index_of(entry)] : index_of(entry);
  }
  double price(int c) const { return problem_.recipe.price.empty() ? 1.0 : problem_.recipe.price[c]; }
  LeafLimits leaf_limits() const { return {problem_.recipe.limits.min_cases_leaf, problem_.min_weight_leaf}; }

  const Problem& problem_;
  Rows rows_;
  std::vector<E*> lists_;
  const std::uint32_t* global_row_;
  std::size_t capacity_;
  Team* team_;
  Sides<E> sides_;
  std::vector<std::uint32_t> branch_;  // of each index; used where a node has more than two children
  std::vector<Space> space_;
  std::vector<Range> children_;        // of the last node split, with
  std::vector<int> count_, start_;     // the rows of each and where they begin
  std::vector<double> branch_weight_;  // and their own weight without missing values
  int n_staying_ = 0;                  // rows that go to no child
  std::vector<Surrogate> surrogates_;  // of the split being made
  std::vector<std::int8_t> way_;       // of each index -1 left, 1 right, 0 where the split cannot say
  bool any_unsure_ = false;
  int higher_branch_ = 0;            // takes levels of which nothing else decides
  std::vector<double> values_;       // absolute error: the node's distinct values
  std::vector<std::uint32_t> rank_;  // and the rank of each index
  OrderedRows ordered_;              // all its rows by their value
  std::vector<std::int32_t> place_;  // and the place of each index
};

}  // namespace bough
