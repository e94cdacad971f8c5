#include "bough/grow/level_search.hpp"

#include <algorithm>
#include <utility>

namespace bough {

double LevelSearch::on_grid(const LevelNode& own, std::int64_t n, std::int64_t sum) const {
  if (!whole_) return static_cast<double>(sum);
  const double off = static_cast<double>(sum) - static_cast<double>(n) * own.spread.origin;
  return off * power_of_two(own.range.exponent);
}

void LevelSearch::read(const LevelNodes& all, const LevelNode& own, int c, Levels& levels) const {
  levels.code.clear();
  levels.statistics.clear();
  levels.cases.clear();
  std::vector<std::int64_t> of_level(rows_.width());
  for (int l = 0; l < rows_.n_levels(c); ++l) {
    sums(all, own, c, l, of_level.data());
    const std::int64_t n = rows_in(rows_, classes_, of_level.data());
    if (n == 0) continue;
    levels.code.push_back(l);
    levels.cases.push_back(static_cast<double>(n));
    if (classes_) {
      levels.statistics.insert(levels.statistics.end(), of_level.begin(), of_level.end());
    } else {
      levels.statistics.push_back(static_cast<double>(n));
      levels.statistics.push_back(on_grid(own, n, of_level[1]));
    }
  }
}

// Whether the column has a split that is better than the floor and within the limits.
bool LevelSearch::search_column(int c, const LevelNodes& all, const LevelNode& own, const LevelTree& tree,
                                double floor, Levels& levels, Best& found) const {
  read(all, own, c, levels);
  const Recipe& recipe = tree.problem.recipe;
  const ContingencyTable table{levels.statistics.data(), levels.cases.data(),
                               static_cast<int>(levels.cases.size()), own.range.weight, nullptr};
  const LeafLimits limits{recipe.limits.min_cases_of_two(), tree.problem.min_weight_leaf,
                          recipe.limits.min_cases_leaf};
  const Found split =
      best_nominal(table, tree.problem.evaluator, limits, recipe.nominal, recipe.max_exhaustive);
  if (!(split.value > floor)) return false;
  const double gain = gain_of(split.value, own.range, recipe, tree.table, tree.trunk);
  if (!gains_enough(gain, own.range, recipe, tree.problem.root_weight, tree.problem.root_improvement,
                    tree.trunk))
    return false;
  found.value = found.score = split.value;
  found.column = c;
  found.levels = std::make_unique<LevelBranches>();
  found.levels->code = levels.code;
  found.levels->branch.assign(split.branch.begin(), split.branch.end());
  return true;
}

Best LevelSearch::best(const LevelNodes& all, const LevelNode& own, const LevelTree& tree) const {
  Best best;
  Levels levels;
  const int n_competitors = tree.problem.recipe.n_competitors;
  std::vector<Best> found;
  for (int c = 0; c < rows_.n_columns(); ++c) {
    Best one;
    const double floor = n_competitors > 0 ? one.value : best.value;
    if (!search_column(c, all, own, tree, floor, levels, one)) continue;
    n_competitors > 0 ? found.push_back(std::move(one)) : void(best = std::move(one));
  }
  if (found.empty()) return best;
  std::stable_sort(found.begin(), found.end(),
                   [](const Best& a, const Best& b) { return a.score > b.score; });
  best = std::move(found[0]);
  for (std::size_t i = 1; i < found.size() && static_cast<int>(i) <= n_competitors; ++i)
    best.competitors.push_back(std::move(found[i]));
  return best;
}

LevelSearch::Branches LevelSearch::branches(const LevelNodes& all, const LevelNode& own,
                                            const Best& best) const {
  const int width = rows_.width();
  Branches split{std::vector<double>(2, 0.0), std::vector<double>(classes_ ? 2 * width : 0, 0.0)};
  std::vector<std::int64_t> of_level(width);
  for (std::size_t i = 0; i < best.levels->code.size(); ++i) {
    const int branch = best.levels->branch[i];
    sums(all, own, best.column, best.levels->code[i], of_level.data());
    split.rows[branch] += static_cast<double>(rows_in(rows_, classes_, of_level.data()));
    for (int k = 0; k < width && classes_; ++k)
      split.counts[branch * width + k] += static_cast<double>(of_level[k]);
  }
  return split;
}

// The branch with the higher mean, of numbers or of the numbers of the classes.
int LevelSearch::higher_branch(const LevelNodes& all, const LevelNode& own, const Best& best) const {
  double sum[2] = {0, 0}, weight[2] = {0, 0};
  std::vector<std::int64_t> of_level(rows_.width());
  for (std::size_t i = 0; i < best.levels->code.size(); ++i) {
    const int branch = best.levels->branch[i];
    sums(all, own, best.column, best.levels->code[i], of_level.data());
    const std::int64_t n = rows_in(rows_, classes_, of_level.data());
    weight[branch] += static_cast<double>(n);
    if (!classes_) sum[branch] += on_grid(own, n, of_level[1]);
    for (int k = 0; k < rows_.width() && classes_; ++k)
      sum[branch] += static_cast<double>(k) * static_cast<double>(of_level[k]);
  }
  return sum[0] * weight[1] <= sum[1] * weight[0];
}

std::vector<Surrogate> LevelSearch::surrogates(const LevelNodes& all, const LevelNode& own,
                                               const LevelTree& tree, const Best& best,
                                               const std::vector<double>& branch_rows,
                                               const LevelNodes& child, bool is_left) const {
  const Surrogates& wanted = tree.problem.recipe.surrogates;
  if (wanted.most == 0 || own.range.count < 2 * kLeastCasesOfSurrogate) return {};
  const int higher = higher_branch(all, own, best);
  std::vector<Surrogate> found(rows_.n_columns());
  std::vector<std::int64_t> whole(rows_.width()), part(rows_.width());
  std::vector<SidesOfLevel> levels;
  for (int c = 0; c < rows_.n_columns(); ++c) {
    if (c == best.column) continue;
    levels.clear();
    for (int l = 0; l < rows_.n_levels(c); ++l) {
      sums(all, own, c, l, whole.data());
      const std::int64_t n = rows_in(rows_, classes_, whole.data());
      if (n == 0) continue;
      sums_of_level(rows_, child.counts[0], child.totals[0], own.tree, c, l, part.data());
      const std::int64_t in_child = rows_in(rows_, classes_, part.data());
      const auto left = static_cast<double>(is_left ? in_child : n - in_child);
      const double right = static_cast<double>(n) - left;
      levels.push_back({l, left, right, left, right});
    }
    if (levels.size() < 2) continue;
    found[c].column = c;
    route_levels(levels, higher, wanted.astray, found[c]);
  }
  keep_best(found, wanted, branch_rows);
  return found;
}

}  // namespace bough
