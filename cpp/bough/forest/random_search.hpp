// Extremely randomized splits (Geurts, Ernst and Wehenkel 2006): of a column of numbers one cut, drawn
// uniformly between its least and its greatest value in the node; of a nominal column one subset of the
// levels present. Part of TreeGrower.
#pragma once

#include <cmath>
#include <limits>

#include "bough/forest/tree_grower.hpp"

namespace bough {

// Takes the split if it is the best so far, with missing rows on the side that serves it best.
inline void TreeGrower::offer(int column, ForestSplit::Kind kind, double cut, const NodeSums& sums) {
  const float* tried_values = drawn_value_.data();
  const bool missing = missing_.cases > 0, learned = plan_.recipe.missing == ForestMissing::learned;
  for (int side = 0; side < 2; ++side) {
    if (side == 1 && !(missing && learned)) break;
    tried_.clear();
    rest_.clear();
    tried_.add(low_);
    if (missing && learned && side == 1) tried_.add(missing_);
    for (std::size_t i = 0; i < rest_.statistics.size(); ++i)
      rest_.statistics[i] = sums.statistics[i] - tried_.statistics[i];
    rest_.weight = sums.weight - tried_.weight;
    rest_.cases = sums.cases - tried_.cases;
    if (missing && !learned) {
      for (std::size_t i = 0; i < rest_.statistics.size(); ++i) rest_.statistics[i] -= missing_.statistics[i];
      rest_.weight -= missing_.weight;
      rest_.cases -= missing_.cases;
    }
    const LeafLimits& limits = search_.limits();
    const double least = std::max(1.0, limits.min_cases);
    if (tried_.cases < least || rest_.cases < least || tried_.weight < limits.min_weight ||
        rest_.weight < limits.min_weight)
      continue;
    if (limits.answers.any &&
        !limits.answers.permits(answer_of(plan_.recipe.criterion, tried_.statistics.data()),
                                answer_of(plan_.recipe.criterion, rest_.statistics.data())))
      continue;
    double value;
    if (plan_.counts) {
      const double known = tried_.weight + rest_.weight;
      value = gini_of_counts(tried_.weight, tried_.statistics[1], known,
                             tried_.statistics[1] + rest_.statistics[1]) /
              (known / sums.weight);
    } else if (search_.deviations()) {
      value = search_.deviations()->value_of_sides(missing && learned ? 1 - side : -1, sums.weight);
    } else {
      value = plan_.evaluator.value(tried_.statistics.data(), rest_.statistics.data(), sums.weight);
    }
    if (!(value > best_.value)) continue;
    best_.value = value;
    best_.column = column;
    best_.kind = kind;
    best_.apart = false;
    best_.missing_seen = missing;
    best_.default_branch = missing && learned ? 1 - side : -1;
    best_.cut = cut;
    if (plan_.counts)
      best_.left_counted =
          static_cast<std::uint64_t>(tried_.weight) | static_cast<std::uint64_t>(tried_.statistics[1]) << 32;
    if (kind != ForestSplit::Kind::levels) {
      // Both sides are tried with the same values.
      if (best_value_.data() != tried_values) drawn_value_.swap(best_value_);
      continue;
    }
    best_.left.clear();
    best_.right.clear();
    for (std::size_t level = 0; level < level_present_.size(); ++level)
      (level_side_[level] ? best_.right : best_.left).push_back(level_present_[level]);
  }
}

// Puts a row on a side of the split that is tried: left (0), right (1), or among the missing (2).
inline void TreeGrower::place_tried(const RowView& view, std::uint32_t at, int side) {
  const bool classes = plan_.data.n_classes > 0;
  if (side == 0)
    low_.add(view, at, classes);
  else if (side == 2)
    missing_.add(view, at, classes);
  if (search_.deviations()) search_.deviations()->set_side(at, side);
}

// A cut drawn between two numbers: above the least, at most the greatest.
inline float TreeGrower::drawn_cut(Random& random, float least, float most, bool numeric) {
  const double reach = static_cast<double>(most) - least;
  double cut = std::isfinite(reach) ? least + random.uniform() * reach : (random.next() >> 63 ? 0.0 : most);
  if (!numeric) cut = std::floor(cut) + 0.5;
  const auto drawn = static_cast<float>(cut);
  return drawn > least && drawn <= most ? drawn : most;
}

// The same as offer, where two classes are counted and nothing is missing.
inline bool TreeGrower::offer_counted(int column, float cut, std::uint64_t below, const NodeSums& sums) {
  const auto all = static_cast<double>(sums.counted & 0xffffffffu),
             ones = static_cast<double>(sums.counted >> 32);
  const auto left = static_cast<double>(below & 0xffffffffu), left_ones = static_cast<double>(below >> 32);
  const double least = std::max({1.0, search_.limits().min_cases, search_.limits().min_weight});
  if (left < least || all - left < least) return false;
  const double value = gini_of_counts(left, left_ones, all, ones);
  if (!(value > best_.value)) return false;
  best_.take_value(column, value, cut);
  best_.left_counted = below;
  return true;
}

// What lies below a cut of the column whose values were fetched. The sums are those of PartSums to the bit:
// adding 0 changes none.
inline TreeGrower::RowMoments TreeGrower::moments_below(float cut) const {
  const float* values = drawn_value_.data();
  RowMoments sums{0, 0, 0};
  for (std::size_t i = 0; i < node_moments_.size(); ++i) {
    const auto below = static_cast<double>(values[i] < cut);
    sums.weight += below * node_moments_[i].weight;
    sums.sum += below * node_moments_[i].sum;
    sums.cases += below * node_moments_[i].cases;
  }
  return sums;
}

// The same as offer, where numbers are summed and nothing is missing.
inline bool TreeGrower::offer_moments(int column, float cut, const RowMoments& below, const NodeSums& sums) {
  const LeafLimits& limits = search_.limits();
  const double least = std::max(1.0, limits.min_cases), above = sums.weight - below.weight;
  if (below.cases < least || sums.cases - below.cases < least || below.weight < limits.min_weight ||
      above < limits.min_weight)
    return false;
  const double left[2] = {below.weight, below.sum};
  const double right[2] = {sums.statistics[0] - below.weight, sums.statistics[1] - below.sum};
  const Criterion criterion = plan_.recipe.criterion;
  if (limits.answers.any && !limits.answers.permits(answer_of(criterion, left), answer_of(criterion, right)))
    return false;
  if (criterion == criterion_of<SquaredError>) {
    // The value is the square of d by this product, but for rounding: most columns need no division.
    constexpr double kSlack = 1 - 1e-9;
    const double d = left[1] * right[0] - right[1] * left[0];
    if (d * d < best_.value * kSlack * (left[0] * right[0]) * ((left[0] + right[0]) * sums.weight))
      return false;
  }
  const double value = plan_.evaluator.value(left, right, sums.weight);
  if (!(value > best_.value)) return false;
  best_.take_value(column, value, cut);
  return true;
}

// The same as offer, where what lies left is summed and nothing is missing.
inline bool TreeGrower::offer_sums(int column, float cut, const NodeSums& sums) {
  const LeafLimits& limits = search_.limits();
  const double least = std::max(1.0, limits.min_cases);
  if (low_.cases < least || sums.cases - low_.cases < least || low_.weight < limits.min_weight ||
      sums.weight - low_.weight < limits.min_weight)
    return false;
  for (std::size_t i = 0; i < rest_.statistics.size(); ++i)
    rest_.statistics[i] = sums.statistics[i] - low_.statistics[i];
  const double value = plan_.evaluator.value(low_.statistics.data(), rest_.statistics.data(), sums.weight);
  if (!(value > best_.value)) return false;
  best_.take_value(column, value, cut);
  return true;
}

// One subset of the levels that are present, neither empty nor all of them.
template <class Place>
void TreeGrower::search_random_levels(Place& place, int column, const Span& span, const NodeSums& sums) {
  const std::uint32_t* index = place.index() + span.begin;
  const RowView& view = place.view();
  const CodedColumn& coded = plan_.coded.columns[column];
  // A level is present where it has a row.
  std::vector<std::uint32_t>& first = level_first_;
  first.assign(coded.n_codes + 1, ~0u);
  for (int i = 0; i < span.count; ++i) {
    std::uint32_t& row = first[coded.code[place.row(index[i])]];
    if (row == ~0u) row = index[i];
  }
  level_present_.clear();
  level_side_.clear();
  int rights = 0;
  for (std::uint32_t level = 0; level < coded.n_codes; ++level)
    if (first[level] != ~0u) {
      level_present_.push_back(level);
      level_side_.push_back(static_cast<std::uint8_t>(random_.next() >> 63));
      rights += level_side_.back();
      side_[level] = level_side_.back();
    }
  const int present = static_cast<int>(level_present_.size());
  if (present < 2) return;
  if (rights == 0 || rights == present) {
    const std::uint32_t moved = random_.below(static_cast<std::uint32_t>(present));
    level_side_[moved] ^= 1;
    side_[level_present_[moved]] ^= 1;
  }
  for (int i = 0; i < span.count; ++i) {
    const std::uint32_t level = coded.code[place.row(index[i])];
    place_tried(view, index[i], level == coded.n_codes ? 2 : side_[level]);
  }
  offer(column, ForestSplit::Kind::levels, 0, sums);
}

// Gathers what the search reads of a node's rows.
inline void TreeGrower::start_random(const std::uint32_t* index, int n, const RowView& view,
                                     const NodeSums& sums) {
  sides_tried_ = 0;
  drawn_together_ = false;
  if (tally_) tally_->start(index, n, view);
  if (!screen_) return;
  const Rows& rows = view.rows;
  node_moments_.resize(n);
  for (int i = 0; i < n; ++i)
    node_moments_[i] = {rows.weight[index[i]], rows.grid[index[i]], rows.cases[index[i]]};
  screen_->start(index, n, view, sums);
}

// Sums what lies below the cuts that were drawn together.
inline void TreeGrower::sum_below_cuts(const RowView& view, const NodeSums& sums) {
  if (node_) return cuts_->sum_counts(node_->count());
  if (!tally_) return cuts_->sum_moments(view.rows.weight, view.rows.grid);
  cuts_->count_classes(view.rows.label, view.rows.weight);
  if (start_squares(sums)) cuts_->sum_class_squares(sums.statistics, gini_->squares_of_both);
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

// Offers the cut of a column that was drawn together with others.
template <class Place>
void TreeGrower::offer_cut(Place& place, int column, const Span& span, const NodeSums& sums) {
  const float cut = cuts_->cut(column);
  if (node_) {
    offer_counted(column, cut, long_count(cuts_->count_below(column)), sums);
  } else if (tally_ && gini_) {
    offer_squares(column, cut, cuts_->squares(column), sums);
  } else if (tally_) {
    low_.weight = low_.cases = cuts_->classes_below(column, sums.statistics, low_.statistics.data());
    offer_sums(column, cut, sums);
  } else {
    RowMoments below{cuts_->weight_below(column), cuts_->sum_below(column), 1};
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

// The same as offer_moments for the cuts of the first n columns.
inline void TreeGrower::offer_drawn_moments(int n, const NodeSums& sums) {
  constexpr double kSlack = 1 - 1e-9;
  const double weight = sums.statistics[0], sum = sums.statistics[1], least = search_.limits().min_weight;
  double best = best_.value;
  int best_column = -1;
  for (int seen = 0; seen < n; ++seen) {
    const int column = columns_[seen];
    if (!cuts_->varies(column)) continue;
    const double left = cuts_->weight_below(column), left_sum = cuts_->sum_below(column),
                 right = weight - left, right_sum = sum - left_sum;
    if (left < least || sums.weight - left < least) continue;
    const double d = left_sum * right - right_sum * left;
    if (d * d < best * kSlack * (left * right) * ((left + right) * sums.weight)) continue;
    const double value = SquaredError::value(left, left_sum, right, right_sum, sums.weight);
    if (!(value > best)) continue;
    best = value;
    best_column = column;
  }
  if (best_column >= 0) best_.take_value(best_column, best, cuts_->cut(best_column));
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
  if (span.count == 2 && (quick_moments_ || node_ || tally_) && !bounds_.any())
    return search_cuts_of_two(place, span, sums, pure);
  const std::uint32_t* index = place.index() + span.begin;
  const int n = std::min(plan_.recipe.max_features, n_columns_);
  cuts_->start(place.value_rows(), index, span.count);
  draw_cuts(n, pure < std::numeric_limits<double>::infinity());
  sum_below_cuts(place.view(), sums);
  int seen = 0;
  if (quick_moments_) {
    offer_drawn_moments(n, sums);
    seen = n;
  }
  for (; seen < n && (seen == 0 || best_.value < pure); ++seen) {
    const int column = columns_[seen];
    if (!cuts_->varies(column)) continue;
    if (bounds_.any()) search_.set_answers(bounds_.rule(column, span.node));
    offer_cut(place, column, span, sums);
  }
  if (best_.column < 0) return n;
  if (seen < n) {
    for (int last = n - 1; last >= seen; --last)
      std::swap(columns_[last], columns_[drawn_so_far_[last].from]);
    random_ = drawn_so_far_[seen - 1].after;
  }
  drawn_together_ = true;
  return n_columns_;
}

// Whether a cut of another column has had the same of few rows on its left, and so the same value; notes it.
inline bool TreeGrower::tried_before(int n, float cut) {
  if (n > kFewSides) return false;
  unsigned left = 0;
  for (int i = 0; i < n; ++i) left |= static_cast<unsigned>(drawn_value_[i] < cut) << i;
  const std::uint64_t bit = std::uint64_t{1} << left;
  const bool before = sides_tried_ & bit;
  sides_tried_ |= bit;
  return before;
}

// The same for a cut of every column of several targets: those are evaluated whose bounds exceed the best
// value. Few rows are not bounded: most of their cuts are alike.
template <class Place>
int TreeGrower::search_target_cuts(Place& place, const Span& span, const NodeSums& sums) {
  const std::uint32_t* index = place.index() + span.begin;
  const Rows& rows = place.view().rows;
  const bool bounded = span.count > kFewSides, whole = !plan_.data.weight && !plan_.recipe.balance;
  target_screen_->find_extremes(place.value_rows(), index, span.count);
  for (int seen = 0; seen < n_columns_; ++seen) {
    draw_column(seen);
    const int column = columns_[seen];
    const float least = target_screen_->least(column), most = target_screen_->most(column);
    target_screen_->set_cut(column, least < most ? drawn_cut(random_, least, most, numeric_[column]) : least);
  }
  if (bounded)
    target_screen_->bound_cuts(place.value_rows(), index, span.count, rows, sums, risks_of(span.node), whole);
  const auto search_column = [&](int column) {
    const float cut = target_screen_->cut(column);
    kernels_.fetch_values(place.values(column), index, span.count, drawn_value_.data());
    if (tried_before(span.count, cut)) return;
    sum_targets_below(index, span.count, cut, rows, sums);
    if (offer_sums(column, cut, sums)) drawn_value_.swap(best_value_);
  };
  highest_.clear();
  for (int seen = 0; seen < n_columns_; ++seen) {
    const int column = columns_[seen];
    if (!(target_screen_->least(column) < target_screen_->most(column))) continue;
    if (bounded)
      highest_.emplace_back(-target_screen_->highest(column), seen);
    else
      search_column(column);
  }
  search_highest(search_column);
  return n_columns_;
}

template <class Place>
void TreeGrower::search_random(Place& place, int column, const Span& span, const NodeSums& sums) {
  const CodedColumn& coded = plan_.coded.columns[column];
  const Scale scale = plan_.data.columns[column].scale;
  const RowView& view = place.view();
  if (!view.counted || coded.has_missing || scale == Scale::nominal) {
    low_.clear();
    missing_.clear();
  }
  if (scale == Scale::nominal) return search_random_levels(place, column, span, sums);
  const std::uint32_t* index = place.index() + span.begin;
  const Cells<float> values = place.values(column);
  float* drawn = drawn_value_.data();
  const auto [least, most] = node_ ? kernels_.fetch_values(values, node_->index(), node_->n(), drawn)
                                   : kernels_.fetch_values(values, index, span.count, drawn);
  // As in scikit-learn, a single known value can be split from missing ones.
  const bool single = least == most && coded.has_missing && plan_.recipe.shuffle &&
                      plan_.recipe.missing == ForestMissing::learned;
  if (!(least < most) && !single) return;
  const float cut = single ? std::nextafter(most, std::numeric_limits<float>::infinity())
                           : drawn_cut(random_, least, most, scale == Scale::numeric);
  const auto take = [this](bool better) {
    if (better) drawn_value_.swap(best_value_);
  };
  if (node_ && !coded.has_missing)
    return take(offer_counted(column, cut, node_->below(kernels_, drawn, cut), sums));
  if (screen_ && !coded.has_missing) {
    if (!(screen_->highest_drawn(drawn, cut) < best_.value))
      take(offer_moments(column, cut, moments_below(cut), sums));
    return;
  }
  if (tally_ && !coded.has_missing) {
    tally_->below(drawn, cut, low_.statistics.data(), low_.weight, low_.cases);
    return take(offer_sums(column, cut, sums));
  }
  const bool at_once = view.targets() > 1 && view.rows.grid;
  if (view.targets() > 1 && !coded.has_missing && tried_before(span.count, cut)) return;
  if (at_once) sum_targets_below(index, span.count, cut, view.rows, sums);
  if (at_once && !coded.has_missing) return take(offer_sums(column, cut, sums));
  for (int i = 0; i < span.count; ++i) {
    const float x = drawn_value_[i];
    if (!at_once || x != x) place_tried(view, index[i], x < cut ? 0 : x == x ? 1 : 2);
  }
  offer(column, ForestSplit::Kind::value, cut, sums);
}

}  // namespace bough
