// A table made ready for growth: numbers sorted once, levels as codes, both in the grower's number type.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "bough/data/entry.hpp"
#include "bough/data/presort.hpp"
#include "bough/grow/problem.hpp"

namespace bough::quinlan {

constexpr std::uint32_t kMissing = std::numeric_limits<std::uint32_t>::max();

// What a sorted list holds of an item: its number, the rank of its value among the distinct values of the
// whole column (kMissing where there is none), and its class.
struct Entry {
  std::uint32_t item;
  std::uint32_t rank;
  std::uint32_t label;
};

template <class T>
struct SortedColumn {
  std::vector<Entry> entries;            // of the rows to grow on: ascending, missing last
  std::vector<T> value;                  // the distinct values of all rows, as T, ascending
  std::vector<double> greatest;          // of each, the greatest number that is rounded to it
  std::vector<std::uint32_t> first_row;  // of each, the first row that has it; where T is double
};

template <class T>
struct Table {
  const Data* data = nullptr;
  double all_cases = 0;                          // of all rows, those not grown on included
  std::vector<std::uint32_t> rows;               // to grow on, ascending
  std::vector<int> list;                         // of each column: its index in numbers or in codes
  std::vector<SortedColumn<T>> numbers;          // numeric and ordinal columns
  std::vector<std::vector<std::int32_t>> codes;  // nominal columns
  bool has_missing = false;
  bool whole_weights = true;  // of the rows to grow on
  double grown_weight = 0;

  // The cases that the rows to grow on are laid out as: where all weights are whole, a row of weight 2 is
  // two.
  double laid_out_cases() const { return whole_weights ? grown_weight : static_cast<double>(rows.size()); }

  bool is_nominal(int column) const { return data->columns[column].scale == Scale::nominal; }
  const SortedColumn<T>& sorted(int column) const { return numbers[list[column]]; }
  const std::vector<std::int32_t>& codes_of(int column) const { return codes[list[column]]; }
};

// Writes the entries of one column from its rows in order; returns whether values are missing.
template <class T>
bool rank_values(const std::uint64_t* sorted, std::size_t n, const std::vector<double>& values,
                 const std::int32_t* label, const std::uint8_t* grown, std::size_t n_grown,
                 SortedColumn<T>& to) {
  bool missing = false;
  // Only Weka's programs, which compute in doubles, ask for the first row of a value.
  constexpr bool kFirstRows = std::is_same_v<T, double>;
  to.entries.reserve(n_grown);
  to.value.reserve(n);
  to.greatest.reserve(n);
  if (kFirstRows) to.first_row.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t row = index_of(sorted[i]);
    const double x = values[row];
    std::uint32_t rank = kMissing;
    if (x == x) {
      const T value = static_cast<T>(x);
      if (to.value.empty() || to.value.back() < value) {
        to.value.push_back(value);
        to.greatest.push_back(x);
        if (kFirstRows) to.first_row.push_back(row);
      } else {
        to.greatest.back() = x;
        if (kFirstRows) to.first_row.back() = std::min(to.first_row.back(), row);
      }
      rank = static_cast<std::uint32_t>(to.value.size()) - 1;
    } else {
      missing = true;
    }
    if (!grown || grown[row])
      to.entries.push_back({row, rank, label ? static_cast<std::uint32_t>(label[row]) : 0u});
  }
  return missing;
}

// Weka's quicksort, Utils.sort(double[]): the pivot is the median of the first, the middle and the last
// value, and two or three values are sorted directly. Its order of equal values is not that of the rows.
inline void sort_as_weka(std::vector<Entry>& entries) {
  const auto rank = [&](std::int64_t i) { return entries[i].rank; };
  const auto sort_two = [&](std::int64_t i, std::int64_t j) {
    if (rank(i) > rank(j)) std::swap(entries[i], entries[j]);
  };
  const auto sort_three = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    sort_two(i, j);
    sort_two(i, k);
    sort_two(j, k);
  };
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges{
      {0, static_cast<std::int64_t>(entries.size()) - 1}};
  while (!ranges.empty()) {
    const auto [left, right] = ranges.back();
    ranges.pop_back();
    if (left >= right) continue;
    if (right - left == 1) {
      sort_two(left, right);
      continue;
    }
    const std::int64_t middle = (left + right) / 2;
    sort_three(left, middle, right);
    if (right - left == 2) continue;
    std::swap(entries[middle], entries[right - 1]);
    const std::uint32_t pivot = rank(right - 1);
    std::int64_t l = left, r = right - 1;
    while (true) {
      while (rank(++l) < pivot) {
      }
      while (rank(--r) > pivot) {
      }
      if (l >= r) break;
      std::swap(entries[l], entries[r]);
    }
    std::swap(entries[l], entries[right - 1]);
    ranges.push_back({left, l - 1});
    ranges.push_back({l + 1, right});
  }
}

