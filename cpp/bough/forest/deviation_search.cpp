#include "bough/forest/deviation_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "bough/machine/radix_sort.hpp"

namespace bough {

std::vector<std::uint32_t> target_ranks(const double* y, std::int64_t n_rows) {
  std::vector<std::uint32_t> order(n_rows), rank(n_rows);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [y](std::uint32_t a, std::uint32_t b) { return y[a] < y[b] || (y[a] == y[b] && a < b); });
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  return rank;
}

DeviationSearch::DeviationSearch(const std::vector<std::uint32_t>& rank, std::size_t n_indices)
    : rank_(rank),
      rank_bits_(static_cast<int>(std::bit_width(rank.size()))),
      keys_(n_indices),
      spare_(n_indices),
      position_(n_indices) {}

// The indices of rows in the order of y, in the lower half of the keys.
const std::uint64_t* DeviationSearch::ordered(const std::uint32_t* index, int n, const RowView& view) {
  constexpr int kIndexBits = 32;
  for (int i = 0; i < n; ++i)
    keys_[i] = static_cast<std::uint64_t>(rank_[view.row_at(index[i])]) << kIndexBits | index[i];
  return radix_sort(keys_.data(), spare_.data(), n, kIndexBits, rank_bits_);
}

DeviationSearch::Centre DeviationSearch::centre(const std::uint32_t* index, int n, const RowView& view) {
  const std::uint64_t* keys = ordered(index, n, view);
  const auto y = [&](int i) { return view.rows.y[static_cast<std::uint32_t>(keys[i])]; };
  const auto weight = [&](int i) { return view.rows.weight[static_cast<std::uint32_t>(keys[i])]; };
  double total = 0, below = 0, deviation = 0;
  for (int i = 0; i < n; ++i) total += weight(i);
  int half = 0;
  while (half + 1 < n && 2 * (below + weight(half)) < total) below += weight(half++);
  double median = y(half);
  if (2 * (below + weight(half)) == total && half + 1 < n) median = median / 2 + y(half + 1) / 2;
  for (int i = 0; i < n; ++i) deviation += weight(i) * std::abs(y(i) - median);
  return {median, deviation};
}

void DeviationSearch::start(const std::uint32_t* index, int n, const RowView& view) {
  const std::uint64_t* keys = ordered(index, n, view);
  rows_.value.resize(n);
  rows_.weight.resize(n);
  side_.resize(n);
  // Values near 0 lose the least when they are summed.
  const double origin = view.rows.y[static_cast<std::uint32_t>(keys[n / 2])];
  for (int i = 0; i < n; ++i) {
    const auto row = static_cast<std::uint32_t>(keys[i]);
    position_[row] = i;
    rows_.value[i] = view.rows.y[row] - origin;
    rows_.weight[i] = view.rows.weight[row];
  }
  begun_ = false;
}

// Begins with all rows of the node, as most columns do, or with those present.
void DeviationSearch::begin_sweep(const std::uint8_t* present) {
  if (present) return sweep_.reset(rows_, present);
  if (!begun_) whole_.reset(rows_, nullptr);
  begun_ = true;
  sweep_ = whole_;
}

template <class E>
Cut DeviationSearch::cut(const E* list, int n, int barred, const RowView& view, const LeafLimits& limits,
                         double node_weight, double floor) {
  Cut best{floor, 0};
  places_.resize(n);
  left_.resize(n);
  double weight = 0, cases = 0, left_weight = 0, left_cases = 0;
  for (int i = 0; i < n; ++i) {
    const std::uint32_t row = index_of(list[i]);
    places_[i] = position_[row];
    weight += view.rows.weight[row];
    cases += view.rows.cases[row];
  }
  const std::uint8_t* present = nullptr;
  if (n < static_cast<int>(rows_.value.size())) {
    present_.assign(rows_.value.size(), 0);
    for (int i = 0; i < n; ++i) present_[places_[i]] = 1;
    present = present_.data();
  }
  begin_sweep(present);
  const double all = sweep_.deviation();
  for (int i = n - 2; i >= 0; --i) {
    sweep_.remove(places_[i + 1]);
    left_[i] = sweep_.deviation();
  }
  begin_sweep(present);
  for (int i = 0; i < n - 1; ++i) {
    const std::uint32_t row = index_of(list[i]);
    sweep_.remove(places_[i]);
    left_weight += view.rows.weight[row];
    left_cases += view.rows.cases[row];
    if (i + 1 == barred || code_of(list[i]) == code_of(list[i + 1])) continue;
    if (left_cases < limits.min_cases || cases - left_cases < limits.min_cases ||
        left_weight < limits.min_weight || weight - left_weight < limits.min_weight)
      continue;
    const double value = (all - (left_[i] + sweep_.deviation())) / node_weight;
    if (value > best.value) best = {value, i + 1};
  }
  return best;
}

template Cut DeviationSearch::cut(const std::uint32_t*, int, int, const RowView&, const LeafLimits&, double,
                                  double);
template Cut DeviationSearch::cut(const std::uint64_t*, int, int, const RowView&, const LeafLimits&, double,
                                  double);

template <class E>
double DeviationSearch::median(const E* list, int n) {
  places_.resize(n);
  double total = 0, below = 0;
  for (int i = 0; i < n; ++i) {
    places_[i] = position_[index_of(list[i])];
    total += rows_.weight[places_[i]];
  }
  std::sort(places_.begin(), places_.end());
  int half = 0;
  while (half + 1 < n && 2 * (below + rows_.weight[places_[half]]) < total)
    below += rows_.weight[places_[half++]];
  return rows_.value[places_[half]];
}

template double DeviationSearch::median(const std::uint32_t*, int);
template double DeviationSearch::median(const std::uint64_t*, int);

double DeviationSearch::value_of_sides(int side_of_missing, double node_weight) const {
  // Of the left side, the right side and both together.
  double weight[3] = {0, 0, 0}, sum[3] = {0, 0, 0}, deviation[3] = {0, 0, 0};
  double below[3] = {0, 0, 0}, sum_below[3] = {0, 0, 0};
  const int n = static_cast<int>(side_.size());
  const auto side_at = [&](int i) { return side_[i] < 2 ? side_[i] : side_of_missing; };
  const auto for_sets = [&](int i, const auto& visit) {
    const int side = side_at(i);
    if (side < 0) return;
    visit(side);
    visit(2);
  };
  for (int i = 0; i < n; ++i)
    for_sets(i, [&](int set) {
      weight[set] += rows_.weight[i];
      sum[set] += rows_.weight[i] * rows_.value[i];
    });
  bool found[3] = {false, false, false};
  for (int i = 0, left = 3; i < n && left > 0; ++i)
    for_sets(i, [&](int set) {
      if (found[set]) return;
      const double w = rows_.weight[i], v = rows_.value[i];
      if (2 * (below[set] + w) >= weight[set]) {
        found[set] = true;
        --left;
        deviation[set] = v * (2 * below[set] - weight[set]) + sum[set] - 2 * sum_below[set];
        return;
      }
      below[set] += w;
      sum_below[set] += w * v;
    });
  return (deviation[2] - (deviation[0] + deviation[1])) / node_weight;
}

}  // namespace bough
