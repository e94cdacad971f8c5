#include "bough/search/sweep.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "arrays.hpp"
#include "names.hpp"

namespace {

using namespace bough_python;
using Result = std::tuple<double, double, double>;

// What every sweep is given, checked: the rows, the criterion and the limits.
struct Task {
  Task(const std::string& criterion, Input<double, 2> statistics, Input<double, 1> cases, double node_weight,
       double min_cases, double min_weight)
      : ground{statistics.data(), cases.data(), statistics.shape(0), node_weight},
        judge(checked(criterion, statistics.shape(1)), static_cast<int>(statistics.shape(1)),
              std::min<std::size_t>(4096, statistics.shape(0) + 1)),
        limits{min_cases, min_weight} {
    check(cases);
  }

  const double* check(const Input<double, 1>& values) const {
    if (values.shape(0) != ground.n_rows) throw std::invalid_argument("one number a row is needed");
    return values.data();
  }

  bough::Ground ground;
  bough::Judge judge;
  bough::LeafLimits limits;

 private:
  static bough::Criterion checked(const std::string& name, std::size_t width) {
    const bough::Criterion criterion = bough::criterion_named(name);
    if (criterion == bough::Criterion::absolute_error)
      throw std::invalid_argument("absolute_error cannot be swept");
    if (width < (bough::uses_moments(criterion) ? 2u : 1u))
      throw std::invalid_argument("statistics need more columns");
    return criterion;
  }
};

Result result_of(const bough::Swept& swept) { return {swept.value, swept.below, swept.above}; }

Result best_cut(const std::string& criterion, Input<double, 2> statistics, Input<double, 1> cases,
                double node_weight, double min_cases, double min_weight, Input<double, 1> v) {
  const Task task(criterion, statistics, cases, node_weight, min_cases, min_weight);
  return result_of(bough::best_cut(task.ground, task.judge, task.limits, task.check(v)));
}

Result best_step(const std::string& criterion, Input<double, 2> statistics, Input<double, 1> cases,
                 double node_weight, double min_cases, double min_weight, Input<double, 1> v, double cut,
                 Input<double, 1> x, double gamma) {
  const Task task(criterion, statistics, cases, node_weight, min_cases, min_weight);
  return result_of(
      bough::best_step(task.ground, task.judge, task.limits, task.check(v), cut, task.check(x), gamma));
}

Result best_angle(const std::string& criterion, Input<double, 2> statistics, Input<double, 1> cases,
                  double node_weight, double min_cases, double min_weight, Input<double, 1> x,
                  Input<double, 1> y) {
  const Task task(criterion, statistics, cases, node_weight, min_cases, min_weight);
  return result_of(bough::best_angle(task.ground, task.judge, task.limits, task.check(x), task.check(y)));
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
        "min_weight"_a, "x"_a, "y"_a, Free(), "Best angle of a line: its value and the bounds of the angle.");
}
