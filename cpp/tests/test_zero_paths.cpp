// Sparse rows that are taken down a tree together end where each of them ends alone.
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "bough/predict/zero_paths.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// A sparse table in memory of its own.
struct StoredTable {
  std::vector<std::int64_t> start{0};
  std::vector<std::int32_t> column;
  std::vector<double> value;
  int n_columns;

  StoredTable(Draws& draws, int n_rows, int n_columns_given, double density) : n_columns(n_columns_given) {
    for (int row = 0; row < n_rows; ++row) {
      for (int c = 0; c < n_columns; ++c) {
        if (draws.share() > density) continue;
        column.push_back(c);
        value.push_back(draws.below(12) == 0 ? std::numeric_limits<double>::quiet_NaN()
                                             : std::floor(draws.share() * 9) - 4);
      }
      start.push_back(static_cast<std::int64_t>(column.size()));
    }
  }
  SparseRows rows() const {
    return {start.data(), column.data(), nullptr, value.data(), static_cast<std::int64_t>(start.size()) - 1,
            n_columns};
  }
};

// A tree whose nodes each ask for one number; some say that they are not plain.
struct DrawnTree {
  struct Step {
    bool leaf, plain, missing_right;
    std::uint32_t which, first;
    double cut;

    bool is_leaf() const { return leaf; }
    bool is_plain() const { return plain; }
    std::uint32_t column() const { return which; }
    std::uint32_t child() const { return first; }
    bool right(double x) const { return x >= cut || (x != x && missing_right); }
  };
  std::vector<Step> steps;
  const SparseRows& table;
  std::int64_t begin = 0;

  DrawnTree(Draws& draws, const SparseRows& rows, int n_splits) : table(rows) {
    steps.push_back({true, true, false, 0, 0, 0.0});
    for (int i = 0; i < n_splits; ++i) {
      // Among the last nodes, so that paths are long.
      const std::size_t n = steps.size(),
                        at = n - 1 - draws.below(static_cast<int>(std::min<std::size_t>(n, 3)));
      if (!steps[at].leaf) continue;
      steps[at] = {false,
                   draws.below(15) > 0,
                   draws.below(2) == 0,
                   static_cast<std::uint32_t>(draws.below(rows.n_columns)),
                   static_cast<std::uint32_t>(n),
                   std::floor(draws.share() * 9) - 4.5};
      steps.resize(n + 2, {true, true, false, 0, 0, 0.0});
    }
  }

  Step step(std::uint32_t node) const { return steps[node]; }
  std::uint32_t leaf(std::uint32_t node) const { return node; }
  std::uint32_t walk_from(std::uint32_t node, std::uint32_t row) const {
    while (!steps[node].leaf) {
      const double x = table.value(begin + row, static_cast<int>(steps[node].which));
      node = steps[node].first + steps[node].right(x);
    }
    return node;
  }
};

}  // namespace

TEST(rows_together_end_where_each_ends_alone) {
  Draws draws(11);
  for (int round = 0; round < 60; ++round) {
    const StoredTable stored(draws, 40 + draws.below(400), 1 + draws.below(30), round % 3 ? 0.05 : 0.4);
    const SparseRows table = stored.rows();
    DrawnTree tree(draws, table, 60);
    tree.begin = draws.below(20);
    std::vector<bool> used(table.n_columns, false);
    for (const DrawnTree::Step& step : tree.steps) used[step.which] = true;
    BlockColumns<double> columns;
    columns.load(table, tree.begin, table.n_rows, used, [&](std::int64_t i) { return table.stored(i); });
    std::vector<std::uint32_t> at;
    for (std::uint32_t row = 0; row < columns.n_rows(); ++row)
      if (draws.below(4) > 0) at.push_back(row);
    std::vector<std::int32_t> leaf(at.size());
    ZeroPaths(tree, columns).walk(at.data(), static_cast<int>(at.size()), leaf.data());
    for (std::size_t i = 0; i < at.size(); ++i)
      CHECK_EQUAL(static_cast<std::uint32_t>(leaf[i]), tree.walk_from(0, at[i]));
  }
}

}  // namespace bough::tests
