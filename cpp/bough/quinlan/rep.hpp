// The searches of Weka's REPTree: gain of information for classes, fall of the squared error for numbers.
#pragma once

#include <numeric>
#include <utility>

#include "bough/quinlan/class_search.hpp"
#include "bough/quinlan/j48.hpp"

namespace bough::quinlan {

struct RepOptions {
  double min_weight = 2;    // in at least two branches; twice that in a node to be split
  double min_variance = 0;  // of y in a node to be split
  int max_depth = -1;       // -1: any
};

// What both searches share: the limits, and the choice among the columns.
class RepRules {
 public:
  // The weight of a child, which the limits refer to, is the one that was counted for the split: fractions of
  // rows are rounded, and another order of the sum could fall on the other side of a limit.
  static constexpr bool kCountsChildren = true;

  // The column whose test gains most, if two of its branches are large enough; -1: none.
  int choose_column(const std::vector<Candidate<double>>& found) const {
    const int best = column_of_most_gain(found);
    return best >= 0 && more(found[best].gain, 0) && found[best].score > 0 ? best : -1;
  }
  double fraction(double weight, double inside, double known) const { return inside / known * weight; }
  void collapse(TreeBuilder&) const {}

 protected:
  explicit RepRules(const RepOptions& options) : options_(options) {}

  bool is_too_small_or_deep(const NodeView<double>& view) const {
    return view.recounted < 2 * options_.min_weight ||
           (options_.max_depth >= 0 && view.depth >= options_.max_depth);
  }
  // A test with a branch for each level, its gain to be set.
  static Candidate<double> one_branch_a_level(const Column& column) {
    Candidate<double> found;
    found.kind = SplitKind::complete;
    found.n_branches = column.n_levels;
    return found;
  }

  RepOptions options_;
};

class RepClassSearch : public ClassSearch<Weka>, public RepRules {
 public:
  RepClassSearch(const Table<double>& table, const RepOptions& options)
      : ClassSearch(table),
        RepRules(options),
        ln_terms_(std::min<std::size_t>(table.rows.size() + 1, 1 << 22), 0.0) {
    for (std::size_t n = 1; n < ln_terms_.size(); ++n)
      ln_terms_[n] = static_cast<double>(n) * std::log(static_cast<double>(n));
  }

  void tally(const Items<double>& items, NodeView<double>& view, std::vector<double>& statistics) const {
    ClassSearch::tally(items, view, statistics);
    if (view.counted) view.recounted = std::accumulate(view.counted, view.counted + n_classes_, 0.0);
  }
  bool stays_leaf(const NodeView<double>& view) const {
    return is_too_small_or_deep(view) || alike(most(view), view.weight);
  }
  Candidate<double> best_level_test(int column, const NodeView<double>& view, const Items<double>& items,
                                    bool tested, Scratch& scratch) const;
  Candidate<double> best_threshold(int column, const SortedView& list, const NodeView<double>& view,
                                   const Items<double>& items, Scratch& scratch) const;

 private:
  void set_gain(Candidate<double>& found, Scratch& scratch,
                const std::vector<std::pair<std::uint32_t, double>>& missing) const;

  template <bool Unit>
  void scan(std::span<const Entry> list, const Items<double>& items, Scratch& scratch) const;

  double ln_term(double n) const;  // n ln n
  double ln_term(std::int64_t n) const;

  std::vector<double> ln_terms_;  // of whole numbers
};

// Sums of y and its square, as Weka takes them; far from 0, y is taken from its mean, so that no digits are
// lost.
class RepNumberSearch : public RepRules {
 public:
  using Number = double;
  struct Sums {
    double weight = 0, sum = 0, square = 0;
    void add(double w, double y) {
      weight += w;
      sum += w * y;
      square += w * y * y;
    }
    double error() const { return weight > 0 ? square - sum * sum / weight : 0; }
  };
  struct WeightedNumber {
    double weight, y;
  };
  struct Scratch {
    std::vector<Sums> branch;
    std::vector<WeightedNumber> missing;
  };

  RepNumberSearch(const Table<double>& table, const RepOptions& options);

  int width() const { return 1; }
  void tally(const Items<double>& items, NodeView<double>& view, std::vector<double>& statistics) const;
  double risk(const NodeView<double>& view) const { return std::max(0.0, sums_of(view).error()); }
  void store(const NodeView<double>& view, double* statistics) const {
    statistics[0] = centre_ + view.statistics[1] / view.statistics[0];
  }
  bool stays_leaf(const NodeView<double>& view) const;
  Candidate<double> best_level_test(int column, const NodeView<double>& view, const Items<double>& items,
                                    bool tested, Scratch& scratch) const;
  Candidate<double> best_threshold(int column, const SortedView& list, const NodeView<double>& view,
                                   const Items<double>& items, Scratch& scratch) const;

 private:
  static Sums sums_of(const NodeView<double>& view) {
    return {view.statistics[0], view.statistics[1], view.statistics[2]};
  }
  void set_gain(Candidate<double>& found, Sums total, const std::vector<WeightedNumber>& missing,
                std::vector<Sums>& branch) const;
  double y(std::uint32_t row) const { return table_.data->y[row] - centre_; }

  const Table<double>& table_;
  double centre_ = 0, least_variance_ = 0;
};

}  // namespace bough::quinlan
