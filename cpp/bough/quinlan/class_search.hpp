// What the searches for the best test share where the target is a class: class weights of a node, and counts
// of a nominal column by level.
#pragma once

#include <algorithm>
#include <type_traits>

#include "bough/quinlan/gain_bound.hpp"
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
class ClassSearch {
 public:
  using Number = typename Program::Number;
  using T = Number;

  // Memory that a thread uses again and again.
  struct Scratch {
    std::vector<T> gain, freq, value_freq, low, high;
    std::vector<T> all;  // class weights of the known values, from which a scan moves weight from high to low
    std::vector<std::int64_t> low_count, high_count;
    std::vector<std::uint32_t> position;
    std::int64_t tries = 0;    // cuts that were tried; gain and position are those of some of them
    std::vector<int> present;  // classes of the known values, where classes are many
  };

  explicit ClassSearch(const Table<T>& table)
      : table_(table),
        n_classes_(table.data->n_classes),
        // Counts of cases are looked up: of rows, or in release 8's order of the cases they are laid out as.
        xlog2x_(std::max(static_cast<std::int64_t>(table.rows.size()),
                         static_cast<std::int64_t>(std::min(table.laid_out_cases(), kMostInCaseOrder)))) {}

  int width() const { return n_classes_; }

  // Sets the weight and the class weights of a node.
  void tally(const Items<T>& items, NodeView<T>& view, std::vector<T>& statistics) const {
    statistics.assign(n_classes_, T{0});
    const std::int32_t* label = table_.data->label;
    T weight = 0;
    if (view.unit_weights) {
      // A 32-bit float cannot count beyond 2^24.
      std::vector<std::int64_t> count(n_classes_, 0);
      for (std::uint32_t item : view.items) ++count[label[items.row[item]]];
      std::copy(count.begin(), count.end(), statistics.begin());
    }
    for (std::size_t i = 0; !view.unit_weights && i < view.items.size(); ++i) {
      const std::uint32_t item = view.items[i];
      statistics[label[items.row[item]]] += items.weight[item];
      weight += items.weight[item];
    }
    view.weight = view.recounted = view.unit_weights ? static_cast<T>(view.items.size()) : weight;
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
  bool all_have_many_levels() const {
    const std::vector<Column>& columns = table_.data->columns;
    return std::all_of(columns.begin(), columns.end(),
                       [&](const Column& column) { return has_many_levels(column); });
  }

  // Class weights by level, first those of missing values; and the weight of each level.
  void count_levels(int column, const NodeView<T>& view, const Items<T>& items, Scratch& scratch) const {
    const int n_values = table_.data->columns[column].n_levels;
    const std::vector<std::int32_t>& code = table_.codes_of(column);
    const std::int32_t* label = table_.data->label;
    scratch.freq.assign(static_cast<std::size_t>(n_values + 1) * n_classes_, T{0});
    scratch.value_freq.assign(n_values + 1, T{0});
    const auto cell = [&](std::uint32_t row) {
      return static_cast<std::size_t>(code[row] + 1) * n_classes_ + label[row];
    };
    if (view.unit_weights) {
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

  T weight_of(std::span<const Entry> entries, const Items<T>& items, bool unit_weights) const {
    if (unit_weights) return static_cast<T>(entries.size());
    T sum = 0;
    for (const Entry& entry : entries) sum += items.weight[entry.item];
    return sum;
  }

  // Sets scratch.high and scratch.all to the class weights of the known values.
  void sum_known(const SortedView& list, const NodeView<T>& view, const Items<T>& items,
                 Scratch& scratch) const {
    scratch.high.assign(n_classes_, T{0});
    if (!view.unit_weights) {
      for (const Entry& entry : list.known) scratch.high[entry.label] += items.weight[entry.item];
    } else if (list.missing.empty()) {
      std::copy_n(view.statistics, n_classes_, scratch.high.data());
    } else {
      scratch.high_count.assign(n_classes_, 0);
      for (const Entry& entry : list.known) ++scratch.high_count[entry.label];
      std::copy(scratch.high_count.begin(), scratch.high_count.end(), scratch.high.begin());
    }
    scratch.all = scratch.high;
    list_present(scratch.high, scratch.present);
  }

  // Tries every cut between known values that differ: one whose sides have enough cases, by enough(below),
  // and whose values are apart, by apart(i); below is the weight of the first i + 1 values. Of those that may
  // have the greatest, notes gain(i, below, low, high) in scratch, with the class weights of both sides: with
  // Unit, where every case weighs 1, counts.
  template <bool Unit, class EnoughCases, class Apart, class Gain>
  void scan_cuts(std::span<const Entry> known, const Items<T>& items, GainBound<T> bound, Scratch& scratch,
                 const EnoughCases& enough, const Apart& apart, const Gain& gain) const {
    scratch.gain.clear();
    scratch.position.clear();
    scratch.tries = 0;
    const auto note = [&](std::int64_t i, T gained) {
      bound.raise(gained);
      scratch.gain.push_back(gained);
      scratch.position.push_back(static_cast<std::uint32_t>(i));
    };
    if constexpr (Unit) {
      if (n_classes_ == 2)
        scan_two(known, bound, scratch, enough, apart, gain, note);
      else
        scan_counts(known, bound, scratch, enough, apart, gain, note);
    } else {
      scan_weights(known, items, bound, scratch, enough, apart, gain, note);
    }
  }
  enum class Enough { yes, not_yet, no_more };  // not_yet: on the left; no_more: on the right

 private:
  template <class EnoughCases, class Apart, class Gain, class Note>
  void scan_two(std::span<const Entry> known, const GainBound<T>& bound, Scratch& scratch,
                const EnoughCases& enough, const Apart& apart, const Gain& gain, const Note& note) const {
    const auto n = static_cast<std::int64_t>(known.size());
    const auto all = static_cast<std::int64_t>(scratch.high[0]),
               all_ones = static_cast<std::int64_t>(scratch.high[1]);
    const Entry* entry = known.data();
    std::int64_t begin = 0, end = n - 1, ones = 0, tries = 0;
    for (; begin < end && enough(static_cast<T>(begin + 1)) == Enough::not_yet; ++begin)
      ones += entry[begin].label;
    while (begin < end && enough(static_cast<T>(end)) == Enough::no_more) --end;
    for (std::int64_t i = begin; i < end; ++i) {
      ones += entry[i].label;
      if (entry[i].rank == entry[i + 1].rank || !apart(i)) continue;
      ++tries;
      if (!bound.may_matter(ones, all_ones - ones, i + 1, n - i - 1)) continue;
      const std::int64_t zeros = i + 1 - ones, low[2] = {zeros, ones},
                         high[2] = {all - zeros, all_ones - ones};
      note(i, gain(i, static_cast<T>(i + 1), low, high));
    }
    scratch.tries = tries;
  }

  template <class EnoughCases, class Apart, class Gain, class Note>
  void scan_counts(std::span<const Entry> known, const GainBound<T>& bound, Scratch& scratch,
                   const EnoughCases& enough, const Apart& apart, const Gain& gain, const Note& note) const {
    const auto n = static_cast<std::int64_t>(known.size());
    scratch.low_count.assign(n_classes_, 0);
    scratch.high_count.assign(scratch.high.begin(), scratch.high.end());
    std::int64_t *low = scratch.low_count.data(), *high = scratch.high_count.data();
    const Entry* entry = known.data();
    for (std::int64_t i = 0; i + 1 < n; ++i) {
      ++low[entry[i].label];
      --high[entry[i].label];
      if (entry[i].rank == entry[i + 1].rank) continue;
      const T below = static_cast<T>(i + 1);
      const Enough cases = enough(below);
      if (cases == Enough::no_more) break;
      if (cases == Enough::not_yet || !apart(i)) continue;
      ++scratch.tries;
      if (bound.may_matter(low, high, i + 1, n - i - 1)) note(i, gain(i, below, low, high));
    }
  }

  template <class EnoughCases, class Apart, class Gain, class Note>
  void scan_weights(std::span<const Entry> known, const Items<T>& items, const GainBound<T>& bound,
                    Scratch& scratch, const EnoughCases& enough, const Apart& apart, const Gain& gain,
                    const Note& note) const {
    scratch.low.assign(n_classes_, T{0});
    T *low = scratch.low.data(), *high = scratch.high.data(), below = 0;
    const Entry* entry = known.data();
    for (std::size_t i = 0; i + 1 < known.size(); ++i) {
      const T w = items.weight[entry[i].item];
      below += w;
      low[entry[i].label] += w;
      high[entry[i].label] -= w;
      if (entry[i].rank == entry[i + 1].rank) continue;
      const Enough cases = enough(below);
      if (cases == Enough::no_more) break;
      if (cases == Enough::not_yet || !apart(i)) continue;
      ++scratch.tries;
      if (bound.may_matter(low, high)) note(i, gain(i, below, low, high));
    }
  }

 protected:
  // The average gain of the tests found, those of columns with very many levels left aside unless all columns
  // have so many; possible: the number of tests that count.
  T average_gain(const std::vector<Candidate<T>>& found, bool all_have_many, int& possible) const {
    T sum = 0;
    possible = 0;
    for (std::size_t c = 0; c < found.size(); ++c) {
      if (found[c].kind == SplitKind::leaf) continue;
      if (!all_have_many && has_many_levels(table_.data->columns[c])) continue;
      ++possible;
      sum += found[c].gain;
    }
    return possible ? sum / possible : T{0};
  }

  const Table<T>& table_;
  int n_classes_;
  XLog2XTable<Program> xlog2x_;
};

}  // namespace bough::quinlan
