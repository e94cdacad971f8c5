#include "bough/search/search.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <stdexcept>

#include "arrays.hpp"
#include "names.hpp"

namespace {

using namespace bough_python;
using bough::Judge;

Judge judge_for(const std::string& name, std::size_t width, const std::optional<Input<double, 1>>& values) {
  const bough::Criterion criterion = bough::criterion_named(name);
  if (width == 0) throw std::invalid_argument("statistics need at least one column");
  if (criterion == bough::Criterion::absolute_error) {
    if (!values || values->shape(0) != width)
      throw std::invalid_argument("absolute_error needs the values of y");
    return Judge(std::vector<double>(values->data(), values->data() + width));
  }
  if (bough::uses_moments(criterion) && width < 2)
    throw std::invalid_argument("statistics need weight and sum");
  return Judge(criterion, static_cast<int>(width));
}

Output<double> split_values(const std::string& name, Input<double, 3> statistics,
                            Input<double, 1> node_weight, const std::optional<Input<double, 1>>& values) {
  const std::size_t m = statistics.shape(0), children = statistics.shape(1), width = statistics.shape(2);
  if (node_weight.shape(0) != m) throw std::invalid_argument("one node weight a split is needed");
  const Judge judge = judge_for(name, width, values);
  std::vector<double> result(m);
  for (std::size_t i = 0; i < m; ++i)
    result[i] = judge.value(statistics.data() + i * children * width, static_cast<int>(children),
                            node_weight.data()[i]);
  return to_numpy(std::move(result));
}

Output<double> impurity(const std::string& name, Input<double, 2> statistics,
                        const std::optional<Input<double, 1>>& values) {
  const std::size_t m = statistics.shape(0), width = statistics.shape(1);
  const Judge judge = judge_for(name, width, values);
  if (bough::uses_moments(judge.criterion()) && width != 3)
    throw std::invalid_argument("impurity of numbers needs weight, sum and sum of squares");
  std::vector<double> result(m);
  for (std::size_t i = 0; i < m; ++i) result[i] = judge.impurity(statistics.data() + i * width);
  return to_numpy(std::move(result));
}

std::pair<double, Output<int>> best_split(const std::string& kind, const std::string& name,
                                          Input<double, 2> statistics, Input<double, 1> cases,
                                          double node_weight, double min_cases, double min_weight,
                                          int max_exhaustive, const std::optional<Input<double, 1>>& values) {
  const std::size_t rows = statistics.shape(0), width = statistics.shape(1);
  if (cases.shape(0) != rows) throw std::invalid_argument("one number of cases a row is needed");
  check_exhaustive(max_exhaustive);
  const Judge judge = judge_for(name, width, values);
  const bough::ContingencyTable table{statistics.data(), cases.data(), static_cast<int>(rows), node_weight};
  const bough::LeafLimits limits{min_cases, min_weight};
  bough::Found found = kind == "threshold"
                           ? bough::best_threshold(table, judge, limits)
                           : bough::best_nominal(table, judge, limits, nominal_named(kind), max_exhaustive);
  return {found.value, to_numpy(std::move(found.branch))};
}

}  // namespace

void init_search(nb::module_& m) {
  using namespace nb::literals;
  m.def("split_values", &split_values, "criterion"_a, "statistics"_a, "node_weight"_a,
        "values"_a = nb::none(), "Value of each split from the statistics of its children.");
  m.def("impurity", &impurity, "criterion"_a, "statistics"_a, "values"_a = nb::none(),
        "Impurity of each row of statistics.");
  m.def("best_split", &best_split, "kind"_a, "criterion"_a, "statistics"_a, "cases"_a, "node_weight"_a,
        "min_cases"_a = 1.0, "min_weight"_a = 0.0, "max_exhaustive"_a = 12, "values"_a = nb::none(),
        "Best split of one contingency table: its value and the branch of each row (empty: none).");
  m.def("chi_square_survival", &bough::chi_square_survival, "x"_a, "degrees"_a,
        "Probability that a chi-square variable exceeds x.");
  m.def(
      "pearson",
      [](Input<double, 2> table) {
        const bough::Pearson p =
            bough::pearson(table.data(), static_cast<int>(table.shape(0)), static_cast<int>(table.shape(1)));
        return std::pair<double, int>(p.statistic, p.degrees);
      },
      "table"_a, "Pearson's chi-square statistic of a table of counts and its degrees of freedom.");
}
