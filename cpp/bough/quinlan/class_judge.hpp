// What the judges of classes share: class weights of a node, and counts of a nominal column by level.
#pragma once

#include <algorithm>

#include "bough/quinlan/information.hpp"
#include "bough/quinlan/node_view.hpp"

namespace bough::quinlan {

struct C45Options {
  double min_cases = 2;
  bool gain_ratio = true;  // else plain gain
  bool subset = false;     // levels are put together while the gain ratio rises
  bool binary = false;     // one level against all others
};

// Tables of up to this many cases are grown in release 8's order of cases where that matters; beyond, its
// quicksort would cost too much.
constexpr double kMostInCaseOrder = 10000;

template <class Program>
class ClassJudge {
 public:
  using Number = typename Program::Number;
  using T = Number;

  // Memory that a thread uses again and again.
  struct Scratch {
    std::vector<T> gain, freq, value_freq, low, high;
    std::vector<std::int64_t> low_count, high_count;
    std::vector<std::uint32_t> place;
  };

  explicit ClassJudge(const Table<T>& table)
      : table_(table),
        n_classes_(table.data->n_classes),
        terms_(std::max(static_cast<std::int64_t>(table.rows.size()),
                        static_cast<std::int64_t>(std::min(table.all_cases, kMostInCaseOrder)))) {}

  int width() const { return n_classes_; }

  // Sets the weight and the class weights of a node.
  void tally(const Items<T>& items, NodeView<T>& view, std::vector<T>& statistics) const {
    statistics.assign(n_classes_, T{0});
    const std::int32_t* label = table_.data->label;
    T weight = 0;
    if (view.unit) {
      // A 32-bit float cannot count beyond 2^24.
      std::vector<std::int64_t> count(n_classes_, 0);
      for (std::uint32_t item : view.items) ++count[label[items.row[item]]];
      std::copy(count.begin(), count.end(), statistics.begin());
    }
    for (std::size_t i = 0; !view.unit && i < view.items.size(); ++i) {
      const std::uint32_t item = view.items[i];
      statistics[label[items.row[item]]] += items.weight[item];
      weight += items.weight[item];
    }
    view.weight = view.recounted = view.unit ? static_cast<T>(view.items.size()) : weight;
    view.statistics = statistics.data();
  }

  double risk(const NodeView<T>& view) const { return view.weight - most(view); }
  void store(const NodeView<T>& view, double* statistics) const {
    std::copy_n(view.statistics, n_classes_, statistics);
  }

 protected:
  T most(const NodeView<T>& view) const {
    return *std::max_element(view.statistics, view.statistics + n_classes_);
  }

  bool has_many_levels(const Column& column) const {
    return column.scale == Scale::nominal && column.n_levels >= 0.3 * table_.all_cases;
  }

  // Class weights by level, first those of missing values; and the weight of each level.
  void count_levels(int column, const NodeView<T>& view, const Items<T>& items, Scratch& scratch) const {
    const int n_values = table_.data->columns[column].n_levels;
    const std::vector<std::int32_t>& code = table_.codes[table_.place[column]];
    const std::int32_t* label = table_.data->label;
    scratch.freq.assign(static_cast<std::size_t>(n_values + 1) * n_classes_, T{0});
    scratch.value_freq.assign(n_values + 1, T{0});
    const auto cell = [&](std::uint32_t row) {
      return static_cast<std::size_t>(code[row] + 1) * n_classes_ + label[row];
    };
    if (view.unit) {
      scratch.low_count.assign(scratch.freq.size(), 0);
      for (std::uint32_t item : view.items) ++scratch.low_count[cell(items.row[item])];
      std::copy(scratch.low_count.begin(), scratch.low_count.end(), scratch.freq.begin());
    } else {
      for (std::uint32_t item : view.items) scratch.freq[cell(items.row[item])] += items.weight[item];
    }
    for (int v = 0; v <= n_values; ++v)
      for (int c = 0; c < n_classes_; ++c)
        scratch.value_freq[v] += scratch.freq[static_cast<std::size_t>(v) * n_classes_ + c];
  }

  T weight_of(std::span<const Entry> entries, const Items<T>& items, bool unit) const {
    if (unit) return static_cast<T>(entries.size());
    T sum = 0;
    for (const Entry& entry : entries) sum += items.weight[entry.item];
    return sum;
  }

  // Adds the class weights of the entries to scratch.high.
  void sum_labels(std::span<const Entry> entries, const Items<T>& items, bool unit, Scratch& scratch) const {
    if (!unit) {
      for (const Entry& entry : entries) scratch.high[entry.label] += items.weight[entry.item];
      return;
    }
    scratch.high_count.assign(n_classes_, 0);
    for (const Entry& entry : entries) ++scratch.high_count[entry.label];
    for (int c = 0; c < n_classes_; ++c) scratch.high[c] += static_cast<T>(scratch.high_count[c]);
  }

  const Table<T>& table_;
  int n_classes_;
  Terms<Program> terms_;
};

}  // namespace bough::quinlan
