#include "bough/optimal/axes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bough::optimal {

namespace {

constexpr std::uint32_t kMissing = ~0U;

// Groups of rows as they are; adds the axis, or one axis for either side of the missing rows.
void add_axes(std::vector<Axis>& axes, std::int32_t column, const std::vector<std::uint32_t>& group,
              std::uint32_t n_groups, const std::vector<std::int32_t>& levels) {
  if (n_groups < 2) return;
  const bool missing = std::find(group.begin(), group.end(), kMissing) != group.end();
  for (const MissingSide side : {MissingSide::right, MissingSide::left}) {
    Axis axis;
    axis.sources = {{column, levels}};
    axis.group = group;
    if (missing) {
      axis.missing = side;
      const std::uint32_t first = side == MissingSide::left;
      axis.missing_group = first ? 0 : n_groups;
      for (std::uint32_t& g : axis.group) g = g == kMissing ? axis.missing_group : g + first;
    }
    axis.rows.resize(group.size());
    std::iota(axis.rows.begin(), axis.rows.end(), 0U);
    std::stable_sort(axis.rows.begin(), axis.rows.end(),
                     [&axis](std::uint32_t a, std::uint32_t b) { return axis.group[a] < axis.group[b]; });
    axes.push_back(std::move(axis));
    if (!missing) break;
  }
}

void add_thresholds(std::vector<Axis>& axes, std::int32_t position, const Column& column, std::int64_t n) {
  std::vector<std::uint32_t> rows, group(n, kMissing);
  for (std::int64_t i = 0; i < n; ++i)
    if (!std::isnan(column.value(i))) rows.push_back(static_cast<std::uint32_t>(i));
  std::stable_sort(rows.begin(), rows.end(),
                   [&column](std::uint32_t a, std::uint32_t b) { return column.value(a) < column.value(b); });
  std::uint32_t n_groups = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (k == 0 || column.value(rows[k]) != column.value(rows[k - 1])) ++n_groups;
    group[rows[k]] = n_groups - 1;
  }
  add_axes(axes, position, group, n_groups, {});
}

void add_level_set(std::vector<Axis>& axes, std::int32_t position, const Column& column, std::int64_t n,
                   const std::vector<std::int32_t>& levels) {
  std::vector<std::uint8_t> is_left(column.n_levels);
  for (const std::int32_t level : levels) is_left[level] = 1;
  std::vector<std::uint32_t> group(n, kMissing);
  for (std::int64_t i = 0; i < n; ++i)
    if (column.code(i) >= 0) group[i] = is_left[column.code(i)] ? 0 : 1;
  add_axes(axes, position, group, 2, levels);
}

void add_level_sets(std::vector<Axis>& axes, std::int32_t position, const Column& column, std::int64_t n,
                    int max_exhaustive) {
  std::vector<std::uint8_t> seen(column.n_levels);
  for (std::int64_t i = 0; i < n; ++i)
    if (column.code(i) >= 0) seen[column.code(i)] = 1;
  std::vector<std::int32_t> present;
  for (std::int32_t level = 0; level < column.n_levels; ++level)
    if (seen[level]) present.push_back(level);
  if (present.size() < 2) return;
  if (present.size() > static_cast<std::size_t>(max_exhaustive)) {
    for (const std::int32_t level : present) add_level_set(axes, position, column, n, {level});
    return;
  }
  // Sets with the first level, but not all levels; the others are their complements.
  for (std::uint32_t bits = 0; bits + 1 < 1U << (present.size() - 1); ++bits) {
    std::vector<std::int32_t> levels{present[0]};
    for (std::size_t k = 1; k < present.size(); ++k)
      if (bits >> (k - 1) & 1) levels.push_back(present[k]);
    add_level_set(axes, position, column, n, levels);
  }
}

// Axes of two groups, each left side within the next one.
using Chain = std::vector<Axis>;

bool has_two_groups(const Axis& axis) {
  return axis.missing == MissingSide::none && axis.group[axis.rows.back()] == 1;
}

bool is_within(const Axis& inner, const Axis& outer) {
  for (std::size_t i = 0; i < inner.group.size(); ++i)
    if (inner.group[i] < outer.group[i]) return false;
  return true;
}

std::size_t left_size(const Axis& axis) {
  return static_cast<std::size_t>(std::count(axis.group.begin(), axis.group.end(), 0U));
}

// One axis with a cut for each of the chain; of equal sides the first counts.
Axis joined(const Chain& chain, std::size_t n_rows) {
  Axis axis;
  axis.group.assign(n_rows, 0);
  for (std::size_t k = 0; k < chain.size(); ++k) {
    if (k > 0 && left_size(chain[k]) == left_size(chain[k - 1])) continue;
    axis.sources.push_back(chain[k].sources[0]);
    for (std::size_t i = 0; i < n_rows; ++i) axis.group[i] += chain[k].group[i];
  }
  axis.rows.resize(n_rows);
  std::iota(axis.rows.begin(), axis.rows.end(), 0U);
  std::stable_sort(axis.rows.begin(), axis.rows.end(),
                   [&axis](std::uint32_t a, std::uint32_t b) { return axis.group[a] < axis.group[b]; });
  return axis;
}

// Puts every axis of two groups into the first chain that it continues, the smallest left sides first.
std::vector<Axis> merged(std::vector<Axis> axes, std::size_t n_rows) {
  std::vector<Axis> others;
  Chain narrow;
  for (Axis& axis : axes) (has_two_groups(axis) ? narrow : others).push_back(std::move(axis));
  std::stable_sort(narrow.begin(), narrow.end(),
                   [](const Axis& a, const Axis& b) { return left_size(a) < left_size(b); });
  std::vector<Chain> chains;
  for (Axis& axis : narrow) {
    auto chain = std::find_if(chains.begin(), chains.end(),
                              [&axis](const Chain& each) { return is_within(each.back(), axis); });
    if (chain == chains.end()) chain = chains.emplace(chains.end());
    chain->push_back(std::move(axis));
  }
  for (const Chain& chain : chains) others.push_back(joined(chain, n_rows));
  return others;
}

}  // namespace

std::vector<Axis> make_axes(const std::vector<Column>& columns, std::int64_t n_rows, int max_exhaustive,
                            bool merge) {
  std::vector<Axis> axes;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto position = static_cast<std::int32_t>(c);
    if (columns[c].scale == Scale::nominal)
      add_level_sets(axes, position, columns[c], n_rows, max_exhaustive);
    else
      add_thresholds(axes, position, columns[c], n_rows);
  }
  if (merge) axes = merged(std::move(axes), static_cast<std::size_t>(n_rows));
  if (axes.empty()) {
    // Nothing can be split: an axis of one group holds the rows.
    axes.emplace_back();
    axes[0].sources.resize(1);
    axes[0].group.resize(n_rows);
    axes[0].rows.resize(n_rows);
    std::iota(axes[0].rows.begin(), axes[0].rows.end(), 0U);
  }
  return axes;
}

}  // namespace bough::optimal
