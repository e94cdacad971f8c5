// The search for surrogates against a plain one, at the root of a tree of two leaves.
#include <algorithm>

#include "bough/grow/grow.hpp"
#include "drawn_data.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

constexpr double kLeast = 2;  // cases on either side

// What a table and its split of the root say of each row.
struct Root {
  const Data& data;
  const GrownTree& tree;
  std::vector<int> side;  // -1: the split cannot say

  Root(const Data& given, const GrownTree& grown) : data(given), tree(grown) {
    for (std::int64_t i = 0; i < data.n_rows; ++i) side.push_back(own_side(i));
  }

  double weight(std::int64_t i) const { return data.own ? data.own[i] : data.weight ? data.weight[i] : 1; }
  double cases(std::int64_t i) const { return data.cases ? data.cases[i] : 1; }

 private:
  int own_side(std::int64_t i) const {
    const double x = data.columns[tree.column[0]].value(i);
    if (x != x || !(weight(i) > 0)) return -1;
    if (tree.cut[0] == tree.cut[0]) return x < tree.cut[0] ? 0 : 1;
    for (std::int64_t p = tree.level_start[0]; p < tree.level_start[1]; ++p)
      if (tree.level_code[p] == static_cast<int>(x)) return tree.level_branch[p];
    return -1;
  }
};

// The greatest weight that a cut of the column, either way round, sends as the split does; 0: no cut will do.
double most_agreed(const Root& root, const Column& column) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < root.data.n_rows; ++i)
    if (const double x = column.value(i); x == x && root.weight(i) > 0) values.push_back(x);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  double most = 0;
  for (std::size_t v = 1; v < values.size(); ++v) {
    double alike[2] = {0, 0}, cases[2] = {0, 0};
    for (std::int64_t i = 0; i < root.data.n_rows; ++i) {
      const double x = column.value(i);
      if (x != x || root.side[i] < 0) continue;
      const int way = x >= values[v];
      alike[way != root.side[i]] += root.weight(i);
      cases[way] += root.cases(i);
    }
    if (std::min(cases[0], cases[1]) >= kLeast) most = std::max({most, alike[0], alike[1]});
  }
  return most;
}

// The same where each level goes with most of its rows.
double levels_agreed(const Root& root, const Column& column) {
  double agreed = 0, cases_to[2] = {0, 0};
  double total[2] = {0, 0};
  std::vector<double> weight(2 * static_cast<std::size_t>(column.n_levels)), cases(column.n_levels);
  for (std::int64_t i = 0; i < root.data.n_rows; ++i) {
    const int code = column.code(i);
    if (code < 0 || root.side[i] < 0) continue;
    weight[2 * code + root.side[i]] += root.weight(i);
    total[root.side[i]] += root.weight(i);
    cases[code] += root.cases(i);
  }
  for (int code = 0; code < column.n_levels; ++code) {
    const double left = weight[2 * code], right = weight[2 * code + 1];
    agreed += std::max(left, right);
    if (left == right && total[0] == total[1] && left > 0) return -1;  // another rule decides
    cases_to[left != right ? left < right : total[0] < total[1]] += cases[code];
  }
  return std::min(cases_to[0], cases_to[1]) >= kLeast ? agreed : 0;
}

// How much weight a surrogate of the root sends as the split does.
double agreed_of(const Root& root, std::int64_t s) {
  const SpareArrays& spares = root.tree.surrogates;
  const Column& column = root.data.columns[spares.column[s]];
  double agreed = 0;
  for (std::int64_t i = 0; i < root.data.n_rows; ++i) {
    const double x = column.value(i);
    if (x != x || root.side[i] < 0) continue;
    int way = -1;
    if (spares.cut[s] == spares.cut[s]) way = (x < spares.cut[s]) == (spares.turned[s] != 0);
    for (std::int64_t p = spares.level_start[s]; p < spares.level_start[s + 1]; ++p)
      if (spares.level_code[p] == static_cast<int>(x)) way = spares.level_branch[p];
    if (way == root.side[i]) agreed += root.weight(i);
  }
  return agreed;
}

