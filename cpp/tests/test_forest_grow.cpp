// Forests are the same for any number of threads, their leaves hold what their bags send there, and their
// growth can be stopped.
#include <chrono>
#include <stdexcept>
#include <thread>

#include "forests.hpp"
#include "harness.hpp"
#include "same.hpp"

namespace bough::tests {

namespace {

constexpr std::uint64_t kSeed = 31;

enum class Target { two, three, numbers, events, medians };
enum class Weighing { none, whole, shares };

struct Case {
  int n_rows;
  Target target;
  Weighing weighing;
  Splitter splitter;
  ForestMissing missing;
  ForestNominal nominal = ForestNominal::ordered;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> made;
    for (const int n_rows : {2, 3, 500, 2600})
      for (const Target target : {Target::two, Target::three, Target::numbers, Target::events})
        for (const Weighing weighing : {Weighing::none, Weighing::whole, Weighing::shares})
          for (const Splitter splitter : {Splitter::best, Splitter::random})
            for (const ForestMissing missing : {ForestMissing::learned, ForestMissing::majority})
              made.push_back({n_rows, target, weighing, splitter, missing});
    for (const int n_rows : {2, 500, 2600})
      for (const Target target : {Target::two, Target::three, Target::numbers})
        for (const ForestMissing missing : {ForestMissing::learned, ForestMissing::majority})
          for (const ForestNominal nominal : {ForestNominal::subset, ForestNominal::randomforest})
            made.push_back({n_rows, target, Weighing::none, Splitter::best, missing, nominal});
    for (const int n_rows : {3, 500, 2600})
      for (const Weighing weighing : {Weighing::none, Weighing::shares})
        for (const ForestMissing missing : {ForestMissing::learned, ForestMissing::majority}) {
          made.push_back({n_rows, Target::medians, weighing, Splitter::random, missing});
          for (const ForestNominal nominal : {ForestNominal::ordered, ForestNominal::subset})
            made.push_back({n_rows, Target::medians, weighing, Splitter::best, missing, nominal});
        }
    // More rows than a block holds, and more draws than a brief count.
    for (const int n_rows : {9000, 40000})
      for (const ForestMissing missing : {ForestMissing::learned, ForestMissing::majority}) {
        made.push_back({n_rows, Target::two, Weighing::none, Splitter::random, missing});
        for (const ForestNominal nominal :
             {ForestNominal::ordered, ForestNominal::subset, ForestNominal::randomforest})
          made.push_back({n_rows, Target::two, Weighing::none, Splitter::best, missing, nominal});
      }
    return made;
  }();
  return all;
}

struct Field {
  Draws draws{41};
  DrawnData drawn;
  ForestRecipe recipe;
  SampleDesign design;

  explicit Field(const Case& c) : drawn(draws, c.n_rows), design(bootstrap(c.n_rows)) {
    drawn.floats(40, 8).doubles(1 << 12).levels(6, Scale::nominal, 8).levels(300, Scale::nominal);
    drawn.levels(5, Scale::ordinal, 8).floats(1).floats(3000, 1).levels(4000, Scale::nominal, 8);
    const bool classes = c.target == Target::two || c.target == Target::three;
    !classes ? drawn.numbers(20) : drawn.classes(c.target == Target::two ? 2 : 3);
    if (c.weighing == Weighing::whole) drawn.whole_weights();
    if (c.weighing == Weighing::shares) drawn.share_weights();
    recipe.criterion = c.target == Target::events    ? criterion_of<Poisson>
                       : c.target == Target::numbers ? criterion_of<SquaredError>
                       : c.target == Target::medians ? criterion_of<AbsoluteError>
                       : c.n_rows % 2                ? criterion_of<Entropy>
                                                     : criterion_of<Gini>;
    recipe.splitter = c.splitter;
    recipe.missing = c.missing;
    recipe.nominal = c.nominal;
    recipe.max_features = 3;
    recipe.limits.max_depth = 7;
  }
  PackedForest grow(int first_tree, int n_trees, int n_threads) const {
    return grow_forest(drawn.data(), recipe, design, kSeed, first_tree, n_trees, n_threads, nullptr);
  }
};

bool same_forest(const PackedForest& a, const PackedForest& b) {
  return a.layout.wide == b.layout.wide && a.layout.column_bits == b.layout.column_bits &&
         same(a.nodes, b.nodes) && same(a.gain, b.gain) && same(a.leaf, b.leaf) && same(a.cases, b.cases) &&
         same(a.special, b.special) && same(a.node_start, b.node_start) && same(a.leaf_start, b.leaf_start) &&
         same(a.special_start, b.special_start) && same(a.importance, b.importance);
}

// A growth that takes long enough to be asked about: so many trees that no machine is done at once.
struct LongGrowth {
  Draws draws{51};
  DrawnData drawn{draws, 20000};
  ForestRecipe recipe;

