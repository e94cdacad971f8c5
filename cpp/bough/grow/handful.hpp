// A node of few rows and all that is grown below it: the codes of its rows are copied once, so that the nodes
// below are sets of rows, searched by comparing all pairs of them, and no list is parted.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/grow/handful_node.hpp"

namespace bough {

class Handful {
 public:
  using Entry = std::uint32_t;
  using Set = HandfulNode::Set;

  struct Split {
    double value = -std::numeric_limits<double>::infinity();
    int column = -1;
    Set left = 0;
  };

  // Rows that a handful may have; 0 where other searches are needed.
  static int most_rows(const Problem& problem);

  Handful(const NodeLists<Entry>& in, std::size_t n_indices);

  // Takes the rows of a node from its lists, which must stay as they are.
  void load(const Range& range);
  Set all() const { return n_ == kMostPaired ? ~Set{0} : (Set{1} << n_) - 1; }

  // The best split of a node, whose rows are a set.
  Split best(Set rows, const Range& range);
  // The entries of a set of rows in the order of a column; there is room for one more than all rows.
  void list(int column, Set rows, Entry* entries) const;

 private:
  Split of_two(const HandfulNode&) const;
  void look_into(int column, const HandfulNode&, float& bar, Split& best) const;
  Set rows_left_of(int column, int row, const HandfulNode&) const;

  const NodeLists<Entry>& in_;
  HandfulNode::Kind kind_;
  int n_ = 0, n_columns_, stride_;
  int begin_ = 0;
  std::uint32_t index_[kMostPaired] = {};
  std::vector<std::uint8_t> place_;  // of each index: its row of the handful
  std::vector<std::int32_t> code_;   // of each row and column
  std::vector<float> value_, highest_, second_;
  std::vector<Set> set_;  // of the rows left of the highest cut
};

}  // namespace bough
