#include "bough/boost/coded_sum.hpp"

#include <algorithm>
#include <set>

namespace bough {

namespace {

// Rows are coded again for each group, which takes as long as this part of the columns takes trees.
constexpr std::size_t kColumnsOfTree = 8;

// Where groups of trees start whose cuts in every column have codes, and the number of trees. Trees of one
// round, which add to different scores, stay together.
std::vector<std::int64_t> starts_of_groups(const TreeNodes& sum) {
  const std::size_t round = sum.width > 1 ? 1 : static_cast<std::size_t>(sum.n_scores), n = sum.trees.size();
  std::vector<std::int64_t> starts = {0};
  std::vector<std::set<double>> cuts(sum.used.size());
  const auto add = [&](std::size_t tree) {
    bool few = true;
    for (std::size_t i = sum.first_node(tree); i < sum.first_node(tree + round); ++i) {
      if (sum.is_leaf(i) || sum.nodes[i].first_branch >= 0) continue;
      std::set<double>& own = cuts[sum.nodes[i].place];
      own.insert(sum.nodes[i].cut);
      few &= own.size() <= CodedTrees::kMostCuts;
    }
    return few;
  };
  for (std::size_t t = 0; t < n; t += round) {
    if (add(t) || static_cast<std::size_t>(starts.back()) == t) continue;
    starts.push_back(static_cast<std::int64_t>(t));
    for (std::set<double>& own : cuts) own.clear();
    add(t);
  }
  starts.push_back(static_cast<std::int64_t>(n));
  return starts;
}

}  // namespace

CodedSum::CodedSum(const TreeNodes& sum) : start_(starts_of_groups(sum)) {
  const std::size_t n_groups = start_.size() - 1;
  fits_ = n_groups == 1 || sum.trees.size() * kColumnsOfTree >= sum.used.size() * n_groups;
  for (std::size_t g = 0; fits_ && g < n_groups; ++g) {
    groups_.emplace_back(sum, start_[g], start_[g + 1]);
    fits_ = groups_.back().fits();
  }
}

void CodedSum::add(const std::vector<Column>& columns, const CodedTrees::Block& block, Space& space) const {
  space.resize(groups_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::int64_t first = std::max(block.first, start_[g]), last = std::min(block.last, start_[g + 1]);
    if (first >= last) continue;
    const RowRange next = block.last <= start_[g + 1] ? block.next : RowRange{0, 0};
    groups_[g].add(columns,
                   {block.begin, block.count, block.scores, first - start_[g], last - start_[g], next},
                   space[g]);
  }
}

}  // namespace bough
