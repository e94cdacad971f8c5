// Sparse columns against dense ones of the same numbers: sorted lists, trees, forests and routes.
#include <algorithm>
#include <deque>
#include <limits>

#include "bough/data/joint_rows.hpp"
#include "bough/data/sparse_parts.hpp"
#include "bough/data/sparse_presort.hpp"
#include "bough/grow/grow.hpp"
#include "bough/predict/router.hpp"
#include "forests.hpp"
#include "harness.hpp"
#include "same_trees.hpp"

namespace bough::tests {

namespace {

const double kNaN = std::numeric_limits<double>::quiet_NaN();

// A table whose columns are held twice: dense, and as what is stored of them.
class BothWays {
 public:
  BothWays(Draws& draws, int n_rows, int n_columns, bool missing) : n_rows_(n_rows) {
    const double values[] = {1, 2, -1, 1 + 1e-12, 1e-300, missing ? kNaN : 3, 0};
    for (int c = 0; c < n_columns; ++c) {
      std::vector<double>&all = dense_.emplace_back(n_rows, 0.0), &stored = stored_.emplace_back();
      std::vector<std::int32_t>& rows = rows_.emplace_back();
      for (int i = 0; i < n_rows; ++i) {
        if (draws.below(4)) continue;
        all[i] = values[draws.below(7)];
        stored.push_back(all[i]);
        rows.push_back(i);
      }
    }
    std::vector<std::size_t> next(n_columns, 0);
    for (int i = 0; i < n_rows; ++i) {
      for (int c = 0; c < n_columns; ++c)
        if (next[c] < rows_[c].size() && rows_[c][next[c]] == i) {
          column_of_.push_back(c);
          value_of_.push_back(stored_[c][next[c]++]);
        }
      row_start_.push_back(static_cast<std::int64_t>(column_of_.size()));
      label_.push_back(draws.below(2));
      y_.push_back(draws.below(9));
      labels_.insert(labels_.end(), {draws.below(3), 3 + draws.below(2), 5});
      ys_.insert(ys_.end(), {y_.back(), draws.below(100) / 8.0, 1.0});
    }
  }
  BothWays(const BothWays&) = delete;
  BothWays& operator=(const BothWays&) = delete;

  Data data(bool sparse, int n_classes) const {
    Data data;
    data.n_rows = n_rows_;
    data.n_classes = n_classes;
    data.label = n_classes ? label_.data() : nullptr;
    data.y = n_classes ? nullptr : y_.data();
    for (std::size_t c = 0; c < dense_.size(); ++c)
      data.columns.push_back(sparse ? sparse_column(c) : view(dense_[c]));
    return data;
  }
  // The same with three targets, of which one does not vary.
  Data several(bool sparse, bool classes) const {
    Data several = data(sparse, classes ? 6 : 0);
    several.targets = classes ? std::vector<int>{3, 2, 1} : std::vector<int>{0, 0, 0};
    several.label = classes ? labels_.data() : nullptr;
    several.y = classes ? nullptr : ys_.data();
    return several;
  }
  Column sparse_column(std::size_t c) const {
    return {Column::Type::sparse64,
            Scale::numeric,
            reinterpret_cast<const char*>(stored_[c].data()),
            sizeof(double),
            0,
            rows_[c].data(),
            static_cast<std::int64_t>(rows_[c].size())};
  }
  SparseRows sparse_rows() const {
    SparseRows rows;
    rows.start = row_start_.data();
    rows.column = column_of_.data();
    rows.doubles = value_of_.data();
    rows.n_rows = n_rows_;
    rows.n_columns = static_cast<int>(dense_.size());
    return rows;
  }
  double value(std::size_t c, int row) const { return dense_[c][row]; }

