// Packed forests send every row where a plain walk of the trees sends it, in every layout.
#include "forests.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// The leaf of every row in every tree must be that of the plain walk, told by its statistics and cases.
void check_walks(const std::vector<ForestTree>& trees, const HeldForest& forest,
                 const std::vector<Column>& columns, std::int64_t n_rows, int n_classes) {
  const int k = n_classes ? n_classes : 2;
  for (const int n_threads : {1, 3}) {
    const RawVector<std::uint32_t> leaf = leaves(forest.walker, columns, n_rows, n_threads, nullptr);
    CHECK_EQUAL(leaf.size(), static_cast<std::size_t>(n_rows) * trees.size());
    for (std::int64_t row = 0; row < n_rows; ++row)
      for (std::size_t t = 0; t < trees.size(); ++t) {
        const int end = plain_end(trees[t], columns, row);
        const std::uint32_t number = leaf[row * trees.size() + t];
        const double* said = forest.leaf(static_cast<int>(t), number);
        CHECK_EQUAL(forest.packed.cases[forest.packed.leaf_start[t] + number],
                    static_cast<float>(trees[t].nodes[end].cases));
        for (int c = 0; c < (n_classes ? k : 1); ++c)
          CHECK_EQUAL(said[c], trees[t].statistics[static_cast<std::size_t>(end) * k + c]);
      }
  }
}

std::vector<ForestTree> drawn_trees(Draws& draws, const std::vector<Column>& columns,
                                    const std::vector<int>& sizes, int n_classes) {
  std::vector<ForestTree> trees;
  for (const int n_inner : sizes) trees.push_back(drawn_tree(draws, columns, n_inner, n_classes));
  return trees;
}

}  // namespace

TEST(packed_forests_of_all_columns_walk_as_plain_trees) {
  for (const int n_rows : {1, 7, 8, 9, 300, 1000}) {
    Draws draws(static_cast<std::uint64_t>(n_rows));
    DrawnData drawn(draws, n_rows);
    drawn.floats(64, 9).doubles(64, 9).levels(6, Scale::nominal, 9).levels(70, Scale::nominal, 9);
    drawn.levels(5000, Scale::nominal, 9).levels(7, Scale::ordinal, 9);
    const std::vector<Column>& columns = drawn.data().columns;
    for (const int n_classes : {0, 2, 3}) {
      const auto trees = drawn_trees(draws, columns, {0, 1, 2, 50, 300}, n_classes);
      const HeldForest forest = packed(trees, levels_of(columns), n_classes);
      CHECK(!forest.packed.layout.wide);
      check_walks(trees, forest, columns, n_rows, n_classes);
    }
  }
}

TEST(packed_forests_of_floats_in_place_walk_as_plain_trees) {
  constexpr int kRows = 600, kColumns = 5;
  Draws draws(4);
  std::vector<float> cells(kRows * kColumns);
  for (float& x : cells)
    x = draws.below(9) ? static_cast<float>(draws.below(64)) / 4 - 3
                       : std::numeric_limits<float>::quiet_NaN();
  std::vector<Column> columns;
  for (int c = 0; c < kColumns; ++c)
    columns.push_back({Column::Type::float32, Scale::numeric, reinterpret_cast<const char*>(&cells[c]),
                       kColumns * sizeof(float), 0});
  const auto trees = drawn_trees(draws, columns, {5, 100, 0, 77}, 2);
  check_walks(trees, packed(trees, levels_of(columns), 2), columns, kRows, 2);
}

// So many columns and nodes do not fit in one word; those of the smaller trees do until they are joined.
TEST(wide_forests_walk_as_plain_trees) {
  constexpr int kRows = 40, kColumns = 1 << 16;
  Draws draws(6);
  DrawnData drawn(draws, kRows);
  drawn.floats(64, 9).doubles(64, 9).levels(40, Scale::nominal, 9).floats(64);
  std::vector<Column> columns;
  for (int c = 0; c < kColumns; ++c) columns.push_back(drawn.data().columns[c % 4]);
  const auto trees = drawn_trees(draws, columns, {12000, 3, 0, 400}, 0);
  const HeldForest forest = packed(trees, levels_of(columns), 0);
  CHECK(forest.packed.layout.wide);
  for (const ForestTree& tree : trees)
    CHECK_EQUAL(pack(tree, levels_of(columns), {}).layout.wide, &tree == &trees[0]);
  check_walks(trees, forest, columns, kRows, 0);
}

