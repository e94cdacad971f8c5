// Finds the best cut of a column where two classes are counted, without putting the node's rows in order.
//
// The rows are counted in bins of neighbouring codes. Cuts between bins are judged as they are; a bin is
// looked into only if some order of its rows could make a cut within it the best. Few rows are compared each
// with each instead.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/forest/coded.hpp"
#include "bough/forest/column_search.hpp"
#include "bough/forest/count_kernels.hpp"
#include "bough/forest/node_counts.hpp"

namespace bough {

class CountSearch {
 public:
  // rows: of the node that is looked at; most_rows: of any node.
  CountSearch(const NodeCounts& rows, std::size_t most_rows, ForestMissing missing);

  void set_least(double draws) { least_ = draws; }

  // Begins a node.
  void start();

  // Betters `best` if a cut of the column can, of several equal ones by that of the column seen first and
  // there by the lowest; code: of each row, by index.
  void search(int column, const Cells<std::uint32_t>& code, const CodedColumn& coded, bool numeric,
              ForestSplit& best);
  // Looks into the bins of the columns judged so far that may hold a better cut.
  void look_closer(ForestSplit& best);

  // The codes of the node's rows in the column of the best cut, if they are still there; else null.
  const std::int32_t* codes_of(int column) const { return best_column_ == column ? best_codes_ : nullptr; }

 private:
  // One way to cut a column: its bins, and where rows without a value are.
  struct Way {
    int column = -1;
    int order = 0;  // among the ways of a node
    Cells<std::uint32_t> code;
    const CodedColumn* coded = nullptr;
    const std::int32_t* kept = nullptr;  // the codes of the node's rows, if they were kept
    int branch = -1;                     // of rows without a value; -1: of most weight
    std::uint64_t base = 0;              // what lies left of all cuts
    CountedNode node{};
    double share = 1;  // of the rows that have a value
    bool missing_seen = false;
    std::int32_t low = 0, high = 0;
    int shift = 0, n_bins = 0;
  };
  static constexpr int kMostBins = 2048, kMostWays = 8, kMostKept = 2048;

  std::int32_t* free_slot();
  void gather(const Cells<std::uint32_t>& code, const CodedColumn& coded);
  void cut(Way& way, bool before_all, ForestSplit& best);
  void cut_few(const Way& way, ForestSplit& best);
  template <class W>
  void cut_bins(Way& way, ForestSplit& best);
  template <class W>
  void look_into(const Way& way, const W* before, const W* content, ForestSplit& best);
  void list_open(const Way& way);
  bool betters(const Way& way, double value, std::uint32_t last, const ForestSplit& best) const;
  void take(const Way& way, double value, std::uint32_t last, std::uint64_t left, ForestSplit& best);

  const CountKernels& kernels_;
  const ForestMissing missing_;
  double least_ = 1;
  const NodeCounts& rows_;
  int order_ = 0, best_order_ = -1, best_column_ = -1;
  const std::int32_t* best_codes_ = nullptr;
  // A column: the codes of the rows that have one, and their counts.
  int known_ = 0;
  std::uint64_t without_ = 0;  // what has none
  std::int32_t* code_ = nullptr;
  std::vector<std::uint32_t> known_count_;
  std::vector<std::uint64_t> long_known_;
  std::int32_t low_ = 0, high_ = 0;
  const std::uint32_t* of_known_ = nullptr;
  const std::uint64_t* long_of_known_ = nullptr;
  // Ways whose bins may be worth a closer look, with what lies before and in each bin.
  std::vector<Way> ways_;
  std::vector<std::uint32_t> before_, content_;
  std::vector<std::uint64_t> long_before_, long_content_;
  std::vector<std::int32_t> kept_, passing_;  // codes: of each way, and of a column of a large node
  std::vector<std::uint8_t> open_;
  std::vector<std::uint64_t> keys_;
  int n_keys_ = 0;
  std::vector<float> value_;
};

}  // namespace bough
