// The rows of a node, in the order of every axis.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "bough/optimal/problem.hpp"

namespace bough::optimal {

// Identifies a set of rows: the exclusive or of random numbers of its rows.
struct RowSet {
  std::uint64_t first = 0, second = 0;
  bool operator==(const RowSet&) const = default;
  RowSet operator^(const RowSet& other) const { return {first ^ other.first, second ^ other.second}; }
};

class NodeRows {
 public:
  int n = 0;
  RowSet set;

  const std::uint32_t* order(std::size_t axis) const { return order_.data() + axis * stride_; }
  std::uint32_t* order(std::size_t axis) { return order_.data() + axis * stride_; }

  // The axes that can split the node; where no value is missing, the second axis of a column is left out.
  const std::vector<std::int32_t>& axes() const { return axes_; }

  void reserve(std::size_t n_rows, std::size_t n_axes) {
    stride_ = n_rows;
    order_.resize(n_rows * n_axes);
  }

  void find_axes(const Problem& problem) {
    axes_.clear();
    for (std::size_t a = 0; a < problem.axes.size(); ++a) {
      const Axis& axis = problem.axes[a];
      const std::uint32_t *rows = order(a), low = axis.group[rows[0]], high = axis.group[rows[n - 1]];
      if (low == high) continue;
      if (axis.missing == MissingSide::left && low != axis.missing_group) continue;
      axes_.push_back(static_cast<std::int32_t>(a));
    }
  }

 private:
  std::vector<std::uint32_t> order_;
  std::vector<std::int32_t> axes_;
  std::size_t stride_ = 0;
};

inline bool can_cut(const Axis& axis, const std::uint32_t* rows, int position) {
  return axis.can_cut(axis.group[rows[position - 1]], axis.group[rows[position]]);
}

// Sends the rows of a node to its children.
class Parting {
 public:
  Parting(std::int64_t n_rows, const std::vector<RowSet>& keys) : side_(n_rows), keys_(keys) {}

  void part(const Problem& problem, const NodeRows& node, int axis, int position, NodeRows& left,
            NodeRows& right) {
    const std::uint32_t* split = node.order(axis);
    RowSet set;
    for (int i = 0; i < position; ++i) {
      side_[split[i]] = 1;
      set = set ^ keys_[split[i]];
    }
    for (int i = position; i < node.n; ++i) side_[split[i]] = 0;
    left.n = position;
    right.n = node.n - position;
    left.set = set;
    right.set = node.set ^ set;
    for (std::size_t a = 0; a < problem.axes.size(); ++a) {
      const std::uint32_t* from = node.order(a);
      std::uint32_t *l = left.order(a), *r = right.order(a);
      for (int i = 0; i < node.n; ++i) {
        const std::uint32_t row = from[i], side = side_[row];
        *l = row;
        *r = row;
        l += side;
        r += 1 - side;
      }
    }
    left.find_axes(problem);
    right.find_axes(problem);
  }

 private:
  std::vector<std::uint8_t> side_;
  const std::vector<RowSet>& keys_;
};

}  // namespace bough::optimal
