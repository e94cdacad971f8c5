// The router against a plain walk of one row at a time, for every layout of a table.
#include <algorithm>
#include <deque>
#include <limits>

#include "bough/grow/branching.hpp"
#include "bough/predict/router.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

constexpr int kSizes[] = {0, 1, 7, 8, 9, 15, 16, 17, 255, 256, 257, 4095, 4096, 4097, 4104, 9001};
const double kNaN = std::numeric_limits<double>::quiet_NaN();

// A tree drawn at random over columns of which those with levels are nominal.
struct DrawnTree {
  std::vector<int> n_levels;
  std::vector<std::int32_t> first_child, column, default_branch, level_code, level_branch;
  std::vector<std::uint8_t> kind;
  std::vector<double> cut;
  std::vector<std::int64_t> level_start = {0};

  struct Surrogate {
    std::vector<std::int64_t> start = {0}, level_start = {0};
    std::vector<std::int32_t> column, level_code, level_branch;
    std::vector<double> cut;
    std::vector<std::uint8_t> turned;
  } surrogates;
  bool has_surrogates = false;

  // stays: whether rows without a value may stay in an inner node.
  DrawnTree(Draws& draws, std::vector<int> levels, int n_inner, bool stays) : n_levels(std::move(levels)) {
    int made = 1;
    for (int i = 0; i < made; ++i) {
      if (n_inner == 0 || (made - i > 2 && draws.below(4) == 0)) {
        add_leaf();
        continue;
      }
      --n_inner;
      const int c = draws.below(static_cast<int>(n_levels.size()));
      const int n_branches = n_levels[c] ? 2 + draws.below(3) : 2;
      first_child.push_back(made);
      column.push_back(c);
      default_branch.push_back(stays && draws.below(3) == 0 ? -1 : draws.below(n_branches));
      kind.push_back(static_cast<std::uint8_t>(n_levels[c] ? SplitKind::subset : SplitKind::threshold));
      cut.push_back(n_levels[c] ? kNaN : draws.below(9) - 4 + 0.5 * draws.below(2));
      const int pace = 1 + draws.below(6);  // dense and sparse lists of levels
      for (int code = draws.below(2); code < n_levels[c]; code += 1 + draws.below(pace)) {
        level_code.push_back(code);
        level_branch.push_back(draws.below(n_branches));
      }
      level_start.push_back(static_cast<std::int64_t>(level_code.size()));
      made += n_branches;
    }
  }

  // Gives each inner node up to three surrogates.
  void add_surrogates(Draws& draws) {
    has_surrogates = true;
    for (std::size_t node = 0; node < kind.size(); ++node) {
      for (int n = first_child[node] < 0 ? 0 : draws.below(4); n > 0; --n) {
        const int c = draws.below(static_cast<int>(n_levels.size()));
        surrogates.column.push_back(c);
        surrogates.cut.push_back(n_levels[c] ? kNaN : draws.below(9) - 4);
        surrogates.turned.push_back(!n_levels[c] && draws.below(2));
        const int pace = 1 + draws.below(6);
        for (int code = draws.below(2); code < n_levels[c]; code += 1 + draws.below(pace)) {
          surrogates.level_code.push_back(code);
          surrogates.level_branch.push_back(draws.below(2));
        }
        surrogates.level_start.push_back(static_cast<std::int64_t>(surrogates.level_code.size()));
      }
      surrogates.start.push_back(static_cast<std::int64_t>(surrogates.column.size()));
    }
  }

  Router router() const {
    SurrogateView spare;
    if (has_surrogates)
      spare = {surrogates.start.data(),       surrogates.column.data(),      surrogates.cut.data(),
               surrogates.turned.data(),      surrogates.level_start.data(), surrogates.level_code.data(),
               surrogates.level_branch.data()};
    return Router({static_cast<int>(kind.size()), first_child.data(), column.data(), kind.data(), cut.data(),
                   default_branch.data(), level_start.data(), level_code.data(), level_branch.data(), spare},
                  n_levels);
  }

  // The branch that the node's own split gives; -1 if it cannot say.
  int branch(int node, double x) const {
    if (x != x) return -1;
    if (n_levels[column[node]] == 0) return x < cut[node] ? 0 : 1;
    for (std::int64_t p = level_start[node]; p < level_start[node + 1]; ++p)
      if (level_code[p] == static_cast<int>(x)) return level_branch[p];
    return -1;
  }

  int surrogate_branch(std::int64_t s, double x) const {
    if (x != x) return -1;
    if (n_levels[surrogates.column[s]] == 0) return (x < surrogates.cut[s]) == (surrogates.turned[s] != 0);
    for (std::int64_t p = surrogates.level_start[s]; p < surrogates.level_start[s + 1]; ++p)
      if (surrogates.level_code[p] == static_cast<int>(x)) return surrogates.level_branch[p];
    return -1;
  }

