#include "bough/search/search.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include "bough/data/code_sums.hpp"
#include "bough/search/grouping.hpp"
#include "bough/search/merging.hpp"
#include "names.hpp"
#include "watched.hpp"

namespace {

using namespace bough_python;
using bough::Evaluator;

Evaluator evaluator_for(const std::string& name, std::size_t width, const Optional<double>& values,
                        const Optional<double>& loss) {
  const bough::Criterion criterion = bough::criterion_named(name);
  check(width > 0, "statistics need at least one column");
  if (criterion.reads_values()) {
    check(values && values->n() == width, "absolute_error needs the values of y");
    check_finite(values->data(), width, "values of y");
    return Evaluator(criterion, std::vector<double>(values->begin(), values->end()));
  }
  check(!criterion.reads_moments() || width >= 2, "statistics need weight and sum");
  Evaluator evaluator(criterion, static_cast<int>(width));
  if (loss) {
    check_lengths(width * width, "each pair of classes needs a loss", *loss);
    check_finite(loss->data(), loss->n(), "losses");
    evaluator.set_loss(std::vector<double>(loss->begin(), loss->end()));
  }
  return evaluator;
}

Output<double> split_values(const std::string& name, const Array<double, 3>& statistics,
                            const Array<double>& node_weight, const Optional<double>& values,
                            const Optional<double>& loss) {
  const std::size_t m = statistics.shape(0), children = statistics.shape(1), width = statistics.shape(2);
  check_lengths(m, "one node weight a split is needed", node_weight);
  const Evaluator evaluator = evaluator_for(name, width, values, loss);
  std::vector<double> result(m);
  for (std::size_t i = 0; i < m; ++i)
    result[i] =
        evaluator.value(statistics.data() + i * children * width, static_cast<int>(children), node_weight[i]);
  return to_numpy(std::move(result));
}

Output<double> impurity(const std::string& name, const Array<double, 2>& statistics,
                        const Optional<double>& values, const Optional<double>& loss) {
  const std::size_t m = statistics.shape(0), width = statistics.shape(1);
  const Evaluator evaluator = evaluator_for(name, width, values, loss);
  check(!evaluator.criterion().reads_moments() || width == 3,
        "impurity of numbers needs weight, sum and sum of squares");
  std::vector<double> result(m);
  for (std::size_t i = 0; i < m; ++i) result[i] = evaluator.impurity(statistics.data() + i * width);
  return to_numpy(std::move(result));
}

std::pair<double, Output<int>> best_split(const std::string& kind, const std::string& name,
                                          const Array<double, 2>& statistics, const Array<double>& cases,
                                          double node_weight, double min_cases, double min_weight,
                                          int max_exhaustive, const Optional<double>& values,
                                          double min_cases_leaf, const Optional<double>& loss) {
  const std::size_t rows = statistics.shape(0), width = statistics.shape(1);
  check_lengths(rows, "one number of cases a row is needed", cases);
  check_exhaustive(max_exhaustive);
  const Evaluator evaluator = evaluator_for(name, width, values, loss);
  const bough::ContingencyTable table{statistics.data(), cases.data(), static_cast<int>(rows), node_weight};
  const bough::LeafLimits limits{min_cases, min_weight, min_cases_leaf};
  bough::Found found = kind == "threshold" ? bough::best_threshold(table, evaluator, limits)
                                           : bough::best_nominal(table, evaluator, limits,
                                                                 nominal_named(kind), max_exhaustive);
  return {found.value, to_numpy(std::move(found.branch))};
}

// The best partition into k groups for k from 2 on, of ranges in the best of several orders of the rows, or
// of any groups where no order is given.
std::pair<Output<double>, Output<int>> best_partitions(const std::string& name,
                                                       const Array<double, 2>& statistics,
                                                       const Array<double>& cases,
                                                       const std::optional<Array<int, 2>>& orders,
                                                       double node_weight, int max_groups, double min_cases,
                                                       double min_weight, const Optional<double>& loss) {
  const std::size_t rows = statistics.shape(0), width = statistics.shape(1);
  check_lengths(rows, "one number of cases a row is needed", cases);
  const Evaluator evaluator = evaluator_for(name, width, std::nullopt, loss);
  check(bough::is_additive(evaluator.criterion()), "the criterion is not additive over groups");
  check(max_groups >= 2, "max_groups must be at least 2");
  check(rows <= 4096 && (orders || rows <= 16), "too many rows to partition");
  const bough::ContingencyTable table{statistics.data(), cases.data(), static_cast<int>(rows), node_weight};
  const bough::LeafLimits limits{min_cases, min_weight, min_cases, {}};
  std::vector<bough::Partition> best;
  if (!orders) best = bough::best_groups(table, evaluator, limits, max_groups);
  for (std::size_t i = 0; orders && i < orders->shape(0); ++i) {
    check(orders->shape(1) == rows, "an order lists every row");
    const int* order = orders->data() + i * rows;
    check_codes(order, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(rows),
                "a row of an order is out of range");
    const auto found = watched(std::nullopt, [&](const bough::Monitor& monitor) {
      bough::Watch watch(monitor);
      return bough::best_ranges(table, evaluator, limits, max_groups, order,
                                [&watch] { watch.poll_or_throw(); });
    });
    if (best.empty()) best.resize(found.size());
    for (std::size_t g = 0; g < found.size(); ++g)
      if (found[g].value > best[g].value) best[g] = found[g];
  }
  std::vector<double> values;
  std::vector<int> groups;
  for (bough::Partition& each : best) {
    values.push_back(each.value);
    each.group.resize(rows, -1);
    groups.insert(groups.end(), each.group.begin(), each.group.end());
  }
  return {to_numpy(std::move(values)), to_numpy(std::move(groups), {best.size(), rows})};
}

std::tuple<bool, double, double, Output<int>> merge_levels(const std::string& test, const std::string& order,
                                                           const Array<double, 2>& statistics,
                                                           const Array<double>& cases, double merge_level,
                                                           double split_level, double min_cases,
                                                           int max_exhaustive, bool exhaustive,
                                                           bool bonferroni) {
  using bough::IndependenceTest, bough::MergingOrder;
  const auto test_named = named<IndependenceTest>(test,
                                                  {{"pearson", IndependenceTest::pearson},
                                                   {"likelihood_ratio", IndependenceTest::likelihood_ratio},
                                                   {"f", IndependenceTest::f}},
                                                  "test");
  const auto order_named = named<MergingOrder>(order,
                                               {{"nominal", MergingOrder::nominal},
                                                {"ordinal", MergingOrder::ordinal},
                                                {"floating", MergingOrder::floating}},
                                               "order of levels");
  const std::size_t rows = statistics.shape(0), width = statistics.shape(1);
  check_lengths(rows, "one number of cases a row is needed", cases);
  check_exhaustive(max_exhaustive);
  check(width > 0 && (test_named != IndependenceTest::f || width == 3),
        "the F test needs weight, sum and sum of squares");
  const bough::LevelTable table{statistics.data(), cases.data(), static_cast<int>(rows),
                                static_cast<int>(width)};
  bough::MergedLevels merged = bough::merge_levels(
      table, order_named,
      {test_named, merge_level, split_level, min_cases, max_exhaustive, exhaustive, bonferroni});
  return {merged.tested, merged.log_p, merged.log_multiplier, to_numpy(std::move(merged.group))};
}

std::pair<Output<double>, Output<std::int64_t>> sums_by_code(
    const Array<std::int32_t>& column, const Array<std::int64_t>& rows, int n_levels,
    const Optional<std::int32_t>& entry, int width, const Array<double>& weight, const Array<double>& cases,
    const Optional<double>& sums, const Optional<double>& squares) {
  const char* differ = "every row needs its terms";
  check_lengths(rows.n(), differ, weight, cases);
  check(n_levels >= 0 && width >= 1, "a table needs levels and entries");
  check(entry.has_value() != (sums && squares), "a row adds to an entry, or to moments");
  bough::RowTermsView terms{nullptr, entry ? width : 3, weight.data(), nullptr, nullptr, cases.data()};
  if (entry) {
    check_lengths(rows.n(), differ, *entry);
    terms.entry = entry->data();
  } else {
    check_lengths(rows.n(), differ, *sums, *squares);
    terms.sum = sums->data();
    terms.square = squares->data();
  }
  bough::CodeSums found =
      bough::sums_by_code(column.data(), static_cast<std::int64_t>(column.n()), rows.data(),
                          static_cast<std::int64_t>(rows.n()), n_levels, terms);
  const std::size_t height = static_cast<std::size_t>(n_levels) + 1;
  return {to_numpy(std::move(found.sums), {height, static_cast<std::size_t>(terms.width) + 1}),
          to_numpy(std::move(found.count))};
}

// The list of criteria, a dict each.
nb::typed<nb::list, Dict> criteria() {
  static constexpr const char* kStatistics[] = {"classes", "moments", "rates", "values"};
  nb::list all;
  for (const bough::CriterionRecord& record : bough::all_criteria()) {
    nb::dict one;
    one["name"] = nb::str(record.name.data(), record.name.size());
    one["task"] = record.statistics == bough::StatisticsKind::classes ? "classification" : "regression";
    one["statistics"] = kStatistics[static_cast<int>(record.statistics)];
    one["has_impurity"] = record.impurity != nullptr;
    one["many_children"] = record.value_of_many != nullptr;
    one["reads_losses"] = record.reads_losses;
    one["has_bound"] = record.has_bound;
    all.append(one);
  }
  return all;
}

}  // namespace

