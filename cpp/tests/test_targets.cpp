// Several targets: their criteria are means over the targets, and their scans find what evaluating every cut
// finds, bit for bit.
#include <limits>
#include <numeric>

#include "bough/forest/sums_below.hpp"
#include "bough/search/bounded_scan.hpp"
#include "bough/search/sets_of_targets.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// A sorted list of rows of several targets. n_classes: of each target, 0 for numbers.
struct DrawnTargets {
  std::vector<std::uint32_t> list;
  std::vector<std::int32_t> label;
  std::vector<double> weight, grid;
  Evaluator evaluator;
  Rows rows;
  int n;

  DrawnTargets(Draws& draws, Criterion criterion, const std::vector<int>& n_classes, int size, bool weighted)
      : evaluator(Evaluator::of_targets(criterion, criterion_named(criterion->name), n_classes)), n(size) {
    const int k = static_cast<int>(n_classes.size()),
              columns = static_cast<int>(evaluator.class_columns().size());
    rows.n_targets = k;
    rows.grid_width = ((n_classes[0] ? columns : k) + 3) / 4 * 4;
    grid.resize(static_cast<std::size_t>(n) * rows.grid_width, 0.0);
    std::uint32_t code = 0;
    for (int i = 0; i < n; ++i) {
      code += draws.below(3) > 0;
      list.push_back(make_entry<std::uint32_t>(code, static_cast<std::uint32_t>(n - 1 - i), 0));
      weight.push_back(1 + draws.below(4));
    }
    if (weighted) rows.weight = rows.cases = weight.data();
    rows.grid = grid.data();
    for (int i = 0; i < n; ++i) draw_row(draws, n_classes, static_cast<std::uint32_t>(i));
    if (n_classes[0]) rows.label = label.data();
    if (n_classes[0] && criterion != criterion_of<OfTargets<Gini>>) rows.grid = nullptr;
  }
  DrawnTargets(const DrawnTargets&) = delete;
  DrawnTargets& operator=(const DrawnTargets&) = delete;

  void draw_row(Draws& draws, const std::vector<int>& n_classes, std::uint32_t row) {
    double* to = rows.grids_at(row);
    int first = 0;
    for (std::size_t t = 0; t < n_classes.size(); ++t) {
      if (n_classes[t] == 0) {
        to[t] = draws.below(9);
        continue;
      }
      label.push_back(first + draws.below(n_classes[t]));
      for (std::size_t j = 0; j < evaluator.class_columns().size(); ++j)
        if (evaluator.class_columns()[j].place == label.back()) to[j] = rows.weight_at(row);
      first += n_classes[t];
    }
  }

  std::vector<double> sums_of(int begin, int end) const {
    std::vector<double> sums(evaluator.width(), 0.0);
    for (int i = begin; i < end; ++i)
      add_row(sums.data(), rows, index_of(list[i]), evaluator.criterion().reads_classes());
    return sums;
  }
};

void check_scan(const DrawnTargets& drawn, const LeafLimits& limits) {
  const Evaluator& evaluator = drawn.evaluator;
  std::vector<double> total = drawn.sums_of(0, drawn.n);
  const double weight = evaluator.weight(total.data()), node_weight = weight + 2;
  Cut plain{kNoSplit, 0};
  for (int left = 1; left < drawn.n; ++left) {
    if (code_of(drawn.list[left - 1]) == code_of(drawn.list[left])) continue;
    const std::vector<double> low = drawn.sums_of(0, left), high = drawn.sums_of(left, drawn.n);
    const double cases = drawn.rows.cases ? evaluator.weight(low.data()) : left;
    const double rest = drawn.rows.cases ? evaluator.weight(high.data()) : drawn.n - left;
    if (cases < limits.min_cases || rest < limits.min_cases) continue;
    const double value = evaluator.value(low.data(), high.data(), node_weight);
    if (value > plain.value) plain = {value, left};
  }
  for (const double floor : {kNoSplit, plain.value / 2, plain.value}) {
    std::vector<double> left(2 * evaluator.width(), 0.0), right = total;
    const double cases = drawn.rows.cases ? weight : drawn.n;
    const ScanTask task{drawn.rows,   evaluator, limits, node_weight, left.data(),
                        right.data(), weight,    cases,  true};
    const Cut cut = best_cut(drawn.list.data(), drawn.n, task, floor);
    const bool reached = plain.left > 0 && plain.value > floor;
    CHECK_EQUAL(cut.left, reached ? plain.left : 0);
    CHECK_EQUAL(cut.value, reached ? plain.value : floor);
  }
}

// The rows of a node in the order of another column, with other ties.
std::vector<std::uint32_t> shuffled(Draws& draws, const std::vector<std::uint32_t>& list) {
  std::vector<std::uint32_t> rows = list;
  for (std::size_t i = rows.size(); i > 1; --i)
    std::swap(rows[i - 1], rows[static_cast<std::size_t>(draws.below(static_cast<int>(i)))]);
  std::uint32_t code = 0;
  for (std::uint32_t& entry : rows) {
    code += draws.below(3) > 0;
    entry = make_entry<std::uint32_t>(code, index_of(entry), 0);
  }
  return rows;
}

