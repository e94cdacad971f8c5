// Columns that a second thread searches: their best splits are those of one thread, leaf by leaf and tree by
// tree.
#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

#include "bough/boost/boost.hpp"
#include "bough/boost/shared_search.hpp"
#include "draws.hpp"
#include "harness.hpp"
#include "same_trees.hpp"

namespace bough::tests {

namespace {

using Cells = SmallGradients;

// Numeric columns, some of few values, and sums of rows in whole numbers.
struct SmallTable {
  std::vector<std::vector<double>> values;
  std::vector<double> y;
  std::vector<std::int32_t> label;
  std::vector<Column> columns;
  BinnedTable bins;
  std::vector<WideGradients::Terms> terms;

  SmallTable(Draws& draws, int n, int n_columns) : values(n_columns, std::vector<double>(n)), y(n), label(n) {
    for (int i = 0; i < n; ++i) {
      for (int c = 0; c < n_columns; ++c) values[c][i] = c % 3 == 2 ? draws.below(4) : draws.share();
      y[i] = values[0][i] + std::sin(6 * values[1][i]) + draws.share();
      label[i] = i < 2 ? i : y[i] > 1;
      terms.push_back({std::rint((2 * draws.share() - 1) * 1e6), std::rint(draws.share() * 1e6)});
    }
    for (const auto& column : values) columns.push_back(view(column));
    Team team(1);
    bins = bin_table(columns, n, nullptr, nullptr, 255, team, [] {});
  }

  BoostedTrees boosted(bool of_classes, int n_threads, const Monitor& monitor = {}, int n_rounds = 20) const {
    BoostTarget target;
    target.n_rows = static_cast<std::int64_t>(y.size());
    target.n_classes = of_classes ? 2 : 0;
    target.label = of_classes ? label.data() : nullptr;
    target.y = of_classes ? nullptr : y.data();
    BoostSettings settings;
    settings.loss.name = of_classes ? "log_loss" : "squared_error";
    settings.n_rounds = n_rounds;
    settings.limits.min_samples_leaf = 5;
    return boost(columns, bins, target, nullptr, nullptr, settings, n_threads, monitor);
  }
};

// A tree whose leaves are split at random, with the sums that searches need.
struct RandomTree {
  const SmallTable& table;
  const GradientScores<Cells>& scores;
  SortedRows& sorted;
  std::vector<RowEntry> entries;

  GradientSums sums_of(std::int64_t begin, std::int64_t count) const {
    GradientSums sums;
    for (std::int64_t i = begin; i < begin + count; ++i) {
      sums.gradient += table.terms[row_of(entries[i])].gradient;
      sums.hessian += table.terms[row_of(entries[i])].hessian;
    }
    sums.size = static_cast<double>(count);
    sums.min_size = 3;
    sums.unsplit = scores.unsplit_score(sums, scores.scan_of(sums, 0), 0);
    return sums;
  }

