// What a tree of a forest keeps where columns are sparse: which node each row is in, the stored entries of
// the node that is looked at, and rows that stand for the zeros of a column.
//
// Entries are not parted. A node that is not split yet is known by a number of its own; of two children one
// takes over that of its parent, so that only the rows of the other are told theirs. The entries of a small
// node are gathered from its rows: all of them if they are few, else those of the columns that will be asked
// for, if these are known. Those of a large node are taken from each column that is asked for: whichever
// reads less.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bough/data/entry.hpp"
#include "bough/data/joint_rows.hpp"
#include "bough/data/sparse_parts.hpp"
#include "bough/forest/plan.hpp"
#include "bough/forest/sparse_cells.hpp"

namespace bough {

class SparseTree {
 public:
  using Entry = std::uint64_t;

  explicit SparseTree(const ForestPlan& plan)
      : n_rows(static_cast<std::size_t>(plan.data.n_rows)),
        joint(plan.data.classes_of_targets()),
        n_standing(static_cast<std::size_t>(plan.data.n_classes ? joint.most() : 1)),
        code(n_rows + n_standing),
        table_(*plan.sparse),
        bucket_(plan.data.columns.size()),
        is_wanted_(plan.data.columns.size(), 0),
        owner_(n_rows) {
    const double of_column =
        static_cast<double>(table_.sorted.n_entries()) / static_cast<double>(plan.data.columns.size());
    by_column_ = static_cast<std::int64_t>(std::min(of_column * plan.recipe.max_features, kMostGathered));
    if (!plan.data.n_classes) return;
    const auto k = static_cast<std::size_t>(plan.data.n_targets());
    label.assign(plan.data.label, plan.data.label + n_rows * k);
    label.resize((n_rows + n_standing) * k);
    if (grid_width_of(plan.data, plan.recipe.criterion) > 0) columns.emplace(plan.evaluator);
  }

  // Begins a tree of some rows.
  void start(const std::uint32_t* rows, int n) {
    std::fill(owner_.begin(), owner_.end(), kNone);
    place.resize(n_rows);
    for (int i = 0; i < n; ++i) {
      owner_[rows[i]] = 0;
      place[rows[i]] = static_cast<std::uint32_t>(i);
    }
    number_of_node_.assign(1, 0);
    n_numbers_ = 1;
  }
  // Notes the rows of a child; all others of its parent are those of the other child.
  template <class RowAt>
  void settle(int parent, int child, int other_child, int n, const RowAt& row_at) {
    number_of_node_.resize(std::max<std::size_t>(number_of_node_.size(), std::max(child, other_child) + 1));
    number_of_node_[other_child] = number_of_node_[parent];
    const std::uint32_t own = number_of_node_[child] = n_numbers_++;
    for (int i = 0; i < n; ++i) owner_[row_at(i)] = own;
  }

  // Begins the search of a node. columns: those that will be asked for first; none if they are not known.
  void open(int node, const std::uint32_t* rows, int n, const std::vector<int>& columns) {
    number_ = number_of_node_[node];
    rows_ = rows;
    n_open_ = n;
    forget();
    const std::vector<std::int64_t>& first = table_.cells.start;
    std::int64_t n_cells = 0;
    const std::int64_t most = std::max(kFewCells, by_column_);  // more need not be counted
    for (int i = 0; i < n && n_cells <= most; ++i) n_cells += first[rows[i] + 1] - first[rows[i]];
    n_cells_ = n_cells;
    all_gathered_ =
        columns.empty() ? n_cells <= std::max(kFewCells, by_column_ / kGatherCost) : n_cells <= kFewWanted;
    if (all_gathered_) return gather();
    if (columns.empty() || n_cells > std::max(kFewCells, by_column_)) return;
    wanted_ = columns;
    for (const int c : wanted_) is_wanted_[c] = 1;
    gather_wanted();
  }
  // The entries of a column in the node; they are there until another column's are asked for.
  StoredEntries stored(int column) {
    if (!all_gathered_ && !wanted_.empty() && !is_wanted_[column] && n_cells_ <= kFewCells) {
      forget();
      all_gathered_ = true;
      gather();
    }
    if (all_gathered_ || is_wanted_[column]) return in_bucket(column);
    const std::int64_t begin = table_.sorted.start[column], end = table_.sorted.start[column + 1];
    if (own_.size() < static_cast<std::size_t>(end - begin) + 1) own_.resize(end - begin + 1);
    Entry* to = own_.data();
    for (std::int64_t i = begin; i < end; ++i) {
      const Entry entry = table_.sorted.entries[i];
      *to = entry;
      to += owner_[index_of(entry)] == number_;
    }
    return {own_.data(), static_cast<int>(to - own_.data())};
  }

  std::uint32_t zero(int column) const { return table_.sorted.zero[column]; }
  bool has_missing(int column) const { return table_.sorted.has_missing[column]; }
  // The row that stands for zeros, of a class.
  std::uint32_t standing(int which) const { return static_cast<std::uint32_t>(n_rows + which); }