TEST(layouts_hold_their_columns_and_nodes) {
  for (const int n_columns : {1, 2, 3, 28, 1000, 1 << 20})
    for (const std::int64_t most : {std::int64_t{1}, std::int64_t{1000}, std::int64_t{1} << 30}) {
      const NodeLayout layout = NodeLayout::of(n_columns, most);
      CHECK(layout.column_bits >= 1 && (std::int64_t{1} << layout.column_bits) >= n_columns);
      if (!layout.wide) CHECK((std::int64_t{1} << (NodeLayout::kUpper - layout.child_shift())) >= most);
    }
}

TEST(importance_sums_what_the_splits_of_a_column_gain) {
  Draws draws(8);
  DrawnData drawn(draws, 10);
  drawn.floats(64).doubles(64).levels(9, Scale::nominal);
  const std::vector<Column>& columns = drawn.data().columns;
  const auto trees = drawn_trees(draws, columns, {0, 40, 3}, 2);
  const HeldForest forest = packed(trees, levels_of(columns), 2);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    std::vector<double> gained(3, 0.0);
    for (const ForestNode& node : trees[t].nodes)
      if (node.first_child >= 0) gained[node.column] += node.gain * node.weight;
    for (int c = 0; c < 3; ++c) CHECK_CLOSE(forest.packed.importance[t * 3 + c], gained[c], 1e-14);
  }
}

TEST(the_splits_kept_are_those_that_best_first_growth_makes) {
  Draws draws(10);
  DrawnData drawn(draws, 20);
  drawn.floats(64, 9).levels(9, Scale::nominal, 9);
  for (const int max_leaves : {2, 3, 17, 1000}) {
    const ForestTree whole = drawn_tree(draws, drawn.data().columns, 60, 2);
    std::vector<int> waiting{0};
    std::vector<bool> kept(whole.nodes.size(), false);
    for (int n_leaves = 1; n_leaves < std::min(max_leaves, 61); ++n_leaves) {
      const auto worse = [&](int a, int b) {
        const double gain_a = whole.nodes[a].gain, gain_b = whole.nodes[b].gain;
        return gain_a < gain_b || (gain_a == gain_b && a > b);
      };
      const auto best = std::max_element(waiting.begin(), waiting.end(), worse);
      const int first = whole.nodes[*best].first_child;
      kept[*best] = true;
      waiting.erase(best);
      for (const int child : {first, first + 1})
        if (whole.nodes[child].first_child >= 0) waiting.push_back(child);
    }
    ForestTree few = whole;
    keep_best(few, max_leaves, 2);
    std::vector<std::pair<int, int>> both{{0, 0}};
    for (std::size_t i = 0; i < both.size(); ++i) {
      const auto [own, old] = both[i];
      const ForestNode &mine = few.nodes[own], &theirs = whole.nodes[old];
      CHECK_EQUAL(mine.first_child >= 0, kept[old]);
      CHECK_EQUAL(mine.cases, theirs.cases);
      CHECK_EQUAL(few.statistics[2 * own], whole.statistics[2 * old]);
      if (mine.first_child < 0 || !kept[old]) continue;
      CHECK_EQUAL(mine.column, theirs.column);
      CHECK_EQUAL(mine.gain, theirs.gain);
      both.emplace_back(mine.first_child, theirs.first_child);
      both.emplace_back(mine.first_child + 1, theirs.first_child + 1);
    }
    CHECK_EQUAL(both.size(), few.nodes.size());
  }
}

}  // namespace bough::tests
