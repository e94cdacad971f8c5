// The search for the best cut under squared error or Poisson: columns of few rows side by side, and of more
// rows only those whose bounds reach the best value. Part of TreeGrower.
#pragma once

#include <algorithm>
#include <limits>

#include "bough/forest/tree_grower.hpp"

namespace bough {

// Marks the columns that are searched together among few rows: of counted classes, or of two by other values
// or under squared error where every row is a case and a leaf needs no more than one, those without missing
// values that are not searched for sets of levels.
inline void TreeGrower::mark_side_by_side() {
  const Limits& limits = plan_.recipe.limits;
  const bool any_leaf =
      !plan_.data.cases && limits.min_cases_leaf <= 1 && limits.min_weight_fraction_leaf <= 0;
  const Criterion criterion = plan_.recipe.criterion;
  const bool numbers = few_cuts_.most_rows > 0 &&
                       (criterion == criterion_of<SquaredError> || criterion == criterion_of<Poisson>);
  if (!classes_ && !(any_leaf && (two_classes_ || numbers))) return;
  for (int c = 0; c < static_cast<int>(plan_.coded.columns.size()); ++c) {
    const CodedColumn& coded = plan_.coded.columns[c];
    side_by_side_.push_back(!coded.has_missing && coded.n_codes <= few::kMostCodes && !search_.by_sets(c));
  }
}

// Searches the first n of the columns: those next to each other that can be are searched together.
template <class Place>
void TreeGrower::search_side_by_side(Place& place, const Span& span, const NodeSums& sums, int n) {
  const std::uint32_t* index = place.index() + span.begin;
  const Rows& rows = place.view().rows;
  few_rows_.n = span.count;
  for (int i = 0; i < span.count; ++i) {
    few_rows_.weight[i] = rows.weight[index[i]];
    few_rows_.sum[i] = rows.grid[index[i]];
  }
  few_rows_.total_weight = sums.statistics[0];
  few_rows_.total_sum = sums.statistics[1];
  few_rows_.node_weight = sums.weight;
  const FewCodes codes{place.code_rows(), columns_.size(), index};
  for (int first = 0, end = 0; first < n; first = end + 1) {
    for (end = first; end < n && side_by_side_[columns_[end]];) ++end;
    FewCut cut;
    cut.value = best_.value;
    if (end > first) few_cuts_.search(few_rows_, codes, columns_.data() + first, end - first, cut);
    if (cut.order >= 0)
      best_.take_cut(columns_[first + cut.order], cut.value, index[cut.below], index[cut.above]);
    if (end < n) place.search(columns_[end], span, sums);
  }
}

// The same for a node of two rows, a third of all nodes: every column that parts them has one of two values.
template <class Place>
void TreeGrower::search_two_rows(Place& place, const Span& span, const NodeSums& sums, int n) {
  const std::uint32_t* index = place.index() + span.begin;
  const Rows& rows = place.view().rows;
  const std::uint32_t* codes[2] = {place.code_rows() + index[0] * columns_.size(),
                                   place.code_rows() + index[1] * columns_.size()};
  double value[2];
  for (int below = 0; below < 2; ++below) {
    const double left = rows.weight[index[below]], left_sum = rows.grid[index[below]];
    value[below] = plan_.recipe.criterion == criterion_of<SquaredError>
                       ? SquaredError::value(left, left_sum, sums.statistics[0] - left,
                                             sums.statistics[1] - left_sum, sums.weight)
                       : value_of_pair(index[below], place.view(), sums);
  }
  for (int seen = 0; seen < n; ++seen) {
    const int column = columns_[seen];
    if (!side_by_side_[column]) {
      place.search(column, span, sums);
      continue;
    }
    const std::uint32_t first = codes[0][column], second = codes[1][column];
    const int below = second < first;
    if (first != second && value[below] > best_.value)
      best_.take_cut(column, value[below], index[below], index[1 - below]);
  }
}

// Searches the columns that were bounded where some cut, if limits allow it, has a value above the floor:
// fewer cuts are evaluated than without one.
template <class SearchColumn>
void TreeGrower::search_above(double floor, const SearchColumn& search_column) {
  const double least = best_.value;
  best_.value = std::max(least, floor);
  search_highest(search_column);
  if (best_.column >= 0 || best_.value == least) return;
  best_.value = least;
  search_highest(search_column);
}

// Notes the highest value that each of the first n columns may have, and returns the least value that the
// best of them has. Columns with missing values and those of level sets have no bound.
template <class RangeOf>
double TreeGrower::bound_columns(int n, const RangeOf& range_of) {
  highest_.clear();
  double floor = best_.value;
  for (int seen = 0; seen < n; ++seen) {
    const int column = columns_[seen];
    ValueRange range;
    if (plan_.coded.columns[column].has_missing || search_.by_sets(column))
      range.highest = std::numeric_limits<double>::infinity();
    else
      range = range_of(column);
    floor = std::max(floor, range.least);
    highest_.emplace_back(-range.highest, seen);
  }
  return floor;
}

// Bounds the first n of the columns where the rows of the node lie in the order of each, and searches those
// that may have the best cut.
template <class Place>
void TreeGrower::search_listed(Place& place, const Span& span, const NodeSums& sums, int n) {
  const Block& block = place.block();
  const std::uint32_t* index = place.index() + span.begin;
  screen_->start_listed(span.count, block.packed_rows(), sums, *risks_of(span.node));
  const double floor = bound_columns(n, [&](int column) {
    return block.has_list(column)
               ? screen_->range_listed(place.list(column, span), block.has_ties(column))
               : screen_->range_coded(block.few_codes(column), plan_.coded.columns[column].n_codes, index);
  });
  search_above(floor, [&](int column) { place.search(column, span, sums); });
}

// Looks at max_features columns of many rows of two weighted classes, those first whose bounds are highest,
// and only while these reach the best value. Returns how many columns it has drawn.
template <class Place>
int TreeGrower::search_two_classes(Place& place, const Span& span, const NodeSums& sums) {
  const int n = std::min(plan_.recipe.max_features, n_columns_);
  const std::uint32_t* index = place.index() + span.begin;
  two_classes_->start(index, span.count, place.view(), sums);
  draw_columns(n);
  const double floor =
      bound_columns(n, [&](int column) { return two_classes_->range(place.codes(column), index); });
  search_above(floor, [&](int column) { place.search(column, span, sums); });
  return n;
}

// Looks at max_features columns, those first whose bounds are highest, and only while these exceed the best
// value. Returns how many columns it has drawn.
template <class Place>
int TreeGrower::search_screened(Place& place, const Span& span, const NodeSums& sums) {
  const int n = std::min(plan_.recipe.max_features, n_columns_);
  if constexpr (Place::kBlock)
    if (!side_by_side_.empty() && span.count <= few_cuts_.most_rows) {
      draw_columns(n);
      if (span.count == 2)
        search_two_rows(place, span, sums, n);
      else
        search_side_by_side(place, span, sums, n);
      return n;
    }
  if constexpr (Place::kBlock)
    if (place.has_lists(span)) {
      draw_columns(n);
      search_listed(place, span, sums, n);
      return n;
    }
  const std::uint32_t* index = place.index() + span.begin;
  const bool tiny = span.count <= MomentScreen::kTinyRows, few = span.count <= MomentScreen::kFewRows;
  const auto screened = [this](int column) {
    return !plan_.coded.columns[column].has_missing && !search_.by_sets(column);
  };
  const auto search_column = [&](int column) {
    if (search_pair(place, column, span, sums)) return;
    if (few && screened(column))
      screen_->search_few(column, place.codes(column), index, sums, search_.limits(), best_);
    else
      place.search(column, span, sums);
  };
  screen_->start(index, span.count, place.view(), sums);
  highest_.clear();
  draw_columns(n);
  for (int seen = 0; seen < n; ++seen) {
    const int column = columns_[seen];
    if (tiny)
      search_column(column);
    else
      highest_.emplace_back(screened(column) ? -screen_->highest(place.codes(column), index)
                                             : -std::numeric_limits<double>::infinity(),
                            seen);
  }
  search_highest(search_column);
  return n;
}

}  // namespace bough
