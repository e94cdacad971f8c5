// Trees of Quinlan's line: two growers that must agree, figures that must add up, and rows that spread.
#include <algorithm>
#include <cmath>

#include "bough/predict/spread_router.hpp"
#include "bough/quinlan/case_order.hpp"
#include "bough/quinlan/fold.hpp"
#include "bough/quinlan/grow.hpp"
#include "bough/quinlan/grower.hpp"
#include "bough/quinlan/prune.hpp"
#include "drawn_data.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

using namespace quinlan;

const Monitor kUnwatched;

TreeView view_of(const GrownTree& t) {
  return {static_cast<int>(t.parent.size()),
          t.first_child.data(),
          t.column.data(),
          t.kind.data(),
          t.cut.data(),
          t.default_branch.data(),
          t.level_start.data(),
          t.level_code.data(),
          t.level_branch.data(),
          {}};
}

FinishedTree pruned(const GrownTree& t, const Data& data, Estimate estimate, bool raising) {
  PruneOptions options;
  options.estimate = estimate;
  options.raising = raising;
  options.fractional = true;
  return prune(view_of(t), t.n_children.data(), t.gain.data(), data, options, kUnwatched);
}

// Class weights of children sum to those of their parent, and the shares of children to 1.
void check_sums(const FinishedTree& tree, int n_classes) {
  const GrownTree& t = tree.arrays;
  for (std::size_t i = 0; i < t.parent.size(); ++i) {
    if (t.n_children[i] == 0) continue;
    double share = 0;
    std::vector<double> sums(n_classes, 0.0);
    for (int k = 0; k < t.n_children[i]; ++k) {
      const int child = t.first_child[i] + k;
      share += tree.share[child];
      for (int c = 0; c < n_classes; ++c) sums[c] += t.statistics[child * n_classes + c];
    }
    CHECK_CLOSE(share, 1.0, 1e-5);
    for (int c = 0; c < n_classes; ++c) CHECK_CLOSE(sums[c], t.statistics[i * n_classes + c], 1e-4);
  }
}

void check_spread(const FinishedTree& tree, const Data& data) {
  const GrownTree& t = tree.arrays;
  const std::vector<double> ones(t.parent.size(), 1.0), rows(data.n_rows, 1.0);
  std::vector<double> sums(data.n_rows), ends(t.parent.size());
  for (const bool nested : {false, true}) {
    spread(view_of(t), t.n_children.data(), tree.share.data(), ones.data(), 1, data.columns, data.n_rows,
           nested, 2, sums.data());
    for (double sum : sums) CHECK_CLOSE(sum, 1.0, 1e-5);
  }
  collect(view_of(t), t.n_children.data(), tree.share.data(), rows.data(), 1, data.columns, data.n_rows,
          ends.data());
  double total = 0;
  for (double end : ends) total += end;
  CHECK_CLOSE(total, static_cast<double>(data.n_rows), 1e-4);
}

// The table with each row as often as its weight, a whole number, says; without weights.
class RepeatedRows {
 public:
  explicit RepeatedRows(const Data& data) {
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 0; i < data.n_rows; ++i)
      rows.insert(rows.end(), static_cast<std::size_t>(data.weight[i]), i);
    for (std::int64_t row : rows) label_.push_back(data.label[row]);
    data_.columns = columns_.of(data.columns, rows);
    data_.n_rows = static_cast<std::int64_t>(rows.size());
    data_.n_classes = data.n_classes;
    data_.label = label_.data();
  }
  RepeatedRows(const RepeatedRows&) = delete;
  RepeatedRows& operator=(const RepeatedRows&) = delete;

  const Data& data() const { return data_; }

 private:
  Data data_;
  CopiedColumns columns_;
  std::vector<std::int32_t> label_;
};

// Checks that two trees have the same nodes down to tests of little gain; returns how many they are.
int alike_below(const GrownTree& one, int a, const GrownTree& other, int b, int n_classes) {
  constexpr double kClearGain = 0.01;
  CHECK_CLOSE(one.weight[a], other.weight[b], 1e-4 * one.weight[0]);
  for (int c = 0; c < n_classes; ++c)
    CHECK_CLOSE(one.statistics[a * n_classes + c], other.statistics[b * n_classes + c], 1e-4 * one.weight[0]);
  const bool clear = one.n_children[a] > 0 && one.gain[a] > kClearGain;
  CHECK(clear == (other.n_children[b] > 0 && other.gain[b] > kClearGain));
  if (!clear) return 1;
  CHECK(one.column[a] == other.column[b] && one.n_children[a] == other.n_children[b]);
  CHECK(one.cut[a] == other.cut[b] || (std::isnan(one.cut[a]) && std::isnan(other.cut[b])));
  int n = 1;
  for (int k = 0; k < std::min(one.n_children[a], other.n_children[b]); ++k)
    n += alike_below(one, one.first_child[a] + k, other, other.first_child[b] + k, n_classes);
  return n;
}

