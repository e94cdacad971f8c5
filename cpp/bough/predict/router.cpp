#include "bough/predict/router.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "bough/data/split_kind.hpp"
#include "bough/machine/team.hpp"
#include "bough/predict/zero_paths.hpp"

namespace bough {

namespace {

constexpr int kRouteLanes = 8;              // rows taken down together: their loads overlap
constexpr int kRowsCopied = 128;            // at a time, while those that follow are on their way from memory
constexpr std::int64_t kRoutedRows = 2048;  // a block, which one thread routes
constexpr std::int64_t kRowsForThread = 8192;  // with fewer, another thread costs more than it saves
constexpr std::int64_t kMostChecked = 64;      // columns that are looked through for missing values
// A map of levels is a table if it is small or well filled; otherwise a sorted list.
constexpr int kDenseLevels = 64;

// The least float that reaches a cut: a float reaches it if and only if it reaches the cut.
float float_not_below(double cut) {
  const auto rounded = static_cast<float>(cut);
  return rounded < cut ? std::nextafter(rounded, std::numeric_limits<float>::infinity()) : rounded;
}

template <class T>
inline double load(const char* at) {
  return static_cast<double>(*reinterpret_cast<const T*>(at));
}

// Writes values of a column `width` apart. They are as exact as those of the column, or written as doubles.
template <class T>
void copy_values(const Column& column, std::int64_t from, std::int64_t n, T* to, std::size_t width) {
  constexpr std::int64_t kLine = 64;
  const std::int64_t ahead = (from + n) * column.stride;
  if (column.stride > 0 && column.stride <= kLine)
    for (std::int64_t at = 0; at < n * column.stride; at += kLine)
      __builtin_prefetch(column.data + ahead + at);
  const auto copy = [&](const auto& value_at) {
    for (std::int64_t i = 0; i < n; ++i) to[i * width] = static_cast<T>(value_at(from + i));
  };
  if (column.type == Column::Type::float32)
    copy([&](std::int64_t row) { return column.at<float>(row); });
  else if (column.type == Column::Type::float64)
    copy([&](std::int64_t row) { return column.at<double>(row); });
  else
    copy([&](std::int64_t row) { return column.value(row); });
}

template <int kWidth>
void copy_words(const std::int32_t* leaf, std::int64_t n, const std::int64_t* of_node, std::int64_t* to) {
  for (std::int64_t i = 0; i < n; ++i)
    for (int k = 0; k < kWidth; ++k) to[i * kWidth + k] = of_node[std::int64_t{leaf[i]} * kWidth + k];
}

// Writes the words of leaves; of most trees one or two of each.
void copy_answers(const std::int32_t* leaf, std::int64_t n, const std::int64_t* of_node, int width,
                  std::int64_t* to) {
  if (width == 1) return copy_words<1>(leaf, n, of_node, to);
  if (width == 2) return copy_words<2>(leaf, n, of_node, to);
  for (std::int64_t i = 0; i < n; ++i)
    std::copy_n(of_node + std::int64_t{leaf[i]} * width, width, to + i * width);
}

}  // namespace

Router::Router(const TreeView& tree, const std::vector<int>& n_levels)
    : n_levels_(n_levels),
      steps_(tree.n_nodes),
      prepared_(std::make_unique<Prepared>()),
      lost_(tree.n_nodes) {
  std::vector<bool> asked(n_levels.size(), false);
  for (int i = 0; i < tree.n_nodes; ++i) {
    Step& step = steps_[i];
    step = {0, i, 0, 0, 0, 0, 0};
    lost_[i] = {static_cast<std::int64_t>(stand_ins_.size()), 0, -1};
    const auto kind = static_cast<SplitKind>(tree.kind[i]);
    if (kind == SplitKind::leaf) continue;
    const int column = tree.column[i];
    ask(column, asked);
    add_stand_ins(tree, i, asked);
    lost_[i].otherwise = tree.default_branch[i];
    step.first = tree.first_child[i];
    step.column = static_cast<std::uint32_t>(column);
    step.inner = 1;
    if (kind == SplitKind::threshold || kind == SplitKind::at_most) {
      step.cut = least_right(kind, tree.cut[i]);
      step.nan_right = tree.default_branch[i] == 1;
      step.waits = lost_[i].count > 0 || tree.default_branch[i] < 0 || tree.default_branch[i] > 1;
      any_waits_ |= step.waits;
      continue;
    }
    only_thresholds_ = false;
    step.levels = 1;
    if (kind == SplitKind::intervals) {
      const std::int64_t from = tree.interval_start[i];
      step.cut = add_intervals(tree.interval_cut + from, tree.interval_start[i + 1] - from);
      continue;
    }
    const std::int64_t begin = tree.level_start[i], end = tree.level_start[i + 1];
    step.cut = add_map(tree.level_code + begin, tree.level_branch + begin, end - begin, n_levels[column]);
  }
  if (only_thresholds_) know_steps();
}

// Writes the steps of rows whose values are all known.
void Router::know_steps() {
  std::vector<int> depth(steps_.size(), 0);
  std::vector<std::int64_t> leaves_at(1, 0);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (!step.inner) {
      known_.add_leaf();
      known32_.add_leaf();
      leaves_at.resize(std::max<std::size_t>(leaves_at.size(), depth[i] + 1), 0);
      ++leaves_at[depth[i]];
      continue;
    }
    const auto column = static_cast<std::int32_t>(step.column);
    known_.add_split(step.cut, step.first, column);
    known32_.add_split(float_not_below(step.cut), step.first, column);
    depth[step.first] = depth[step.first + 1] = depth[i] + 1;  // children come after their parents
  }
  const std::vector<int> plan = plan_of_steps(leaves_at);
  known_.set_plan(plan);
  known32_.set_plan(plan);
}

