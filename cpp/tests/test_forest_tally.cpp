// What a forest says of rows is the plain sum over its trees, of all or of those whose bag a row was not in.
#include <stdexcept>

#include "bough/forest/permute.hpp"
#include "bough/forest/quantile.hpp"
#include "forests.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

constexpr std::uint64_t kSeed = 12;

// A forest of columns of all kinds, and the table it was grown from.
struct Grove {
  Draws draws{20};
  DrawnData drawn;
  SampleDesign design;
  std::optional<HeldForest> forest;
  RawVector<std::uint32_t> leaf;
  std::vector<std::vector<std::uint32_t>> bag;

  Grove(int n_rows, int n_classes, int n_trees, int max_depth = 6)
      : drawn(draws, n_rows), design(bootstrap(n_rows)) {
    drawn.floats(30, 9).doubles(50).levels(6, Scale::nominal, 9).levels(5, Scale::ordinal).floats(1);
    n_classes ? drawn.classes(n_classes) : drawn.numbers(20);
    ForestRecipe recipe;
    recipe.criterion = n_classes ? criterion_of<Gini> : criterion_of<SquaredError>;
    recipe.max_features = 2;
    recipe.limits.max_depth = max_depth;
    forest.emplace(grow_forest(data(), recipe, design, kSeed, 0, n_trees, 2, nullptr),
                   levels_of(data().columns), n_classes);
    leaf = leaves(forest->walker, data().columns, n_rows, 1, nullptr);
    bag = bags(design, kSeed, n_trees);
  }
  const Data& data() const { return drawn.data(); }
  int n_trees() const { return forest->n_trees(); }
  int n_rows() const { return static_cast<int>(data().n_rows); }
  std::uint32_t leaf_of(int row, int tree) const {
    return leaf[static_cast<std::size_t>(row) * n_trees() + tree];
  }
  TallyTask task(int n_threads) const {
    TallyTask task{data().columns, data().n_rows};
    task.n_threads = n_threads;
    return task;
  }
};

struct PlainTally {
  std::vector<double> share, seen, wrong;
  std::vector<std::uint32_t> vote, trees;
};

int most_of(const double* sum, const std::vector<double>& cutoff, int k) {
  int best = 0;
  for (int c = 1; c < k; ++c)
    if (sum[c] / (cutoff.empty() ? 1 : cutoff[c]) > sum[best] / (cutoff.empty() ? 1 : cutoff[best])) best = c;
  return best;
}

PlainTally plain_tally(const Grove& grove, bool oob, bool by_votes, const std::vector<double>& cutoff) {
  const Data& data = grove.data();
  const int n = grove.n_rows(), k = std::max(1, data.n_classes), width = data.n_classes ? k + 1 : 1;
  PlainTally out;
  out.share.assign(n * k, 0);
  out.vote.assign(n * k, 0);
  out.trees.assign(n, 0);
  for (int t = 0; t < grove.n_trees(); ++t) {
    std::vector<double> seen(width, 0), wrong(width, 0);
    for (int row = 0; row < n; ++row) {
      double* share = out.share.data() + row * k;
      std::uint32_t* vote = out.vote.data() + row * k;
      if (!oob || grove.bag[t][row] == 0) {
        const double* said = grove.forest->leaf(t, grove.leaf_of(row, t));
        const double sum = data.n_classes ? std::accumulate(said, said + k, 0.0) : 1;
        for (int c = 0; c < k; ++c) share[c] += said[c] / sum;
        if (data.n_classes) ++vote[grove.forest->walker.vote(t, grove.leaf_of(row, t))];
        ++out.trees[row];
      }
      if (out.trees[row] == 0) continue;
      ++seen[0];
      if (!data.n_classes) {
        wrong[0] += std::pow(data.y[row] - share[0] / out.trees[row], 2);
        continue;
      }
      const std::vector<double> votes(vote, vote + k);
      const bool missed = most_of(by_votes ? votes.data() : share, cutoff, k) != data.label[row];
      ++seen[1 + data.label[row]];
      wrong[0] += missed;
      wrong[1 + data.label[row]] += missed;
    }
    out.seen.insert(out.seen.end(), seen.begin(), seen.end());
    out.wrong.insert(out.wrong.end(), wrong.begin(), wrong.end());
  }
  return out;
}

template <class A, class B>
void check_all_close(const A& a, const B& b) {
  CHECK_EQUAL(a.size(), b.size());
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) CHECK_CLOSE(a[i], b[i], 1e-12);
}

template <class A, class B>
void check_all_equal(const A& a, const B& b) {
  CHECK(std::equal(a.begin(), a.end(), b.begin(), b.end()));
}

bool is_vote(const double* weight, int k, int vote) {
  return weight[vote] == *std::max_element(weight, weight + k);
}

}  // namespace

