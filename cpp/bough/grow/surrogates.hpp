// Surrogates (Breiman et al. 1984): splits of other columns that send rows much as the node's own split does,
// and stand in for it where its value is missing.
#pragma once

#include <memory>
#include <vector>

#include "bough/grow/node_lists.hpp"
#include "bough/grow/parting.hpp"

namespace bough {

struct Surrogate {
  int column = -1;
  int below = 0, above = 0;               // threshold: positions in the list of the entries beside the cut
  bool turned = false;                    // values below the cut take the second branch
  double agreed = 0;                      // weight sent alike, in units of the rows' own weight
  double majority = 0;                    // weight on the heavier side, of the rows that agreement counts
  double known = 0;                       // and on both sides
  double n_sent = 0;                      // cases that it sends in place of the split
  std::unique_ptr<LevelBranches> levels;  // null: threshold
};

constexpr int kLeastCasesOfSurrogate = 2;  // on either side

// The rows of a level on either side of a split.
struct SidesOfLevel {
  std::int32_t code;
  double left = 0, right = 0;
  double cases_left = 0, cases_right = 0;
};

// Makes a surrogate of levels: each goes with most of its rows; where both sides weigh the same, with most
// rows of the node, and if these do too, to the higher branch. Two rows must go each way, or as in rpart
// (astray), two must be routed otherwise than by the split.
void route_levels(const std::vector<SidesOfLevel>& levels, int higher_branch, bool astray, Surrogate& best);

// Keeps the surrogates that are better than sending every row with the majority, the best first. weight: of
// the rows in each branch.
void keep_best(std::vector<Surrogate>& found, const Surrogates& wanted, const std::vector<double>& weight);

// What a tree keeps of a surrogate, but for its levels or the rows beside its cut.
AlternativeSplit alternative_of(const Surrogate& one);

template <class E>
class SurrogateSearch {
 public:
  SurrogateSearch(const NodeLists<E>& in, const Parting<E>& parting) : in_(in), parting_(parting) {}

  // Finds the surrogates of a split, best first, once the branches of its known rows are set.
  void find(const Range& range, const Best& best, KnownEntries<E> known);
  // Writes down those of the last split.
  void record(const Range& range, Branching& out) const;
  // The branch by the first surrogate that knows its value of the row; -1 if none does.
  int branch(const Range& range, E entry);

 private:
  void find_in_column(int c, const Range&, Surrogate&) const;
  void find_cut(const E* list, int count, Surrogate&) const;
  void find_levels(const E* list, int count, Surrogate&) const;
  void set_directions(const Range&, KnownEntries<E> known);
  int branch_of_higher_mean(KnownEntries<E> known) const;
  bool counts(E entry) const { return !any_unsure_ || direction_[index_of(entry)] != 0; }

  const NodeLists<E>& in_;
  const Parting<E>& parting_;
  std::vector<Surrogate> found_;
  std::vector<std::int8_t> direction_;  // of each index -1 left, 1 right, 0 where the split has no value
  bool any_unsure_ = false;
  int higher_branch_ = 0;  // takes levels of which nothing else decides
};

}  // namespace bough
