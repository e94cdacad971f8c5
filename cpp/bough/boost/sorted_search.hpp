// The search of several columns of a node of few rows, which are in the order of each column.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/boost/cut_screen.hpp"
#include "bough/boost/cut_search.hpp"

namespace bough {

// What is known about the rows of a tree.
struct SortedTerms {
  const WideGradients::Terms* exact;
  const CoarseTerms* coarse;  // null: columns are not screened
};

struct ColumnToSearch {
  int column;
  const SortedRow* rows;
  BinSplit* best;
};

// Columns to be searched together, and what the screen says about them.
struct ColumnsToSearch {
  std::vector<ColumnToSearch> all;
  std::vector<const SortedRow*> rows;
  std::vector<ScreenedColumn> screened;

  // Those of a thread, of which there are none.
  static ColumnsToSearch& none() {
    static thread_local ColumnsToSearch own;
    own.all.clear();
    own.rows.clear();
    return own;
  }
};

// Searches columns of a node of `count` rows whose gains follow from sums alone. Of columns that do not have
// the best cut of all, nothing may be found.
template <class Cells>
void search_sorted(const GradientScores<Cells>& scores, const GradientSums& node, const BinnedTable& bins,
                   const SortedTerms& terms, std::int64_t count, ColumnsToSearch& columns) {
  const GainScan scan = scores.scan_of(node, scores.limits().l2);
  const auto search = [&](const ColumnToSearch& each, const CutRange& range) {
    CutSearch<Cells>({scores, node, bins.columns[each.column], each.column, *each.best})
        .by_sorted_rows(scan, terms.exact, each.rows, count, range);
    each.best->score = each.best->value;
  };
  if (!terms.coarse || columns.all.size() < 2) {
    for (const ColumnToSearch& each : columns.all) search(each, CutRange::of(scan, count));
    return;
  }
  CutScreen screen(scan, count, *terms.coarse, columns.screened);
  for (const ColumnToSearch& each : columns.all) columns.rows.push_back(each.rows);
  screen.screen(columns.rows);
  for (std::size_t i = 0; i < columns.all.size(); ++i)
    if (const CutRange range = screen.may_be_best(i); !range.is_empty()) search(columns.all[i], range);
}

}  // namespace bough