void init_search(nb::module_& m) {
  using namespace nb::literals;
  m.def("criteria", &criteria, "The criteria: name, task, statistics read, and what each one defines.");
  m.def("split_values", &split_values, "criterion"_a, "statistics"_a, "node_weight"_a,
        "values"_a = nb::none(), "loss"_a = nb::none(),
        "Value of each split from the statistics of its children.");
  m.def("impurity", &impurity, "criterion"_a, "statistics"_a, "values"_a = nb::none(), "loss"_a = nb::none(),
        "Impurity of each row of statistics.");
  m.def("best_split", &best_split, "kind"_a, "criterion"_a, "statistics"_a, "cases"_a, "node_weight"_a,
        "min_cases"_a = 1.0, "min_weight"_a = 0.0, "max_exhaustive"_a = 12, "values"_a = nb::none(),
        "min_cases_leaf"_a = 1.0, "loss"_a = nb::none(),
        "Best split of one contingency table: its value and the branch of each row (empty: none).");
  m.def(
      "best_partitions", &best_partitions, "criterion"_a, "statistics"_a, "cases"_a, "orders"_a.none(),
      "node_weight"_a, "max_groups"_a, "min_cases"_a = 1.0, "min_weight"_a = 0.0, "loss"_a = nb::none(),
      "Best partition of the rows of a contingency table into 2, 3, ... groups: the values, and the group of "
      "each row (-1: there is no such partition). Groups are ranges in the best of the orders, or any.");
  m.def("sums_by_code", &sums_by_code, "column"_a, "rows"_a, "n_levels"_a, "entry"_a.none(), "width"_a,
        "weight"_a, "cases"_a, "sums"_a.none() = nb::none(), "squares"_a.none() = nb::none(),
        "Sums of the statistics and cases of rows by the code of a column, those of missing values last, and "
        "the rows of each code.");
  m.def(
      "log_multiplier",
      [](int n_levels, int n_groups, bool nominal) {
        check(n_groups >= 1 && n_groups <= n_levels, "there are fewer levels than groups");
        const auto order = nominal ? bough::MergingOrder::nominal : bough::MergingOrder::ordinal;
        return bough::log_multiplier(n_levels, n_groups, order, false);
      },
      "n_levels"_a, "n_groups"_a, "nominal"_a,
      "Logarithm of the number of partitions of levels into groups, or of ordered levels into ranges.");
  m.def(
      "merge_levels", &merge_levels, "test"_a, "order"_a, "statistics"_a, "cases"_a, "merge_level"_a,
      "split_level"_a, "min_cases"_a = 1.0, "max_exhaustive"_a = 12, "exhaustive"_a = false,
      "bonferroni"_a = true,
      "Merge the rows of a contingency table into groups, as CHAID does: whether the groups were tested, the "
      "logarithms of the p-value and of Bonferroni's multiplier, and the group of each row.");
  m.def("chi_square_log_survival", &bough::chi_square_log_survival, "x"_a, "degrees"_a,
        "Logarithm of the probability that a chi-square variable exceeds x.");
  m.def("f_log_survival", &bough::f_log_survival, "x"_a, "numerator"_a, "denominator"_a,
        "Logarithm of the probability that an F variable exceeds x.");
  m.def("chi_square_survival", &bough::chi_square_survival, "x"_a, "degrees"_a,
        "Probability that a chi-square variable exceeds x.");
  m.def(
      "pearson",
      [](const Array<double, 2>& table) {
        const bough::Pearson p =
            bough::pearson(table.data(), static_cast<int>(table.shape(0)), static_cast<int>(table.shape(1)));
        return std::pair<double, int>(p.statistic, p.degrees);
      },
      "table"_a, "Pearson's chi-square statistic of a table of counts and its degrees of freedom.");
}
