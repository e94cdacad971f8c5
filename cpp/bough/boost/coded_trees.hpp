// A sum of trees for many rows at a time. In each column, the value of a row becomes a code of 8 bits: the
// number of cuts of that column that it reaches. The leaves of a tree are numbered from left to right. All
// rows of a block go through the splits of a tree in step, each with the number of the first leaf below the
// node where it is: a split adds the number of leaves on its left side to those that are there and go right.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/boost/column_coder.hpp"
#include "bough/boost/rows_ahead.hpp"
#include "bough/boost/tree_nodes.hpp"
#include "bough/data/column.hpp"
#include "bough/machine/buffer.hpp"
#include "bough/machine/processor.hpp"

namespace bough {

class CodedTrees {
 public:
  static constexpr int kRows = ColumnCoder::kRows;  // of a block
  static constexpr int kMostCuts = ColumnCoder::kMostCuts;

  explicit CodedTrees(const TreeNodes& sum) : CodedTrees(sum, 0, sum.trees.size()) {}
  // Trees first to last of the sum alone; they are numbered from 0 then.
  CodedTrees(const TreeNodes& sum, std::size_t first, std::size_t last);

  // Whether 8 bits tell apart the cuts of every column and the leaves of every tree, and 16 the columns.
  bool fits() const { return fits_; }

  // What a thread needs for the rows of a block.
  struct Space {
    RawVector<double> values, scores;
    RawVector<float> rounded;        // a part of the values, where these are rounded
    RawVector<std::int8_t> codes;    // of each column; missing values last, then first
    RawVector<std::int32_t> levels;  // of each column that is split by levels
    std::vector<const std::int8_t*> slots;
    RawVector<std::int8_t> branches;  // of the rows, by the levels of a column
    RawVector<std::uint8_t> leaves;   // of the rows in some trees
    RowsAhead ahead;
  };

  // Rows begin to begin + count, at most kRows, their scores, and the trees first to last that add to these;
  // and the rows that probably come next, whose memory is asked for meanwhile.
  struct Block {
    std::int64_t begin;
    int count;
    double* scores;
    std::int64_t first, last;
    RowRange next = {0, 0};
  };
  void add(const std::vector<Column>& columns, const Block& block, Space& space) const;

 private:
  // Rows at the leaf `first` that go right move on by `step` leaves.
  struct Split {
    std::uint16_t slot;  // codes of a column with missing values last (even) or first (odd)
    std::int8_t cut;     // greater codes go right
    std::uint8_t first, step;
    std::int32_t first_branch;  // levels: of the branches of their codes; -1: threshold
  };
  struct Tree {
    std::size_t first_split, first_value;
    int n_splits;
  };

  void add_tree(const TreeNodes& sum, std::size_t tree);
  int add_branches(const TreeNodes& sum, const TreeNodes::Node& node, int branch);
  void code_block(const std::vector<Column>& columns, const Block& block, Space& space) const;
  void read_levels(const std::vector<Column>& columns, const Block& block, Space& space) const;
  void place_missing(std::size_t coder, Space& space) const;
  template <class Registers>
  void find_leaves(const Tree& tree, Space& space, std::uint8_t* leaf) const;
  const std::int8_t* codes_of(const Split& split, int begin, int count, Space& space) const;
  template <class Registers>
  void add_trees(std::int64_t first, std::int64_t last, Space& space) const;
  template <class Registers>
  void add_to_scores(const std::vector<Column>& columns, const Block& block, Space& space) const;
#if defined(BOUGH_LONG_REGISTERS)
  void code_rounded(const std::vector<Column>& columns, const Block& block, Space& space) const;
  void answer_by_long_registers(const std::vector<Column>& columns, const Block& block, Space& space) const;
#endif
#if defined(BOUGH_AVX2)
  void answer_avx2(const std::vector<Column>& columns, const Block& block, Space& space) const;
#endif

  int n_scores_, width_;
  int most_leaves_ = 0;
  bool fits_ = true;
  std::vector<ColumnCoder> coders_;     // of the used columns
  std::vector<std::size_t> ascending_;  // the coders that have cuts, by column
  std::vector<Split> splits_;
  std::vector<Tree> trees_;
  std::vector<double> values_;        // of the leaves of each tree; of vectors, leaf by leaf
  std::vector<std::uint8_t> branch_;  // 0 or 1 for each code of the level splits
  std::size_t n_wide_ = 0;
};

}  // namespace bough
