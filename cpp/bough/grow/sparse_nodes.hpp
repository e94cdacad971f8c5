// The nodes of a tree that grows on sparse columns.
//
// A node has its rows, ascending, and the stored entries of its columns; a column without any is constant. A
// search reads a brief list: the stored entries, and in place of all zeros one row of each class that has
// their weight (of several targets, see joint_rows.hpp). So it costs what is stored. Only the column that a
// node is split on is listed whole.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bough/data/joint_rows.hpp"
#include "bough/data/rows.hpp"
#include "bough/data/sparse_parts.hpp"
#include "bough/data/sparse_presort.hpp"
#include "bough/grow/branching.hpp"
#include "bough/grow/measure.hpp"

namespace bough {

// The rows of a table, followed by rows that stand for zeros: for each slot one of each class, or a single
// one where y is a number.
class RowsWithZeros {
 public:
  RowsWithZeros(const Rows& table, const Data& data, const Evaluator& evaluator, int n_slots);
  RowsWithZeros(const RowsWithZeros&) = delete;
  RowsWithZeros& operator=(const RowsWithZeros&) = delete;

  const Rows& rows() const { return rows_; }
  std::size_t size() const { return weight_.size(); }
  int width() const { return width_; }
  std::uint32_t zero(int slot, int which) const {
    return static_cast<std::uint32_t>(n_rows_ + static_cast<std::int64_t>(slot) * width_ + which);
  }
  // labels: one for each target; null: y are numbers, whose grid is written by the caller.
  void set(std::uint32_t row, const std::int32_t* labels, double weight, double cases) {
    weight_[row] = weight;
    cases_[row] = cases;
    if (!labels) return;
    const auto k = static_cast<std::size_t>(rows_.n_targets);
    std::copy_n(labels, k, label_.data() + row * k);
    if (columns_) columns_->write(rows_, row);
  }

 private:
  std::int64_t n_rows_;
  int width_;
  std::vector<std::int32_t> label_;
  std::vector<double> weight_, cases_, grid_;
  std::optional<ClassColumns> columns_;
  Rows rows_;
};

class SparseNodes {
 public:
  using Entry = std::uint64_t;

  // A search by member m of a team uses slot first_slot + m.
  SparseNodes(SparseSorted& sorted, RowsWithZeros& rows, const Data& data, const Evaluator& evaluator,
              int n_members, int first_slot)
      : parts_(sorted.entries.get(), sorted.zero.size()),
        zero_(sorted.zero),
        rows_(rows),
        whole_lists_(evaluator.criterion().reads_values()),
        first_slot_(first_slot),
        n_sums_(evaluator.width()),
        space_(n_members, Space(data)) {}

  // The root: all entries of the columns. rows: ascending.
  void set_root(const SparseSorted& sorted, const std::vector<std::uint32_t>& rows, const std::uint8_t* bit);
  // The root: a node of another tree, whose entries are parted from now on here.
  void adopt(SparseNodes& other, const Range& at);

  // The lists of the columns; they are set before they are read.
  void set_lists(std::vector<Entry*>& lists) { lists_ = &lists; }

  // Begins the search of a node.
  void open(const Range& range, const Branching& out);
  // The columns of the open node that have stored entries, ascending.
  const std::vector<int>& columns() const { return parts_.columns(); }
  bool is_constant(int column, const Range& range, bool tells_missing) const;
  // Whether a cut of a column without missing values may be worth more than the floor, where all rows weigh
  // the same: a quick look at the stored entries. Either two classes are judged by Gini's index, or squared
  // errors.
  bool may_better(int column, const Range& range, double floor) const;
  // Sets the list of a column of the open node to its brief one; returns the node as it appears there.
  Range load(int column, const Range& range, int member);
  // How many entries of the whole list lie before an entry of the brief one that was loaded last.
  int left_of_whole(int left, int member) const {
    const Space& space = space_[member];
    return left <= space.below ? left : left - space.n_standing + space.n_zeros;
  }

  // Sets the list of a column to all rows of a node, in order.
  void list_whole(int column, const Range& range);

  // Parts rows and entries of a node. branch_of: of a row; a number of no child: it goes no further.
  template <class BranchOf>
  void part(const Range& range, const std::vector<Range>& children, const BranchOf& branch_of) {
    std::vector<SparseParts::Child> parted;
    std::vector<Entry*> to;
    for (const Range& child : children) {
      parted.push_back({child.node, child.live});
      to.push_back(node_rows_.data() + child.begin);
    }
    parts_.part(range.node, parted, branch_of);
    const auto first = node_rows_.begin() + range.begin;
    moved_.assign(first, first + range.count);
    for (const Entry entry : moved_) {
      const auto branch = static_cast<std::size_t>(branch_of(index_of(entry)));
      if (branch < to.size()) *to[branch]++ = entry;
    }
  }

 private:
  struct Space {  // one for each member of the team
    explicit Space(const Data& data) : joint(data.classes_of_targets()) {}

    std::vector<Entry> list;
    std::vector<double> sums;
    JointRows joint;
    std::vector<std::uint8_t> is_stored;  // of each row
    int below = 0, n_standing = 0, n_zeros = 0;
  };

  template <class Reached>
  bool any_cut_reached(StoredEntries stored, const Entry* middle, const Reached& reached) const;
  Entry* append_zeros(int column, StoredEntries stored, Space& space, Entry* to, int slot);
  Entry* write_whole(int column, StoredEntries stored, const Range& range, Space& space, Entry* to) const;

  SparseParts parts_;
  const std::vector<std::uint32_t>& zero_;  // the code of 0
  RowsWithZeros& rows_;
  bool whole_lists_;  // searches read all rows one by one
  int first_slot_, n_sums_;
  std::vector<Entry*>* lists_ = nullptr;
  std::vector<Entry> node_rows_, own_, moved_;  // the rows of all nodes; a column listed whole
  std::vector<double> sums_;                    // the statistics of the open node
  double cases_ = 0;
  std::vector<Space> space_;
};

}  // namespace bough