// Cuts the tree into pieces of four levels if these gain more than it takes: floats, and a row for each node.
void Router::prepare(const std::vector<Column>& columns, std::int64_t n_rows) const {
  const auto is_float = [](const Column& column) { return column.type == Column::Type::float32; };
  if (!only_thresholds_ || n_rows < n_nodes() || !pieces_usable(n_levels_.size()) ||
      !std::all_of(columns.begin(), columns.end(), is_float))
    return;
  std::call_once(prepared_->once, [this] {
    prepared_->four_levels.emplace(known32_.steps(), n_levels_.size());
    prepared_->ready = true;
  });
}

void Router::ask(int column, std::vector<bool>& asked) {
  if (!asked[column]) used_.push_back(column);
  asked[column] = true;
}

// A map of levels to branches; a level that is not listed has branch -1.
std::int32_t Router::add_map(const std::int32_t* code, const std::int32_t* branch, std::int64_t pairs,
                             int n_levels) {
  LevelMap map{static_cast<std::int64_t>(branch_.size()), 0, true};
  map.dense = n_levels <= kDenseLevels || pairs * 4 >= n_levels;
  map.size = map.dense ? n_levels : static_cast<std::int32_t>(pairs);
  branch_.resize(branch_.size() + map.size, -1);
  if (!map.dense) code_.resize(branch_.size(), 0);
  std::vector<std::pair<std::int32_t, std::int32_t>> branch_of(pairs);
  for (std::int64_t p = 0; p < pairs; ++p) branch_of[p] = {code[p], branch[p]};
  std::sort(branch_of.begin(), branch_of.end());
  for (std::int64_t p = 0; p < pairs; ++p) {
    const std::int64_t place = map.begin + (map.dense ? branch_of[p].first : p);
    if (!map.dense) code_[place] = branch_of[p].first;
    branch_[place] = branch_of[p].second;
  }
  maps_.push_back(map);
  return static_cast<std::int32_t>(maps_.size()) - 1;
}

// A map of numbers to the intervals between cuts.
std::int32_t Router::add_intervals(const double* cut, std::int64_t n_cuts) {
  maps_.push_back({static_cast<std::int64_t>(cut_.size()), static_cast<std::int32_t>(n_cuts), false, true});
  cut_.insert(cut_.end(), cut, cut + n_cuts);
  return static_cast<std::int32_t>(maps_.size()) - 1;
}

void Router::add_stand_ins(const TreeView& tree, int node, std::vector<bool>& asked) {
  const SurrogateView& by = tree.surrogates;
  if (!by.start) return;
  lost_[node].count = static_cast<std::int32_t>(by.start[node + 1] - by.start[node]);
  for (std::int64_t s = by.start[node]; s < by.start[node + 1]; ++s) {
    ask(by.column[s], asked);
    StandIn one{by.column[s], -1, by.cut[s], by.turned[s] != 0};
    if (one.cut != one.cut) {
      const std::int64_t begin = by.level_start[s], end = by.level_start[s + 1];
      one.map = add_map(by.level_code + begin, by.level_branch + begin, end - begin, n_levels_[by.column[s]]);
    }
    stand_ins_.push_back(one);
  }
}