TEST(a_tally_is_the_plain_sum_over_trees) {
  for (const int n_rows : {30, 1100})
    for (const int n_classes : {0, 2, 3}) {
      const Grove grove(n_rows, n_classes, 70);
      const Sampler sampler(grove.design);
      for (const bool oob : {false, true})
        for (const bool by_votes : {false, true}) {
          const std::vector<double> cutoff =
              n_classes == 3 && by_votes ? std::vector<double>{0.5, 0.2, 0.3} : std::vector<double>{};
          const PlainTally plain = plain_tally(grove, oob, by_votes, cutoff);
          for (const int n_threads : {1, 3}) {
            TallyTask task = grove.task(n_threads);
            task.sampler = oob ? &sampler : nullptr;
            task.seed = kSeed;
            task.votes = n_classes > 0;
            task.label = grove.data().label;
            task.y = grove.data().y;
            task.by_votes = by_votes && n_classes > 0;
            task.cutoff = cutoff;
            const Tally found = tally(grove.forest->walker, task, nullptr);
            check_all_close(found.share, plain.share);
            if (n_classes) check_all_equal(found.vote, plain.vote);
            check_all_equal(found.trees, plain.trees);
            check_all_equal(found.seen, plain.seen);
            if (n_classes)
              check_all_equal(found.wrong, plain.wrong);
            else
              check_all_close(found.wrong, plain.wrong);
          }
        }
    }
}

TEST(sums_are_the_same_for_any_number_of_threads) {
  const Grove grove(1500, 3, 40);
  const Tally one = tally(grove.forest->walker, grove.task(1), nullptr);
  for (const int n_threads : {2, 3, 4}) {
    const Tally more = tally(grove.forest->walker, grove.task(n_threads), nullptr);
    check_all_equal(one.share, more.share);
    check_all_equal(one.trees, more.trees);
  }
}

TEST(rows_are_left_early_only_where_nothing_can_change) {
  for (const int n_classes : {2, 3})
    for (const bool votes : {false, true}) {
      const Grove grove(900, n_classes, 100);
      TallyTask task = grove.task(2);
      task.shares = !votes;
      task.votes = votes;
      const Tally all = tally(grove.forest->walker, task, nullptr);
      task.decide = true;
      const Tally early = tally(grove.forest->walker, task, nullptr);
      int left = 0;
      for (int row = 0; row < grove.n_rows(); ++row) {
        std::vector<double> full(n_classes), part(n_classes);
        for (int c = 0; c < n_classes; ++c) {
          const std::size_t i = static_cast<std::size_t>(row) * n_classes + c;
          full[c] = votes ? all.vote[i] : all.share[i];
          part[c] = votes ? early.vote[i] : early.share[i];
        }
        CHECK_EQUAL(most_of(part.data(), {}, n_classes), most_of(full.data(), {}, n_classes));
        left += early.trees[row] < all.trees[row];
      }
      CHECK(left > 0);
    }
}

TEST(votes_go_to_a_class_of_most_weight_the_same_each_time) {
  const Grove grove(400, 3, 20, 3);
  for (int t = 0; t < grove.n_trees(); ++t)
    for (int row = 0; row < grove.n_rows(); ++row) {
      const std::uint32_t leaf = grove.leaf_of(row, t);
      const int vote = grove.forest->walker.vote(t, leaf);
      CHECK(is_vote(grove.forest->leaf(t, leaf), 3, vote));
      CHECK_EQUAL(vote, grove.forest->walker.vote(t, leaf));
    }
}

TEST(shuffling_a_column_that_is_not_used_loses_nothing) {
  for (const int n_classes : {0, 3}) {
    const Grove grove(3000, n_classes, 12);  // so many that what y follows shows through the noise
    const Sampler sampler(grove.design);
    const int width = n_classes ? n_classes + 1 : 1,
              n_columns = static_cast<int>(grove.data().columns.size());
    PermuteTask task{grove.data().columns, grove.data().n_rows, sampler, kSeed, 77};
    task.label = grove.data().label;
    task.y = grove.data().y;
    task.by_case = true;
    const Permuted one = permute(grove.forest->walker, task, nullptr);
    CHECK_EQUAL(one.drop.size(), static_cast<std::size_t>(grove.n_trees()) * n_columns * width);
    double lost = 0;
    for (int t = 0; t < grove.n_trees(); ++t) {
      for (int c = 0; c < width; ++c)  // the last column has one value
        CHECK_EQUAL(one.drop[(static_cast<std::size_t>(t) * n_columns + n_columns - 1) * width + c], 0.0);
      lost += one.drop[static_cast<std::size_t>(t) * n_columns * width];
    }
    CHECK(lost > 0);  // y follows the first column
    // By case, and summed over the rows of each tree, it is the same loss.
    std::vector<double> by_column(n_columns, 0.0), expected(n_columns, 0.0);
    for (int row = 0; row < grove.n_rows(); ++row)
      for (int c = 0; c < n_columns; ++c) by_column[c] += one.by_case[row * n_columns + c];
    for (int t = 0; t < grove.n_trees(); ++t) {
      const auto out = static_cast<double>(std::count(grove.bag[t].begin(), grove.bag[t].end(), 0u));
      for (int c = 0; c < n_columns; ++c)
        expected[c] += out * one.drop[(static_cast<std::size_t>(t) * n_columns + c) * width];
    }
    for (int c = 0; c < n_columns; ++c) CHECK_CLOSE(by_column[c], expected[c], 1e-10);
    for (int row = 0; row < grove.n_rows(); ++row) {
      std::uint32_t times = 0;
      for (int t = 0; t < grove.n_trees(); ++t) times += grove.bag[t][row] == 0;
      CHECK_EQUAL(one.times[row], times);
    }
    for (const int n_threads : {2, 3}) {
      task.n_threads = n_threads;
      const Permuted more = permute(grove.forest->walker, task, nullptr);
      CHECK_EQUAL(one.drop.size(), more.drop.size());
      for (std::size_t i = 0; i < one.drop.size(); ++i)
        CHECK(one.drop[i] == more.drop[i] || (one.drop[i] != one.drop[i] && more.drop[i] != more.drop[i]));
      check_all_equal(one.by_case, more.by_case);
      check_all_equal(one.times, more.times);
    }
  }
}

