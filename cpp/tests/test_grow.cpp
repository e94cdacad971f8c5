// The exact grower against trees made by hand and against the plain grower.
#include <algorithm>
#include <bit>
#include <thread>

#include "bough/grow/grow.hpp"
#include "drawn_data.hpp"
#include "harness.hpp"
#include "plain_grower.hpp"
#include "same.hpp"

namespace bough::tests {

namespace {

using Ints = std::vector<std::int32_t>;
using Reals = std::vector<double>;

const double kNaN = std::numeric_limits<double>::quiet_NaN();

GrownTree grown(const Data& data, const Recipe& recipe, int n_threads = 1) {
  return grow(data, recipe, n_threads, nullptr);
}

void check_same_tree(const GrownTree& a, const GrownTree& b) {
  CHECK(a.parent == b.parent);
  CHECK(a.first_child == b.first_child);
  CHECK(a.n_children == b.n_children);
  CHECK(a.column == b.column);
  CHECK(a.kind == b.kind);
  CHECK(a.default_branch == b.default_branch);
  CHECK(a.level_start == b.level_start);
  CHECK(a.level_code == b.level_code);
  CHECK(a.level_branch == b.level_branch);
  CHECK(same(a.cut, b.cut));
  CHECK(same(a.gain, b.gain));
  CHECK(same(a.weight, b.weight));
  CHECK(same(a.cases, b.cases));
  CHECK(same(a.statistics, b.statistics));
  CHECK_EQUAL(a.risk.size(), b.risk.size());
  for (std::size_t i = 0; i < std::min(a.risk.size(), b.risk.size()); ++i)
    CHECK_CLOSE(a.risk[i], b.risk[i], 1e-9);
}

// Two trees that ask the same questions, whatever they weigh.
void check_same_splits(const GrownTree& a, const GrownTree& b) {
  CHECK(a.parent == b.parent);
  CHECK(a.column == b.column);
  CHECK(same(a.cut, b.cut));
  CHECK(a.level_code == b.level_code);
  CHECK(a.level_branch == b.level_branch);
}

int depth_of(const GrownTree& tree) {
  Ints depth(tree.parent.size(), 0);
  for (std::size_t i = 1; i < depth.size(); ++i) depth[i] = depth[tree.parent[i]] + 1;
  return *std::max_element(depth.begin(), depth.end());
}

int leaves_of(const GrownTree& tree) {
  return static_cast<int>(std::count(tree.first_child.begin(), tree.first_child.end(), -1));
}

Data classes_of(const Ints& label, int n_classes, std::vector<Column> columns) {
  Data data;
  data.columns = std::move(columns);
  data.n_rows = static_cast<std::int64_t>(label.size());
  data.n_classes = n_classes;
  data.label = label.data();
  return data;
}

Data numbers_of(const Reals& y, std::vector<Column> columns) {
  Data data;
  data.columns = std::move(columns);
  data.n_rows = static_cast<std::int64_t>(y.size());
  data.y = y.data();
  return data;
}

Recipe recipe_of(Criterion criterion, Nominal nominal = Nominal::subset) {
  Recipe recipe;
  recipe.criterion = criterion;
  recipe.nominal = nominal;
  recipe.limits.min_gain = -std::numeric_limits<double>::infinity();
  return recipe;
}

// A table with a column of every kind.
void fill(DrawnData& drawn, int missing) {
  drawn.floats(12, missing).levels(4, Scale::nominal, missing).doubles(40, missing);
  drawn.levels(5, Scale::ordinal, missing).levels(15, Scale::nominal, missing);
}

void weigh(DrawnData& drawn, int how) {
  if (how == 1) drawn.whole_weights();
  if (how == 2) drawn.share_weights();
}

Limits draw_limits(Draws& draws) {
  Limits limits;
  limits.min_gain = -std::numeric_limits<double>::infinity();
  if (draws.below(3) == 0) limits.max_depth = 1 + draws.below(4);
  if (draws.below(3) == 0) limits.max_leaves = 2 + draws.below(8);
  if (draws.below(3) == 0) limits.min_cases_split = 2 + draws.below(12);
  if (draws.below(3) == 0) limits.min_cases_leaf = 1 + draws.below(6);
  if (draws.below(3) == 0) limits.min_cases_branch = 1 + draws.below(6);
  if (draws.below(4) == 0) limits.min_weight_fraction_leaf = draws.share() * 0.2;
  if (draws.below(4) == 0) limits.min_decrease = draws.share() * 0.02;
  if (draws.below(4) == 0) limits.min_gain = draws.share() * 0.1;
  return limits;
}

}  // namespace

TEST(a_threshold_by_hand) {
  const std::vector<float> x = {4, 1, 3, 2};
  const Ints label = {1, 0, 1, 0};
  const GrownTree tree = grown(classes_of(label, 2, {view(x)}), recipe_of(criterion_of<Gini>));
  CHECK(same(tree.first_child, Ints{1, -1, -1}));
  CHECK(same(tree.parent, Ints{-1, 0, 0}));
  CHECK(same(tree.column, Ints{0, -1, -1}));
  CHECK(same(tree.kind, Ints{1, 0, 0}));
  CHECK(same(tree.cut, Reals{2.5, kNaN, kNaN}));
  CHECK(same(tree.cut_below, Reals{2, kNaN, kNaN}));
  CHECK(same(tree.cut_above, Reals{3, kNaN, kNaN}));
  CHECK(same(tree.gain, Reals{0.5, kNaN, kNaN}));
  CHECK(same(tree.statistics, Reals{2, 2, 2, 0, 0, 2}));
  CHECK(same(tree.weight, Reals{4, 2, 2}));
  CHECK(same(tree.risk, Reals{2, 0, 0}));
  CHECK(same(tree.default_branch, Ints{0, -1, -1}));
}

TEST(numbers_by_hand) {
  const std::vector<double> x = {1, 2, 3, 4};
  const Reals y = {0, 0, 10, 14};
  const GrownTree tree = grown(numbers_of(y, {view(x)}), recipe_of(criterion_of<SquaredError>));
  CHECK(same(tree.cut, Reals{2.5, kNaN, 3.5, kNaN, kNaN}));
  CHECK(same(tree.gain, Reals{36, kNaN, 4, kNaN, kNaN}));
  CHECK(same(tree.statistics, Reals{6, 0, 12, 10, 14}));
  CHECK(same(tree.risk, Reals{152, 0, 8, 0, 0}));
}

TEST(levels_by_hand) {
  const Ints x = {0, 0, 2, 2, 3, 3}, label = {0, 0, 1, 1, 0, 0};
  const Data data = classes_of(label, 2, {view(x, 5, Scale::nominal)});
  const GrownTree subset = grown(data, recipe_of(criterion_of<Gini>));
  CHECK(subset.kind[0] == static_cast<std::uint8_t>(SplitKind::subset));
  CHECK(same(subset.level_code, Ints{0, 2, 3}));
  CHECK(same(subset.level_branch, Ints{0, 1, 0}));
  const GrownTree one = grown(data, recipe_of(criterion_of<Gini>, Nominal::one_vs_rest));
  CHECK(one.kind[0] == static_cast<std::uint8_t>(SplitKind::one_vs_rest));
  CHECK(same(one.level_branch, Ints{1, 0, 1}));
  CHECK_EQUAL(one.default_branch[0], 1);
  const GrownTree complete = grown(data, recipe_of(criterion_of<Gini>, Nominal::complete));
  CHECK(same(complete.level_code, Ints{0, 1, 2, 3, 4}));
  CHECK_EQUAL(complete.n_children[0], 5);
  CHECK(same(complete.weight, Reals{6, 2, 0, 2, 2, 0}));
}

TEST(missing_follows_the_branch_of_most_weight) {
  const std::vector<double> x = {1, 2, 3, kNaN, 5};
  const Ints label = {0, 0, 0, 1, 1};
  const GrownTree tree = grown(classes_of(label, 2, {view(x)}), recipe_of(criterion_of<Gini>));
  CHECK_EQUAL(tree.cut[0], 4.0);
  CHECK_EQUAL(tree.default_branch[0], 0);
  CHECK(same(Reals{tree.statistics.begin(), tree.statistics.begin() + 6}, Reals{3, 2, 3, 1, 0, 1}));
}

TEST(missing_values_on_the_side_that_serves_best) {
  const std::vector<double> x = {1, 2, 3, kNaN, 5}, gone = {1, 2, kNaN, kNaN, 5};
  Recipe recipe = recipe_of(criterion_of<Gini>);
  recipe.missing = MissingRows::learned;
  const Ints high = {0, 0, 0, 1, 1}, alone = {0, 0, 1, 1, 0};
  const GrownTree tree = grown(classes_of(high, 2, {view(x)}), recipe);
  CHECK_EQUAL(tree.cut[0], 4.0);
  CHECK_EQUAL(tree.default_branch[0], 1);
  CHECK(same(tree.statistics, Reals{3, 2, 3, 0, 0, 2}));
  for (MissingRows missing : {MissingRows::learned, MissingRows::own_level}) {
    recipe.missing = missing;
    const GrownTree apart = grown(classes_of(alone, 2, {view(gone)}), recipe);
    CHECK_EQUAL(apart.cut[0], -std::numeric_limits<double>::infinity());
    CHECK_EQUAL(apart.default_branch[0], 0);
    CHECK(same(apart.statistics, Reals{3, 2, 0, 2, 3, 0}));
  }
}

TEST(missing_values_in_a_branch_of_their_own) {
  const std::vector<double> x = {1, 2, kNaN, kNaN, 5};
  const Ints label = {0, 0, 2, 2, 1}, levels = {0, 0, -1, -1, 2};
  Recipe recipe = recipe_of(criterion_of<Gini>);
  recipe.missing = MissingRows::own_level;
  for (const Column& column : {view(x), view(levels, 3, Scale::nominal), view(levels, 3, Scale::ordinal)}) {
    const GrownTree tree = grown(classes_of(label, 3, {column}), recipe);
    CHECK_EQUAL(tree.n_children[0], 3);
    CHECK_EQUAL(tree.default_branch[0], 2);
    CHECK(same(tree.statistics, Reals{2, 1, 2, 2, 0, 0, 0, 1, 0, 0, 0, 2}));
  }
}

TEST(policies_for_missing_values_do_not_depend_on_threads) {
  Draws draws(5);
  for (const Nominal nominal : {Nominal::subset, Nominal::complete, Nominal::one_vs_rest})
    for (const MissingRows missing : {MissingRows::learned, MissingRows::own_level})
      for (const bool classes : {true, false}) {
        DrawnData drawn(draws, 9000);
        fill(drawn, 5);
        weigh(drawn, draws.below(3));
        classes ? drawn.classes(3) : drawn.numbers(9);
        Recipe recipe = recipe_of(classes ? criterion_of<Entropy> : criterion_of<SquaredError>, nominal);
        recipe.missing = missing;
        recipe.limits.min_cases_leaf = 20;
        const GrownTree tree = grown(drawn.data(), recipe);
        check_same_tree(tree, grown(drawn.data(), recipe, 3));
        Reals cases(tree.parent.size(), 0);
        for (std::size_t i = 1; i < cases.size(); ++i) cases[tree.parent[i]] += tree.cases[i];
        for (std::size_t i = 0; i < cases.size(); ++i)
          if (tree.first_child[i] >= 0) CHECK_EQUAL(cases[i], tree.cases[i]);
        CHECK(leaves_of(tree) > 2);
      }
}

TEST(of_equal_columns_the_first_is_taken) {
  const std::vector<float> x = {1, 2, 3, 4}, mirrored = {4, 3, 2, 1};
  const Ints label = {0, 0, 1, 1};
  for (const auto& columns : {std::vector<Column>{view(x), view(mirrored)}, {view(mirrored), view(x)}})
    CHECK_EQUAL(grown(classes_of(label, 2, columns), recipe_of(criterion_of<Entropy>)).column[0], 0);
}

TEST(nothing_to_split) {
  const std::vector<float> one = {1}, same_values = {2, 2, 2}, missing(3, std::nanf("")), x = {1, 2, 3};
  const Ints single = {0}, mixed = {0, 1, 0}, pure = {1, 1, 1}, levels = {1, 1, -1};
  for (int n_classes : {1, 2, 5})
    CHECK_EQUAL(
        grown(classes_of(single, n_classes, {view(one)}), recipe_of(criterion_of<Gini>)).parent.size(), 1u);
  const std::vector<Column> dull = {view(same_values), view(missing), view(levels, 3, Scale::nominal)};
  for (Criterion criterion : {criterion_of<Gini>, criterion_of<GainRatio>, criterion_of<Twoing>}) {
    CHECK_EQUAL(grown(classes_of(mixed, 2, dull), recipe_of(criterion)).parent.size(), 1u);
    CHECK_EQUAL(grown(classes_of(pure, 2, {view(x)}), recipe_of(criterion)).parent.size(), 1u);
  }
  for (Criterion criterion :
       {criterion_of<SquaredError>, criterion_of<AbsoluteError>, criterion_of<Poisson>}) {
    CHECK_EQUAL(grown(numbers_of({1, 2, 3}, dull), recipe_of(criterion)).parent.size(), 1u);
    const GrownTree tree = grown(numbers_of({7, 7, 7}, {view(x)}), recipe_of(criterion));
    CHECK(same(tree.statistics, Reals{7}));
  }
}

TEST(rows_without_weight_are_absent) {
  const std::vector<float> x = {1, 2, 3};
  const Ints label = {0, 1, 0};
  const Reals some = {1, 0, 2}, none = {0, 0, 0};
  Data data = classes_of(label, 2, {view(x)});
  data.weight = data.cases = some.data();
  const GrownTree tree = grown(data, recipe_of(criterion_of<Gini>));
  CHECK(same(tree.statistics, Reals{3, 0}));
  CHECK(same(tree.cases, Reals{3}));
  data.weight = data.cases = none.data();
  CHECK_THROWS(grown(data, recipe_of(criterion_of<Gini>)), std::invalid_argument);
}

TEST(classes_as_the_plain_grower_grows_them) {
  Draws draws(81);
  for (int round = 0; round < 250; ++round) {
    DrawnData drawn(draws, 1 + draws.below(80));
    fill(drawn, round % 2 ? 5 : 0);
    drawn.classes(2 + draws.below(3));
    weigh(drawn, draws.below(3));
    Recipe recipe =
        recipe_of(Criterion(&all_criteria()[draws.below(7)]), static_cast<Nominal>(draws.below(3)));
    if (!recipe.criterion->value_of_many) recipe.nominal = Nominal::subset;
    recipe.limits = draw_limits(draws);
    recipe.max_exhaustive = 2 + draws.below(7);
    if (draws.below(4) == 0) recipe.limits.significance = 0.1;
    if (draws.below(4) == 0) recipe.limits.purity = 0.8;
    if (draws.below(4) == 0) recipe.limits.min_events = 3;
    check_same_tree(grown(drawn.data(), recipe), grow_plainly(drawn.data(), recipe));
  }
}

TEST(numbers_as_the_plain_grower_grows_them) {
  Draws draws(82);
  const Criterion criteria[] = {criterion_of<SquaredError>, criterion_of<AbsoluteError>,
                                criterion_of<Poisson>};
  for (int round = 0; round < 250; ++round) {
    DrawnData drawn(draws, 1 + draws.below(80));
    fill(drawn, round % 2 ? 5 : 0);
    drawn.numbers(round % 3 ? 6 : 1000);
    Recipe recipe = recipe_of(criteria[draws.below(3)], static_cast<Nominal>(draws.below(3)));
    // Under absolute error, sums of weights that are not whole are not exact.
    weigh(drawn, draws.below(3));
    recipe.limits = draw_limits(draws);
    if (draws.below(4) == 0) recipe.limits.min_variance = 0.3;
    if (draws.below(4) == 0 && recipe.criterion == criterion_of<Poisson>) recipe.limits.min_events = 5;
    check_same_tree(grown(drawn.data(), recipe), grow_plainly(drawn.data(), recipe));
  }
}

TEST(large_tables_grow_alike_with_any_number_of_threads) {
  Draws draws(83);
  for (int n : {8192, 8193, 20000})
    for (int n_classes : {2, 3, 0}) {
      DrawnData drawn(draws, n);
      drawn.floats(400, n % 3).doubles(1 << 20).levels(40, Scale::nominal, 9).floats(1 << 20, 7);
      if (n_classes)
        drawn.classes(n_classes);
      else
        drawn.numbers(20);
      Recipe recipe = recipe_of(n_classes ? criterion_of<Gini> : criterion_of<SquaredError>);
      recipe.limits.max_depth = 4;
      const GrownTree tree = grown(drawn.data(), recipe);
      check_same_tree(tree, grow_plainly(drawn.data(), recipe));
      for (int n_threads : {2, 3, 8}) check_same_tree(grown(drawn.data(), recipe, n_threads), tree);
    }
}

TEST(full_trees_of_large_tables_with_threads) {
  Draws draws(87);
  struct Case {
    int n, n_classes;
    Criterion criterion;
  };
  for (const Case& c : {Case{70000, 2, criterion_of<Gini>}, Case{20000, 5, criterion_of<Gini>},
                        Case{20000, 0, criterion_of<SquaredError>}, Case{20000, 0, criterion_of<Poisson>}}) {
    DrawnData drawn(draws, c.n);
    drawn.floats(1 << 20).levels(40, Scale::nominal).floats(50);
    if (c.n_classes)
      drawn.classes(c.n_classes);
    else
      drawn.numbers(20);
    const GrownTree tree = grown(drawn.data(), recipe_of(c.criterion));
    CHECK(tree.parent.size() > 10000);
    for (int n_threads : {2, 8})
      check_same_tree(grown(drawn.data(), recipe_of(c.criterion), n_threads), tree);
  }
}

TEST(large_tables_of_every_criterion_with_threads) {
  Draws draws(84);
  for (const CriterionRecord& record : all_criteria())
    for (int weights : {0, 2}) {
      DrawnData drawn(draws, 9000);
      drawn.floats(300, 11).levels(12, Scale::nominal).doubles(1000).levels(6, Scale::ordinal, 4);
      Recipe recipe = recipe_of(Criterion(&record));
      if (recipe.criterion.reads_classes())
        drawn.classes(3);
      else
        drawn.numbers(30);
      weigh(drawn, weights);
      recipe.limits.max_depth = 7;
      if (position_of(recipe.criterion) % 2) recipe.nominal = Nominal::complete;
      if (recipe.criterion.reads_classes() && weights) recipe.limits.significance = 0.2;
      const GrownTree tree = grown(drawn.data(), recipe);
      CHECK(recipe.criterion == criterion_of<Twoing> || tree.parent.size() > 3);
      check_same_tree(grown(drawn.data(), recipe, 4), tree);
    }
}

TEST(best_first_with_room_for_all_is_the_whole_tree) {
  Draws draws(85);
  DrawnData drawn(draws, 9000);
  drawn.floats(50, 8).levels(6, Scale::nominal).doubles(3000).classes(3);
  Recipe recipe = recipe_of(criterion_of<Gini>);
  const GrownTree whole = grown(drawn.data(), recipe, 2);
  recipe.limits.max_leaves = 1 << 20;
  check_same_tree(grown(drawn.data(), recipe, 2), whole);
}

TEST(best_first_takes_the_most_valuable_splits) {
  Draws draws(86);
  DrawnData drawn(draws, 9000);
  drawn.floats(50, 8).levels(6, Scale::nominal).numbers(9);
  for (int leaves : {2, 3, 10, 40}) {
    Recipe recipe = recipe_of(criterion_of<SquaredError>);
    recipe.limits.max_leaves = leaves;
    const GrownTree tree = grown(drawn.data(), recipe, 2);
    CHECK_EQUAL(leaves_of(tree), leaves);
    check_same_tree(tree, grow_plainly(drawn.data(), recipe));
  }
}

TEST(a_split_with_too_many_branches_is_passed_over) {
  const Ints x = {0, 1, 2, 3}, label = {0, 1, 2, 3};
  Recipe recipe = recipe_of(criterion_of<Entropy>, Nominal::complete);
  recipe.limits.max_leaves = 3;
  CHECK_EQUAL(grown(classes_of(label, 4, {view(x, 4, Scale::nominal)}), recipe).parent.size(), 1u);
  recipe.limits.max_leaves = 4;
  CHECK_EQUAL(grown(classes_of(label, 4, {view(x, 4, Scale::nominal)}), recipe).parent.size(), 5u);
}

TEST(limits_hold_in_large_trees) {
  Draws draws(87);
  DrawnData drawn(draws, 10000);
  drawn.floats(1 << 20).doubles(1 << 20, 6).classes(2);
  Recipe recipe = recipe_of(criterion_of<Gini>);
  recipe.limits.max_depth = 9;
  recipe.limits.min_cases_leaf = 13;
  recipe.limits.min_cases_split = 60;
  const GrownTree tree = grown(drawn.data(), recipe, 2);
  CHECK(depth_of(tree) <= 9);
  for (std::size_t i = 0; i < tree.parent.size(); ++i)
    CHECK(tree.cases[i] >= (tree.first_child[i] < 0 ? 13 : 60));
}

TEST(a_weight_of_two_is_the_row_twice) {
  Draws draws(88);
  for (Criterion criterion :
       {criterion_of<Gini>, criterion_of<Entropy>, criterion_of<SquaredError>, criterion_of<AbsoluteError>}) {
    const int n = 300;
    std::vector<float> x(n), x_twice;
    Ints label(n), label_twice;
    Reals y(n), y_twice, weight(n);
    for (int i = 0; i < n; ++i) {
      x[i] = static_cast<float>(draws.below(40));
      label[i] = draws.below(3);
      y[i] = draws.below(50);
      weight[i] = draws.below(3);
      for (int copy = 0; copy < weight[i]; ++copy) {
        x_twice.push_back(x[i]);
        label_twice.push_back(label[i]);
        y_twice.push_back(y[i]);
      }
    }
    const bool classes = criterion.reads_classes();
    Data weighted = classes ? classes_of(label, 3, {view(x)}) : numbers_of(y, {view(x)});
    weighted.weight = weighted.cases = weight.data();
    const Data repeated =
        classes ? classes_of(label_twice, 3, {view(x_twice)}) : numbers_of(y_twice, {view(x_twice)});
    check_same_tree(grown(weighted, recipe_of(criterion)), grown(repeated, recipe_of(criterion)));
  }
}

TEST(tripled_weights_leave_the_splits) {
  Draws draws(89);
  DrawnData drawn(draws, 500);
  fill(drawn, 6);
  drawn.classes(3).share_weights();
  Reals tripled(drawn.data().weight, drawn.data().weight + 500);
  for (double& w : tripled) w *= 4;  // a power of two keeps every bit
  Data data = drawn.data();
  data.weight = tripled.data();
  check_same_splits(grown(data, recipe_of(criterion_of<Gini>)),
                    grown(drawn.data(), recipe_of(criterion_of<Gini>)));
}

TEST(a_chain_peels_off_one_row_at_a_time) {
  const int n = 200;
  std::vector<double> x(n);
  Reals y(n);
  for (int i = 0; i < n; ++i) x[i] = i, y[i] = std::ldexp(1.0, 2 * i);
  const Data data = numbers_of(y, {view(x)});
  const GrownTree tree = grown(data, recipe_of(criterion_of<SquaredError>));
  CHECK_EQUAL(depth_of(tree), n - 1);
  check_same_tree(tree, grow_plainly(data, recipe_of(criterion_of<SquaredError>)));
}

TEST(a_chain_in_a_large_table) {
  const int n = 8192 + 30;
  std::vector<double> x(n), other(n);
  Reals y(n, 0.0);
  for (int i = 0; i < n; ++i) x[i] = i, other[i] = i % 7;
  for (int i = 8192; i < n; ++i) y[i] = std::ldexp(1.0, 2 * (i - 8192));
  const Data data = numbers_of(y, {view(x), view(other)});
  const GrownTree tree = grown(data, recipe_of(criterion_of<SquaredError>), 2);
  CHECK(depth_of(tree) >= 29);
  check_same_tree(tree, grow_plainly(data, recipe_of(criterion_of<SquaredError>)));
}

}  // namespace bough::tests