  LongGrowth() { drawn.floats(1 << 20).floats(1 << 20).doubles(1 << 20).classes(2); }
  PackedForest grow(int n_threads, const Monitor& monitor) const {
    return grow_forest(drawn.data(), recipe, bootstrap(20000), kSeed, 0, 2000, n_threads, monitor);
  }
};

struct Refused : std::runtime_error {
  Refused() : std::runtime_error("refused") {}
};

}  // namespace

TEST(the_same_forest_grows_on_any_number_of_threads) {
  int n_threads = 2;
  for (const Case& c : cases()) {
    const Field field(c);
    CHECK(same_forest(field.grow(0, 3, 1), field.grow(0, 3, n_threads)));
    n_threads = n_threads == 4 ? 2 : n_threads + 1;
  }
  const Field field({2600, Target::two, Weighing::none, Splitter::best, ForestMissing::learned});
  const PackedForest one = field.grow(0, 7, 1);
  for (const int many : {2, 3, 4}) CHECK(same_forest(one, field.grow(0, 7, many)));
}

TEST(a_tree_is_the_same_in_a_forest_of_any_size) {
  const Field field({600, Target::three, Weighing::none, Splitter::best, ForestMissing::learned});
  const PackedForest all = field.grow(0, 5, 2), tail = field.grow(3, 2, 2);
  const std::int64_t from = all.leaf_start[3];
  CHECK_EQUAL(all.leaf_start[5] - from, tail.leaf_start[2]);
  CHECK(std::equal(tail.leaf.begin(), tail.leaf.end(), all.leaf.begin() + from * all.shape.width()));
  CHECK(std::equal(tail.gain.begin(), tail.gain.end(), all.gain.begin() + all.node_start[3]));
}

// Rows walk where growth sent them: the leaf of each row in the bag counts it.
TEST(leaves_hold_what_the_bag_sends_there) {
  for (const Case& c : cases()) {
    const Field field(c);
    if (c.target == Target::medians) continue;  // they hold no means
    const Data& data = field.drawn.data();
    const HeldForest forest(field.grow(0, 2, 2), levels_of(data.columns), data.n_classes);
    const auto bag = bags(field.design, kSeed, 2);
    const RawVector<std::uint32_t> leaf = leaves(forest.walker, data.columns, data.n_rows, 1, nullptr);
    for (int t = 0; t < 2; ++t) {
      const std::int64_t n_leaves = forest.packed.leaf_start[t + 1] - forest.packed.leaf_start[t];
      const int k = std::max(1, data.n_classes);
      std::vector<double> sum(n_leaves * k, 0.0), weight(n_leaves, 0.0), cases(n_leaves, 0.0);
      for (std::int64_t row = 0; row < data.n_rows; ++row) {
        const std::uint32_t l = leaf[row * 2 + t];
        const double w = bag[t][row] * (data.weight ? data.weight[row] : 1.0);
        sum[l * k + (data.n_classes ? data.label[row] : 0)] += data.n_classes ? w : w * data.y[row];
        weight[l] += w;
        cases[l] += bag[t][row] * (data.cases ? data.cases[row] : 1.0);
      }
      for (std::int64_t l = 0; l < n_leaves; ++l) {
        const double* said = forest.leaf(t, static_cast<std::uint32_t>(l));
        CHECK_CLOSE(forest.packed.cases[forest.packed.leaf_start[t] + l], cases[l], 1e-6);
        for (int i = 0; i < k; ++i) {
          if (!data.n_classes && weight[l] == 0) continue;
          CHECK_CLOSE(said[i], data.n_classes ? sum[l * k + i] : sum[l] / weight[l], 1e-9);
        }
      }
    }
  }
}