void try_all(const Data& data) {
  for (const bool other : {false, true})
    for (const Variant variant : {Variant::release8, Variant::j48}) {
      C45Options options;
      options.subset = other && variant == Variant::release8;
      options.binary = other && variant == Variant::j48;
      options.gain_ratio = variant == Variant::j48 || !other;
      const FinishedTree one = grow_c45(data, nullptr, variant, options, true, 1, kUnwatched);
      const FinishedTree two = grow_c45(data, nullptr, variant, options, true, 2, kUnwatched);
      CHECK(one.arrays.statistics == two.arrays.statistics);
      check_sums(one, data.n_classes);
      check_spread(one, data);
      for (const Estimate estimate : {Estimate::release8, Estimate::weka}) {
        const FinishedTree less = pruned(one.arrays, data, estimate, !other);
        CHECK(less.arrays.parent.size() <= one.arrays.parent.size());
        check_sums(less, data.n_classes);
        check_spread(less, data);
      }
    }
}

}  // namespace

TEST(quinlans_trees_add_up_with_and_without_missing_values) {
  for (int seed = 0; seed < 12; ++seed) {
    Draws draws(seed);
    const int missing = seed % 3 == 0 ? 0 : 7;
    DrawnData drawn(draws, 40 + 90 * (seed % 4));
    drawn.floats(12, missing).doubles(30, missing).levels(4, Scale::nominal, missing);
    drawn.levels(3, Scale::ordinal, missing).levels(2, Scale::nominal, missing).classes(2 + seed % 3);
    if (seed % 4 == 1) drawn.whole_weights();
    if (seed % 4 == 2) drawn.share_weights();
    try_all(drawn.data());
  }
}

TEST(quinlans_trees_add_up_with_class_weights) {
  for (int seed = 0; seed < 8; ++seed) {
    Draws draws(seed + 20);
    DrawnData drawn(draws, 160);
    const int missing = seed % 2 ? 20 : 0;
    drawn.floats(40, missing).doubles(50, missing).levels(4, Scale::nominal, missing).classes(3);
    drawn.class_weights(seed % 4 < 2 ? std::vector{2.0, 1.0, 1.0} : std::vector{0.5, 3.0, 1.25});
    try_all(drawn.data());
  }
}

TEST(a_row_of_weight_2_counts_as_two_rows) {
  for (int seed = 0; seed < 8; ++seed) {
    Draws draws(seed + 40);
    DrawnData drawn(draws, 160);
    drawn.floats(40, 20).doubles(50, 20).levels(4, Scale::nominal, 20).levels(3, Scale::ordinal, 20);
    drawn.classes(3).class_weights({2.0, 1.0, 3.0});
    const RepeatedRows repeated(drawn.data());
    C45Options options;
    options.subset = seed % 2 == 1;
    const auto grow = [&](const Data& data) {
      return grow_c45(data, nullptr, Variant::release8, options, true, 1, kUnwatched);
    };
    const FinishedTree weighted = grow(drawn.data()), copied = grow(repeated.data());
    CHECK(weighted.arrays.column == copied.arrays.column);
    CHECK(weighted.arrays.statistics == copied.arrays.statistics);
  }
}

// Copies of the rows may be far more than the rows, and more than memory holds.
TEST(large_class_weights_do_not_copy_rows) {
  Draws draws(3);
  DrawnData drawn(draws, 160);
  drawn.floats(40, 20).levels(4, Scale::nominal, 20).classes(3).class_weights({1e12, 1.0, 1.0});
  const FinishedTree tree = grow_c45(drawn.data(), nullptr, Variant::release8, {}, true, 1, kUnwatched);
  CHECK(tree.arrays.weight[0] >= 1e12);
}

TEST(large_tables_with_missing_values_add_up) {
  Draws draws(5);
  DrawnData drawn(draws, 12000);
  drawn.floats(50, 20).levels(5, Scale::nominal, 20).doubles(1000, 20).classes(2);
  try_all(drawn.data());
}

TEST(both_growers_of_release_8_agree_where_nothing_is_missing) {
  for (int seed = 0; seed < 10; ++seed) {
    Draws draws(seed + 50);
    DrawnData drawn(draws, 200);
    drawn.floats(20).doubles(40).levels(4, Scale::nominal).classes(3);
    Team team(1);
    Watch watch(kUnwatched);
    C45Options options;
    options.subset = seed % 2 == 1;
    auto by_lists = prepare<float>(drawn.data(), nullptr, team, [] {});
    auto by_cases = prepare<float>(drawn.data(), nullptr, team, [] {});
    const Release8Search search(by_lists, options, watch), other(by_cases, options, watch);
    const FinishedTree lists = finish(Grower(search, by_lists, team, watch).grow());
    const FinishedTree cases = finish(CaseOrderGrower(other, by_cases, watch).grow());
    CHECK(lists.arrays.column == cases.arrays.column);
    CHECK(lists.arrays.statistics == cases.arrays.statistics);
    CHECK(lists.arrays.level_branch == cases.arrays.level_branch);
  }
}

