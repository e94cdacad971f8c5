// The search of C4.5 release 8 (Quinlan 1993; cuts of numbers as in Quinlan 1996): which test splits a node.
//
// Every figure is rounded to a 32-bit float where the program rounds it, so that its trees come out the same
// down to ties.
#pragma once

#include "bough/machine/watch.hpp"
#include "bough/quinlan/class_search.hpp"

namespace bough::quinlan {

class Release8Search : public ClassSearch<Release8> {
 public:
  Release8Search(const Table<float>& table, const C45Options& options, Watch& watch);

  bool stays_leaf(const NodeView<float>& view) const {
    return most(view) == view.weight || view.weight < 2 * min_cases_;
  }

  // tested: whether the column was tested above the node.
  Candidate<float> best_level_test(int column, const NodeView<float>& view, const Items<float>& items,
                                   bool tested, Scratch& scratch) const;
  Candidate<float> best_threshold(int column, const SortedView& list, const NodeView<float>& view,
                                  const Items<float>& items, Scratch& scratch) const;

  bool too_few_known(std::span<const Entry> missing, const NodeView<float>& view,
                     const Items<float>& items) const {
    return view.recounted - missing_weight(missing, view, items) < 2 * min_cases_;
  }

  // Whether the levels of a column are put together in subsets.
  bool forms_subsets(int column) const {
    return options_.subset && table_.data->columns[column].n_levels > 2;
  }
  void set_min_cases(float min_cases) { min_cases_ = min_cases; }

  // The column to split by; -1: none.
  int choose_column(std::vector<Candidate<float>>& found) const;

  // Of an item whose value is missing, what goes down a branch that holds `inside` of the known weight.
  float fraction(float weight, float inside, float known) const { return weight * (inside / known); }

  // Marks the nodes to collapse: those whose subtree makes no fewer errors than they do as leaves.
  void collapse(TreeBuilder& tree) const;

 private:
  class SubsetSearch;

  static constexpr double kEpsilon = 1e-3;

  float missing_weight(std::span<const Entry> missing, const NodeView<float>& view,
                       const Items<float>& items) const;
  float score(float info, float gain, float least) const;
  float gain_of(const Scratch& counts, int n_values, float base, float unknown, float known,
                float min_cases) const;
  float counted_info(const std::int64_t* count, std::int64_t total, const std::vector<int>& present) const;
  float base_info(const Scratch& counts, int n_values, float known) const;
  Candidate<float> best_subset_test(int column, const NodeView<float>& view, Scratch& counts) const;
  template <bool Unit>
  void scan(const SortedView& list, const SortedColumn<float>& column, const Items<float>& items, float base,
            float unknown, float known, Scratch& scratch) const;
  Candidate<float> best_of_scan(const SortedView& list, const SortedColumn<float>& column,
                                const NodeView<float>& view, const Items<float>& items, float missing,
                                const Scratch& scratch) const;

  C45Options options_;
  Watch& watch_;  // forming subsets may take long
  float min_cases_;
  bool all_have_many_;
};

}  // namespace bough::quinlan
