// The search of Weka's J48: C4.5's rules in doubles, with values less than 1e-6 apart taken for equal.
#pragma once

#include "bough/quinlan/class_search.hpp"

namespace bough::quinlan {

// Comparisons as Weka makes them.
constexpr double kSmall = 1e-6;
inline bool alike(double a, double b) { return a - b < kSmall && b - a < kSmall; }
inline bool more(double a, double b) { return a - b > kSmall; }
inline bool less(double a, double b) { return b - a > kSmall; }
inline bool no_more(double a, double b) { return a - b < kSmall || a <= b; }
inline bool no_less(double a, double b) { return b - a < kSmall || a >= b; }

class J48Search : public ClassSearch<Weka> {
 public:
  J48Search(const Table<double>& table, const C45Options& options, bool collapses);

  bool stays_leaf(const NodeView<double>& view) const {
    return less(view.weight, 2 * options_.min_cases) || alike(view.weight, most(view));
  }
  Candidate<double> best_level_test(int column, const NodeView<double>& view, const Items<double>& items,
                                    bool tested, Scratch& scratch) const;
  Candidate<double> best_threshold(int column, const SortedView& list, const NodeView<double>& view,
                                   const Items<double>& items, Scratch& scratch) const;
  int choose_column(std::vector<Candidate<double>>& found) const;
  double fraction(double weight, double inside, double known) const { return inside / known * weight; }
  void collapse(TreeBuilder& tree) const;

 private:
  template <bool Unit>
  void scan(const SortedView& list, const SortedColumn<double>& column, const Items<double>& items,
            double least, double known, double all, Scratch& scratch) const;
  Candidate<double> best_of_scan(const SortedView& list, const NodeView<double>& view,
                                 const Items<double>& items, double known, const Scratch& scratch) const;
  void set_cut(Candidate<double>& found, const SortedColumn<double>& column) const;
  double gain_of(double old_entropy, double new_entropy, double known, double all) const;
  double ratio_of(const double* branch, int n_branches, double known, double all, double gain) const;
  Candidate<double> best_single_level_test(const NodeView<double>& view, int n_values,
                                           Scratch& scratch) const;
  double known_cases(const SortedView& list, const NodeView<double>& view, const Items<double>& items) const;

  C45Options options_;
  bool collapses_;
  bool all_have_many_;
};

}  // namespace bough::quinlan