void check_root(const Data& data, const GrownTree& tree) {
  if (tree.first_child[0] < 0) return;
  const Root root(data, tree);
  double total[2] = {0, 0};
  for (std::int64_t i = 0; i < data.n_rows; ++i)
    if (root.side[i] >= 0) total[root.side[i]] += root.weight(i);
  const double all = total[0] + total[1], heavier = std::max(total[0], total[1]);
  const SpareArrays& spares = tree.surrogates;
  for (int c = 0; c < static_cast<int>(data.columns.size()); ++c) {
    if (c == tree.column[0]) continue;
    const Column& column = data.columns[c];
    const double most =
        column.scale == Scale::nominal ? levels_agreed(root, column) : most_agreed(root, column);
    if (most < 0) continue;
    const auto end = spares.column.begin() + spares.start[1];
    const auto at = std::find(spares.column.begin(), end, c);
    CHECK_EQUAL(at != end, most > heavier);
    if (at == end || most <= heavier) continue;
    const std::int64_t s = at - spares.column.begin();
    CHECK_CLOSE(spares.value[s], most / all, 1e-12);
    CHECK_CLOSE(spares.adjusted[s], (most - heavier) / (all - heavier), 1e-12);
    CHECK_CLOSE(agreed_of(root, s), most, 1e-12);
  }
  for (std::int64_t s = 1; s < spares.start[1]; ++s) CHECK(spares.value[s - 1] >= spares.value[s]);
}

void check_surrogates(std::uint64_t seed, bool weighted, int missing) {
  Draws draws(seed);
  for (int round = 0; round < 150; ++round) {
    DrawnData drawn(draws, 4 + draws.below(40));
    drawn.floats(8, missing).levels(4, Scale::nominal, missing).doubles(6, missing);
    drawn.levels(5, Scale::ordinal, missing).classes(2);
    if (weighted) drawn.whole_weights();
    Recipe recipe;
    recipe.limits.min_gain = -std::numeric_limits<double>::infinity();
    recipe.limits.max_depth = 1;
    recipe.surrogates.most = 10;
    recipe.fallback = Fallback::larger;
    check_root(drawn.data(), grow(drawn.data(), recipe, 1, nullptr));
  }
}

}  // namespace

TEST(surrogates_of_complete_rows) { check_surrogates(501, false, 0); }
TEST(surrogates_of_rows_with_missing_values) { check_surrogates(502, false, 5); }
TEST(surrogates_of_weighted_rows) {
  check_surrogates(503, true, 0);
  check_surrogates(504, true, 5);
}

TEST(a_copy_of_a_column_stands_in_for_it) {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6, std::numeric_limits<double>::quiet_NaN()};
  std::vector<double> copy = {-1, -2, -3, -4, -5, -6, -6};
  const std::vector<std::int32_t> label = {0, 0, 0, 1, 1, 1, 0};
  Data data;
  data.columns = {view(x), view(copy)};
  data.n_rows = 7;
  data.n_classes = 2;
  data.label = label.data();
  Recipe recipe;
  recipe.limits.max_depth = 1;
  recipe.surrogates.most = 1;
  const GrownTree tree = grow(data, recipe, 1, nullptr);
  CHECK_EQUAL(tree.column[0], 0);
  CHECK_EQUAL(tree.surrogates.column[0], 1);
  CHECK_EQUAL(tree.surrogates.turned[0], 1);
  CHECK_EQUAL(tree.surrogates.value[0], 1.0);
  CHECK_EQUAL(tree.surrogates.adjusted[0], 1.0);
  CHECK_EQUAL(tree.surrogates.cases[0], 1.0);  // the row without a value went by it
  CHECK_EQUAL(tree.cases[2], 4.0);
}

TEST(of_two_rows_neither_side_is_the_larger) {
  const std::vector<double> x = {1, 2, 3, 4};
  const std::vector<std::int32_t> label = {0, 1, 0, 1};
  Data data;
  data.columns = {view(x)};
  data.n_rows = 4;
  data.n_classes = 2;
  data.label = label.data();
  for (Fallback fallback : {Fallback::heaviest, Fallback::larger, Fallback::stay}) {
    Recipe recipe;
    recipe.fallback = fallback;
    const GrownTree tree = grow(data, recipe, 1, nullptr);
    for (std::size_t i = 0; i < tree.cases.size(); ++i)
      if (tree.cases[i] == 2 && tree.first_child[i] >= 0)
        CHECK_EQUAL(tree.default_branch[i], fallback == Fallback::heaviest ? 0 : -1);
  }
}

}  // namespace bough::tests