 private:
  int n_rows_;
  std::deque<std::vector<double>> dense_, stored_;
  std::deque<std::vector<std::int32_t>> rows_;
  std::vector<std::int32_t> label_, labels_;
  std::vector<double> y_, ys_;
  std::vector<std::int64_t> row_start_ = {0};
  std::vector<std::int32_t> column_of_;  // of the stored numbers, row by row
  std::vector<double> value_of_;
};

void check_same_trees(const Data& dense, const Data& sparse, const Recipe& recipe, int n_threads) {
  const GrownTree wanted = grow(dense, recipe, 1, nullptr);
  const GrownTree tree = grow(sparse, recipe, n_threads, nullptr);
  check_same(tree, wanted);
}

void check_same_forests(const Data& dense, const Data& sparse, const SparseRows& rows,
                        const ForestRecipe& recipe) {
  SampleDesign design;
  design.n_rows = dense.n_rows;
  design.draw = SampleDesign::Draw::with_replacement;
  design.size = {dense.n_rows};
  const HeldForest wanted = grown(dense, recipe, design, 7, 2), forest = grown(sparse, recipe, design, 7, 2);
  CHECK(forest.packed.nodes == wanted.packed.nodes);
  CHECK(forest.packed.gain == wanted.packed.gain);
  CHECK(forest.packed.leaf == wanted.packed.leaf);
  CHECK(leaves(forest.walker, rows, rows.n_rows, 2, nullptr) ==
        leaves(wanted.walker, dense.columns, dense.n_rows, 2, nullptr));
}

}  // namespace

TEST(rows_with_the_class_weights_of_several_targets) {
  const std::vector<double> of_class = {4, 0, 3, 5, 2, 7};  // of targets of 3, 2 and 1 classes
  std::vector<double> written(of_class.size(), 0.0);
  JointRows rows({3, 2, 1});
  int n = 0;
  rows.write(of_class.data(), [&](const std::int32_t* labels, double weight) {
    for (int t = 0; t < 3; ++t) written[labels[t]] += weight;
    ++n;
  });
  CHECK(written == of_class);
  CHECK_EQUAL(n, 3);
  CHECK_EQUAL(rows.most(), 4);
}

TEST(a_sparse_column_has_the_values_of_the_dense_one) {
  Draws draws(1);
  const BothWays table(draws, 50, 2, true);
  for (std::size_t c = 0; c < 2; ++c)
    for (int i = 0; i < 50; ++i) {
      const double x = table.sparse_column(c).value(i), wanted = table.value(c, i);
      CHECK(x == wanted || (x != x && wanted != wanted));
    }
}

TEST(stored_numbers_are_sorted_with_a_code_for_zero) {
  Draws draws(2);
  const BothWays table(draws, 200, 3, true);
  Team team(2);
  const Data data = table.data(true, 2);
  const SparseSorted sorted = presort_sparse(data.columns, nullptr, nullptr, team);
  for (int c = 0; c < 3; ++c) {
    const std::uint64_t *begin = sorted.entries.get() + sorted.start[c],
                        *end = sorted.entries.get() + sorted.start[c + 1];
    CHECK(std::is_sorted(begin, end));
    CHECK(sorted.has_missing[c]);
    for (const std::uint64_t* entry = begin; entry < end; ++entry) {
      const double x = table.value(c, static_cast<int>(index_of(*entry)));
      CHECK_EQUAL(code_of(*entry) < sorted.zero[c], x < 0);
      CHECK(code_of(*entry) != sorted.zero[c]);
      if (entry == begin) continue;
      const double before = table.value(c, static_cast<int>(index_of(entry[-1])));
      CHECK((code_of(*entry) == code_of(entry[-1])) == (x == before || (x != x && before != before)));
    }
  }
}

TEST(parts_of_a_node_keep_their_order) {
  std::vector<std::uint64_t> entries;
  for (std::uint32_t i = 0; i < 6; ++i) entries.push_back(make_entry<std::uint64_t>(i % 3, i, 0));
  SparseParts parts(entries.data(), 2);
  parts.set_root({0, 3, 6});
  parts.part(0, {{1, true}, {2, true}}, [](std::uint32_t row) { return row % 2; });
  parts.open(1);
  CHECK_EQUAL(parts.stored(0).count, 2);
  CHECK_EQUAL(parts.stored(1).count, 1);
  CHECK_EQUAL(index_of(parts.stored(0).list[1]), 2u);
  parts.open(2);
  CHECK_EQUAL(parts.stored(0).count, 1);
  CHECK_EQUAL(parts.find(1, 2).count, 2);
  // Two of three branches, and rows that go to neither.
  parts.part(2, {{3, true}, {4, false}, {5, true}}, [](std::uint32_t row) { return row == 5 ? 7u : 2u; });
  CHECK_EQUAL(parts.find(1, 5).count, 1);
  CHECK_EQUAL(parts.find(0, 3).count, 0);
}

TEST(sparse_and_dense_columns_grow_the_same_tree) {
  Draws draws(3);
  for (int turn = 0; turn < 24; ++turn) {
    const BothWays table(draws, turn % 4 ? 150 : 6000, 4, turn % 2);
    for (const int n_classes : {2, 0}) {
      Recipe recipe;
      recipe.criterion = n_classes ? criterion_of<Gini> : criterion_of<SquaredError>;
      recipe.missing = turn % 3 ? MissingRows::learned : MissingRows::left_out;
      recipe.limits.max_leaves = turn % 5 ? 0 : 9;
      const Data dense = table.data(false, n_classes), sparse = table.data(true, n_classes);
      check_same_trees(dense, sparse, recipe, 1 + turn % 3);
    }
  }
}

TEST(sparse_and_dense_columns_grow_the_same_tree_of_several_targets) {
  const Criterion criteria[] = {criterion_of<OfTargets<Gini>>, criterion_of<OfTargets<Entropy>>,
                                criterion_of<OfTargets<SquaredError>>, criterion_of<OfTargets<Poisson>>};
  Draws draws(5);
  for (int turn = 0; turn < 24; ++turn) {
    const BothWays table(draws, turn % 4 ? 150 : 6000, 4, turn % 2);
    Recipe recipe;
    recipe.criterion = criteria[turn % 4];
    recipe.missing = turn % 3 ? MissingRows::learned : MissingRows::left_out;
    recipe.limits.max_leaves = turn % 5 ? 0 : 9;
    const bool classes = recipe.criterion.reads_classes();
    check_same_trees(table.several(false, classes), table.several(true, classes), recipe, 1 + turn % 3);
  }
}

TEST(sparse_and_dense_columns_grow_the_same_forest) {
  Draws draws(4);
  for (int turn = 0; turn < 12; ++turn) {
    const BothWays table(draws, turn % 4 ? 150 : 9000, 4, turn % 2);
    ForestRecipe recipe;
    recipe.max_features = 1 + turn % 2;
    recipe.splitter = turn % 3 ? Splitter::best : Splitter::random;
    recipe.missing = turn % 5 ? ForestMissing::learned : ForestMissing::majority;
    check_same_forests(table.data(false, 2), table.data(true, 2), table.sparse_rows(), recipe);
    recipe.criterion = turn % 2 ? criterion_of<OfTargets<Gini>> : criterion_of<OfTargets<Entropy>>;
    check_same_forests(table.several(false, true), table.several(true, true), table.sparse_rows(), recipe);
  }
}

}  // namespace bough::tests
