#include "bough/router.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bough/branching.hpp"
#include "bough/team.hpp"

namespace bough {

namespace {

constexpr int kLanes = 8;  // rows taken down together: their loads overlap
constexpr int kRowsCopied = 256;
constexpr std::int64_t kRowsAtOnce = 4096;
// A map of levels is a table if it is small or well filled; otherwise a sorted list.
constexpr int kDenseLevels = 64;

template <class T>
inline double load(const char* at) {
  return static_cast<double>(*reinterpret_cast<const T*>(at));
}

}  // namespace

Router::Router(const TreeView& tree, const std::vector<int>& n_levels)
    : n_levels_(n_levels), steps_(tree.n_nodes) {
  std::vector<bool> asked(n_levels.size(), false);
  for (int i = 0; i < tree.n_nodes; ++i) {
    Step& step = steps_[i];
    step = {0, i, 0, 0, 0, 0};
    const auto kind = static_cast<SplitKind>(tree.kind[i]);
    if (kind == SplitKind::leaf) continue;
    const int column = tree.column[i], otherwise = tree.default_branch[i];
    if (!asked[column]) used_.push_back(column);
    asked[column] = true;
    step.first = tree.first_child[i];
    step.column = static_cast<std::uint32_t>(column);
    step.inner = 1;
    const bool at_most = kind == SplitKind::at_most, cuts = kind == SplitKind::threshold || at_most;
    // x <= cut just if x is less than the next number.
    const double cut = at_most ? std::nextafter(tree.cut[i], HUGE_VAL) : tree.cut[i];
    if (cuts && otherwise >= 0) {
      step.cut = cut;
      step.nan_right = otherwise == 1;
      continue;
    }
    only_thresholds_ = false;
    step.special = 1;
    step.cut = static_cast<double>(maps_.size());
    LevelMap map{static_cast<std::int64_t>(branch_.size()), 0, true, otherwise};
    if (cuts) {  // a row without a value stays here
      map.size = -1;
      maps_.push_back(map);
      thresholds_.push_back(cut);
      continue;
    }
    const std::int64_t begin = tree.level_start[i], pairs = tree.level_start[i + 1] - begin;
    map.dense = n_levels[column] <= kDenseLevels || pairs * 4 >= n_levels[column];
    map.size = map.dense ? n_levels[column] : static_cast<std::int32_t>(pairs);
    branch_.resize(branch_.size() + map.size, otherwise);
    if (!map.dense) code_.resize(branch_.size(), 0);
    std::vector<std::pair<std::int32_t, std::int32_t>> branch_of(pairs);
    for (std::int64_t p = 0; p < pairs; ++p)
      branch_of[p] = {tree.level_code[begin + p], tree.level_branch[begin + p]};
    std::sort(branch_of.begin(), branch_of.end());
    for (std::int64_t p = 0; p < pairs; ++p) {
      const std::int64_t place = map.begin + (map.dense ? branch_of[p].first : p);
      if (!map.dense) code_[place] = branch_of[p].first;
      branch_[place] = branch_of[p].second;
    }
    maps_.push_back(map);
    thresholds_.push_back(0);
  }
}

// A split on levels, or a threshold where a row without a value stays.
std::int32_t Router::special_step(const Step& step, std::int32_t at, double x) const {
  const auto which = static_cast<std::size_t>(step.cut);
  const LevelMap& map = maps_[which];
  std::int32_t branch = map.otherwise;
  if (map.size < 0) {
    if (x == x) branch = x >= thresholds_[which];
  } else if (x == x) {
    const auto code = static_cast<std::int32_t>(x);
    if (map.dense) {
      if (code >= 0 && code < map.size) branch = branch_[map.begin + code];
    } else {
      const auto first = code_.begin() + map.begin, last = first + map.size,
                 found = std::lower_bound(first, last, code);
      if (found != last && *found == code) branch = branch_[found - code_.begin()];
    }
  }
  return branch < 0 ? at : step.first + branch;
}

template <class T>
void Router::walk(const Grid& grid, std::int64_t begin, std::int64_t end, std::int32_t* leaf) const {
  for (std::int64_t row = begin; row < end; ++row) {
    const char* values = grid.base + row * grid.row_stride;
    std::int32_t at = 0;
    for (;;) {
      const Step& step = steps_[at];
      if (!step.inner) break;
      const double x = load<T>(values + step.column * grid.column_stride);
      std::int32_t next;
      if (step.special)
        next = special_step(step, at, x);
      else
        next = step.first + static_cast<std::int32_t>((x >= step.cut) | (step.nan_right & (x != x)));
      if (next == at) break;
      at = next;
    }
    leaf[row] = at;
  }
}

template <class T>
void Router::walk_in_step(const Grid& grid, std::int64_t begin, std::int64_t end, std::int32_t* leaf) const {
  const Step* steps = steps_.data();
  std::int64_t row = begin;
  for (; row + kLanes <= end; row += kLanes) {
    std::int32_t at[kLanes] = {};
    const char* values = grid.base + row * grid.row_stride;
    std::int32_t moved;
    do {
      moved = 0;
      for (int deep = 0; deep < 3; ++deep) {
        for (int j = 0; j < kLanes; ++j) {
          const Step step = steps[at[j]];
          const double x = load<T>(values + j * grid.row_stride + step.column * grid.column_stride);
          const std::uint32_t right = static_cast<std::uint32_t>(x >= step.cut) |
                                      (step.nan_right & static_cast<std::uint32_t>(x != x));
          const std::int32_t next = step.first + static_cast<std::int32_t>(right & step.inner);
          moved |= next ^ at[j];
          at[j] = next;
        }
        if (deep < 2) moved = 0;
      }
    } while (moved);
    std::copy_n(at, kLanes, leaf + row);
  }
  walk<T>(grid, row, end, leaf);
}

// Columns of several types or places are copied into rows of doubles first.
void Router::walk_copied(const std::vector<Column>& columns, std::int64_t begin, std::int64_t end,
                         std::int32_t* leaf) const {
  const std::size_t width = std::max<std::size_t>(columns.size(), 1);  // a leaf, too, looks at a column
  std::vector<double> rows(kRowsCopied * width);
  const auto stride = static_cast<std::int64_t>(width * sizeof(double));
  for (std::int64_t from = begin; from < end; from += kRowsCopied) {
    const std::int64_t n = std::min<std::int64_t>(kRowsCopied, end - from);
    for (std::int32_t c : used_)
      for (std::int64_t i = 0; i < n; ++i) rows[i * width + c] = columns[c].value(from + i);
    const Grid grid{reinterpret_cast<const char*>(rows.data()) - from * stride, stride, sizeof(double)};
    if (only_thresholds_)
      walk_in_step<double>(grid, from, from + n, leaf);
    else
      walk<double>(grid, from, from + n, leaf);
  }
}

void Router::apply(const std::vector<Column>& columns, std::int64_t n_rows, int n_threads,
                   std::int32_t* leaf) const {
  bool aligned = only_thresholds_ && !columns.empty();
  const std::int64_t step = columns.size() > 1 ? columns[1].data - columns[0].data : 0;
  for (std::size_t c = 0; c < columns.size(); ++c)
    aligned &= columns[c].type == columns[0].type && columns[c].type != Column::Type::code &&
               columns[c].stride == columns[0].stride &&
               columns[c].data - columns[0].data == step * static_cast<std::int64_t>(c);
  const int n_blocks = static_cast<int>((n_rows + kRowsAtOnce - 1) / kRowsAtOnce);
  Team team(std::min(n_threads, (n_blocks + 1) / 2));
  team.run(n_blocks, [&](int block, int) {
    const std::int64_t begin = block * kRowsAtOnce, end = std::min(n_rows, begin + kRowsAtOnce);
    if (!aligned) return walk_copied(columns, begin, end, leaf);
    const Grid grid{columns[0].data, columns[0].stride, step};
    if (columns[0].type == Column::Type::float32)
      walk_in_step<float>(grid, begin, end, leaf);
    else
      walk_in_step<double>(grid, begin, end, leaf);
  });
}

}  // namespace bough
