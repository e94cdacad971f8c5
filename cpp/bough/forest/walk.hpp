// Takes rows down the trees of a packed forest.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "bough/data/column.hpp"
#include "bough/data/sparse_rows.hpp"
#include "bough/forest/coded.hpp"
#include "bough/forest/packed.hpp"
#include "bough/machine/team.hpp"
#include "bough/predict/zero_paths.hpp"

namespace bough {

// The arrays of a packed forest in the caller's memory.
struct ForestView {
  NodeLayout layout;
  int n_trees = 0, n_classes = 0;
  int width = 0;  // numbers a leaf; without classes they are means, one a target
  const std::uint64_t* nodes = nullptr;
  const double* leaf = nullptr;
  const std::uint32_t* special = nullptr;
  const std::int64_t *node_start = nullptr, *leaf_start = nullptr, *special_start = nullptr;
  std::vector<int> n_levels;  // of each column
};

// A block of rows as floats, each rounded down: it is below a float cut exactly if the value itself is.
class FloatRows {
 public:
  static constexpr bool kMostlyZeros = false;

  FloatRows(const std::vector<Column>& columns, const std::vector<bool>& used);

  // Loads rows begin to end.
  void load(std::int64_t begin, std::int64_t end, Team* team = nullptr);
  // Loads some rows of the table, which must stay where they are listed.
  void gather(const std::uint32_t* rows, int n);
  // Gives row i of those gathered the value of table row from[i] in one column; null: its own again.
  void replace(int column, const std::uint32_t* from);

  using Row = const float*;
  Row row(std::uint32_t i) const {
    return reinterpret_cast<const float*>(base_ + static_cast<std::int64_t>(i) * stride_);
  }
  // The value of a row in a column, whose place is in bytes.
  static float at(Row row, std::uint32_t place) {
    return *reinterpret_cast<const float*>(reinterpret_cast<const char*>(row) + place);
  }
  // The value itself.
  double value(int column, std::uint32_t i) const {
    if (!rows_) return columns_[column].value(begin_ + i);
    return columns_[column].value(column == replaced_ ? from_[i] : rows_[i]);
  }
  // Whether a value may be missing.
  bool missing() const { return missing_; }
  // How many rows are loaded at once at most: a tree is read once for each block, so blocks are large.
  std::int64_t block_rows() const;

 private:
  bool load_piece(int begin, int end);

  const std::vector<Column>& columns_;
  std::vector<int> used_;
  bool direct_ = false;  // the table is rows of floats already
  bool missing_ = false;
  std::vector<float> copy_;
  const char* base_ = nullptr;
  std::int64_t stride_ = 0, begin_ = 0;
  const std::uint32_t *rows_ = nullptr, *from_ = nullptr;
  int n_ = 0, replaced_ = -1;
};

// A block of rows of a sparse table, which are read where they are. Each row has a filter, of a bit for every
// so many columns: most cells that a walk asks for are 0, and one look at the filter tells so.
class StoredRows {
 public:
  static constexpr bool kMostlyZeros = true;

  StoredRows(const SparseRows& table, const std::vector<bool>& used);

  void load(std::int64_t begin, std::int64_t end, Team* team = nullptr);

  struct Row {
    const std::uint64_t* filter;
    std::int64_t begin, end;  // of its stored numbers
  };
  Row row(std::uint32_t i) const {
    const std::int64_t row = begin_ + i;
    return {filter_.data() + static_cast<std::size_t>(i) * n_words_, table_.start[row],
            table_.start[row + 1]};
  }
  float at(const Row& row, std::uint32_t place) const {
    const std::uint32_t column = place / sizeof(float), bit = column & mask_;
    if (!(row.filter[bit / 64] >> (bit % 64) & 1)) return 0;
    return stored(row, static_cast<std::int32_t>(column));
  }
  double value(int column, std::uint32_t i) const { return table_.value(begin_ + i, column); }
  bool missing() const { return missing_; }
  std::int64_t block_rows() const;
  // The same by column, of the columns that the forest asks for; without rows where they are few.
  const BlockColumns<float>& columns() const { return columns_; }

