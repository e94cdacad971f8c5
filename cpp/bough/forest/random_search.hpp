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