  int walk(const std::vector<Column>& columns, std::int64_t row) const {
    int node = 0;
    while (first_child[node] >= 0) {
      int taken = branch(node, columns[column[node]].value(row));
      for (std::int64_t s = has_surrogates ? surrogates.start[node] : 0;
           has_surrogates && taken < 0 && s < surrogates.start[node + 1]; ++s)
        taken = surrogate_branch(s, columns[surrogates.column[s]].value(row));
      if (taken < 0) taken = default_branch[node];
      if (taken < 0) break;
      node = first_child[node] + taken;
    }
    return node;
  }

 private:
  void add_leaf() {
    first_child.push_back(-1);
    column.push_back(-1);
    default_branch.push_back(-1);
    kind.push_back(0);
    cut.push_back(kNaN);
    level_start.push_back(static_cast<std::int64_t>(level_code.size()));
  }
};

void check_routes(const DrawnTree& tree, const std::vector<Column>& columns, std::int64_t n_rows) {
  const Router router = tree.router();
  std::vector<std::int32_t> expected(n_rows);
  for (std::int64_t row = 0; row < n_rows; ++row) expected[row] = tree.walk(columns, row);
  for (int n_threads : {1, 2, 5}) {
    std::vector<std::int32_t> leaf(n_rows, -7);
    router.apply(columns, n_rows, n_threads, leaf.data());
    CHECK(leaf == expected);
    if (n_rows > 0)
      CHECK_THROWS(router.apply(columns, n_rows, n_threads, leaf.data(), [](double) { return false; }),
                   Interrupted);
    for (int width : {1, 2, 3}) {
      std::vector<std::int64_t> of_node(router.n_nodes() * width), answers(n_rows * width, -7);
      for (std::size_t i = 0; i < of_node.size(); ++i) of_node[i] = static_cast<std::int64_t>(i);
      router.answer(columns, n_rows, n_threads, of_node.data(), width, answers.data());
      bool all = true;
      for (std::int64_t i = 0; i < n_rows * width; ++i)
        all &= answers[i] == expected[i / width] * width + i % width;
      CHECK(all);
    }
  }
}

// Numbers of which many lie on a cut.
double draw_number(Draws& draws) {
  const double others[] = {kNaN, std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity(), -0.0};
  return draws.below(6) == 0 ? others[draws.below(4)] : draws.below(18) * 0.5 - 4.5;
}

template <class T>
std::vector<T> draw_numbers(Draws& draws, std::size_t n) {
  std::vector<T> values(n);
  for (T& x : values) x = static_cast<T>(draw_number(draws));
  return values;
}

std::vector<std::int32_t> draw_codes(Draws& draws, std::size_t n, int n_levels) {
  std::vector<std::int32_t> codes(n);
  for (auto& code : codes) code = draws.below(n_levels + 1) - 1;
  return codes;
}

// Columns of one block of memory: column c begins `column_step` values after the one before.
template <class T>
std::vector<Column> block_columns(const std::vector<T>& block, int width, std::int64_t row_step,
                                  std::int64_t column_step) {
  std::vector<Column> columns;
  for (int c = 0; c < width; ++c) {
    Column column = view(block);
    column.data += c * column_step * static_cast<std::int64_t>(sizeof(T));
    column.stride = row_step * static_cast<std::int64_t>(sizeof(T));
    columns.push_back(column);
  }
  return columns;
}

template <class T>
void check_blocks(std::uint64_t seed, bool stays, bool surrogates = false) {
  Draws draws(seed);
  const int width = 3;
  for (int n : kSizes) {
    DrawnTree tree(draws, std::vector<int>(width, 0), 40, stays);
    if (surrogates) tree.add_surrogates(draws);
    const std::vector<T> block = draw_numbers<T>(draws, static_cast<std::size_t>(n) * width);
    check_routes(tree, block_columns(block, width, width, 1), n);  // row-major
    check_routes(tree, block_columns(block, width, 1, n), n);      // column-major
  }
}

// Columns of all types, each with its own memory.
void check_mixed(std::uint64_t seed, const std::vector<int>& n_levels, bool stays, bool surrogates = false) {
  Draws draws(seed);
  for (int n : kSizes) {
    DrawnTree tree(draws, n_levels, 40, stays);
    if (surrogates) tree.add_surrogates(draws);
    std::deque<std::vector<float>> floats;
    std::deque<std::vector<double>> doubles;
    std::deque<std::vector<std::int32_t>> codes;
    std::vector<Column> columns;
    for (std::size_t c = 0; c < n_levels.size(); ++c) {
      if (n_levels[c])
        columns.push_back(
            view(codes.emplace_back(draw_codes(draws, n, n_levels[c])), n_levels[c], Scale::nominal));
      else if (c % 2)
        columns.push_back(view(floats.emplace_back(draw_numbers<float>(draws, n))));
      else
        columns.push_back(view(doubles.emplace_back(draw_numbers<double>(draws, n))));
    }
    check_routes(tree, columns, n);
  }
}

}  // namespace

TEST(blocks_of_floats) { check_blocks<float>(101, false); }
TEST(blocks_of_doubles) { check_blocks<double>(102, false); }
TEST(blocks_where_rows_without_a_value_stay) {
  check_blocks<float>(103, true);
  check_blocks<double>(104, true);
}

