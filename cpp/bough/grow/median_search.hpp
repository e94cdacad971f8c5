// Search under absolute error. Thresholds: rows leave one by one from either end of the sorted list, which
// gives the error of every right and of every left side. Levels: their groups of rows move from the outside
// to the inside.
#pragma once

#include <vector>

#include "bough/criteria/median.hpp"
#include "bough/grow/node_lists.hpp"
#include "bough/search/scan.hpp"

namespace bough {

template <class E>
class MedianSearch {
 public:
  MedianSearch(const NodeLists<E>& in, std::size_t n_indices, std::size_t n_members) : in_(in) {
    if (!in.problem.recipe.criterion.reads_values()) return;
    targets_.resize(in.rows.n_targets);
    for (Target& target : targets_) {
      target.rank.resize(n_indices);
      target.position.resize(n_indices);
    }
    space_.resize(n_members);
  }

  // Puts the rows of a node in the order of each y, before any of its columns is searched.
  void start(const Range& range);

  // The best cut of a list whose value exceeds the floor; there is none after `barred` entries.
  Cut cut(KnownEntries<E> entries, int barred, const Range&, double floor, int member);

  // Improves `best` if the levels of the column can.
  void search_levels(int c, KnownEntries<E>, const Range&, Best& best, int member);

  // The value of a split of all rows of a node into branches.
  double value(KnownEntries<E> all, const std::vector<int>& branch, int n_branches, const Range&, int member);

 private:
  using Known = KnownEntries<E>;
  struct Space {  // one for each member of the team
    RunningMedian inside, outside;
    MedianSweep<Wide> sweep, known;     // as it goes on, and as it begins with the known rows
    std::vector<std::uint8_t> present;  // known rows, by their position in the order of y
    std::vector<double> within;         // deviation of the rows up to each entry, and of the others
    std::vector<int> group_end;
  };
  struct Groups;
  struct Target {
    std::vector<double> values;          // the node's distinct values
    std::vector<std::uint32_t> rank;     // and the rank of each index
    OrderedRows ordered;                 // all its rows by their value
    std::vector<std::int32_t> position;  // and the position of each index among them
    MedianSweep<Wide> whole;             // as it begins with all of them
    double unit = 1;                     // of its values, in that of the node's grid
  };

  template <class Value>
  void order(Target& target, const Range& range, const Value& value);
  double sweep(const Target& target, Known known, const Range& range, Space& space);
  void search_complete(int c, Groups&, const Range&, Best& best);

  const NodeLists<E>& in_;
  std::vector<Space> space_;
  std::vector<Target> targets_;
};

}  // namespace bough