 private:
  float stored(const Row& row, std::int32_t column) const;
  float stored_at(std::int64_t i) const {
    return table_.floats ? table_.floats[i] : rounded_down(table_.doubles[i]);
  }
  bool load_piece(std::int64_t begin, std::int64_t end);

  const SparseRows& table_;
  const std::vector<bool>& used_;
  BlockColumns<float> columns_;
  std::size_t n_words_;
  std::uint32_t mask_;
  std::vector<std::uint64_t> filter_;
  bool missing_ = false;
  std::int64_t begin_ = 0;
};

// The rows that a forest is asked about: columns, or the rows of a sparse table.
struct ForestTable {
  ForestTable(const std::vector<Column>& given) : columns(&given) {}
  ForestTable(const SparseRows& given) : sparse(&given) {}

  const std::vector<Column>* columns = nullptr;
  const SparseRows* sparse = nullptr;
};

class ForestWalker {
 public:
  static constexpr std::uint8_t kMixed = 255;

  explicit ForestWalker(ForestView forest);

  const ForestView& forest() const { return forest_; }
  const std::vector<bool>& used() const { return used_; }
  // Whether a tree has no special splits, which decides how it is walked.
  bool plain(int tree) const { return forest_.special_start[tree] == forest_.special_start[tree + 1]; }

  // Of each leaf of a tree, the only class it holds, or kMixed.
  const std::uint8_t* only_class(int tree) const { return only_class_.data() + forest_.leaf_start[tree]; }
  // The class a leaf votes for: that of most weight; of equals one that is drawn, the same each time.
  int vote(int tree, std::uint32_t leaf) const;

  // Calls work with a block that can load rows of the table.
  template <class Work>
  auto with_block(const ForestTable& table, const Work& work) const {
    return table.sparse ? work(StoredRows(*table.sparse, used_)) : work(FloatRows(*table.columns, used_));
  }

  // The number among the tree's leaves of the leaf where each of the rows at[0..n) of the block ends. Block:
  // FloatRows or StoredRows.
  template <class Block>
  void walk(int tree, const Block& rows, const std::uint32_t* at, int n, std::uint32_t* leaf) const;

  // Calls take(tree, leaves) for all trees, with the leaves of rows begin to end.
  template <class Take>
  void walk_all(const ForestTable& table, std::int64_t begin, std::int64_t end, const Take& take) const {
    with_block(table, [&](auto&& rows) {
      rows.load(begin, end);
      std::vector<std::uint32_t> at(end - begin), leaf(end - begin);
      std::iota(at.begin(), at.end(), 0u);
      for (int t = 0; t < forest_.n_trees; ++t) {
        walk(t, rows, at.data(), static_cast<int>(at.size()), leaf.data());
        take(t, leaf.data());
      }
    });
  }

 private:
  template <bool kWide, bool kSpecial, bool kMissing, class Block>
  void walk_as(int tree, const Block& rows, const std::uint32_t* at, int n, std::uint32_t* leaf) const;
  template <bool kWide, bool kSpecial, bool kMissing, class Block>
  void walk_lanes(int tree, const Block& rows, const std::uint32_t* at, std::uint32_t* leaf) const;
  template <bool kWide, bool kSpecial>
  class PackedTree;
  template <bool kWide, bool kSpecial, class Block>
  std::uint32_t walk_one(int tree, const Block& rows, std::uint32_t at, std::uint32_t from = 0) const;
  template <class Block>
  bool special_right(int tree, std::uint64_t word, const Block& rows, std::uint32_t at) const;

  ForestView forest_;
  std::vector<bool> used_;
  std::vector<std::uint8_t> only_class_;
};

// Reads memory in order where rows are many enough to need most of it: what walks then find at random is in
// the cache already, and the machine fetches runs of lines ahead, which it cannot do for a walk.
void warm(const void* begin, std::size_t bytes, std::int64_t n_rows);

}  // namespace bough
