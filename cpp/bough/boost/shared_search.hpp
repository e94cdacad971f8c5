// Trees of few rows by two threads: the second one keeps the rows of leaves in the order of some columns, and
// searches these. It works on copies and on lists of its own, so that the first thread can go on without it
// at any time. The best split of several columns does not depend on who searches them, so neither does the
// tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "bough/boost/sorted_rows.hpp"
#include "bough/boost/sorted_search.hpp"
#include "bough/machine/second_thread.hpp"

namespace bough {

template <class Cells>
class SharedSearch {
 public:
  // Whether a fit of so many trees gains by a second thread: it takes some ten microseconds to start, and a
  // piece of work takes a fraction of one to hand over.
  static bool is_worthwhile(const SortedRows& sorted, std::int64_t n_rows, std::int64_t n_trees) {
    constexpr std::int64_t kLeastCells = 4000, kLeastWork = 100000;
    const std::int64_t cells = n_rows * static_cast<std::int64_t>(sorted.columns().size());
    return sorted.has_all() && sorted.columns().size() >= 2 && cells >= kLeastCells &&
           n_trees >= kLeastWork / cells;
  }

  SharedSearch(const BinnedTable& bins, const SortedRows& sorted)
      : bins_(bins),
        sorted_(sorted),
        n_own_((sorted.columns().size() + 1) / 2),
        terms_(static_cast<std::size_t>(bins.n_rows)),
        thread_([this] { search(); }) {
    for (std::vector<SortedRow>& lists : lists_) lists.resize(n_shared() * terms_.size());
  }

  // How many of the columns that have an order the first thread searches, and the first one of the second.
  std::size_t n_own() const { return n_own_; }
  int first_column() const { return sorted_.columns()[n_own_]; }

  // Begins a tree of all rows; false if the second thread is late, so that the tree is not shared.
  bool start_tree(const GradientScores<Cells>& scores, const SortedTerms& terms) {
    if (n_late_ == kMostLate || !thread_.is_idle()) return false;
    if (++n_trees_ % kTreesToForgive == 0) n_late_ = std::max(0, n_late_ - 1);
    scores_.emplace(scores);
    std::copy_n(terms.exact, terms_.size(), terms_.data());
    screens_ = terms.coarse != nullptr;
    if (screens_) coarse_ = *terms.coarse;
    is_first_ = true;
    return true;
  }

  // Offers the search of the root.
  void offer_root(const GradientSums& sums, std::int64_t count) {
    n_leaves_ = 1;
    leaves_[0] = {sums, 0, count, 0};
    parts_ = false;
    offer(count);
  }

  // Offers to part the rows of a leaf and to search those of its children that are wanted, one or both.
  void offer_children(const RowMarks& marks, const SortedRows::Parted& leaf, const GradientSums* left,
                      const GradientSums* right) {
    n_leaves_ = 0;
    if (left) leaves_[n_leaves_++] = {*left, leaf.begin, leaf.n_left, leaf.depth + 1};
    if (right) leaves_[n_leaves_++] = {*right, leaf.begin + leaf.n_left, leaf.n_right, leaf.depth + 1};
    parts_ = true;
    marks_ = marks;
    parted_ = leaf;
    offer(leaf.n_left + leaf.n_right);
  }

  // Has the search done; false if the second thread is late, which ends its part in the tree.
  bool finish() {
    if (thread_.finish(patience_)) return true;
    if (++n_late_ == kMostLate) thread_.retire();
    return false;
  }

  // The rows of a leaf in the order of one of the columns of the second thread, once it has finished.
  const SortedRow* rows(int column, std::int64_t begin, int depth) const {
    return lists(depth) + (sorted_.place(column) - n_own_) * terms_.size() + begin;
  }

  // The best split of a leaf by the columns of the second thread.
  const BinSplit& found(std::size_t which) const { return found_[which]; }

 private:
  // The machine is busy if the second thread is late so often, less once in so many trees; then the fit goes
  // on without it.
  static constexpr int kMostLate = 3, kTreesToForgive = 50;

  struct Leaf {
    GradientSums sums;
    std::int64_t begin = 0, count = 0;
    int depth = 0;
  };

  std::size_t n_shared() const { return sorted_.columns().size() - n_own_; }

  void offer(std::int64_t n_rows) {
    // A few microseconds, and no less than the search takes.
    patience_ = 200 + static_cast<int>(n_rows * static_cast<std::int64_t>(n_shared()) / 16);
    thread_.offer();
    if (is_first_) thread_.wake();
    is_first_ = false;
  }

  const SortedRow* lists(int depth) const {
    return depth == 0 ? sorted_.all_rows(n_own_) : lists_[depth % 2].data();
  }

  // What either thread does with a piece of work.
  void search() {
    const std::size_t n_rows = terms_.size(), n = n_shared();
    if (parts_)
      SortedRows::part(lists(parted_.depth), lists_[(parted_.depth + 1) % 2].data(), n_rows, n, marks_,
                       parted_);
    for (std::size_t which = 0; which < n_leaves_; ++which) {
      const Leaf& leaf = leaves_[which];
      best_.assign(n, {});
      ColumnsToSearch& columns = ColumnsToSearch::none();
      for (std::size_t i = 0; i < n; ++i)
        columns.all.push_back(
            {sorted_.columns()[n_own_ + i], lists(leaf.depth) + i * n_rows + leaf.begin, &best_[i]});
      search_sorted(*scores_, leaf.sums, bins_, {terms_.data(), screens_ ? &coarse_ : nullptr}, leaf.count,
                    columns);
      found_[which] = {};
      for (const BinSplit& best : best_)
        if (best.column >= 0 && (found_[which].column < 0 || best.score > found_[which].score))
          found_[which] = best;
    }
  }

  const BinnedTable& bins_;
  const SortedRows& sorted_;  // of which the second thread reads the rows of the whole table only
  const std::size_t n_own_;
  int n_trees_ = 0, n_late_ = 0, patience_ = 0;
  bool is_first_ = true;
  // Of the tree.
  std::optional<GradientScores<Cells>> scores_;
  std::vector<WideGradients::Terms> terms_;
  CoarseTerms coarse_;
  bool screens_ = false;
  std::vector<SortedRow> lists_[2];  // of leaves at even and at odd depths, by column
  // Of a piece of work.
  alignas(64) std::size_t n_leaves_ = 0;
  bool parts_ = false;
  SortedRows::Parted parted_;
  RowMarks marks_;
  Leaf leaves_[2];
  std::vector<BinSplit> best_;  // of a leaf, by column
  alignas(64) BinSplit found_[2];
  SecondThread thread_;  // ends before what it works on
};

}  // namespace bough
