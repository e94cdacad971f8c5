// Trees of folds against trees grown from the rows outside them.
#include <algorithm>
#include <bit>

#include "bough/grow/grow.hpp"
#include "drawn_data.hpp"
#include "harness.hpp"
#include "same_trees.hpp"

namespace bough::tests {

namespace {

// The rows outside a fold, copied.
struct Outside {
  Data data;
  CopiedColumns columns;
  std::deque<std::vector<double>> numbers;
  std::deque<std::vector<std::int32_t>> codes;

  Outside(const Data& all, const std::vector<std::int32_t>& fold, int left_out) {
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < fold.size(); ++i)
      if (fold[i] != left_out) rows.push_back(static_cast<std::int64_t>(i));
    data = all;
    data.n_rows = static_cast<std::int64_t>(rows.size());
    data.columns = columns.of(all.columns, rows);
    data.label = taken(all.label, rows, codes);
    data.y = taken(all.y, rows, numbers);
    data.weight = taken(all.weight, rows, numbers);
    data.own = taken(all.own, rows, numbers);
    data.cases = taken(all.cases, rows, numbers);
  }
  Outside(const Outside&) = delete;

 private:
  template <class T>
  static const T* taken(const T* all, const std::vector<std::int64_t>& rows,
                        std::deque<std::vector<T>>& memory) {
    if (!all) return nullptr;
    std::vector<T>& own = memory.emplace_back();
    for (std::int64_t row : rows) own.push_back(all[row]);
    return own.data();
  }
};

Recipe drawn_recipe(Draws& draws, Criterion criterion) {
  Recipe recipe;
  recipe.criterion = criterion;
  recipe.limits.min_gain = -std::numeric_limits<double>::infinity();
  recipe.limits.min_cases_leaf = 1 + draws.below(4);
  recipe.n_competitors = draws.below(3);
  recipe.surrogates.most = draws.below(4);
  recipe.surrogates.of_known = draws.below(2);
  recipe.surrogates.astray = draws.below(2);
  recipe.surrogates.decide = draws.below(4) > 0;
  recipe.fallback = static_cast<Fallback>(draws.below(3));
  if (draws.below(4) == 0) recipe.limits.max_leaves = 2 + draws.below(8);
  return recipe;
}

void check_folds(std::uint64_t seed, int n_rows, int rounds, Criterion criterion) {
  Draws draws(seed);
  for (int round = 0; round < rounds; ++round) {
    DrawnData drawn(draws, n_rows);
    const int missing = draws.below(2) ? 6 : 0;
    drawn.floats(12, missing).levels(4, Scale::nominal, missing).doubles(40, missing);
    drawn.levels(5, Scale::ordinal, missing);
    if (criterion.reads_moments() || criterion == criterion_of<AbsoluteError>)
      drawn.numbers(9);
    else
      drawn.classes(2 + draws.below(2));
    if (draws.below(2)) drawn.whole_weights();
    Data data = drawn.data();
    std::vector<double> own;
    if (draws.below(3) == 0) {
      for (std::int64_t i = 0; i < data.n_rows; ++i) own.push_back(1 + draws.below(4));
      data.own = own.data();
    }
    const Recipe recipe = drawn_recipe(draws, criterion);
    std::vector<std::int32_t> fold;
    for (int i = 0; i < n_rows; ++i) fold.push_back(i < 2 ? -1 : draws.below(4) - 1);
    const std::vector<GrownTree> trees =
        grow_folds(data, recipe, fold.data(), 3, 1 + draws.below(3), nullptr);
    CHECK_EQUAL(trees.size(), std::size_t{4});
    check_same(trees[0], grow(data, recipe, 1, nullptr));
    Recipe of_folds = recipe;
    of_folds.n_competitors = 0;  // which predictions do not need
    for (int f = 0; f < 3; ++f)
      check_same(trees[f + 1], grow(Outside(data, fold, f).data, of_folds, 1, nullptr));
  }
}

}  // namespace

TEST(trees_of_folds_of_classes) {
  check_folds(401, 60, 60, criterion_of<Gini>);
  check_folds(402, 60, 30, criterion_of<Entropy>);
}
TEST(trees_of_folds_of_numbers) {
  check_folds(403, 60, 60, criterion_of<SquaredError>);
  check_folds(404, 40, 20, criterion_of<AbsoluteError>);
}
TEST(trees_of_folds_of_many_rows) { check_folds(405, 9000, 2, criterion_of<Gini>); }

}  // namespace bough::tests
