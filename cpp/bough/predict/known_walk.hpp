// A walk of rows whose values are all known down a tree of thresholds: a step is a load of the node, a load
// of the value, a comparison and an addition. Several rows go side by side, so that their loads overlap.
// Leaves lie at different depths; from time to time the rows that have arrived are left behind, and the
// others close up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace bough {

// How many steps rows take from one look at who has arrived to the next: the plan that takes the least time
// if every leaf is as probable as any other. leaves_at: the number of leaves at each depth.
std::vector<int> plan_of_steps(const std::vector<std::int64_t>& leaves_at);

template <class T>
class KnownWalk {
 public:
  // Nodes are added in an order in which children come after their parents.
  void add_split(T cut, std::int32_t first_child, std::int32_t column) {
    steps_.push_back({cut, first_child, static_cast<std::uint32_t>(column)});
  }
  // No number reaches the cut of a leaf, so that a row stays there.
  void add_leaf() {
    steps_.push_back({std::numeric_limits<T>::quiet_NaN(), static_cast<std::int32_t>(steps_.size()), 0});
  }
  void set_plan(const std::vector<int>& plan) { plan_ = plan; }
  const auto& steps() const { return steps_; }

  // rows: the values of the first row; those of the next begin `stride` bytes later.
  void walk(const char* rows, std::int64_t stride, std::int64_t n_rows, std::int32_t* leaf) const {
    for (std::int64_t from = 0; from < n_rows; from += kRows)
      walk_some(rows + from * stride, stride, static_cast<int>(std::min<std::int64_t>(kRows, n_rows - from)),
                leaf + from);
  }

 private:
  static constexpr int kLanes = 12;   // rows side by side
  static constexpr int kRows = 1024;  // that close up

  struct Step {
    T cut;
    std::int32_t first;
    std::uint32_t column;
  };

  // Rows on their way, and the nodes where they stand; then some that are there twice, to fill the lanes.
  struct OnTheirWay {
    std::uint32_t row[kRows + kLanes];
    std::int32_t at[kRows + kLanes];
    int n;
  };

  void walk_some(const char* rows, std::int64_t stride, int n_rows, std::int32_t* leaf) const {
    OnTheirWay on;
    on.n = n_rows;
    std::iota(on.row, on.row + n_rows, 0u);
    std::fill_n(on.at, n_rows, 0);
    std::fill_n(leaf, n_rows, 0);
    for (const int n_steps : plan_) {
      if (on.n == 0) return;
      std::fill_n(on.row + on.n, kLanes, on.row[on.n - 1]);
      std::fill_n(on.at + on.n, kLanes, on.at[on.n - 1]);
      for (int i = 0; i < on.n; i += kLanes) step_together(rows, stride, on.row + i, n_steps, on.at + i);
      close_up(on, leaf);
    }
  }

  // Takes as many rows as there are lanes so many steps down.
  void step_together(const char* rows, std::int64_t stride, const std::uint32_t* row, int n_steps,
                     std::int32_t* at) const {
    const Step* steps = steps_.data();
    const T* own[kLanes];
    std::int32_t node[kLanes];
    for (int j = 0; j < kLanes; ++j) {
      own[j] = reinterpret_cast<const T*>(rows + row[j] * stride);
      node[j] = at[j];
    }
    for (int deep = 0; deep < n_steps; ++deep)
      for (int j = 0; j < kLanes; ++j) {
        const Step& step = steps[node[j]];
        node[j] = step.first + static_cast<std::int32_t>(own[j][step.column] >= step.cut);
      }
    std::copy_n(node, kLanes, at);
  }

  void close_up(OnTheirWay& on, std::int32_t* leaf) const {
    int n = 0;
    for (int i = 0; i < on.n; ++i) {
      const std::uint32_t row = on.row[i];
      const std::int32_t at = on.at[i];
      leaf[row] = at;
      on.row[n] = row;
      on.at[n] = at;
      n += steps_[at].first != at;
    }
    on.n = n;
  }

  std::vector<Step> steps_;
  std::vector<int> plan_;
};

}  // namespace bough
