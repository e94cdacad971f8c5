// Trees that are evaluated by codes for blocks of rows answer as a walk down their nodes does.
#include <cmath>
#include <limits>
#include <type_traits>

#include "bough/boost/coded_sum.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kLevels = 70;
constexpr int kNominal = 4;  // the column of levels

// Columns of every type and of numbers that are hard to divide into cells, and cuts that split them.
struct DrawnColumns {
  std::vector<double> plain, extreme, close;
  std::vector<float> floats;
  std::vector<std::int32_t> levels, stored_rows, grades;
  std::vector<double> stored;
  std::vector<Column> columns;

  DrawnColumns(Draws& draws, int n) : plain(n), extreme(n), close(n), floats(n), levels(n), grades(n) {
    for (int i = 0; i < n; ++i) {
      plain[i] = draws.below(8) ? draws.share() * 20 - 10 : std::nan("");
      extreme[i] = draws.below(6) ? drawn_extreme(draws) : std::nan("");
      close[i] = 1 + draws.below(40) * 0x1p-52;
      floats[i] = draws.below(5) ? static_cast<float>(draws.below(300)) / 8 : std::nanf("");
      levels[i] = draws.below(kLevels + 1) - 1;
      grades[i] = draws.below(6) - 1;
      if (draws.below(3) == 0) {
        stored_rows.push_back(i);
        stored.push_back(draws.share() * 4 - 2);
      }
    }
    columns = {view(plain),
               view(extreme),
               view(close),
               view(floats),
               view(levels, kLevels, Scale::nominal),
               view(grades, 5, Scale::ordinal)};
    Column sparse = view(stored);
    sparse.type = Column::Type::sparse64;
    sparse.stored_row = stored_rows.data();
    sparse.n_stored = static_cast<std::int64_t>(stored_rows.size());
    columns.push_back(sparse);
  }
  DrawnColumns(const DrawnColumns&) = delete;
  DrawnColumns& operator=(const DrawnColumns&) = delete;

  static double drawn_extreme(Draws& draws) {
    constexpr double kSome[] = {-kInfinity, -1e308, -3,    -0.0,  0.0,      5e-324,
                                1e-300,     2,      1e200, 1e308, kInfinity};
    return kSome[draws.below(11)];
  }

  // A cut that some values equal.
  double cut(Draws& draws, int column) const {
    switch (column) {
      case 0:
        return draws.below(40) * 0.5 - 10;
      case 1:
        return drawn_extreme(draws);
      case 2:
        return 1 + draws.below(40) * 0x1p-52;
      case 3:
        return draws.below(250) / 8.0;
      case 5:
        return draws.below(4) + 0.5;
      default:
        return draws.below(30) * 0.1 - 1.5;
    }
  }
};

void add_leaf(Draws& draws, TreeNodes& sum) {
  sum.nodes.push_back({std::nan(""), 0, static_cast<std::int32_t>(sum.nodes.size()), 0, -1});
  for (int k = 0; k < sum.width; ++k) sum.value.push_back(draws.share() - 0.5);
}

// Splits a leaf by a cut of the column, or by levels; a missing value goes to either side, or stops.
void split_leaf(Draws& draws, const DrawnColumns& from, TreeNodes& sum, std::size_t leaf, int column) {
  const int missing = draws.below(3);
  const auto child = static_cast<std::int32_t>(sum.nodes.size());
  for (int j = 0; j < (missing == 2 ? 3 : 2); ++j) add_leaf(draws, sum);
  TreeNodes::Node& node = sum.nodes[leaf];
  node = {0, column, child, missing, -1};
  if (column != kNominal) {
    node.cut = from.cut(draws, column);
    return;
  }
  node.cut = kLevels;
  node.first_branch = static_cast<std::int32_t>(sum.branch.size());
  // A level that the split does not list goes where missing values go.
  for (int level = 0; level < kLevels; ++level)
    sum.branch.push_back(static_cast<std::uint8_t>(draws.below(4) ? draws.below(2) : missing));
  sum.branch.push_back(static_cast<std::uint8_t>(missing));
}

TreeNodes drawn_trees(Draws& draws, const DrawnColumns& from, int n_trees, int n_splits, int n_scores,
                      int width) {
  TreeNodes sum;
  sum.n_scores = n_scores;
  sum.width = width;
  sum.used = {0, 1, 2, 3, 4, 5, 6};
  for (int t = 0; t < n_trees; ++t) {
    const std::size_t root = sum.nodes.size();
    sum.trees.push_back({root, 0, true});
    add_leaf(draws, sum);
    for (int s = 0; s < n_splits * (t % 5 != 4); ++s) {
      std::size_t leaf = root;  // a random walk, so that trees are uneven
      while (sum.nodes[leaf].child != static_cast<std::int32_t>(leaf))
        leaf = sum.nodes[leaf].child + draws.below(2);
      split_leaf(draws, from, sum, leaf, draws.below(7));
    }
  }
  return sum;
}

