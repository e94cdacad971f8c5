// Growth in release 8's own order of cases.
//
// Where values are missing, weights are fractions, their sums in 32-bit floats depend on the order of the
// cases, and the program compares such sums with whole numbers: whether a test has enough cases can hang on
// the last bit. So small tables with missing values are grown as the program does it, moving the cases about
// in one array: each numeric column sorts it, each branch is brought to its front. Without missing values all
// sums are whole and the lists of Grower give the same tree much sooner.
#pragma once

#include "bough/machine/watch.hpp"
#include "bough/quinlan/release8.hpp"

namespace bough::quinlan {

class CaseOrderGrower {
 public:
  CaseOrderGrower(const Release8Search& search, const Table<float>& table, Watch& watch);

  TreeBuilder grow();

 private:
  // A node while its branches are grown one after the other; positions in the array of cases.
  struct Frame {
    std::int32_t node;
    std::int64_t begin, known, end;  // cases with missing values stand from begin to known
    float known_weight;
    float factor = 0;  // what the weights of incomplete cases were multiplied by for the present branch
    std::int64_t branch_end = 0;
    std::int32_t branch = -1;  // the present one
    bool all_known = true;     // to be restored
    int column = -1;
  };

  struct Ranked {
    std::uint32_t rank, item;
  };

  bool enter(std::int32_t node, std::int64_t begin, std::int64_t end);
  bool next_branch(Frame& frame);
  void leave_branch(Frame& frame);
  Candidate<float> best_test(int column, const NodeView<float>& view, std::int64_t begin, std::int64_t end);
  void record(std::int32_t node, int column, std::int64_t begin, std::int64_t end);
  void sort(std::int64_t begin, std::int64_t end, const std::vector<std::uint32_t>& rank);
  std::int64_t group(int column, std::int32_t branch, std::int64_t begin, std::int64_t end, const Node& node);
  std::int32_t branch_of(const Node& node, int column, std::uint32_t row) const;
  float count(std::int64_t begin, std::int64_t end) const;
  double cases_of(const NodeView<float>& view) const;
  void swap(std::int64_t a, std::int64_t b) { std::swap(cases_[a], cases_[b]); }

  Release8Search search_;
  const Table<float>& table_;
  Watch& watch_;
  TreeBuilder tree_;
  Items<float> items_;                             // cases; their weights change while a branch is grown
  std::vector<std::uint32_t> cases_;               // items, in their present order
  std::vector<std::vector<std::uint32_t>> ranks_;  // of each numeric column: of each row
  std::vector<std::uint32_t> cut_rank_;            // of each node
  std::vector<int> tested_;
  bool all_known_ = true;
  bool weights_count_cases_ = true;  // each row stands for as many cases as it weighs
  std::vector<Candidate<float>> found_;
  Release8Search::Scratch scratch_;
  std::vector<float> statistics_;
  std::vector<Entry> entries_;
  std::vector<Ranked> ranked_;                                 // while they are sorted
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges_;  // that are still to be sorted
  std::vector<Frame> frames_;
};

}  // namespace bough::quinlan