// A node that looks at more columns than it keeps in mind at once finds the one that parts the classes.
TEST(nodes_look_at_columns_of_any_number) {
  for (const int n_rows : {60, 500, 2000, 3000, 9000}) {
    Draws draws(71);
    DrawnData drawn(draws, n_rows);
    for (int c = 0; c < 20; ++c) drawn.floats(1 << 20, c % 3 ? 0 : 9);
    drawn.classes(2);
    std::vector<std::int32_t> label(n_rows);
    for (const int told : {0, 7, 8, 9, 19}) {
      Data data = drawn.data();
      for (int i = 0; i < n_rows; ++i) label[i] = data.columns[told].value(i) > 1e5;
      data.label = label.data();
      ForestRecipe recipe;
      recipe.max_features = 20;
      const HeldForest forest = grown(data, recipe, bootstrap(n_rows), kSeed, 2);
      for (int t = 0; t < 2; ++t) CHECK(forest.packed.importance[t * 20 + told] > 0);
      CHECK_EQUAL(forest.packed.node_start.back(), 6);
    }
  }
}

TEST(limits_hold_in_every_leaf) {
  for (const Splitter splitter : {Splitter::best, Splitter::random}) {
    Field field({2600, Target::two, Weighing::none, splitter, ForestMissing::learned});
    field.recipe.limits.min_cases_leaf = 25;
    for (const float cases : field.grow(0, 4, 2).cases) CHECK(cases >= 25);
    field.recipe.limits.max_leaves = 11;
    const PackedForest few = field.grow(0, 4, 2);
    for (int t = 0; t < 4; ++t) CHECK_EQUAL(few.leaf_start[t + 1] - few.leaf_start[t], 11);
    field.recipe.limits.max_depth = 0;
    CHECK_EQUAL(field.grow(0, 4, 2).node_start.back(), 4);
  }
}

TEST(no_trees_are_a_forest_too) {
  const Field field({10, Target::two, Weighing::none, Splitter::best, ForestMissing::learned});
  CHECK_EQUAL(field.grow(0, 0, 3).node_start.size(), 1u);
}

TEST(a_monitor_that_says_no_stops_a_forest_soon) {
  const LongGrowth growth;
  for (const int n_threads : {1, 3}) {
    const auto begin = std::chrono::steady_clock::now();
    CHECK_THROWS(growth.grow(n_threads, [](double share) { return share < 0.001; }), Interrupted);
    CHECK_THROWS(growth.grow(n_threads, [](double) { return false; }), Interrupted);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));
  }
}

TEST(what_a_monitor_of_a_forest_throws_reaches_the_caller) {
  const LongGrowth growth;
  for (const int n_threads : {1, 3})
    CHECK_THROWS(growth.grow(n_threads, [](double) -> bool { throw Refused(); }), Refused);
}

TEST(a_forest_tells_the_calling_thread_of_a_growing_share) {
  const LongGrowth growth;
  const std::thread::id caller = std::this_thread::get_id();
  double last = 0;
  int asked = 0;
  CHECK_THROWS(growth.grow(3,
                           [&](double share) {
                             CHECK(std::this_thread::get_id() == caller);
                             CHECK(share >= last && share <= 1);
                             last = share;
                             return ++asked < 4;
                           }),
               Interrupted);
  CHECK_EQUAL(asked, 4);
}

}  // namespace bough::tests
