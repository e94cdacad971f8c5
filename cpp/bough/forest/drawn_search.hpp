// Extremely randomized splits of several columns of a node, whose cuts are drawn and evaluated together. Part
// of TreeGrower.
#pragma once

#include <algorithm>
#include <limits>

#include "bough/forest/random_search.hpp"

namespace bough {

// Sums what lies below the cuts that were drawn together.
inline void TreeGrower::sum_below_cuts(const RowView& view, const NodeSums& sums) {
  if (node_) return cuts_->sum_counts(node_->count());
  if (!tally_) return cuts_->sum_moments(view.rows.weight, view.rows.grid);
  const bool squares = start_squares(sums);
  if (squares &&
      cuts_->sum_few_squares(view.rows.label, view.rows.weight, sums.weight, gini_->squares_of_both))
    return;
  cuts_->count_classes(view.rows.label, view.rows.weight);
  if (squares) cuts_->sum_class_squares(sums.statistics, gini_->squares_of_both);
}

// Whether the values of a node's cuts follow from sums of squares.
inline bool TreeGrower::start_squares(const NodeSums& sums) {
  gini_.reset();
  if (plan_.recipe.criterion != criterion_of<Gini> || sums.weight >= DrawnCuts::kMostSquared ||
      !Gini::Bound::is_exact(sums.weight))
    return false;
  gini_.emplace(plan_.evaluator, sums.statistics, 0);
  return true;
}

// The same as offer_sums for Gini, where whole numbers are summed.
inline void TreeGrower::offer_squares(int column, float cut, const DrawnCuts::Squares& squares,
                                      const NodeSums& sums) {
  const LeafLimits& limits = search_.limits();
  const double left = squares.weight, right = sums.weight - left,
               least = std::max({1.0, limits.min_cases, limits.min_weight});
  if (left < least || right < least) return;
  gini_->squares_left = squares.left;
  gini_->squares_right = squares.right;
  const double value = gini_->value(left, right, sums.weight);
  if (value > best_.value) best_.take_value(column, value, cut);
}

// Offers the cut of a column that was drawn together with others, whose value is not computed with theirs.
// at: its number among them.
template <class Place>
void TreeGrower::offer_cut(Place& place, int column, int at, const Span& span, const NodeSums& sums) {
  const float cut = cuts_->cut(at);
  if (tally_) {
    low_.weight = low_.cases = cuts_->classes_below(at, sums.statistics, low_.statistics.data());
    offer_sums(column, cut, sums);
  } else {
    RowMoments below{cuts_->weight_below(at), cuts_->sum_below(at), 1};
    if (search_.limits().min_cases > 1) {  // there is a row on either side, and it is a case at least
      const std::uint32_t* index = place.index() + span.begin;
      const Cells<float> values = place.values(column);
      below.cases = 0;
      for (int i = 0; i < span.count; ++i)
        if (values[index[i]] < cut) below.cases += place.view().rows.cases[index[i]];
    }
    offer_moments(column, cut, below, sums);
  }
}

// Draws n columns and a cut of each that varies. may_stop: notes how to take draws back.
inline void TreeGrower::draw_cuts(int n, bool may_stop) {
  Random random = random_;
  int* columns = columns_.data();
  const bool draws = plan_.recipe.max_features < n_columns_ || plan_.recipe.shuffle;
  drawn_so_far_.resize(n);
  for (int seen = 0; seen < n; ++seen) {
    int from = seen;
    if (draws) from += static_cast<int>(random.below(static_cast<std::uint32_t>(n_columns_ - seen)));
    std::swap(columns[seen], columns[from]);
    const int column = columns[seen];
    const float least = cuts_->least(column), most = cuts_->most(column);
    if (least < most) cuts_->set_cut(column, drawn_cut(random, least, most, numeric_[column]));
    if (may_stop) drawn_so_far_[seen] = {from, random};
  }
  random_ = random;
}

// The same as of all columns for those alone that are drawn. Which these are depends on whether those before
// them vary, since of one that does not no cut is drawn: columns that are not known to be constant are taken
// to vary. Returns false, as if nothing had been drawn, where one does not.
template <class Place>
bool TreeGrower::pick_cuts(Place& place, const Span& span, int n) {
  Random random = random_;
  int* columns = columns_.data();
  drawn_so_far_.resize(n);
  for (int seen = 0; seen < n; ++seen) {
    const int from = seen + static_cast<int>(random.below(static_cast<std::uint32_t>(n_columns_ - seen)));
    std::swap(columns[seen], columns[from]);
    drawn_so_far_[seen] = {from, random};
    if (!is_constant(columns[seen])) random.next();
  }
  cuts_->pick(place.value_rows(), place.index() + span.begin, span.count, columns, n);
  for (int seen = 0; seen < n; ++seen) {
    const int column = columns[seen];
    if (cuts_->varies(seen)) {
      cuts_->set_cut(seen, drawn_cut(drawn_so_far_[seen].after, cuts_->least(seen), cuts_->most(seen),
                                     numeric_[column]));
    } else if (!is_constant(column)) {
      take_back(0, n);
      return false;
    }
  }
  random_ = random;
  return true;
}

// The same of few rows, side by side.
template <class Place>
bool TreeGrower::draw_few_cuts(Place& place, const Span& span, int n) {
  // Of two rows of classes the first column that varies is the last.
  if (!cuts_->draws_few(span.count) || (span.count == 2 && !quick_moments_)) return false;
  if (!cuts_->draw_few(place.value_rows(), place.index() + span.begin, span.count, random_, columns_.data()))
    return false;
  random_.skip(cuts_->n_random(n));
  return true;
}

// Puts the columns back that were drawn from `first` on.
inline void TreeGrower::take_back(int first, int n) {
  for (int last = n - 1; last >= first; --last) std::swap(columns_[last], columns_[drawn_so_far_[last].from]);
}

// Notes which columns do not vary among the rows of a node, and so neither below it.
inline void TreeGrower::note_constant() {
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (!cuts_->varies(static_cast<int>(c))) constant_ |= std::uint64_t{1} << c;
}

// Computes the values of all cuts that were drawn, if they can be computed side by side.
inline bool TreeGrower::value_cuts(const NodeSums& sums) {
  if (bounds_.any() || (!quick_moments_ && !node_ && !(tally_ && gini_))) return false;
  const LeafLimits& limits = search_.limits();
  DrawnTotals totals;
  totals.node_weight = sums.weight;
  totals.least = quick_moments_ ? limits.min_weight : std::max({1.0, limits.min_cases, limits.min_weight});
  if (quick_moments_) {
    totals.weight = sums.statistics[0];
    totals.sum = sums.statistics[1];
    cuts_->value_moments(totals);
  } else if (node_) {
    totals.second = static_cast<double>(sums.counted >> 32);
    cuts_->value_counts(totals);
  } else {
    totals.squares = gini_->squares_of_both;
    cuts_->value_squares(totals);
  }
  return true;
}

// Takes the first of the best of n cuts whose values were computed; a value that reaches `pure` is the last.
// Returns how many were looked at.
inline int TreeGrower::take_best_cut(int n, double pure) {
  const bool picked = cuts_->picked();
  double best = best_.value;
  int seen = 0, best_seen = -1;
  for (; seen < n && (seen == 0 || best < pure); ++seen) {
    const double value = cuts_->value(picked ? seen : columns_[seen]);
    const bool better = value > best;  // no branch, for the processor could not foresee it
    best = better ? value : best;
    best_seen = better ? seen : best_seen;
  }
  if (best_seen < 0) return seen;
  if (picked) best_picked_ = best_seen;
  const int at = picked ? best_seen : columns_[best_seen];
  best_.take_value(columns_[best_seen], best, cuts_->cut(at));
  if (node_) best_.left_counted = long_count(cuts_->count_below(at));
  return seen;
}

// Offers a cut that has one of two rows below it, whose classes differ.
inline void TreeGrower::offer_class_of_two(int column, float cut, int below, std::uint32_t row,
                                           const RowView& view, const NodeSums& sums) {
  if (node_) {
    offer_counted(column, cut, long_count(node_->count()[below]), sums);
    return;
  }
  const double weight = view.rows.weight[row];
  const std::int32_t label = view.rows.label[row];
  if (gini_) {
    const double squares = weight * weight, products = weight * sums.statistics[label];
    return offer_squares(column, cut, {weight, squares, gini_->squares_of_both - 2.0 * products + squares},
                         sums);
  }
  low_.clear();
  low_.statistics[label] = low_.weight = low_.cases = weight;
  offer_sums(column, cut, sums);
}

// Draws a cut of each of max_features columns of a node of two rows. Every column that varies parts them in
// one of two ways, so that of numbers two values are computed at most.
template <class Place>
int TreeGrower::search_cuts_of_two(Place& place, const Span& span, const NodeSums& sums, double pure) {
  const std::uint32_t* index = place.index() + span.begin;
  const RowView& view = place.view();
  const std::size_t width = columns_.size();
  const float* cells[2] = {place.value_rows() + index[0] * width, place.value_rows() + index[1] * width};
  const int n = std::min(plan_.recipe.max_features, n_columns_);
  if (tally_) start_squares(sums);
  for (int seen = 0; seen < n && (seen == 0 || best_.value < pure); ++seen) {
    draw_column(seen);
    const int column = columns_[seen];
    const float first = cells[0][column], second = cells[1][column];
    if (first == second) continue;
    const int below = second < first;
    if (!quick_moments_) {
      const float cut =
          drawn_cut(random_, std::min(first, second), std::max(first, second), numeric_[column]);
      offer_class_of_two(column, cut, below, index[below], view, sums);
      continue;
    }
    double& value = pair_value_[below];
    if (value != value) {
      const double left = view.rows.weight[index[below]], left_sum = view.rows.grid[index[below]],
                   least = search_.limits().min_weight;
      value = left < least || sums.weight - left < least
                  ? kNoSplit
                  : SquaredError::value(left, left_sum, sums.statistics[0] - left,
                                        sums.statistics[1] - left_sum, sums.weight);
      if (value != value) value = kNoSplit;
    }
    if (value > best_.value)
      best_.take_value(
          column, value,
          drawn_cut(random_, std::min(first, second), std::max(first, second), numeric_[column]));
    else
      random_.next();
  }
  if (best_.column < 0) return n;
  drawn_together_ = true;
  return n_columns_;
}

// Draws a cut of each of max_features columns, and looks at them together. A value that reaches `pure` is
// the last: what was drawn after it is taken back. Returns the number of columns seen, all of them if there
// is no need to look on.
template <class Place>
int TreeGrower::search_cuts_together(Place& place, const Span& span, const NodeSums& sums, double pure) {
  const int n = std::min(plan_.recipe.max_features, n_columns_);
  const bool few = draw_few_cuts(place, span, n);
  if (!few && span.count == 2 && (quick_moments_ || node_ || tally_) && !bounds_.any())
    return search_cuts_of_two(place, span, sums, pure);
  const bool should_pick = picks(span.count);
  if (!few && !(should_pick && pick_cuts(place, span, n))) {
    cuts_->start(place.value_rows(), place.index() + span.begin, span.count);
    if (should_pick) note_constant();
    draw_cuts(n, pure < std::numeric_limits<double>::infinity());
  }
  sum_below_cuts(place.view(), sums);
  const bool valued = value_cuts(sums);
  int seen = valued ? take_best_cut(n, pure) : 0;
  for (; !valued && seen < n && (seen == 0 || best_.value < pure); ++seen) {
    const int column = columns_[seen], at = cuts_->picked() ? seen : column;
    if (!cuts_->varies(at)) continue;
    if (bounds_.any()) search_.set_answers(bounds_.rule(column, span.node));
    offer_cut(place, column, at, span, sums);
  }
  if (best_.column < 0) return n;
  if (cuts_->picked() && !valued)
    best_picked_ =
        static_cast<int>(std::find(columns_.begin(), columns_.end(), best_.column) - columns_.begin());
  if (few && seen < n) {
    random_.skip(cuts_->n_random(seen) - cuts_->n_random(n));
    cuts_->keep_first(seen, columns_.data());
  } else if (seen < n) {
    take_back(seen, n);
    random_ = drawn_so_far_[seen - 1].after;
  }
  drawn_together_ = true;
  return n_columns_;
}

}  // namespace bough