std::size_t walked(const TreeNodes& sum, std::size_t tree, const std::vector<Column>& columns,
                   std::int64_t row) {
  std::size_t at = sum.trees[tree].root;
  while (sum.nodes[at].child != static_cast<std::int32_t>(at)) {
    const TreeNodes::Node& node = sum.nodes[at];
    const double x = columns[sum.used[node.place]].value(row);
    int branch = x >= node.cut;
    if (node.first_branch >= 0)
      branch = sum.branch[node.first_branch + static_cast<int>(std::isnan(x) ? node.cut : x)];
    else if (std::isnan(x))
      branch = node.missing_branch;
    at = node.child + branch;
  }
  return at;
}

// Coded: CodedTrees or CodedSum.
template <class Coded = CodedTrees>
void check_answers(const TreeNodes& sum, const std::vector<Column>& columns, std::int64_t n_rows,
                   std::int64_t first, std::int64_t last) {
  const Coded coded(sum);
  CHECK(coded.fits());
  const auto k = static_cast<std::size_t>(sum.n_scores);
  std::vector<double> scores(n_rows * k, 0.25), wanted(scores);
  typename Coded::Space space;
  for (std::int64_t begin = 0; begin < n_rows; begin += CodedTrees::kRows) {
    const auto count = static_cast<int>(std::min<std::int64_t>(CodedTrees::kRows, n_rows - begin));
    coded.add(columns, {begin, count, scores.data() + begin * k, first, last}, space);
  }
  for (std::int64_t row = 0; row < n_rows; ++row)
    for (std::int64_t t = first; t < last; ++t) {
      const std::size_t leaf = walked(sum, t, columns, row);
      for (int j = 0; j < sum.width; ++j)
        wanted[row * k + (sum.width > 1 ? j : t % sum.n_scores)] += sum.value[leaf * sum.width + j];
    }
  CHECK(scores == wanted);
}

// One tree that splits a column at 0, 1, 2, ..., n - 1, from the last to the first.
TreeNodes chain(int n) {
  TreeNodes sum;
  sum.used = {0};
  sum.trees.push_back({0, n, false});
  Draws draws(1);
  add_leaf(draws, sum);
  for (int i = n; i-- > 0;) {
    const std::size_t leaf = i + 1 == n ? 0 : sum.nodes.size() - 2;
    const auto child = static_cast<std::int32_t>(sum.nodes.size());
    add_leaf(draws, sum);
    add_leaf(draws, sum);
    sum.nodes[leaf] = {static_cast<double>(i), 0, child, 1, -1};
  }
  return sum;
}

}  // namespace

TEST(coded_trees_answer_as_a_walk_does) {
  for (const int n_rows : {1, 31, 256, 257, 700}) {
    Draws draws(n_rows);
    const DrawnColumns from(draws, n_rows);
    for (const int n_splits : {1, 7, 30, 80}) {
      check_answers(drawn_trees(draws, from, 9, n_splits, 1, 1), from.columns, n_rows, 0, 9);
      check_answers(drawn_trees(draws, from, 15, n_splits, 3, 1), from.columns, n_rows, 0, 15);
      check_answers(drawn_trees(draws, from, 6, n_splits, 3, 3), from.columns, n_rows, 0, 6);
    }
  }
}

// Numbers in rows next to each other, of which many equal a cut, some only in single precision.
template <class T>
std::vector<T> drawn_matrix(Draws& draws, int n_rows, int n_columns) {
  std::vector<T> values(static_cast<std::size_t>(n_rows) * n_columns);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int whole = draws.below(60) - 30;
    const double near = draws.below(2) ? 0 : (draws.below(3) - 1) * 1e-12;
    values[i] = static_cast<T>(draws.below(9) ? whole + near : std::nan(""));
    if (i % n_columns == 5) values[i] = static_cast<T>(values[i] + 1e9);
  }
  return values;
}

template <class T>
void check_matrix(int n_rows, int n_columns) {
  Draws draws(n_rows + n_columns);
  const std::vector<T> values = drawn_matrix<T>(draws, n_rows, n_columns);
  std::vector<Column> columns;
  for (int c = 0; c < n_columns; ++c)
    columns.push_back({std::is_same_v<T, float> ? Column::Type::float32 : Column::Type::float64,
                       Scale::numeric, reinterpret_cast<const char*>(values.data() + c),
                       static_cast<std::int64_t>(n_columns * sizeof(T))});
  TreeNodes sum;
  for (int c = n_columns; c-- > 0;)
    if (c != 2 && c / 8 != 2) sum.used.push_back(c);
  for (int t = 0; t < 9; ++t) {
    const std::size_t root = sum.nodes.size();
    sum.trees.push_back({root, 0, false});
    add_leaf(draws, sum);
    for (int s = 0; s < 20 + t; ++s) {
      std::size_t leaf = root;
      while (!sum.is_leaf(leaf)) leaf = sum.nodes[leaf].child + draws.below(2);
      const int place = draws.below(static_cast<int>(sum.used.size())), missing = draws.below(2);
      const auto child = static_cast<std::int32_t>(sum.nodes.size());
      add_leaf(draws, sum);
      add_leaf(draws, sum);
      sum.nodes[leaf] = {draws.below(50) - 25 + (sum.used[place] == 5 ? 1e9 : 0.0), place, child, missing,
                         -1};
    }
  }
  check_answers(sum, columns, n_rows, 0, 9);
}