// Above kMostInCaseOrder cases the other grower takes over, which sums fractions of cases in another order:
// figures agree up to the rounding of floats, and so do all tests that gain more than rounding could decide.
TEST(both_growers_of_release_8_agree_where_values_are_missing) {
  for (const int n_rows : {600, 12000})
    for (int seed = 0; seed < 6; ++seed) {
      Draws draws(seed + 70);
      DrawnData drawn(draws, n_rows);
      drawn.floats(9, 12).levels(4, Scale::nominal, 9);
      Data data = drawn.data();
      std::vector<std::int32_t> label(n_rows);
      for (int i = 0; i < n_rows; ++i) {
        const double x = data.columns[0].value(i);
        label[i] = draws.below(10) == 0          ? draws.below(3)
                   : !(x > -2.25)                ? 0
                   : data.columns[1].code(i) % 3 ? 1
                                                 : 2;
      }
      data.label = label.data();
      data.n_classes = 3;
      Team team(1);
      Watch watch(kUnwatched);
      C45Options options;
      options.min_cases = n_rows / 20;
      options.subset = seed % 2 == 1;
      auto by_lists = prepare<float>(data, nullptr, team, [] {});
      auto by_cases = prepare<float>(data, nullptr, team, [] {});
      const Release8Search search(by_lists, options, watch), other(by_cases, options, watch);
      const FinishedTree lists = finish(Grower(search, by_lists, team, watch).grow());
      const FinishedTree cases = finish(CaseOrderGrower(other, by_cases, watch).grow());
      CHECK(alike_below(lists.arrays, 0, cases.arrays, 0, 3) >= 5);
    }
}

TEST(rep_trees_of_classes_and_numbers_add_up) {
  for (int seed = 0; seed < 8; ++seed) {
    Draws draws(seed + 90);
    DrawnData drawn(draws, 300);
    drawn.floats(15, seed % 2 ? 9 : 0).levels(4, Scale::nominal, seed % 2 ? 9 : 0);
    if (seed % 4 < 2)
      drawn.classes(3);
    else
      drawn.numbers(9);
    const FinishedTree tree =
        grow_rep(drawn.data(), nullptr, grown_rows(nullptr, 300, 3, seed, false), {}, 2, kUnwatched);
    if (seed % 4 < 2) check_sums(tree, 3);
    check_spread(tree, drawn.data());
  }
}

TEST(a_monitor_stops_all_work_of_quinlan) {
  Draws draws(3);
  DrawnData drawn(draws, 300);
  drawn.floats(15, 9).levels(4, Scale::nominal, 9).classes(3);
  const Data data = drawn.data();
  const Monitor no = [](double) { return false; };
  for (const Variant variant : {Variant::release8, Variant::j48})
    CHECK_THROWS(grow_c45(data, nullptr, variant, {}, true, 2, no), Interrupted);
  CHECK_THROWS(grow_rep(data, nullptr, {}, {}, 2, no), Interrupted);
  const FinishedTree tree = grow_c45(data, nullptr, Variant::j48, {}, true, 1, kUnwatched);
  const GrownTree& t = tree.arrays;
  const TreeView view = view_of(t);
  const std::int32_t* n_children = t.n_children.data();
  const double* share = tree.share.data();
  CHECK_THROWS(prune(view, n_children, t.gain.data(), data, {}, no), Interrupted);
  const std::vector<double> ones(std::max<std::size_t>(t.parent.size(), 300), 1.0);
  std::vector<double> sums(std::max<std::size_t>(t.parent.size() * 3, 300));
  CHECK_THROWS(spread(view, n_children, share, ones.data(), 1, data.columns, 300, false, 2, sums.data(), no),
               Interrupted);
  CHECK_THROWS(collect(view, n_children, share, ones.data(), 1, data.columns, 300, sums.data(), no),
               Interrupted);
  CHECK_THROWS(
      collect_classes(view, n_children, share, data.label, nullptr, 3, data.columns, 300, sums.data(), no),
      Interrupted);
}

TEST(folds_part_the_rows) {
  std::vector<std::int32_t> label(101);
  for (std::size_t i = 0; i < label.size(); ++i) label[i] = static_cast<std::int32_t>(i % 3);
  std::vector<int> times(label.size(), 0);
  for (int fold = 0; fold < 4; ++fold) {
    const auto held_out = fold_of_rows(label.data(), 101, 4, fold, 42);
    for (std::size_t i = 0; i < times.size(); ++i) times[i] += held_out[i];
  }
  for (int n : times) CHECK_EQUAL(n, 1);
}

}  // namespace bough::tests