  // The best split of a leaf by the columns of the second thread, from lists of its own.
  BinSplit wanted(const GradientSums& sums, std::int64_t begin, std::int64_t count, std::size_t n_own) const {
    BinSplit best;
    for (std::size_t i = n_own; i < sorted.columns().size(); ++i) {
      const int c = sorted.columns()[i];
      std::vector<SortedRow> rows;
      for (std::int64_t j = begin; j < begin + count; ++j)
        rows.push_back(static_cast<SortedRow>(table.bins.code(c, row_of(entries[j]))) << 16 |
                       row_of(entries[j]));
      std::sort(rows.begin(), rows.end());
      BinSplit own;
      GradientSums of_column = sums;  // with no best cut yet
      CutSearch<Cells>({scores, of_column, table.bins.columns[c], c, own})
          .by_sorted_rows(table.terms.data(), rows.data(), count);
      if (own.column >= 0 && (best.column < 0 || own.value > best.value)) best = own;
    }
    return best;
  }
};

void check_split(const BinSplit& found, const BinSplit& wanted) {
  CHECK_EQUAL(found.column, wanted.column);
  CHECK_EQUAL(found.value, wanted.value);
  CHECK_EQUAL(found.last_left, wanted.last_left);
  CHECK_EQUAL(found.left_size, wanted.left_size);
}

void check_random_tree(Draws& draws, RandomTree& tree, SharedSearch<Cells>& shared) {
  const auto have_done = [&] {
    while (!shared.finish()) std::this_thread::yield();
  };
  const auto n = static_cast<std::int64_t>(tree.entries.size());
  shared.offer_root(tree.sums_of(0, n), n);
  have_done();
  check_split(shared.found(0), tree.wanted(tree.sums_of(0, n), 0, n, shared.n_own()));
  std::vector<SortedRows::Parted> leaves = {{0, n, 0, 0}};  // with all rows on the left
  for (int split = 0; split < 10; ++split) {
    const auto which = static_cast<std::size_t>(draws.below(static_cast<int>(leaves.size())));
    const SortedRows::Parted leaf = leaves[which];
    const int column = draws.below(static_cast<int>(tree.table.values.size()));
    const double cut = draws.share();
    const auto begin = tree.entries.begin() + leaf.begin;
    const std::int64_t n_left = std::stable_partition(begin, begin + leaf.n_left,
                                                      [&](RowEntry entry) {
                                                        return tree.table.values[column][row_of(entry)] < cut;
                                                      }) -
                                begin;
    const SortedRows::Parted parted{leaf.begin, n_left, leaf.n_left - n_left, leaf.depth};
    const GradientSums left = tree.sums_of(parted.begin, n_left),
                       right = tree.sums_of(parted.begin + n_left, parted.n_right);
    shared.offer_children(tree.sorted.mark(tree.entries.data() + parted.begin, parted), parted, &left,
                          &right);
    tree.sorted.part(parted);
    have_done();
    check_split(shared.found(0), tree.wanted(left, parted.begin, n_left, shared.n_own()));
    check_split(shared.found(1), tree.wanted(right, parted.begin + n_left, parted.n_right, shared.n_own()));
    leaves[which] = {parted.begin, n_left, 0, leaf.depth + 1};
    leaves.push_back({parted.begin + n_left, parted.n_right, 0, leaf.depth + 1});
  }
}

}  // namespace

TEST(a_second_thread_finds_the_best_splits_of_its_columns) {
  Draws draws(21);
  BoostLimits limits;
  for (const int n : {40, 300, 1024}) {
    const SmallTable table(draws, n, 5);
    std::vector<RowEntry> entries(n);
    for (int i = 0; i < n; ++i) entries[i] = static_cast<RowEntry>(i);
    GradientScores<Cells> scores(limits);
    scores.start_tree({});
    SortedRows sorted(table.bins);
    sorted.start(entries.data(), n);
    double sizes = 0, hessians = 0;
    for (const WideGradients::Terms& each : table.terms) {
      sizes += std::abs(each.gradient);
      hessians += each.hessian;
    }
    CoarseTerms coarse;
    coarse.take(table.terms.data(), table.terms.size(), sizes, hessians);
    SharedSearch<Cells> shared(table.bins, sorted);
    CHECK_EQUAL(static_cast<int>(shared.n_own()), 3);
    CHECK_EQUAL(shared.first_column(), 3);
    for (int time = 0; time < 5; ++time) {
      if (!shared.start_tree(scores, {table.terms.data(), CutScreen::is_useful() ? &coarse : nullptr}))
        break;  // the machine is busy
      sorted.start(entries.data(), n);
      sorted.share(shared.n_own());
      RandomTree tree{table, scores, sorted, entries};
      check_random_tree(draws, tree, shared);
    }
  }
}

TEST(trees_of_small_tables_are_those_of_one_thread) {
  Draws draws(22);
  for (const int n : {2, 30, 400, 1000, 1024, 1025})
    for (const int n_columns : {2, 11}) {
      const SmallTable table(draws, n, n_columns);
      for (const bool of_classes : {true, false}) {
        const BoostedTrees one = table.boosted(of_classes, 1);
        for (const int n_threads : {2, 3}) {
          const BoostedTrees many = table.boosted(of_classes, n_threads);
          CHECK(many.trees.size() == one.trees.size());
          for (std::size_t i = 0; i < one.trees.size(); ++i) check_same(one.trees[i], many.trees[i]);
        }
      }
    }
}

TEST(boosting_of_a_small_table_stops_when_it_is_asked_to) {
  Draws draws(23);
  const SmallTable table(draws, 900, 12);
  bool interrupted = false;
  try {
    table.boosted(true, 2, [](double) { return false; }, 1000000);
  } catch (const Interrupted&) {
    interrupted = true;
  }
  CHECK(interrupted);
}

}  // namespace bough::tests