// The branch of a level; -1 if the value is missing or not listed.
std::int32_t Router::mapped(std::int32_t which, double x) const {
  if (x != x) return -1;
  const LevelMap& map = maps_[which];
  if (map.intervals) {
    const auto first = cut_.begin() + map.begin;
    return static_cast<std::int32_t>(std::upper_bound(first, first + map.size, x) - first);
  }
  const auto code = static_cast<std::int32_t>(x);
  if (map.dense) return code >= 0 && code < map.size ? branch_[map.begin + code] : -1;
  const auto first = code_.begin() + map.begin, last = first + map.size,
             found = std::lower_bound(first, last, code);
  return found != last && *found == code ? branch_[found - code_.begin()] : -1;
}

// Where a row goes that the node's own split cannot place.
template <class T>
std::int32_t Router::lost_step(const Grid& grid, const char* values, std::int32_t at) const {
  const Lost& lost = lost_[at];
  for (std::int64_t s = lost.first; s < lost.first + lost.count; ++s) {
    const StandIn& one = stand_ins_[s];
    const double x = load<T>(values + one.column * grid.column_stride);
    if (one.map < 0) {
      if (x == x) return steps_[at].first + ((x >= one.cut) != one.turned);
    } else if (const std::int32_t branch = mapped(one.map, x); branch >= 0) {
      return steps_[at].first + branch;
    }
  }
  return lost.otherwise < 0 ? at : steps_[at].first + lost.otherwise;
}

// The end of a row that stands at a node.
template <class T>
std::int32_t Router::walk_on(const Grid& grid, const char* values, std::int32_t at) const {
  for (;;) {
    const Step& step = steps_[at];
    if (!step.inner) return at;
    const double x = load<T>(values + step.column * grid.column_stride);
    std::int32_t next;
    if (step.levels) {
      const std::int32_t branch = mapped(static_cast<std::int32_t>(step.cut), x);
      next = branch < 0 ? lost_step<T>(grid, values, at) : step.first + branch;
    } else if (step.waits && x != x) {
      next = lost_step<T>(grid, values, at);
    } else {
      next = step.first + static_cast<std::int32_t>((x >= step.cut) | (step.nan_right & (x != x)));
    }
    if (next == at) return at;
    at = next;
  }
}

template <class T>
void Router::walk(const Grid& grid, std::int64_t begin, std::int64_t end, std::int32_t* leaf) const {
  for (std::int64_t row = begin; row < end; ++row)
    leaf[row] = walk_on<T>(grid, grid.base + row * grid.row_stride, 0);
}

template <class T, bool kWaits>
void Router::walk_in_step(const Grid& grid, std::int64_t begin, std::int64_t end, std::int32_t* leaf) const {
  const Step* steps = steps_.data();
  std::int64_t row = begin;
  for (; row + kRouteLanes <= end; row += kRouteLanes) {
    std::int32_t at[kRouteLanes] = {};
    const char* values = grid.base + row * grid.row_stride;
    std::int32_t moved;
    do {
      moved = 0;
      for (int deep = 0; deep < 3; ++deep) {
        for (int j = 0; j < kRouteLanes; ++j) {
          const Step step = steps[at[j]];
          const double x = load<T>(values + j * grid.row_stride + step.column * grid.column_stride);
          const std::uint32_t right = static_cast<std::uint32_t>(x >= step.cut) |
                                      (step.nan_right & static_cast<std::uint32_t>(x != x));
          std::int32_t next = step.first + static_cast<std::int32_t>(right & step.inner);
          if (kWaits && (step.waits & static_cast<std::uint32_t>(x != x))) next = at[j];
          moved |= next ^ at[j];
          at[j] = next;
        }
        if (deep < 2) moved = 0;
      }
    } while (moved);
    for (int j = 0; kWaits && j < kRouteLanes; ++j)
      if (steps[at[j]].inner) at[j] = walk_on<T>(grid, values + j * grid.row_stride, at[j]);
    std::copy_n(at, kRouteLanes, leaf + row);
  }
  walk<T>(grid, row, end, leaf);
}

// Whether no value is missing, in rows that lie in one piece and are short enough to be looked through.
template <class T>
bool Router::all_known(const Grid& grid, std::int64_t begin, std::int64_t end) const {
  const auto width = static_cast<std::int64_t>(n_levels_.size());
  if (width > kMostChecked || grid.column_stride != sizeof(T)) return false;
  const bool in_one_piece = grid.row_stride == width * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t step = in_one_piece ? kRowsCopied : 1;
  for (std::int64_t row = begin; row < end; row += step) {
    const T* values = reinterpret_cast<const T*>(grid.base + row * grid.row_stride);
    const std::int64_t n = width * std::min(step, end - row);
    int missing = 0;
    for (std::int64_t i = 0; i < n; ++i) missing |= values[i] != values[i];
    if (missing) return false;
  }
  return true;
}

