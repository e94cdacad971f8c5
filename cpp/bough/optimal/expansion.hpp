// The rows of a whole table as a node, and the tree that choices describe.
#pragma once

#include <algorithm>
#include <vector>

#include "bough/optimal/search.hpp"
#include "bough/optimal/solver.hpp"

namespace bough::optimal {

inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

inline std::vector<RowSet> row_keys(std::int64_t n) {
  std::vector<RowSet> keys(n);
  for (std::int64_t i = 0; i < n; ++i) keys[i] = {mixed(2 * i), mixed(2 * i + 1)};
  return keys;
}

inline NodeRows all_rows(const Problem& problem, const std::vector<RowSet>& keys) {
  NodeRows root;
  root.reserve(problem.rows.n, problem.axes.size());
  root.n = static_cast<int>(problem.rows.n);
  for (std::size_t a = 0; a < problem.axes.size(); ++a)
    std::copy(problem.axes[a].rows.begin(), problem.axes[a].rows.end(), root.order(a));
  for (const RowSet& key : keys) root.set = root.set ^ key;
  root.find_axes(problem);
  return root;
}

inline int position_of(const Axis& axis, const NodeRows& node, int a, std::uint32_t group) {
  const std::uint32_t* order = node.order(a);
  return static_cast<int>(std::partition_point(order, order + node.n,
                                               [&](std::uint32_t row) { return axis.group[row] < group; }) -
                          order);
}

// A row of the table whose value belongs to a group.
inline std::uint32_t row_of_group(const Axis& axis, std::uint32_t group) {
  return *std::partition_point(axis.rows.begin(), axis.rows.end(),
                               [&](std::uint32_t row) { return axis.group[row] < group; });
}

// Sends the rows of a node to the sides of its split.
inline void part_by(const Problem& problem, Parting& parting, const NodeRows& node, const Choice& choice,
                    NodeRows& left, NodeRows& right) {
  const int position = position_of(problem.axes[choice.axis], node, choice.axis, choice.group);
  left.reserve(node.n, problem.axes.size());
  right.reserve(node.n, problem.axes.size());
  parting.part(problem, node, choice.axis, position, left, right);
}

inline TreeNode described(const Problem& problem, const NodeRows& node, const Choice& choice, int position) {
  const Axis& axis = problem.axes[choice.axis];
  const std::uint32_t* order = node.order(choice.axis);
  const std::uint32_t below = axis.group[order[position - 1]], above = axis.group[order[position]];
  TreeNode out;
  const Axis::Source& source = axis.source(below == axis.missing_group ? above - 1 : below);
  out.column = source.column;
  out.row_below = below == axis.missing_group ? row_of_group(axis, above - 1) : order[position - 1];
  out.row_above = above == axis.missing_group ? row_of_group(axis, below + 1) : order[position];
  const bool missing =
      axis.group[order[0]] == axis.missing_group || axis.group[order[node.n - 1]] == axis.missing_group;
  out.missing = missing ? axis.missing : MissingSide::none;
  out.levels = source.levels;
  return out;
}

inline void expand(const Problem& problem, Parting& parting, const Loss& loss, const NodeRows& node,
                   const std::vector<Choice>& choices, std::size_t& next, std::vector<TreeNode>& out) {
  Choice choice = choices[next++];
  const bool stump = choice.kind == Choice::Kind::stump;
  if (stump) {
    const Stump best = loss.stump(problem, node);
    choice = {Choice::Kind::split, best.axis,
              problem.axes[best.axis].group[node.order(best.axis)[best.position]]};
  }
  out.emplace_back();
  if (choice.kind == Choice::Kind::leaf) return;
  NodeRows left, right;
  part_by(problem, parting, node, choice, left, right);
  out.back() = described(problem, node, choice, left.n);
  if (stump) {
    out.resize(out.size() + 2);
    return;
  }
  expand(problem, parting, loss, left, choices, next, out);
  expand(problem, parting, loss, right, choices, next, out);
}

// The nodes of the tree that choices describe, in preorder; the splits of stumps are searched again.
inline std::vector<TreeNode> expanded(const Problem& problem, const std::vector<RowSet>& keys,
                                      const Loss& loss, const NodeRows& root,
                                      const std::vector<Choice>& choices) {
  std::vector<TreeNode> nodes;
  std::size_t next = 0;
  Parting parting(problem.rows.n, keys);
  expand(problem, parting, loss, root, choices, next, nodes);
  return nodes;
}

}  // namespace bough::optimal
