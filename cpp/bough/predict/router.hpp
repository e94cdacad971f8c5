// A router takes rows down a finished tree to their leaves, many rows at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <vector>

#include "bough/data/column.hpp"
#include "bough/data/sparse_rows.hpp"
#include "bough/machine/watch.hpp"
#include "bough/predict/four_levels.hpp"
#include "bough/predict/known_walk.hpp"

namespace bough {

// Splits that stand in for those of a tree where they cannot say; those of node i from start[i] on. Null:
// none.
struct SurrogateView {
  const std::int64_t* start = nullptr;
  const std::int32_t* column = nullptr;
  const double* cut = nullptr;  // NaN: a split of levels
  const std::uint8_t* turned = nullptr;
  const std::int64_t* level_start = nullptr;
  const std::int32_t* level_code = nullptr;
  const std::int32_t* level_branch = nullptr;
};

// The arrays of a tree that decide where a row goes; node 0 is the root.
struct TreeView {
  int n_nodes;
  const std::int32_t* first_child;
  const std::int32_t* column;
  const std::uint8_t* kind;
  const double* cut;
  const std::int32_t* default_branch;
  const std::int64_t* level_start;
  const std::int32_t* level_code;
  const std::int32_t* level_branch;
  SurrogateView surrogates;
  // The cuts of node i from interval_start[i] on, where it splits into intervals. Null: none does.
  const std::int64_t* interval_start = nullptr;
  const double* interval_cut = nullptr;
};

class Router {
 public:
  // n_levels: of each column; 0 for numeric ones.
  Router(const TreeView& tree, const std::vector<int>& n_levels);

  const std::vector<int>& n_levels() const { return n_levels_; }
  int n_nodes() const { return static_cast<int>(steps_.size()); }

  // The leaf of each row. The columns must be those the tree was grown on.
  void apply(const std::vector<Column>& columns, std::int64_t n_rows, int n_threads, std::int32_t* leaf,
             const Monitor& monitor = {}) const;
  void apply(const SparseRows& rows, int n_threads, std::int32_t* leaf, const Monitor& monitor = {}) const;
  // The same, but of each row the words that belong to its leaf are written, `width` of them.
  void answer(const std::vector<Column>& columns, std::int64_t n_rows, int n_threads,
              const std::int64_t* of_node, int width, std::int64_t* answers,
              const Monitor& monitor = {}) const;

 private:
  // next = first + (branch & mask): a leaf stays where it is.
  struct Step {
    double cut;  // of levels: which map
    std::int32_t first;
    std::uint32_t column : 28, nan_right : 1, inner : 1, levels : 1;
    std::uint32_t waits : 1;  // a row without a value does not simply take a branch
  };
  struct LevelMap {
    std::int64_t begin;  // in branch_ (dense), in code_ and branch_ (sparse) or in cut_ (of intervals)
    std::int32_t size;
    bool dense;
    bool intervals = false;
  };
  struct StandIn {
    std::int32_t column;
    std::int32_t map;  // -1: a threshold
    double cut;
    bool turned;
  };
  struct Lost {  // what becomes of a row that a node's split cannot place
    std::int64_t first;
    std::int32_t count;      // stand-ins
    std::int32_t otherwise;  // -1: the row stays
  };

  // Where the value of a row's column lies: at base + row * row_stride + column * column_stride.
  struct Grid {
    const char* base;
    std::int64_t row_stride, column_stride;
  };

  template <class T>
  void walk(const Grid& grid, std::int64_t begin, std::int64_t end, std::int32_t* leaf) const;
  template <class T>
  void in_step(const Grid& grid, std::int64_t begin, std::int64_t end, std::int32_t* leaf) const;
  template <class T, bool kWaits>
  void walk_in_step(const Grid& grid, std::int64_t begin, std::int64_t end, std::int32_t* leaf) const;
  template <class T>
  const KnownWalk<T>& known_walk() const {
    if constexpr (std::is_same_v<T, float>)
      return known32_;
    else
      return known_;
  }
  void know_steps();
  void prepare(const std::vector<Column>& columns, std::int64_t n_rows) const;
  template <class T>
  bool all_known(const Grid& grid, std::int64_t begin, std::int64_t end) const;
  template <class T>
  void from_node_to_node(const Grid& grid, std::int64_t begin, std::int64_t end, std::int32_t* leaf) const;
  template <class T>
  std::int32_t walk_on(const Grid& grid, const char* values, std::int32_t at) const;
  template <class T>
  std::int32_t lost_step(const Grid& grid, const char* values, std::int32_t at) const;
  std::int32_t add_map(const std::int32_t* code, const std::int32_t* branch, std::int64_t pairs,
                       int n_levels);
  void add_stand_ins(const TreeView& tree, int node, std::vector<bool>& asked);
  void ask(int column, std::vector<bool>& asked);
  std::int32_t add_intervals(const double* cut, std::int64_t n_cuts);
  std::int32_t mapped(std::int32_t map, double x) const;
  std::optional<Grid> grid_of(const std::vector<Column>& columns) const;
  template <class Work>
  void each_block(std::int64_t n_rows, int n_threads, const Monitor& monitor, const Work& work) const;
  void route(const std::vector<Column>& columns, const std::optional<Grid>& grid, std::int64_t begin,
             std::int64_t end, std::int32_t* leaf) const;
  template <class T>
  void walk_copied(const std::vector<Column>& columns, std::int64_t begin, std::int64_t end,
                   std::int32_t* leaf) const;
  std::int32_t walk_zeros(const double* values, std::int32_t at) const;
  class SparseBlock;

  // Made by the first call that asks for many rows.
  struct Prepared {
    std::once_flag once;
    std::optional<FourLevels> four_levels;
    std::atomic<bool> ready = false;
  };

  std::vector<int> n_levels_;
  std::vector<Step> steps_;
  KnownWalk<double> known_;   // where every split is a threshold
  KnownWalk<float> known32_;  // the same of floats
  std::unique_ptr<Prepared> prepared_;
  std::vector<LevelMap> maps_;
  std::vector<Lost> lost_;  // of each node
  std::vector<StandIn> stand_ins_;
  std::vector<std::int32_t> code_, branch_;
  std::vector<double> cut_;
  std::vector<std::int32_t> used_;  // columns the tree asks for
  bool only_thresholds_ = true, any_waits_ = false;
};

}  // namespace bough