template <class T>
void Router::in_step(const Grid& grid, std::int64_t begin, std::int64_t end, std::int32_t* leaf) const {
  if (std::is_same_v<T, double> || !prepared_->ready || grid.column_stride != sizeof(T))
    return from_node_to_node<T>(grid, begin, end, leaf);
  for (std::int64_t from = begin; from < end; from += FourLevels::kRows) {
    const auto n = static_cast<int>(std::min(FourLevels::kRows, end - from));
    const auto n_next = static_cast<int>(std::min(FourLevels::kRows, end - from - n));
    const char* rows = grid.base + from * grid.row_stride;
    if (prepared_->four_levels->all_known(rows, grid.row_stride, n))
      prepared_->four_levels->walk(rows, grid.row_stride, n, n_next, leaf + from);
    else
      from_node_to_node<T>(grid, from, from + n, leaf);
  }
}

// Steps from node to node.
template <class T>
void Router::from_node_to_node(const Grid& grid, std::int64_t begin, std::int64_t end,
                               std::int32_t* leaf) const {
  if (all_known<T>(grid, begin, end))
    return known_walk<T>().walk(grid.base + begin * grid.row_stride, grid.row_stride, end - begin,
                                leaf + begin);
  any_waits_ ? walk_in_step<T, true>(grid, begin, end, leaf) : walk_in_step<T, false>(grid, begin, end, leaf);
}

// Columns of several types or places are copied into rows first.
template <class T>
void Router::walk_copied(const std::vector<Column>& columns, std::int64_t begin, std::int64_t end,
                         std::int32_t* leaf) const {
  const std::size_t width = std::max<std::size_t>(columns.size(), 1);  // a leaf, too, looks at a column
  std::vector<T> rows(kRowsCopied * width);
  const auto stride = static_cast<std::int64_t>(width * sizeof(T));
  for (std::int64_t from = begin; from < end; from += kRowsCopied) {
    const std::int64_t n = std::min<std::int64_t>(kRowsCopied, end - from);
    for (std::int32_t c : used_) copy_values(columns[c], from, n, rows.data() + c, width);
    const Grid grid{reinterpret_cast<const char*>(rows.data()) - from * stride, stride, sizeof(T)};
    if (only_thresholds_)
      in_step<T>(grid, from, from + n, leaf);
    else
      walk<T>(grid, from, from + n, leaf);
  }
}

// Where the values of a table of one type lie, if those of a row stand next to each other.
std::optional<Router::Grid> Router::grid_of(const std::vector<Column>& columns) const {
  if (!only_thresholds_ || columns.empty() || columns[0].type == Column::Type::code) return {};
  const auto step =
      static_cast<std::int64_t>(columns[0].type == Column::Type::float32 ? sizeof(float) : sizeof(double));
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c].type != columns[0].type || columns[c].stride != columns[0].stride ||
        columns[c].data - columns[0].data != step * static_cast<std::int64_t>(c))
      return {};
  return Grid{columns[0].data, columns[0].stride, step};
}

// Calls work(begin, end, member) for blocks of rows.
template <class Work>
void Router::each_block(std::int64_t n_rows, int n_threads, const Monitor& monitor, const Work& work) const {
  const auto blocks_of = [n_rows](std::int64_t size) { return static_cast<int>((n_rows + size - 1) / size); };
  const int n_blocks = blocks_of(kRoutedRows);
  Team team(std::min(n_threads, std::max(1, blocks_of(kRowsForThread))));
  Watch watch(monitor, n_blocks);
  team.run(n_blocks, [&](int block, int member) {
    if (watch.should_stop()) return;
    const std::int64_t begin = block * kRoutedRows;
    work(begin, std::min(n_rows, begin + kRoutedRows), member);
  });
  watch.throw_if_stopped();
}

void Router::route(const std::vector<Column>& columns, const std::optional<Grid>& grid, std::int64_t begin,
                   std::int64_t end, std::int32_t* leaf) const {
  const auto is_float = [](const Column& column) { return column.type == Column::Type::float32; };
  if (grid)
    is_float(columns[0]) ? in_step<float>(*grid, begin, end, leaf) : in_step<double>(*grid, begin, end, leaf);
  else if (std::all_of(columns.begin(), columns.end(), is_float))
    walk_copied<float>(columns, begin, end, leaf);
  else
    walk_copied<double>(columns, begin, end, leaf);
}

