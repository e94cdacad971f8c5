// Grows the trees of a table of nominal columns together: that of all rows, and those without a fold. Where
// their splits agree, their rows are counted, and parted, once for all of them; of two children the smaller
// is counted, and the larger is what is left. Nodes of few rows are grown as those of other tables are.
#pragma once

#include <vector>

#include "bough/grow/level_measure.hpp"
#include "bough/grow/level_search.hpp"
#include "bough/grow/subtree.hpp"

namespace bough {

class LevelTrees {
 public:
  // Whether trees of this recipe can be grown from counts.
  static bool serves(const Data& data, const Recipe& recipe);

  // trees: that of all rows, then that without each fold.
  LevelTrees(const LevelRows& rows, const LevelMeasure* measure, const Data& data,
             std::vector<LevelTree>& trees, Team& team, Watch& watch);

  // Grows the trunk and the grafts of every tree.
  void grow();

 private:
  // The nodes that are split alike, and their children.
  struct Part {
    LevelNodes* parent = nullptr;
    std::vector<int> members;               // which of the parent's nodes
    std::vector<Best> best;                 // of each
    std::vector<std::int8_t> branch;        // of each level of the column; -1: no node has it
    std::vector<LevelSearch::Branches> of;  // of each member
    LevelNodes child[2];
    std::vector<Node> measured[2];
    LevelNodes* counted = nullptr;  // the child whose rows are counted
    std::vector<std::vector<Surrogate>> surrogates;

    int column() const { return best[0].column; }
  };

  void grow_root();
  void count_root(LevelNodes& root, std::vector<Node>& measured);
  void start_tree(const LevelNodes& root, const LevelNode& own, const Node& measured);
  void grow_wave(std::vector<LevelNodes>& wave);
  std::vector<Part> parts_of(std::vector<LevelNodes>& wave, std::vector<std::vector<Best>>& best) const;
  bool join(Part& part, int member, Best& best) const;
  void part_rows(Part& part) const;
  void measure_children(Part& part) const;
  void measure_classes(LevelNode& own, const LevelTree& tree, Node& node, double* counts) const;
  void record(Part& part);
  void record_split(Part& part, std::size_t m);
  void choose_counted(Part& part) const;
  void count(std::vector<Part>& parts);
  void count_rows(LevelNodes& all, int begin, int end) const;
  void make_room(LevelNodes& all) const;
  void settle(Part& part);
  void put_aside(LevelNodes all);
  void grow_ends();
  bool wants_surrogates(const Part& part) const;
  bool classes() const { return measure_ == nullptr; }
  bool differs() const { return classes() || measure_->whole(); }

  const LevelRows& rows_;
  const LevelMeasure* measure_;
  const Data& data_;
  std::vector<LevelTree>& trees_;
  Team& team_;
  Watch& watch_;
  LevelSearch search_;
  std::size_t few_rows_;
  std::vector<LevelNodes> waiting_, ends_;
};

}  // namespace bough
