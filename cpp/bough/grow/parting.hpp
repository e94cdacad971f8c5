// Parts the rows of a node by its split: the branch of each row, then the lists of all columns.
#pragma once

#include <algorithm>
#include <concepts>
#include <numeric>
#include <utility>
#include <vector>

#include "bough/grow/node_lists.hpp"
#include "bough/machine/buffer.hpp"

namespace bough {

template <class E>
class Parting {
 public:
  // capacity: the most rows a list may hold. rooms: memory for as many rows each, which is used as scratch.
  Parting(const NodeLists<E>& in, std::size_t capacity, std::size_t n_indices, std::vector<E*> rooms)
      : in_(in), capacity_(capacity), sides_(n_indices), scratch_(std::move(rooms)) {
    if (in.problem.recipe.nominal == Nominal::complete) branch_.resize(n_indices);
  }

  // Sets the branches of the rows whose value is known.
  void set_known(const Best& best, KnownEntries<E> known);
  // Sets the others': the one that the search chose; else by_surrogate(entry), or the recipe's fallback where
  // that is -1.
  template <class BySurrogate>
  void set_missing(const Range& range, const Best& best, KnownEntries<E> known,
                   const BySurrogate& by_surrogate);

  // Parts the list of the column split on; then those of all others, as far as live children need them.
  void part_own(const Range& range, const Best& best);
  void part_others(const Range& range, const std::vector<Range>& children, int split_column);

  // Of the rows in each branch: how many there are, where they begin, and their own weight without those
  // whose value is missing.
  const std::vector<int>& count() const { return count_; }
  const std::vector<int>& start() const { return start_; }
  const std::vector<double>& branch_weight() const { return branch_weight_; }
  // With two branches: whether a row goes left.
  const Sides<E>& sides() const { return sides_; }

 private:
  bool in_many(std::size_t n_branches) const { return n_branches > 2 || n_staying_ > 0; }
  void set_sides(KnownEntries<E> known, int left);
  void set_sides_together(KnownEntries<E> known, int left)
    requires std::same_as<E, std::uint64_t>;
  void make_scratch();

  const NodeLists<E>& in_;
  std::size_t capacity_;
  Sides<E> sides_;
  std::vector<std::uint32_t> branch_;   // of each index; used where rows go more than two ways
  std::vector<E*> scratch_;             // one for each member of the team
  std::vector<Buffer<E>> own_scratch_;  // those that were not given
  std::vector<int> count_, start_;
  std::vector<double> branch_weight_;
  int n_staying_ = 0;  // rows that go to no child
};

template <class E>
template <class BySurrogate>
void Parting<E>::set_missing(const Range& range, const Best& best, KnownEntries<E> known,
                             const BySurrogate& by_surrogate) {
  const int n = range.count, nb = best.n_branches;
  const auto most = std::max_element(branch_weight_.begin(), branch_weight_.end());
  int otherwise = static_cast<int>(most - branch_weight_.begin());
  const Fallback fallback = in_.problem.recipe.fallback;
  const bool tie = nb == 2 && branch_weight_[0] == branch_weight_[1];
  if (fallback == Fallback::stay || (fallback == Fallback::larger && tie)) otherwise = nb;
  if (best.missing >= 0) otherwise = best.missing;

  n_staying_ = 0;
  std::vector<std::uint32_t> staying;
  for (int i = known.count; i < n; ++i) {
    const std::uint32_t row = index_of(known.list[i]);
    int branch = by_surrogate(known.list[i]);
    if (branch < 0) branch = otherwise;
    if (branch == nb) {
      staying.push_back(row);
      continue;
    }
    ++count_[branch];
    if (nb == 2)
      sides_.set(row, branch == 0);
    else
      branch_[row] = static_cast<std::uint32_t>(branch);
  }
  n_staying_ = static_cast<int>(staying.size());
  if (n_staying_ && nb == 2) {  // then there are three ways to go
    branch_.resize(std::max<std::size_t>(branch_.size(), in_.problem.data.n_rows));
    for (int i = 0; i < n; ++i) {
      const std::uint32_t row = index_of(known.list[i]);
      branch_[row] = 1 - sides_.left(row);
    }
  }
  for (std::uint32_t row : staying) branch_[row] = static_cast<std::uint32_t>(nb);
  start_.assign(nb + 1, 0);
  std::partial_sum(count_.begin(), count_.end(), start_.begin() + 1);
}

}  // namespace bough