void Router::apply(const std::vector<Column>& columns, std::int64_t n_rows, int n_threads, std::int32_t* leaf,
                   const Monitor& monitor) const {
  const std::optional<Grid> grid = grid_of(columns);
  prepare(columns, n_rows);
  each_block(n_rows, n_threads, monitor,
             [&](std::int64_t begin, std::int64_t end, int) { route(columns, grid, begin, end, leaf); });
}

void Router::answer(const std::vector<Column>& columns, std::int64_t n_rows, int n_threads,
                    const std::int64_t* of_node, int width, std::int64_t* answers,
                    const Monitor& monitor) const {
  const std::optional<Grid> grid = grid_of(columns);
  prepare(columns, n_rows);
  std::vector<std::int32_t> leaves(kRoutedRows * std::max(n_threads, 1));
  each_block(n_rows, n_threads, monitor, [&](std::int64_t begin, std::int64_t end, int member) {
    std::int32_t* leaf = leaves.data() + member * kRoutedRows;
    route(columns, grid, begin, end, leaf - begin);
    copy_answers(leaf, end - begin, of_node, width, answers + begin * width);
  });
}

// Rows of zeros take the same way, which the processor soon foresees: it runs ahead of the values that it
// waits for, as long as each step is a jump.
std::int32_t Router::walk_zeros(const double* values, std::int32_t at) const {
  const Grid grid{nullptr, 0, sizeof(double)};
  for (;;) {
    const Step& step = steps_[at];
    if (!step.inner) return at;
    const double x = values[step.column];
    if (step.levels || (step.waits && x != x))
      return walk_on<double>(grid, reinterpret_cast<const char*>(values), at);
    at = step.first;
    if (x >= step.cut || (x != x && step.nan_right)) {
      ++at;
      asm volatile("" : "+r"(at));  // a jump, and no sum that would have to wait
    }
  }
}

// A block of sparse rows that ZeroPaths takes down the tree.
class Router::SparseBlock {
 public:
  SparseBlock(const Router& router, const SparseRows& rows)
      : router_(router), rows_(rows), used_(rows.n_columns, false), cells_(rows.n_columns, 0.0) {
    for (const std::int32_t column : router.used_) used_[column] = true;
  }

  void walk(std::int64_t begin, std::int64_t end, std::int32_t* leaf) {
    begin_ = begin;
    columns_.load(rows_, begin, end, used_, [this](std::int64_t i) { return rows_.stored(i); });
    at_.resize(end - begin);
    std::iota(at_.begin(), at_.end(), 0u);
    ZeroPaths(*this, columns_).walk(at_.data(), static_cast<int>(at_.size()), leaf + begin);
  }

  struct Step {
    const Router::Step* own;

    bool is_leaf() const { return !own->inner; }
    bool is_plain() const { return !own->levels && !own->waits; }
    std::uint32_t column() const { return own->column; }
    std::uint32_t child() const { return static_cast<std::uint32_t>(own->first); }
    bool right(double x) const { return x >= own->cut || (x != x && own->nan_right); }
  };
  Step step(std::uint32_t node) const { return {&router_.steps_[node]}; }
  std::uint32_t leaf(std::uint32_t node) const { return node; }
  // The row is written out; cells are zeros, and left as zeros.
  std::uint32_t walk_from(std::uint32_t node, std::uint32_t row) const {
    const std::int64_t first = rows_.start[begin_ + row], last = rows_.start[begin_ + row + 1];
    for (std::int64_t i = first; i < last; ++i) cells_[rows_.column[i]] = rows_.stored(i);
    const std::int32_t leaf = router_.walk_zeros(cells_.data(), static_cast<std::int32_t>(node));
    for (std::int64_t i = first; i < last; ++i) cells_[rows_.column[i]] = 0;
    return static_cast<std::uint32_t>(leaf);
  }

 private:
  const Router& router_;
  const SparseRows& rows_;
  std::vector<bool> used_;
  mutable std::vector<double> cells_;
  BlockColumns<double> columns_;
  std::vector<std::uint32_t> at_;
  std::int64_t begin_ = 0;
};

void Router::apply(const SparseRows& rows, int n_threads, std::int32_t* leaf, const Monitor& monitor) const {
  std::vector<std::optional<SparseBlock>> blocks(std::max(n_threads, 1));
  each_block(rows.n_rows, n_threads, monitor, [&](std::int64_t begin, std::int64_t end, int member) {
    if (!blocks[member]) blocks[member].emplace(*this, rows);
    blocks[member]->walk(begin, end, leaf);
  });
}

}  // namespace bough