TEST(quantiles_are_those_of_the_rows_that_share_leaves) {
  const Grove grove(700, 0, 15, 4);
  const Data& data = grove.data();
  std::vector<double> values(data.y, data.y + data.n_rows);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  const auto rank_of = [&](int row) {
    return static_cast<std::uint32_t>(std::lower_bound(values.begin(), values.end(), data.y[row]) -
                                      values.begin());
  };
  // Members of each leaf: the rows in the tree's bag, by how often they were drawn.
  const std::vector<std::int64_t>& starts = grove.forest->packed.leaf_start;
  std::vector<std::vector<std::pair<std::uint32_t, double>>> inside(starts.back());
  for (int t = 0; t < grove.n_trees(); ++t)
    for (int row = 0; row < grove.n_rows(); ++row)
      if (grove.bag[t][row])
        inside[starts[t] + grove.leaf_of(row, t)].emplace_back(rank_of(row), grove.bag[t][row]);
  std::vector<std::int64_t> start{0};
  std::vector<std::uint32_t> rank;
  std::vector<float> weight;
  for (auto& members : inside) {
    double total = 0;
    for (const auto& [r, w] : members) total += w;
    for (auto& [r, w] : members) {
      rank.push_back(r);
      weight.push_back(static_cast<float>(w / total));
      w = weight.back();
    }
    start.push_back(static_cast<std::int64_t>(rank.size()));
  }
  const std::vector<double> wanted{0, 0.1, 0.5, 0.77, 1};
  for (const int n_threads : {1, 3}) {
    const RawVector<double> found =
        quantiles(grove.forest->walker, {start.data(), rank.data(), weight.data()}, values, data.columns,
                  data.n_rows, wanted, n_threads, nullptr);
    CHECK_EQUAL(found.size(), static_cast<std::size_t>(data.n_rows) * wanted.size());
    for (int row = 0; row < grove.n_rows(); row += 13) {
      std::vector<double> share(values.size(), 0);
      for (int t = 0; t < grove.n_trees(); ++t)
        for (const auto& [r, w] : inside[starts[t] + grove.leaf_of(row, t)]) share[r] += w;
      const double total = std::accumulate(share.begin(), share.end(), 0.0);
      for (std::size_t q = 0; q < wanted.size(); ++q) {
        // The least value below or at which lies the wanted share; equality up to rounding.
        const double said = found[row * wanted.size() + q];
        double below = 0, up_to = 0;
        for (std::size_t v = 0; v < values.size(); ++v) {
          if (values[v] < said) below += share[v];
          if (values[v] <= said) up_to += share[v];
        }
        CHECK(up_to >= wanted[q] * total * (1 - 1e-8));
        CHECK(below < wanted[q] * total * (1 + 1e-8) || below == 0);
      }
    }
  }
}

TEST(a_monitor_stops_whatever_is_asked_of_a_forest) {
  const Grove grove(3000, 0, 60);
  const Sampler sampler(grove.design);
  const Monitor no = [](double) { return false; };
  const std::vector<Column>& columns = grove.data().columns;
  CHECK_THROWS(leaves(grove.forest->walker, columns, grove.n_rows(), 2, no), Interrupted);
  CHECK_THROWS(tally(grove.forest->walker, grove.task(2), no), Interrupted);
  PermuteTask task{columns, grove.data().n_rows, sampler, kSeed, 77};
  task.y = grove.data().y;
  CHECK_THROWS(permute(grove.forest->walker, task, no), Interrupted);
}

}  // namespace bough::tests