// Searches some columns of a node of few rows one after the other, by sets and by scans. Returns whether sets
// could.
bool check_sets(Draws& draws, const DrawnTargets& drawn, const LeafLimits& limits, bool exact) {
  const Evaluator& evaluator = drawn.evaluator;
  std::vector<double> total = drawn.sums_of(0, drawn.n), left(2 * evaluator.width(), 0.0), right = total;
  const double weight = evaluator.weight(total.data());
  const ScanTask task{drawn.rows,  evaluator,    limits, weight,
                      left.data(), right.data(), weight, drawn.rows.cases ? weight : drawn.n,
                      true};
  TargetSets sets(static_cast<std::size_t>(drawn.n));
  if (!sets.start(drawn.list.data(), drawn.n, task, exact)) return false;
  double best = kNoSplit;
  for (int column = 0; column < 12; ++column) {
    const std::vector<std::uint32_t> list = shuffled(draws, drawn.list);
    std::fill(left.begin(), left.end(), 0.0);
    right = total;
    const Cut scanned = best_cut(list.data(), drawn.n, task, best);
    std::fill(left.begin(), left.end(), 0.0);
    right = total;
    const Cut found = sets.best(list.data(), task, best);
    CHECK_EQUAL(found.left, scanned.left);
    CHECK_EQUAL(found.value, scanned.value);
    best = scanned.value;
  }
  return true;
}

}  // namespace

TEST(sets_of_few_rows_have_the_values_of_their_cuts) {
  Draws draws(78);
  for (const Criterion criterion : {criterion_of<OfTargets<SquaredError>>, criterion_of<OfTargets<Gini>>})
    for (int round = 0; round < 200; ++round) {
      std::vector<int> n_classes(2 + draws.below(round % 8 == 7 ? 14 : 9), 0);
      if (criterion.reads_classes())
        for (int& each : n_classes) each = (round % 3 ? 1 : 2) + draws.below(4);
      DrawnTargets drawn(draws, criterion, n_classes, 2 + draws.below(8), round % 2);
      const bool tenths = !criterion.reads_classes() && round % 4 > 1;  // whose sums depend on their order
      if (tenths)
        for (double& y : drawn.grid) y *= 0.1;
      const bool few = drawn.n > 2 && drawn.rows.grid_width > 0 && drawn.n <= TargetSets::kMostRows &&
                       drawn.rows.grid_width <= TargetSets::kMostColumns;
      CHECK_EQUAL(check_sets(draws, drawn, {1, 0}, !tenths), few);
      CHECK_EQUAL(check_sets(draws, drawn, {1.0 + draws.below(4), 0}, !tenths), few);
    }
}

TEST(sets_leave_nodes_alone_that_they_cannot_bound) {
  Draws draws(79);
  DrawnTargets light(draws, criterion_of<OfTargets<SquaredError>>, {0, 0, 0}, 6, true);
  light.weight[2] = 1e-6;  // which is lost in the weight of the others
  CHECK(!check_sets(draws, light, {1, 0}, true));
  DrawnTargets entropy(draws, criterion_of<OfTargets<Entropy>>, {3, 3}, 6, false);
  CHECK(!check_sets(draws, entropy, {1, 0}, true));
}

TEST(scans_of_several_targets_find_the_best_cut) {
  Draws draws(77);
  for (const CriterionRecord& record : kRecordsOfTargets) {
    const Criterion criterion(&record);
    if (criterion.reads_values()) continue;  // medians have a search of their own
    for (int round = 0; round < 40; ++round) {
      std::vector<int> n_classes(2 + draws.below(round % 8 == 7 ? 30 : 7), 0);
      if (criterion.reads_classes())
        for (int& each : n_classes) each = 1 + draws.below(4);
      const DrawnTargets drawn(draws, criterion, n_classes, 2 + draws.below(60), round % 2);
      check_scan(drawn, {1, 0});
      check_scan(drawn, {1.0 + draws.below(6), 0});
    }
  }
}

TEST(a_criterion_of_several_targets_is_the_mean_over_them) {
  Draws draws(78);
  const std::vector<int> n_classes{2, 3, 1, 4};
  const DrawnTargets drawn(draws, criterion_of<OfTargets<Entropy>>, n_classes, 50, true);
  const std::vector<double> left = drawn.sums_of(0, 20), right = drawn.sums_of(20, 50);
  double sum = 0;
  int first = 0;
  for (const int k : n_classes) {
    const Evaluator one(criterion_of<Entropy>, k);
    sum += one.value(left.data() + first, right.data() + first, 90.0);
    first += k;
  }
  CHECK_CLOSE(drawn.evaluator.value(left.data(), right.data(), 90.0), sum / 4, 1e-12);
  CHECK_CLOSE(drawn.evaluator.weight(left.data()), std::accumulate(left.begin(), left.begin() + 2, 0.0), 0.0);
}

TEST(sums_below_a_cut) {
  Draws draws(79);
  const DrawnTargets drawn(draws, criterion_of<OfTargets<SquaredError>>, {0, 0, 0, 0, 0}, 40, true);
  std::vector<float> values;
  std::vector<std::uint32_t> index;
  for (std::uint32_t i = 0; i < 40; i += 1 + draws.below(2)) {
    index.push_back(i);
    values.push_back(static_cast<float>(draws.below(10)));
  }
  SumsBelow sums;
  for (const float cut : {1.5f, 8.5f}) {
    sum_below(values.data(), cut, index.data(), static_cast<int>(index.size()), drawn.rows, sums);
    CHECK_EQUAL(sums.others, cut > 5);
    double weight = 0, third = 0;
    for (std::size_t i = 0; i < index.size(); ++i) {
      if ((values[i] < cut) == sums.others) continue;
      weight += drawn.weight[index[i]];
      third += drawn.rows.grids_at(index[i])[2];
    }
    CHECK_EQUAL(sums.weight, weight);
    CHECK_EQUAL(sums.grid[2], third);
  }
}

}  // namespace bough::tests
