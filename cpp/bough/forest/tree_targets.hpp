// What a tree knows of several targets. Part of TreeGrower.
#pragma once

#include <algorithm>
#include <cmath>

#include "bough/forest/event_grid.hpp"
#include "bough/forest/node_mean.hpp"
#include "bough/forest/tree_grower.hpp"

namespace bough {

// Of numbers: the grid of the tree's weights, and what adds up to the risk of each target.
inline void TreeGrower::weigh_numbers() {
  const Data& data = plan_.data;
  const auto k = static_cast<std::size_t>(data.n_targets());
  const bool events = plan_.evaluator.criterion().reads_rates();
  std::vector<double> sum(k, 0.0);
  double total = 0;
  for (std::int64_t i = 0; i < data.n_rows; ++i) {
    total += weight_[i];
    for (std::size_t t = 0; t < k; ++t) sum[t] += weight_[i] * data.y[i * k + t];
  }
  origins_.assign(k, 0.0);
  for (std::size_t t = 0; t < k && !events; ++t)
    origins_[t] = plan_.whole_y ? std::nearbyint(sum[t] / total) : sum[t] / total;
  const std::vector<EventGrid> events_of(sum.begin(), sum.end());  // read if they are events
  for (std::int64_t i = 0; i < data.n_rows; ++i) {
    double* grid = view_.rows.grids_at(static_cast<std::uint32_t>(i));
    for (std::size_t t = 0; t < k; ++t) {
      const double y = data.y[i * k + t] - origins_[t];
      grid[t] = events ? events_of[t].nearest(weight_[i] * y) : weight_[i] * y;
      if (events) square_[i * k + t] = y > 0 ? weight_[i] * y * std::log(y) : 0;
    }
  }
}

// Each class of each target gets the same weight; a row has the product over the targets.
inline void TreeGrower::balance_targets(double total) {
  const Data& data = plan_.data;
  const int k = data.n_targets();
  std::vector<double> of_class(data.n_classes, 0.0), factor;
  for (std::int64_t i = 0; i < data.n_rows; ++i)
    for (int t = 0; t < k; ++t) of_class[data.label[i * k + t]] += weight_[i];
  for (int t = 0; t < k; ++t)
    factor.insert(factor.end(), static_cast<std::size_t>(data.targets[t]), total / data.targets[t]);
  for (std::int64_t i = 0; i < data.n_rows; ++i)
    for (int t = 0; t < k && weight_[i] > 0; ++t) {
      const std::int32_t place = data.label[i * k + t];
      weight_[i] *= factor[place] / of_class[place];
    }
}

// The sums of what lies below a cut of the column tried.
inline void TreeGrower::sum_targets_below(const std::uint32_t* index, int n, float cut, const Rows& rows,
                                          const NodeSums& sums) {
  sum_below(drawn_value_.data(), cut, index, n, rows, below_);
  expand_targets(rows);
  low_.weight = below_.others ? sums.weight - below_.weight : below_.weight;
  low_.cases = below_.others ? sums.cases - below_.cases : below_.cases;
  if (!below_.others) return;
  for (std::size_t i = 0; i < low_.statistics.size(); ++i)
    low_.statistics[i] = sums.statistics[i] - low_.statistics[i];
}

// The statistics of what was summed.
inline void TreeGrower::expand_targets(const Rows& rows) {
  double* statistics = low_.statistics.data();
  if (!rows.label) {
    statistics[0] = below_.weight;
    std::copy_n(below_.grid.begin(), rows.n_targets, statistics + 1);
    return;
  }
  std::fill(low_.statistics.begin(), low_.statistics.end(), below_.weight);  // the only class of a target
  const std::vector<Evaluator::ClassColumn>& columns = plan_.evaluator.class_columns();
  for (std::size_t j = 0; j < columns.size(); ++j) {
    statistics[columns[j].place] = below_.grid[j];
    if (columns[j].of_two) statistics[columns[j].place - 1] = below_.weight - below_.grid[j];
  }
}

template <class Place>
void TreeGrower::sum_up_targets(Place& place, const Span& span) {
  ForestNode& node = tree_.nodes[span.node];
  double* statistics = tree_.statistics.data() + static_cast<std::ptrdiff_t>(span.node) * k_;
  const std::uint32_t* index = place.index() + span.begin;
  const Rows& rows = place.view().rows;
  for (int i = 0; i < span.count; ++i) {
    node.weight += rows.weight[index[i]];
    node.cases += rows.cases[index[i]];
  }
  if (rows.label) {
    for (int i = 0; i < span.count; ++i) SeveralClassWeights::add_row(statistics, rows, index[i]);
    return;
  }
  const int k = rows.n_targets;
  const bool events = plan_.evaluator.criterion().reads_rates();
  double *mean = statistics, *risk = statistics + k, *sum = moments_.data() + moments_at(span.node) + 1;
  if (span.count == 1 && !events) {  // half of all nodes, none of which is searched
    std::copy_n(rows.ys_at(index[0]), k, mean);
    sum[-1] = node.weight;
    uniform_[span.node] = true;
    return;
  }
  for (int i = 0; i < span.count; ++i) {
    const double* __restrict grid = rows.grids_at(index[i]);
    const double* __restrict y = rows.ys_at(index[i]), * __restrict origin = origins_.data();
    double* __restrict to_sum = sum, * __restrict to_risk = risk;
    for (int t = 0; t < k; ++t) {
      to_sum[t] += grid[t];
      to_risk[t] += grid[t] * (y[t] - origin[t]);
    }
  }
  for (int i = 0; i < span.count && events; ++i) {
    const double* logs = square_.data() + static_cast<std::size_t>(place.row(index[i])) * k;
    for (int t = 0; t < k; ++t) risk[t] = (i == 0 ? 0 : risk[t]) + logs[t];
  }
  low_y_.assign(rows.ys_at(index[0]), rows.ys_at(index[0]) + k);
  high_y_ = low_y_;
  double* __restrict low = low_y_.data(), * __restrict high = high_y_.data();
  for (int i = 1; i < span.count; ++i) {
    const double* __restrict y = rows.ys_at(index[i]);
    for (int t = 0; t < k; ++t) {
      low[t] = std::min(low[t], y[t]);
      high[t] = std::max(high[t], y[t]);
    }
  }
  const double weight = sum[-1] = node.weight;
  for (int t = 0; t < k; ++t) {
    const double off = risk[t] - sum[t] * sum[t] / weight;
    mean[t] = low[t] == high[t]
                  ? low[t]
                  : mean_of(index, span.count, rows, t, origins_[t], sum[t] / weight, low[t], high[t]);
    if (!events) risk[t] = low[t] == high[t] ? 0 : std::max(0.0, off);
  }
  for (int t = 0; t < k && events; ++t)
    risk[t] = std::max(0.0, 2 * (risk[t] - (sum[t] > 0 ? sum[t] * std::log(sum[t] / weight) : 0)));
  uniform_[span.node] = low_y_ == high_y_;
}

}  // namespace bough
