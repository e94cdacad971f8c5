#include "bough/boost/tree_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bough {

namespace {

constexpr int kRowsInStep = 8;
constexpr int kBlock = 512;  // rows whose values are gathered at a time

}  // namespace

TreeSum::TreeSum(const TreeSumArrays& trees, int n_scores, const std::vector<int>& n_levels)
    : n_scores_(n_scores), place_(n_levels.size(), -1) {
  for (std::int64_t t = 0; t < trees.n_trees; ++t) add_tree(trees, t, n_levels);
}

void TreeSum::add_tree(const TreeSumArrays& trees, std::int64_t tree, const std::vector<int>& n_levels) {
  const std::int64_t begin = trees.tree_start[tree], end = trees.tree_start[tree + 1];
  const std::size_t root = nodes_.size();
  Tree made{root, 0, false};
  std::vector<int> depth(end - begin, 0);
  for (std::int64_t i = begin; i < end; ++i) {
    Node node{std::numeric_limits<double>::quiet_NaN(), 0, static_cast<std::int32_t>(nodes_.size()), 0, -1};
    value_.push_back(trees.value[i]);
    if (trees.first_child[i] >= 0) {
      const int c = trees.column[i];
      if (place_[c] < 0) {
        place_[c] = static_cast<int>(used_.size());
        used_.push_back(c);
      }
      node.place = place_[c];
      node.child = static_cast<std::int32_t>(root) + trees.first_child[i];
      node.missing_right = trees.default_branch[i] == 1;
      for (int j = 0; j < 2; ++j) depth[trees.first_child[i] + j] = depth[i - begin] + 1;
      made.depth = std::max(made.depth, depth[i - begin] + 1);
      if (trees.kind[i] == static_cast<std::uint8_t>(SplitKind::threshold)) {
        node.cut = trees.cut[i];
      } else {
        made.has_levels = true;
        node.first_branch = static_cast<std::int32_t>(branch_.size());
        branch_.resize(branch_.size() + n_levels[c] + 1, static_cast<std::uint8_t>(node.missing_right));
        for (std::int64_t l = trees.level_start[i]; l < trees.level_start[i + 1]; ++l)
          branch_[node.first_branch + trees.level_code[l]] = static_cast<std::uint8_t>(trees.level_branch[l]);
        node.cut = n_levels[c];  // the place of the branch of missing values
      }
    }
    nodes_.push_back(node);
  }
  trees_.push_back(made);
}

std::size_t TreeSum::step(const Node& node, const double* row) const {
  const double x = row[node.place];
  if (node.first_branch >= 0) {
    const auto code = static_cast<std::int32_t>(x == x ? x : node.cut);
    return node.child + branch_[node.first_branch + code];
  }
  return node.child + static_cast<std::int32_t>((x >= node.cut) | ((x != x) & (node.missing_right != 0)));
}

// values: of the used columns, row by row.
void TreeSum::add_block(const Tree& tree, const double* values, int count, double* scores) const {
  const std::size_t width = used_.size();
  const Node* nodes = nodes_.data();
  int i = 0;
  for (; !tree.has_levels && i + kRowsInStep <= count; i += kRowsInStep) {
    std::int32_t at[kRowsInStep];
    const double* row[kRowsInStep];
    for (int j = 0; j < kRowsInStep; ++j) {
      at[j] = static_cast<std::int32_t>(tree.root);
      row[j] = values + static_cast<std::size_t>(i + j) * width;
    }
    for (int level = 0; level < tree.depth; ++level)
      for (int j = 0; j < kRowsInStep; ++j) {
        const Node& node = nodes[at[j]];
        const double x = row[j][node.place];
        at[j] = node.child + static_cast<std::int32_t>((x >= node.cut) | ((x != x) & node.missing_right));
      }
    for (int j = 0; j < kRowsInStep; ++j)
      scores[static_cast<std::ptrdiff_t>(i + j) * n_scores_] += value_[at[j]];
  }
  for (; i < count; ++i) {
    std::size_t at = tree.root;
    for (std::size_t next = step(nodes[at], values + i * width); next != at;
         next = step(nodes[at], values + i * width))
      at = next;
    scores[static_cast<std::ptrdiff_t>(i) * n_scores_] += value_[at];
  }
}

void TreeSum::add(const std::vector<Column>& columns, std::int64_t n_rows, std::int64_t first,
                  std::int64_t last, double* scores, Team& team) const {
  const std::size_t width = std::max<std::size_t>(used_.size(), 1);
  std::vector<std::vector<double>> space(team.size());
  team.run(static_cast<int>((n_rows + kBlock - 1) / kBlock), [&](int block, int member) {
    std::vector<double>& values = space[member];
    values.resize(width * kBlock);
    const std::int64_t begin = static_cast<std::int64_t>(block) * kBlock;
    const auto count = static_cast<int>(std::min<std::int64_t>(kBlock, n_rows - begin));
    for (std::size_t j = 0; j < used_.size(); ++j)
      for (int i = 0; i < count; ++i) values[i * width + j] = columns[used_[j]].value(begin + i);
    for (std::int64_t t = first; t < last; ++t)
      add_block(trees_[t], values.data(), count, scores + begin * n_scores_ + t % n_scores_);
  });
}

}  // namespace bough
