// Pieces of four levels lead every row to the leaf where steps from node to node lead it.
#include <algorithm>
#include <limits>
#include <vector>

#include "bough/predict/four_levels.hpp"
#include "bough/predict/known_walk.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// A tree of some splits, whose leaves lie at different depths.
KnownWalk<float> drawn_walk(Draws& draws, int n_columns, int n_splits) {
  KnownWalk<float> walk;
  std::vector<std::int64_t> leaves_at(1, 0);
  std::vector<int> depth(1, 0);
  for (std::size_t i = 0; i < depth.size(); ++i) {
    if (n_splits == 0 || (depth.size() - i > 2 && draws.below(3) == 0)) {
      walk.add_leaf();
      leaves_at.resize(std::max<std::size_t>(leaves_at.size(), depth[i] + 1), 0);
      ++leaves_at[depth[i]];
      continue;
    }
    --n_splits;
    const bool endless = draws.below(12) == 0;
    walk.add_split(
        endless ? std::numeric_limits<float>::infinity() : static_cast<float>(draws.below(40)) / 4 - 5,
        static_cast<std::int32_t>(depth.size()), draws.below(n_columns));
    depth.insert(depth.end(), 2, depth[i] + 1);
  }
  walk.set_plan(plan_of_steps(leaves_at));
  return walk;
}

std::vector<float> drawn_cells(Draws& draws, std::size_t n) {
  std::vector<float> cells(n);
  for (float& x : cells)
    x = draws.below(20) ? static_cast<float>(draws.below(80)) / 8 - 5
                        : (draws.below(2) ? 1 : -1) * std::numeric_limits<float>::infinity();
  return cells;
}

}  // namespace

TEST(pieces_of_four_levels_lead_to_the_same_leaves) {
  Draws draws(31);
  for (const int n_columns : {1, 2, 15, 16, 17, 28, 31, 32}) {
    if (!pieces_usable(static_cast<std::size_t>(n_columns))) continue;
    for (const int n_splits : {0, 1, 2, 7, 15, 16, 100, 3000}) {
      const KnownWalk<float> walk = drawn_walk(draws, n_columns, n_splits);
      const FourLevels pieces(walk.steps(), static_cast<std::size_t>(n_columns));
      for (const int between : {0, 3})
        for (const int n : {0, 1, 15, 16, 17, 255, 256}) {
          const int width = n_columns + between;
          // Rows end where their memory does.
          const std::vector<float> cells = drawn_cells(draws, static_cast<std::size_t>(n) * width);
          const auto* rows = reinterpret_cast<const char*>(cells.data());
          const std::int64_t stride = width * static_cast<std::int64_t>(sizeof(float));
          std::vector<std::int32_t> expected(n), leaf(n, -7);
          walk.walk(rows, stride, n, expected.data());
          CHECK(pieces.all_known(rows, stride, n));
          pieces.walk(rows, stride, n, 0, leaf.data());
          CHECK(leaf == expected);
          leaf.assign(n, -7);
          pieces.walk(rows, stride, n / 2, n - n / 2, leaf.data());
          pieces.walk(rows + n / 2 * stride, stride, n - n / 2, 0, leaf.data() + n / 2);
          CHECK(leaf == expected);
        }
    }
  }
}

TEST(missing_values_of_any_column_are_found) {
  Draws draws(32);
  for (const int n_columns : {1, 16, 17, 32}) {
    if (!pieces_usable(static_cast<std::size_t>(n_columns))) continue;
    const FourLevels pieces(drawn_walk(draws, n_columns, 5).steps(), static_cast<std::size_t>(n_columns));
    const int n = 37, width = n_columns + 1;
    const std::int64_t stride = width * static_cast<std::int64_t>(sizeof(float));
    std::vector<float> cells = drawn_cells(draws, static_cast<std::size_t>(n) * width);
    const auto* rows = reinterpret_cast<const char*>(cells.data());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool between_rows = static_cast<int>(i) % width == n_columns;
      const float was = cells[i];
      cells[i] = std::numeric_limits<float>::quiet_NaN();
      CHECK_EQUAL(pieces.all_known(rows, stride, n), between_rows);
      cells[i] = was;
    }
  }
}

TEST(rows_of_more_columns_than_two_registers_hold_go_from_node_to_node) { CHECK(!pieces_usable(33)); }

}  // namespace bough::tests
