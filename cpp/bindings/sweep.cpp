#include "bough/search/sweep.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>

#include "arguments.hpp"
#include "watched.hpp"

namespace {

using namespace bough_python;
using Result = std::tuple<double, double, double>;

// What every sweep is given, checked: the rows, the criterion and the limits.
struct Task {
  Task(const std::string& criterion, const Array<double, 2>& statistics, const Array<double>& cases,
       double node_weight, double min_cases, double min_weight)
      : rows{statistics.data(), cases.data(), statistics.n(), node_weight},
        evaluator(checked(criterion, statistics.shape(1)), static_cast<int>(statistics.shape(1)),
                  std::min<std::size_t>(4096, statistics.n() + 1)),
        limits{min_cases, min_weight} {
    entries(cases);
  }

  // Numbers of the rows, one each.
  const double* entries(const Array<double>& values) const {
    check_lengths(rows.n_rows, "one number a row is needed", values);
    check_finite(values.data(), values.n(), "the numbers of the rows");
    return values.data();
  }

  bough::SweptRows rows;
  bough::Evaluator evaluator;
  bough::LeafLimits limits;

 private:
  static bough::Criterion checked(const std::string& name, std::size_t width) {
    const bough::Criterion criterion = bough::criterion_named(name);
    check(!criterion.reads_values(), "absolute_error cannot be swept");
    check(width >= (criterion.reads_moments() ? 2u : 1u), "statistics need more columns");
    return criterion;
  }
};

Result result_of(const bough::Swept& swept) { return {swept.value, swept.below, swept.above}; }

Result best_cut(const std::string& criterion, const Array<double, 2>& statistics, const Array<double>& cases,
                double node_weight, double min_cases, double min_weight, const Array<double>& v) {
  const Task task(criterion, statistics, cases, node_weight, min_cases, min_weight);
  return result_of(bough::best_cut(task.rows, task.evaluator, task.limits, task.entries(v)));
}

Result best_step(const std::string& criterion, const Array<double, 2>& statistics, const Array<double>& cases,
                 double node_weight, double min_cases, double min_weight, const Array<double>& v, double cut,
                 const Array<double>& x, double gamma) {
  const Task task(criterion, statistics, cases, node_weight, min_cases, min_weight);
  return result_of(
      bough::best_step(task.rows, task.evaluator, task.limits, task.entries(v), cut, task.entries(x), gamma));
}

Result best_angle(const std::string& criterion, const Array<double, 2>& statistics,
                  const Array<double>& cases, double node_weight, double min_cases, double min_weight,
                  const Array<double>& x, const Array<double>& y) {
  const Task task(criterion, statistics, cases, node_weight, min_cases, min_weight);
  const double *across = task.entries(x), *up = task.entries(y);
  return result_of(watched({}, [&](const bough::Monitor& monitor) {
    bough::Watch watch(monitor, static_cast<double>(task.rows.n_rows));
    return bough::best_angle(task.rows, task.evaluator, task.limits, across, up, watch);
  }));
}

}  // namespace

void init_sweep(nb::module_& m) {
  using namespace nb::literals;
  using Free = nb::call_guard<nb::gil_scoped_release>;
  m.def("best_cut", &best_cut, "criterion"_a, "statistics"_a, "cases"_a, "node_weight"_a, "min_cases"_a,
        "min_weight"_a, "v"_a, Free(), "Best cut of the numbers v: its value and the numbers beside it.");
  m.def("best_step", &best_step, "criterion"_a, "statistics"_a, "cases"_a, "node_weight"_a, "min_cases"_a,
        "min_weight"_a, "v"_a, "cut"_a, "x"_a, "gamma"_a, Free(),
        "Best delta of v - delta * (x + gamma) < cut: its value and the bounds of delta.");
  m.def("best_angle", &best_angle, "criterion"_a, "statistics"_a, "cases"_a, "node_weight"_a, "min_cases"_a,
        "min_weight"_a, "x"_a, "y"_a, "Best angle of a line: its value and the bounds of the angle.");
}
