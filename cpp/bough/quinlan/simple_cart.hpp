// The search of Weka's SimpleCart: the fall of the Gini index, with missing values shared out between both
// branches.
#pragma once

#include <array>

#include "bough/quinlan/class_search.hpp"

namespace bough::quinlan {

struct SimpleCartOptions {
  double min_cases = 2;
  // With three classes or more, levels are ordered by their first principal component if they are more than
  // four.
  bool heuristic = true;
};

class SimpleCartSearch : public ClassSearch<Weka> {
 public:
  SimpleCartSearch(const Table<double>& table, const SimpleCartOptions& options)
      : ClassSearch(table), options_(options) {}

  // The class weights of a child are those that were counted for the split, whose rounding differs from that
  // of a new sum.
  void tally(const Items<double>& items, NodeView<double>& view, std::vector<double>& statistics) const;
  bool stays_leaf(const NodeView<double>& view) const { return view.weight < 2 * options_.min_cases; }
  Candidate<double> best_level_test(int column, const NodeView<double>& view, const Items<double>& items,
                                    bool tested, Scratch& scratch) const;
  Candidate<double> best_threshold(int column, const SortedView& list, const NodeView<double>& view,
                                   const Items<double>& items, Scratch& scratch) const;
  int choose_column(const std::vector<Candidate<double>>& found) const;
  // The column in whose order errors are summed: the first of most gain, also where nothing is gained; -1:
  // all lose.
  int column_of_order(const std::vector<Candidate<double>>& found) const;
  // The weight of the items whose class is not the first of most weight; 0 without a column, as in Weka.
  double errors_in_order(int column, const SortedView& list, const NodeView<double>& view,
                         const Items<double>& items) const;
  double fraction(double weight, double inside, double known) const { return inside / known * weight; }
  void collapse(TreeBuilder&) const {}

 private:
  using Weights = std::vector<double>;
  using Pair = std::array<Weights, 2>;

  // Cases and class weights of each level, class weights of the node, and the rows without a level.
  struct LevelCounts {
    std::vector<double> cases;
    std::vector<Weights> weights;
    Weights parent;
    std::vector<std::pair<std::int32_t, double>> missing;  // class and weight
    double in_both;                                        // cases of the missing
  };
  LevelCounts counts_of(int column, const NodeView<double>& view, const Items<double>& items) const;
  void assign_levels(Candidate<double>& best, const LevelCounts& counts,
                     const std::vector<std::uint8_t>& left) const;

  // A row counts whole in both branches, also where a fraction of it is meant.
  double cases_of(std::uint32_t row) const { return table_.data->cases ? table_.data->cases[row] : 1; }
  double gini_gain(const Weights& parent, const Pair& children) const;
  // Adds the missing values to both branches in proportion; returns the gain.
  double gain_with_missing(const Weights& parent, Pair& children,
                           const std::vector<std::pair<std::int32_t, double>>& missing) const;
  void keep(Candidate<double>& best, double gain, const Pair& children) const;
  std::vector<int> level_order(int column, const std::vector<int>& present, const NodeView<double>& view,
                               const Items<double>& items) const;
  std::vector<int> order_of_two_classes(int column, const std::vector<int>& present,
                                        const NodeView<double>& view, const Items<double>& items) const;
  std::vector<int> order_of_many_classes(int column, const std::vector<int>& present) const;

  SimpleCartOptions options_;
};

}  // namespace bough::quinlan
