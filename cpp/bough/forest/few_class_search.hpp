// The search for the best cut among few rows of several counted classes, or of two by other values, the
// columns side by side. Part of TreeGrower.
#pragma once

#include <algorithm>
#include <limits>

#include "bough/forest/tree_grower.hpp"

namespace bough {

// Draws the next columns up to n, and notes how to take draws back.
inline void TreeGrower::draw_with_return(int n) {
  drawn_so_far_.resize(n);
  for (int seen = 0; seen < n; ++seen) {
    const int from = draw_column(seen);
    drawn_so_far_[seen] = {from, random_};
  }
}

// Takes back what was drawn after the first `kept` of n columns; before: the random numbers before them.
inline void TreeGrower::return_drawn(int kept, int n, const Random& before) {
  for (int last = n - 1; last >= kept; --last) std::swap(columns_[last], columns_[drawn_so_far_[last].from]);
  random_ = kept > 0 ? drawn_so_far_[kept - 1].after : before;
}

// Writes the classes and weights of the rows. Returns whether they can be searched side by side.
inline bool TreeGrower::set_few_classes(const std::uint32_t* index, int n, const RowView& view,
                                        const NodeSums& sums) {
  if (n > few_classes_.most_rows || sums.weight > FewClassRows::kMostWeight) return false;
  int slot[kMostCountedClasses], n_present = 0;
  double squares = 0;
  for (int c = 0; c < k_; ++c) {
    slot[c] = n_present;
    n_present += sums.statistics[c] > 0;
    squares += sums.statistics[c] * sums.statistics[c];
  }
  if (n_present > FewClassRows::kMostClasses) return false;
  FewClassRows& rows = few_class_rows_;
  rows.n = n;
  rows.weight = sums.weight;
  rows.squares = squares;
  rows.least = std::max({1.0, search_.limits().min_cases, search_.limits().min_weight});
  for (int i = 0; i < n; ++i) {
    const std::int32_t label = view.rows.label[index[i]];
    rows.set(i, slot[label], view.rows.weight[index[i]], sums.statistics[label]);
  }
  return true;
}

// The same for two classes by Gini of weights or by entropy.
inline bool TreeGrower::set_few_of_two(const std::uint32_t* index, int n, const RowView& view,
                                       const NodeSums& sums) {
  if (n > few_two_classes_.most_rows || side_by_side_.empty()) return false;
  FewTwoClassRows& rows = few_rows_of_two_;
  rows.n = n;
  rows.entropy = plan_.recipe.criterion == criterion_of<Entropy>;
  rows.evaluator = &plan_.evaluator;
  std::copy_n(sums.statistics, 2, rows.total);
  rows.node_weight = sums.weight;
  for (int i = 0; i < n; ++i) rows.set(i, view.rows.label[index[i]], view.rows.weight[index[i]]);
  return true;
}

// Looks at max_features columns of few rows of classes together. Returns the number of columns seen: none if
// they cannot be searched so, all if there is no need to look on.
template <class Place>
int TreeGrower::search_few_classes(Place& place, const Span& span, const NodeSums& sums, double pure) {
  const std::uint32_t* index = place.index() + span.begin;
  const FewCodes codes{place.code_rows(), columns_.size(), index};
  const auto by = [&](const auto& kernel, const auto& rows) {
    return search_drawn(
        index, pure, [&](int n, FewCut& cut) { kernel.search(rows, codes, columns_.data(), n, pure, cut); });
  };
  if (two_classes_)
    return set_few_of_two(index, span.count, place.view(), sums) ? by(few_two_classes_, few_rows_of_two_) : 0;
  return set_few_classes(index, span.count, place.view(), sums) ? by(few_classes_, few_class_rows_) : 0;
}

// Draws max_features columns and searches them together. A value that reaches `pure` is the last: what was
// drawn after it is taken back. Returns what search_few_classes does.
template <class Search>
int TreeGrower::search_drawn(const std::uint32_t* index, double pure, const Search& search) {
  const int n = std::min(plan_.recipe.max_features, n_columns_);
  const Random before = random_;
  draw_with_return(n);
  if (!std::all_of(columns_.begin(), columns_.begin() + n, [this](int c) { return side_by_side_[c]; })) {
    return_drawn(0, n, before);
    return 0;
  }
  FewCut cut;
  cut.value = best_.value;
  search(n, cut);
  if (cut.order < 0) return n;
  best_.take_cut(columns_[cut.order], cut.value, index[cut.below], index[cut.above]);
  // Random numbers are drawn all the same where rows drawn twice are to grow the tree of two such rows.
  if (cut.value >= pure && !plan_.recipe.shuffle) return_drawn(cut.order + 1, n, before);
  return n_columns_;
}

}  // namespace bough
