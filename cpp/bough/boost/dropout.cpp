#include "bough/boost/dropout.hpp"

#include <algorithm>

#include "bough/machine/random.hpp"

namespace bough {

std::unique_ptr<TreeSum> sum_of_tree(const GrownTree& tree, const std::vector<int>& n_levels) {
  const std::int64_t starts[2] = {0, static_cast<std::int64_t>(tree.parent.size())};
  TreeSumArrays arrays;
  arrays.n_trees = 1;
  arrays.tree_start = starts;
  arrays.level_start = tree.level_start.data();
  arrays.first_child = tree.first_child.data();
  arrays.n_children = tree.n_children.data();
  arrays.column = tree.column.data();
  arrays.default_branch = tree.default_branch.data();
  arrays.level_code = tree.level_code.data();
  arrays.level_branch = tree.level_branch.data();
  arrays.kind = tree.kind.data();
  arrays.cut = tree.cut.data();
  arrays.value = tree.statistics.data();
  return std::make_unique<TreeSum>(arrays, 1, false, n_levels);
}

void Dropout::add(std::size_t tree, double factor, double* score, Team& team) {
  std::fill(answers_.begin(), answers_.end(), 0.0);
  made_[tree]->add(columns_, static_cast<std::int64_t>(answers_.size()), 0, 1, answers_.data(), team);
  for (std::size_t i = 0; i < answers_.size(); ++i) score[i] += factor * answers_[i];
}

void Dropout::leave_out(std::uint64_t seed, const std::vector<double*>& scores, Team& team) {
  left_out_.clear();
  Random random(seed, 0);
  for (std::size_t round = 0; round < made_.size() / scores.size(); ++round)
    if (random.uniform() < rate_) left_out_.push_back(round);
  for (const std::size_t round : left_out_)
    for (std::size_t k = 0; k < scores.size(); ++k) {
      const std::size_t tree = round * scores.size() + k;
      add(tree, -factor_[tree], scores[k], team);
    }
}

void Dropout::put_back(std::vector<GrownTree>& trees, const std::vector<double*>& scores, Team& team) {
  const auto many = static_cast<double>(left_out_.size());
  const double of_new = 1 / (many + 1), of_old = many / (many + 1);
  const auto scale = [&](std::size_t tree, double factor) {
    factor_[tree] *= factor;
    for (double& value : trees[tree].statistics) value *= factor;
  };
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const std::size_t tree = made_.size();
    made_.push_back(sum_of_tree(trees[tree], n_levels_));
    factor_.push_back(1);
    if (left_out_.empty()) continue;
    add(tree, of_new - 1, scores[k], team);
    scale(tree, of_new);
    for (const std::size_t round : left_out_) {
      const std::size_t old = round * scores.size() + k;
      scale(old, of_old);
      add(old, factor_[old], scores[k], team);
    }
  }
}

void Dropout::remember(const std::vector<GrownTree>& trees) {
  remembered_.resize(trees.size());
  for (std::size_t i = 0; i < trees.size(); ++i)
    remembered_[i].assign(trees[i].statistics.begin(), trees[i].statistics.end());
}

void Dropout::restore(std::vector<GrownTree>& trees) const {
  for (std::size_t i = 0; i < remembered_.size(); ++i) trees[i].statistics = remembered_[i];
}

}  // namespace bough
