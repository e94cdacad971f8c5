// Finds the best split of a node over all columns.
#pragma once

#include <optional>
#include <vector>

#include "bough/grow/median_search.hpp"
#include "bough/grow/node_lists.hpp"
#include "bough/search/bounded_scan.hpp"
#include "bough/search/present_classes.hpp"
#include "bough/search/scan.hpp"
#include "bough/search/sets_of_targets.hpp"
#include "bough/search/squares_screen.hpp"

namespace bough {

template <class E>
class NodeSearch {
 public:
  NodeSearch(const NodeLists<E>& in, std::size_t n_indices)
      : in_(in), space_(in.team ? in.team->size() : 1), medians_(in, n_indices, space_.size()) {
    // Losses are those of all classes.
    if (in.problem.data.n_classes >= PresentClasses::kMany && in.rows.n_targets == 1 &&
        in.problem.evaluator.loss().empty() && !in.sparse)
      present_.emplace(in.problem.evaluator, n_indices);
    if (in.problem.plain && in.problem.several_squares) sets_.emplace(n_indices);
    const Recipe& recipe = in.problem.recipe;
    if (recipe.criterion.reads_moments() && in.rows.n_targets == 1 && !in.problem.fast_squares &&
        !in.sparse && !recipe.draw.any() && in.n_columns() >= kColumnsForPairs)
      moments_.resize(2 * n_indices);
    if (in.problem.plain && in.problem.fast_squares && recipe.monotonic.empty() &&
        in.n_columns() >= SquaresScreen::kFewestColumns && SquaresScreen::serves())
      screen_.emplace(n_indices);
  }

  // The best split of the node; column -1 if there is none. Columns are shared out over the team.
  Best best(const Range& range, const Branching& out);

  // What a split saves in the whole tree; best-first growth takes the largest.
  double worth(const Best& best, const Range& range, const Branching& out) const {
    return in_.gain(best.value, range, out) * out.nodes[range.node].weight;
  }

  // The improvement as rpart reports it.
  double improvement(const Best& best, const Range& range, const Branching& out) const {
    return improvement_by(in_.gain(best.value, range, out), range, in_.problem.recipe, out);
  }

  // A value that no split of the node exceeds: that of two pure children, or of the one way to part two rows.
  double highest_value(const Range&, const E* list) const;

 private:
  using Known = KnownEntries<E>;
  struct Space {  // one for each member of the team
    ScanSpace scan;
    std::vector<double> statistics, cases;  // of the groups of a list
    std::vector<double> left, totals;       // of a cut and of all known rows
    std::vector<double> kept_totals;        // which scans leave as they are
    double total_weight = 0, total_cases = 0;
    std::vector<int> group_end;
    std::vector<E> turned;  // a list with its missing entries first
  };

  static void take_cut(const Cut& cut, int column, Best& best) {
    if (cut.left == 0) return;
    best.value = cut.value;
    best.column = column;
    best.left = cut.left;
  }
  // Where each group of entries of one code ends.
  static std::vector<int> ends_of_groups(Known entries) {
    std::vector<int> ends;
    for (int i = 1; i <= entries.count; ++i)
      if (i == entries.count || code_of(entries.list[i - 1]) != code_of(entries.list[i])) ends.push_back(i);
    return ends;
  }
  const Evaluator& evaluator() const { return present_ ? present_->evaluator() : in_.problem.evaluator; }
  const Rows& rows() const { return present_ ? present_->rows() : in_.rows; }
  Best best_with_competitors(const Range&, const Branching&);
  Best best_of_drawn(const Range&, const Branching&);
  Best best_of(std::vector<Best>& found) const;
  Best best_among(const std::vector<int>& columns, const Range&, const Branching&);
  bool is_constant(int c, const Range&) const;
  bool search_screened(const Range&, const Branching&, Best& best);
  void search_plain(const Range&, double ceiling, Best& best, Space&);
  void search_plain_scans(const Range&, double ceiling, const Branching&, Best& best, Space&);
  void search_sets(const Range&, double ceiling, Best& best, Space&);
  double value_of_pair(const E* list, double weight) const;
  void search_column(int c, const Range&, const Branching&, Best& best, int member);
  void search_entries(int c, const Range&, const Branching&, Best& best, int member);
  void search_known(int c, Known, const Range&, const Branching&, Best& best, int member);
  void search_learned(int c, Known, const Range&, const Branching&, Best& best, int member);
  void search_own_level(int c, Known, const Range&, const Branching&, Best& best, int member);
  Best missing_apart(int c, Known, const Range&, int member);
  double value_of(const Best&, Known all, const Range&, const AnswerRule&, int member);
  bool enough(const E* first, const E* last, double min_cases) const;
  void search_threshold(int c, Known, const Range&, const Branching&, Best& best, Space&);
  Cut scanned_cut(int c, Known, Known all, const Range&, const Branching&, double floor, Space&);
  ScanTask scan_task(int c, const Range&, Space&) const;
  Cut scan(int c, Known, const Range&, double floor, Space&) const;
  Cut fast_cut(Known, const AnswerRule&, const Range&, double floor, ScanSpace&) const;
  void search_levels(int c, Known, const Range&, Best& best, Space&);
  void search_drawn(int c, Known, const Range&, Best& best, int member);
  void offer(Best& split, Known entries, const Range&, Best& best, int member);
  void sum_known(Known, const Range&, const Branching&, Space&) const;
  void sum_node(const Range&);
  void pair_moments(const Range&);
  void sum_groups(Known, Space&) const;
  void sum_moments(Known, Space&) const;
  bool separates(const Best&, Known) const;
  bool within_limits(const Best&, Known, const Range&, const Branching&) const;
  bool significant(const Best&, Known) const;

  // From so many columns on the weight and the sum of each row are written side by side first.
  static constexpr int kColumnsForPairs = 4;

  const NodeLists<E>& in_;
  std::vector<Space> space_;
  MedianSearch<E> medians_;
  std::optional<PresentClasses> present_;  // where classes are many
  std::optional<TargetSets> sets_;         // of few rows, where targets are several
  std::optional<SquaresScreen> screen_;    // of many columns, under squared error
  std::vector<double> bounds_;             // of the columns by the screen
  std::vector<double> node_sums_;          // the statistics of the node, where targets are several numbers
  std::vector<double> moments_;            // weight and grid of each index, where scans read them
};

}  // namespace bough
