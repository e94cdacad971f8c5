// The search for the attribute to split a node by: each proposes its best test; the highest gain ratio among
// those of enough gain wins.
#pragma once

#include <map>

#include "bough/c50/training.hpp"
#include "bough/machine/team.hpp"

namespace bough::c50 {

constexpr float kNone = -1;  // no gain

// The best test of one attribute.
struct Proposal {
  float gain = kNone;
  float info = 0;                      // of the split itself
  float cut = 0;                       // of an ordered attribute: the number of levels below
  std::vector<std::int32_t> group_of;  // of each level, where levels are grouped
  int n_groups = 0;
};

// Class weights of each level of an attribute in a node; row 0 holds the cases of which it is missing.
struct LevelTable {
  int n_classes = 0, n_levels = 0;
  std::vector<double> weight;

  double* row(int i) { return weight.data() + static_cast<std::size_t>(i) * n_classes; }
  const double* row(int i) const { return weight.data() + static_cast<std::size_t>(i) * n_classes; }
};

// What is known of a discrete attribute before its test is chosen.
struct LevelFigures {
  std::vector<double> value;  // weight of each row of the table
  Count known = 0;
  double unknown_rate = 0;
  double base_info = 0;
};

class Search {
 public:
  explicit Search(Training& training);

  // The attribute to test the cases by, -1 if none; its test is then in `proposal`.
  int choose(std::int64_t first, std::int64_t last, Count cases);
  const Proposal& proposal(int column) const { return proposals_[column]; }

 private:
  struct Entry {
    float value, weight;
    int label;
  };
  // What one thread needs to look at an attribute.
  struct Scratch {
    std::vector<std::uint64_t> keys, key_buffer;
    std::vector<Entry> entries;
    std::map<int, std::vector<double>> stirling_rows;

    double stirling(int n, int k);
  };
  struct Scan;

  void tabulate(std::int64_t first, std::int64_t last);
  void propose(int column, std::int64_t first, std::int64_t last, Count cases, Scratch& scratch);
  int best(Count cases);
  int n_branches(int column) const;

  void propose_threshold(int column, std::int64_t first, std::int64_t last, Scratch& scratch);
  void read_entries(Scan& scan, const Attribute& attribute, std::int64_t first, Scratch& scratch) const;
  void scan_cuts(Scan& scan, const std::vector<Entry>& entries) const;

  void propose_levels(int column, Count cases, Scratch& scratch);
  void propose_complete(int column, Count cases);
  void propose_ordered(int column, Count cases);
  void propose_subsets(int column, Count cases, Scratch& scratch);
  LevelFigures figures_of(const LevelTable& table, Count cases) const;
  double gain_of(const LevelTable& table, const LevelFigures& figures) const;

  Training& training_;
  std::vector<Proposal> proposals_;
  std::vector<LevelTable> tables_;  // of discrete attributes
  // Of the cases of the node, in their order: labels and weights next to each other.
  std::vector<Entry> cases_;
  std::vector<Scratch> scratch_;  // one a thread
};

}  // namespace bough::c50