// grown: which rows to grow on; null: all that weigh anything.
template <class T>
Table<T> prepare(const Data& data, const std::uint8_t* grown, Team& team,
                 const std::function<void()>& between) {
  Table<T> table;
  table.data = &data;
  std::vector<std::uint32_t> known_rows;
  for (std::int64_t i = 0; i < data.n_rows; ++i) {
    if (data.weight && data.weight[i] == 0) continue;
    known_rows.push_back(static_cast<std::uint32_t>(i));
    table.all_cases += data.cases ? data.cases[i] : 1;
    if (grown && !grown[i]) continue;
    table.rows.push_back(static_cast<std::uint32_t>(i));
    const double weight = data.weight ? data.weight[i] : 1;
    table.whole_weights &= weight == std::floor(weight);
    table.grown_weight += weight;
  }
  std::vector<Column> sortable;
  for (const Column& column : data.columns) {
    const bool nominal = column.scale == Scale::nominal;
    table.list.push_back(static_cast<int>(nominal ? table.codes.size() : sortable.size()));
    if (!nominal) {
      sortable.push_back(column);
      continue;
    }
    std::vector<std::int32_t>& codes = table.codes.emplace_back(data.n_rows);
    for (std::int64_t i = 0; i < data.n_rows; ++i) codes[i] = column.code(i);
    for (std::uint32_t row : table.rows) table.has_missing |= codes[row] < 0;
  }
  SortedColumns sorted = presort(sortable, known_rows, nullptr, team, between);
  table.numbers.resize(sortable.size());
  std::vector<std::uint8_t> missing(sortable.size(), 0);
  // A few columns at a time are copied, so that a row-major table is not read anew for each of them.
  constexpr std::size_t kAtOnce = 8;
  std::vector<std::vector<double>> values(std::min(kAtOnce, sortable.size()),
                                          std::vector<double>(data.n_rows));
  for (std::size_t first = 0; first < sortable.size(); first += kAtOnce) {
    const std::size_t many = std::min(kAtOnce, sortable.size() - first);
    for (std::int64_t row = 0; row < data.n_rows; ++row)
      for (std::size_t c = 0; c < many; ++c) values[c][row] = sortable[first + c].value(row);
    team.run(static_cast<int>(many), [&](int c, int) {
      missing[first + c] = rank_values(sorted.lists[first + c], known_rows.size(), values[c], data.label,
                                       grown, table.rows.size(), table.numbers[first + c]);
    });
    between();
  }
  for (std::uint8_t some : missing) table.has_missing |= some != 0;
  return table;
}

// Puts the table into Weka's order: the rows as given, and the entries of each column as its quicksort leaves
// them. Of sums of fractions and of numbers the last bit depends on it, and so may a tie.
template <class T>
void take_order(Table<T>& table, const std::vector<std::uint32_t>& order) {
  table.rows = order;
  std::vector<std::uint32_t> rank(table.data->n_rows, kMissing);
  for (SortedColumn<T>& column : table.numbers) {
    for (const Entry& entry : column.entries) rank[entry.item] = entry.rank;
    for (std::size_t i = 0; i < order.size(); ++i)
      column.entries[i] = {order[i], rank[order[i]],
                           table.data->label ? static_cast<std::uint32_t>(table.data->label[order[i]]) : 0u};
    sort_as_weka(column.entries);
  }
}

}  // namespace bough::quinlan
