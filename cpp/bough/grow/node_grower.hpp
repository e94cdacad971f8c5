// Grows one node after the other: measures it, finds its split, parts its rows and records all three.
#pragma once

#include <concepts>
#include <optional>
#include <utility>
#include <vector>

#include "bough/grow/handful.hpp"
#include "bough/grow/node_search.hpp"
#include "bough/grow/parting.hpp"
#include "bough/grow/surrogates.hpp"

namespace bough {

template <class E>
class NodeGrower {
 public:
  // global_row: the table's row of each index; null: the index itself. capacity: the most rows a list may
  // hold. rooms: memory for so many rows each, free to be written.
  NodeGrower(const Problem& problem, Rows rows, std::vector<E*> lists, const std::uint32_t* global_row,
             std::size_t capacity, std::size_t n_indices, Team* team, SparseNodes* sparse = nullptr,
             std::vector<E*> rooms = {})
      : in_{problem, rows, std::move(lists), global_row, team, sparse},
        search_(in_, n_indices),
        parting_(in_, capacity, n_indices, std::move(rooms)),
        surrogates_(in_, parting_),
        sums_(team) {
    if constexpr (sizeof(E) == sizeof(SparseNodes::Entry))
      if (sparse) sparse->set_lists(in_.lists);
    if constexpr (std::same_as<E, Handful::Entry>)
      if (const int most = Handful::most_rows(problem)) {
        handful_.emplace(in_, n_indices);
        most_in_handful_ = most;
      }
  }
  NodeGrower(const NodeGrower&) = delete;
  NodeGrower& operator=(const NodeGrower&) = delete;

  // Makes node `range.node` from the rows that stand in `list`, and decides whether it may be split.
  void measure(const E* list, Range& range, Branching& out);

  Best search(const Range& range, const Branching& out) { return search_.best(range, out); }
  double worth(const Best& best, const Range& range, const Branching& out) const {
    return search_.worth(best, range, out);
  }
  double improvement(const Best& best, const Range& range, const Branching& out) const {
    return search_.improvement(best, range, out);
  }

  // Splits the node; returns its children, with the rows of those that are live parted in all lists. They are
  // valid until the next split.
  const std::vector<Range>& split(const Range& range, const Best& best, Branching& out);

  // Whether the node has so few rows that all below it is grown by grow_handful.
  bool is_handful(const Range& range) const { return range.count <= most_in_handful_; }
  void grow_handful(const Range& range, Branching& out)
    requires std::same_as<E, Handful::Entry>;

 private:
  void record(const Range&, const Best&, Branching&) const;
  void record_cut(const E* below, const E* above, const Range&, Branching&) const;
  void record_competitors(const Range&, const Best&, Branching&) const;
  void measure_children(const Range&, const Best&, const E* list, Branching&);
  int default_branch(const Best&, const std::vector<double>& weight, const Node* children) const;
  bool bounds_answers() const { return !in_.problem.recipe.monotonic.empty(); }
  void bound_children(const Range&, int column, Range* children, int n_children, Branching&) const;
  double answer_of_row(std::uint32_t row) const;
  double own_weight(const E* list, int count) const;
  double share_of_second(const Branching&, int node) const;
  void answer_share(double share, int node, Branching&) const;
  void answer_mean(double mean, Node&) const;
  void split_handful(const Range&, Handful::Set rows, Branching&)
    requires std::same_as<E, Handful::Entry>;
  void split_pair(const Range& pair, const Range& parent, int parent_column, Branching&);

  NodeLists<E> in_;
  NodeSearch<E> search_;
  Parting<E> parting_;
  SurrogateSearch<E> surrogates_;
  RowSums sums_;
  std::vector<Range> children_;  // of the last node split
  std::optional<Handful> handful_;
  int most_in_handful_ = 0;
  struct WaitingNode {
    Range range;
    Handful::Set rows;
  };
  std::vector<WaitingNode> waiting_;  // nodes of the handful that are to be split
};

}  // namespace bough
