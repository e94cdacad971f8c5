// How rows go down a tree grown on bins, by their codes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bough/data/bins.hpp"
#include "bough/histogram/row_list.hpp"

namespace bough {

class TreeRoutes {
 public:
  explicit TreeRoutes(const BinnedTable& table) : table_(table) {}

  // How rows go on from a node.
  struct Route {
    int column = -1, first_child = 0;  // column -1: they stay
    std::size_t first_branch = 0;      // of the codes of the column
  };

  // Begins a tree of a single node.
  void start() {
    nodes_.assign(1, {});
    branches_.clear();
  }

  // Splits a node by a column, with a branch for each of its codes.
  void split(int node, int column, int first_child, const std::vector<std::uint8_t>& branch) {
    nodes_[node] = {column, first_child, branches_.size()};
    nodes_.resize(std::max(nodes_.size(), static_cast<std::size_t>(first_child) + 2));
    branches_.insert(branches_.end(), branch.begin(), branch.end());
  }

  const std::vector<Route>& nodes() const { return nodes_; }
  const std::vector<std::uint8_t>& branches() const { return branches_; }

  // The leaf that a row ends in.
  int leaf_of(std::int64_t row) const {
    int node = 0;
    while (nodes_[node].column >= 0) {
      const Route& route = nodes_[node];
      node = route.first_child + branches_[route.first_branch + table_.code(route.column, row)];
    }
    return node;
  }

  // Calls work(entries, count, leaf) for rows that end in the same leaf. Rows of a node are parted together,
  // since a row that goes down alone waits for every code. kRowsAtOnce: the most rows of a call.
  static constexpr std::int64_t kRowsAtOnce = 2048;
  template <class Work>
  void for_leaves(const std::uint32_t* rows, std::int64_t count, const Work& work) const {
    static_assert(kRowsAtOnce < kRowsForTeam);
    static thread_local RowList list(kRowsAtOnce);
    static thread_local std::vector<Piece> pieces;
    std::copy_n(rows, count, list.entries());
    Team alone(1);
    pieces.assign(1, {0, 0, count});
    while (!pieces.empty()) {
      const Piece piece = pieces.back();
      pieces.pop_back();
      const Route& route = nodes_[piece.node];
      if (route.column < 0) {
        work(list.entries() + piece.begin, piece.count, piece.node);
        continue;
      }
      const std::int64_t n_left = list.part(table_, route.column, branches_.data() + route.first_branch,
                                            piece.begin, piece.count, alone);
      if (n_left < piece.count)
        pieces.push_back({route.first_child + 1, piece.begin + n_left, piece.count - n_left});
      if (n_left > 0) pieces.push_back({route.first_child, piece.begin, n_left});
    }
  }

 private:
  struct Piece {
    int node;
    std::int64_t begin, count;
  };

  const BinnedTable& table_;
  std::vector<Route> nodes_;
  std::vector<std::uint8_t> branches_;
};

}  // namespace bough
