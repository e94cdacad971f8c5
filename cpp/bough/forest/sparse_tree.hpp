// What a tree of a forest keeps where columns are sparse: the stored entries of its rows by node, and rows
// that stand for the zeros of a column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "bough/data/entry.hpp"
#include "bough/data/sparse_parts.hpp"
#include "bough/data/sparse_presort.hpp"
#include "bough/forest/plan.hpp"
#include "bough/machine/buffer.hpp"

namespace bough {

struct SparseTree {
  using Entry = std::uint64_t;

  explicit SparseTree(const ForestPlan& plan)
      : sorted(*plan.sparse),
        entries(make_buffer<Entry>(static_cast<std::size_t>(plan.sparse->n_entries()) + 1)),
        parts(entries.get(), plan.data.columns.size()),
        n_rows(static_cast<std::size_t>(plan.data.n_rows)),
        n_standing(static_cast<std::size_t>(std::max(1, plan.data.n_classes))),
        code(n_rows + n_standing),
        goes_right(n_rows) {
    if (!plan.data.n_classes) return;
    label.assign(plan.data.label, plan.data.label + n_rows);
    for (std::size_t k = 0; k < n_standing; ++k) label.push_back(static_cast<std::int32_t>(k));
  }

  // Takes the entries of the rows that were drawn.
  void start(const std::vector<std::uint32_t>& count) {
    std::vector<std::int64_t> first{0};
    Entry* to = entries.get();
    for (int c = 0; c < sorted.n_columns(); ++c) {
      for (std::int64_t i = sorted.start[c]; i < sorted.start[c + 1]; ++i) {
        *to = sorted.entries[i];
        to += count[index_of(sorted.entries[i])] > 0;
      }
      first.push_back(to - entries.get());
    }
    parts.set_root(first);
  }

  // The row that stands for zeros, of a class.
  std::uint32_t standing(int which) const { return static_cast<std::uint32_t>(n_rows + which); }

  const SparseSorted& sorted;
  Buffer<Entry> entries;
  SparseParts parts;
  std::size_t n_rows, n_standing;
  std::vector<std::uint32_t> code;       // of each row in the column that the node is split on
  std::vector<std::uint8_t> goes_right;  // of each row of the node
  std::vector<std::int32_t> label;       // of all rows, and of those that stand for zeros
  std::vector<double> rows_of_class;     // in the node
  std::vector<double> weight;            // of each class
  std::vector<std::pair<std::uint32_t, std::uint64_t>> groups;  // codes of a column, and what has them
  std::vector<Entry> list;
};

}  // namespace bough