  std::size_t n_rows;
  JointRows joint;  // that stand for zeros
  std::size_t n_standing;
  std::vector<std::uint32_t> code;  // of each row in the column that the node is split on
  std::vector<std::int32_t> label;  // of all rows, and of those that stand for zeros
  std::optional<ClassColumns> columns;
  std::vector<double> rows_of_class;                            // in the node
  std::vector<double> zeros;                                    // the statistics of a column's zeros
  std::vector<std::pair<std::uint32_t, std::uint64_t>> groups;  // codes of a column, and what has them
  std::vector<std::uint64_t> draws;                             // of the entries of a column
  std::vector<std::uint32_t> place;                             // of each row in the list of rows
  std::vector<std::uint8_t> moves;                              // whether a row leaves those of the zeros
  std::vector<Entry> brief;                                     // entries and rows that stand for zeros

 private:
  struct Bucket {
    std::uint32_t begin = 0, count = 0;
    bool is_sorted = false;
  };
  static constexpr std::uint32_t kNone = ~0u;
  static constexpr std::int64_t kGatherCost = 4;       // of a cell, by that of an entry that is looked at
  static constexpr std::int64_t kFewCells = 1024;      // that are gathered in any case,
  static constexpr std::int64_t kFewWanted = 64;       // and at once: they may hold no column that is wanted
  static constexpr double kMostGathered = 0xffffffff;  // buckets begin at places of 32 bits

  // Drops the entries that were gathered.
  void forget() {
    for (const std::uint32_t c : present_) bucket_[c] = {};
    for (const int c : wanted_) is_wanted_[c] = 0;
    present_.clear();
    wanted_.clear();
  }

  void gather() {
    const SparseCells& cells = table_.cells;
    const std::uint32_t* rows = rows_;
    const int n = n_open_;
    const std::uint32_t* columns = cells.column.get();
    for (int i = 0; i < n; ++i)
      for (std::int64_t j = cells.start[rows[i]], end = cells.start[rows[i] + 1]; j < end; ++j)
        count(columns[j]);
    make_room(n_cells_);
    for (int i = 0; i < n; ++i)
      for (std::int64_t j = cells.start[rows[i]], end = cells.start[rows[i] + 1]; j < end; ++j)
        put(columns[j], make_entry<Entry>(cells.code[j], rows[i], 0));
  }

  void gather_wanted() {
    const SparseCells& cells = table_.cells;
    const std::uint32_t* rows = rows_;
    const int n = n_open_;
    const std::uint32_t* columns = cells.column.get();
    const std::uint8_t* is_wanted = is_wanted_.data();
    if (found_.size() < static_cast<std::size_t>(n_cells_) + 1) found_.resize(n_cells_ + 1);
    std::pair<std::uint32_t, Entry>* found = found_.data();
    for (int i = 0; i < n; ++i)
      for (std::int64_t j = cells.start[rows[i]], end = cells.start[rows[i] + 1]; j < end; ++j)
        if (is_wanted[columns[j]]) *found++ = {columns[j], make_entry<Entry>(cells.code[j], rows[i], 0)};
    for (const auto* each = found_.data(); each < found; ++each) count(each->first);
    make_room(found - found_.data());
    for (const auto* each = found_.data(); each < found; ++each) put(each->first, each->second);
  }

  // Entries are counted by column, then put into the buckets of their columns.
  void count(std::uint32_t column) {
    if (bucket_[column].count++ == 0) present_.push_back(column);
  }
  void make_room(std::int64_t n) {
    std::uint32_t begin = 0;
    for (const std::uint32_t c : present_) {
      bucket_[c].begin = begin;
      begin += std::exchange(bucket_[c].count, 0u);
    }
    if (list_.size() < static_cast<std::size_t>(n) + 1) list_.resize(n + 1);
  }
  void put(std::uint32_t column, Entry entry) {
    Bucket& bucket = bucket_[column];
    list_[bucket.begin + bucket.count++] = entry;
  }

  StoredEntries in_bucket(int column) {
    Bucket& bucket = bucket_[column];
    if (bucket.count == 0) return {};
    Entry* list = list_.data() + bucket.begin;
    if (!bucket.is_sorted) std::sort(list, list + bucket.count);
    bucket.is_sorted = true;
    return {list, static_cast<int>(bucket.count)};
  }

  const SparseTable& table_;
  std::int64_t by_column_ = 0;  // entries of the columns that a node asks for
  bool all_gathered_ = false;
  // Of the open node: its number, rows and cells.
  std::uint32_t number_ = 0;
  const std::uint32_t* rows_ = nullptr;
  int n_open_ = 0;
  std::int64_t n_cells_ = 0;
  std::vector<std::uint32_t> number_of_node_;
  std::uint32_t n_numbers_ = 1;
  std::vector<Bucket> bucket_;  // of each column, where entries are gathered
  std::vector<std::uint32_t> present_;
  std::vector<int> wanted_;
  std::vector<std::uint8_t> is_wanted_;
  std::vector<std::uint32_t> owner_;  // the number of the node of each row; kNone: it was not drawn
  std::vector<Entry> list_, own_;
  std::vector<std::pair<std::uint32_t, Entry>> found_;
};

}  // namespace bough