// A tree that is one path: its leaves lie at every depth.
TEST(a_path_deeper_than_rows_go_without_a_look) {
  Draws draws(119);
  constexpr int kDepth = 150;
  DrawnTree tree(draws, {0, 0}, 0, false);
  tree.first_child.clear(), tree.column.clear(), tree.default_branch.clear(), tree.kind.clear();
  tree.cut.clear();
  tree.level_start.assign(2 * kDepth + 2, 0);
  for (int node = 0; node <= 2 * kDepth; ++node) {
    const bool inner = node % 2 == 0 && node < 2 * kDepth;
    tree.first_child.push_back(inner ? node + 1 : -1);
    tree.column.push_back(inner ? draws.below(2) : -1);
    tree.default_branch.push_back(inner ? 1 : -1);
    tree.kind.push_back(static_cast<std::uint8_t>(inner ? SplitKind::threshold : SplitKind::leaf));
    tree.cut.push_back(inner ? node : kNaN);
  }
  const int n = 3000;
  std::vector<float> block(2 * n);
  for (float& x : block) x = static_cast<float>(draws.below(2 * kDepth + 10) - 5);
  check_routes(tree, block_columns(block, 2, 2, 1), n);
  check_routes(tree, block_columns(block, 2, 1, n), n);
}

TEST(steps_between_looks_lead_to_the_deepest_leaf) {
  CHECK(plan_of_steps({1}).empty());
  CHECK(plan_of_steps({0, 2}) == std::vector<int>{1});
  CHECK(plan_of_steps({0, 0, 0, 8}) == std::vector<int>{3});  // all leaves at one depth: one look
  Draws draws(120);
  for (int depth : {1, 2, 31, 32, 33, 200}) {
    std::vector<std::int64_t> leaves_at(depth + 1);
    for (std::int64_t& n : leaves_at) n = draws.below(50);
    leaves_at[depth] = 2;
    int sum = 0;
    for (const int n_steps : plan_of_steps(leaves_at)) {
      CHECK(n_steps >= 1 && n_steps <= 32);
      sum += n_steps;
    }
    CHECK(sum == depth);
  }
}

TEST(mixed_columns_of_numbers) {
  check_mixed(105, {0, 0, 0, 0}, false);
  check_mixed(106, {0, 0, 0, 0}, true);
}

TEST(mixed_columns_with_few_and_many_levels) {
  check_mixed(107, {0, 5, 0, 3, 1024}, false);
  check_mixed(108, {0, 5, 0, 1500, 3000}, true);
  check_mixed(109, {2000}, true);
}

TEST(blocks_where_surrogates_stand_in) {
  check_blocks<float>(114, false, true);
  check_blocks<double>(115, true, true);
}

TEST(mixed_columns_where_surrogates_stand_in) {
  check_mixed(116, {0, 0, 0, 0}, true, true);
  check_mixed(117, {0, 5, 0, 3, 1024}, false, true);
  check_mixed(118, {0, 5, 0, 1500, 3000}, true, true);
}

TEST(ordinal_codes_are_numbers_to_a_threshold) {
  Draws draws(110);
  const DrawnTree tree(draws, {0, 0}, 20, false);
  const std::vector<std::int32_t> codes = draw_codes(draws, 500, 9);
  const std::vector<float> numbers = draw_numbers<float>(draws, 500);
  check_routes(tree, {view(codes, 9, Scale::ordinal), view(numbers)}, 500);
}

TEST(columns_backwards_and_broadcast) {
  Draws draws(111);
  const DrawnTree tree(draws, {0, 0}, 20, false);
  const int n = 4100;
  const std::vector<double> block = draw_numbers<double>(draws, 2 * n);
  std::vector<Column> columns = block_columns(block, 2, 1, n);
  for (Column& column : columns) {
    column.data += (n - 1) * static_cast<int>(sizeof(double));
    column.stride = -column.stride;
  }
  check_routes(tree, columns, n);
  for (Column& column : columns) column.stride = 0;
  check_routes(tree, columns, n);
}

TEST(a_single_leaf_takes_every_row) {
  Draws draws(112);
  const DrawnTree tree(draws, {0, 7}, 0, false);
  const std::vector<float> numbers = draw_numbers<float>(draws, 20);
  const std::vector<std::int32_t> codes = draw_codes(draws, 20, 7);
  check_routes(tree, {view(numbers), view(codes, 7, Scale::nominal)}, 20);
  check_routes(DrawnTree(draws, {0}, 0, false), {view(numbers)}, 20);
  check_routes(DrawnTree(draws, {}, 0, false), {}, 20);
}

TEST(a_level_unknown_to_the_tree_goes_where_missing_goes) {
  Draws draws(113);
  const DrawnTree tree(draws, {4, 1500}, 30, true);
  const std::vector<std::int32_t> few = draw_codes(draws, 300, 6), many = draw_codes(draws, 300, 2000);
  check_routes(tree, {view(few, 6, Scale::nominal), view(many, 2000, Scale::nominal)}, 300);
}

}  // namespace bough::tests