TEST(coded_trees_read_the_rows_of_a_matrix) {
  for (const int n_rows : {1, 16, 127, 129, 530})
    for (const int n_columns : {1, 2, 8, 9, 30}) {
      check_matrix<double>(n_rows, n_columns);
      check_matrix<float>(n_rows, n_columns);
    }
}

TEST(coded_trees_answer_for_some_of_the_trees) {
  Draws draws(5);
  const DrawnColumns from(draws, 300);
  const TreeNodes one = drawn_trees(draws, from, 12, 9, 1, 1),
                  several = drawn_trees(draws, from, 12, 9, 3, 1),
                  vectors = drawn_trees(draws, from, 12, 9, 2, 2);
  for (const int first : {0, 3, 6})
    for (const int last : {6, 9, 12})
      for (const TreeNodes* sum : {&one, &several, &vectors})
        check_answers(*sum, from.columns, 300, first, last);
}

TEST(coded_sums_group_trees_whose_cuts_need_more_codes) {
  Draws draws(7);
  const DrawnColumns from(draws, 300);
  // Nearly every cut of column 0 is a different one, so that a group has fewer than all trees.
  for (const int n_scores : {1, 3}) {
    TreeNodes sum = drawn_trees(draws, from, 90, 60, n_scores, 1);
    for (std::size_t i = 0; i < sum.nodes.size(); ++i)
      if (!sum.is_leaf(i) && sum.nodes[i].place == 0) sum.nodes[i].cut = draws.share() * 20 - 10;
    CHECK(!CodedTrees(sum).fits());
    check_answers<CodedSum>(sum, from.columns, 300, 0, 90);
    for (const int first : {0, 30, 33})
      for (const int last : {36, 60, 90}) check_answers<CodedSum>(sum, from.columns, 300, first, last);
  }
  check_answers<CodedSum>(drawn_trees(draws, from, 6, 9, 2, 2), from.columns, 300, 0, 6);
  CHECK(!CodedSum(chain(255)).fits());
}

TEST(coded_trees_say_whether_codes_suffice) {
  std::vector<double> x;
  for (int i = -4; i < 2080; ++i) x.push_back(i / 8.0);
  x.push_back(std::nan(""));
  const std::vector<Column> columns = {view(x)};
  const auto n_rows = static_cast<std::int64_t>(x.size());
  for (const int n : {1, 2, 3, 127, 128, 253, 254}) check_answers(chain(n), columns, n_rows, 0, 1);
  CHECK(!CodedTrees(chain(255)).fits());

  // 256 leaves at few cuts, and one more.
  Draws draws(9);
  TreeNodes sum;
  sum.used = {0};
  sum.trees.push_back({0, 0, false});
  add_leaf(draws, sum);
  const auto grow = [&](int n_leaves) {
    for (auto leaves = (sum.nodes.size() + 1) / 2; leaves < static_cast<std::size_t>(n_leaves); ++leaves) {
      const std::size_t leaf = leaves - 1;
      const auto child = static_cast<std::int32_t>(sum.nodes.size());
      add_leaf(draws, sum);
      add_leaf(draws, sum);
      sum.nodes[leaf] = {static_cast<double>(draws.below(200)), 0, child, draws.below(2), -1};
    }
  };
  grow(256);
  check_answers(sum, columns, n_rows, 0, 1);
  grow(257);
  CHECK(!CodedTrees(sum).fits());
}

TEST(coded_trees_number_columns_by_16_bits) {
  TreeNodes sum = chain(1);
  sum.used.resize(32768);
  for (int c = 0; c < 32768; ++c) sum.used[c] = c;
  sum.nodes[0].place = 32767;
  const std::vector<double> zeros(20, 0.0), ones(20, 1.0);
  std::vector<Column> columns(32769, view(zeros));
  columns[32767] = view(ones);
  sum.nodes[0].cut = 0.5;
  check_answers(sum, columns, 20, 0, 1);
  sum.used.push_back(32768);
  CHECK(!CodedTrees(sum).fits());
}

}  // namespace bough::tests
