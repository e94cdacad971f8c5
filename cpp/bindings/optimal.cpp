// Optimal trees: the search, with a limit of time, progress by its bounds, and Ctrl-C.
#include <chrono>

#include "bough/optimal/axes.hpp"
#include "bough/optimal/nearly.hpp"
#include "bough/optimal/search.hpp"
#include "table.hpp"
#include "watched.hpp"

namespace {

using namespace bough_python;
namespace optimal = bough::optimal;

// Called with the lower bound and the value of the best tree.
using BoundsProgress = std::optional<nb::typed<nb::callable, void(double, double)>>;

template <class T>
std::vector<T> copied(const Optional<T>& array, std::int64_t n, const char* name) {
  const T* from = entries(array, n, name);
  return from ? std::vector<T>(from, from + n) : std::vector<T>();
}

struct Given {
  std::vector<double> loss, weight, y;
  int n_classes = 0;
};

Given to_given(const Reader& target, std::int64_t n, optimal::Problem& problem) {
  Given given;
  Optional<double> loss, weight, y, cases, margin;
  target.read("n_classes", given.n_classes, "loss", loss, "weight", weight, "y", y, "cases", cases, "margin",
              margin);
  check(given.n_classes >= 0 && (given.n_classes > 0) == loss.has_value() &&
            loss.has_value() != y.has_value() && y.has_value() == weight.has_value(),
        "either losses of classes or weights and numbers must be given");
  given.loss = copied(loss, n * given.n_classes, "losses");
  given.weight = copied(weight, n, "weights");
  given.y = copied(y, n, "y");
  problem.rows.cases = copied(cases, n, "cases");
  problem.rows.margin = copied(margin, n, "margins");
  for (const auto* numbers : {&given.loss, &given.weight, &problem.rows.cases, &problem.rows.margin})
    check_weights(numbers->data(), numbers->size(), "losses, weights, cases and margins");
  check_finite(given.y.data(), given.y.size(), "y");
  return given;
}

optimal::Problem to_problem(const Table& table, const Reader& settings, bool merge) {
  optimal::Problem problem;
  int max_exhaustive = 0;
  problem.rows.n = checked_rows(table.n_rows, 1);
  optimal::Limits& limits = problem.limits;
  settings.read("max_depth", limits.max_depth, "max_leaves", limits.max_leaves, "min_cases", limits.min_cases,
                "split_cost", limits.split_cost, "tolerance", problem.tolerance, "max_exhaustive",
                max_exhaustive, "cache_bytes", problem.cache_bytes);
  check(limits.max_depth >= 1 && limits.max_depth <= 30, "max_depth must be 1 to 30");
  check(limits.max_leaves >= 1, "max_leaves must be at least 1");
  check(problem.cache_bytes >= 0, "cache_bytes must not be negative");
  check(limits.split_cost >= 0 && problem.tolerance >= 0, "the cost of a split is negative");
  check(max_exhaustive >= 0 && max_exhaustive <= 12, "all sets of levels are tried for at most 12 levels");
  problem.axes = optimal::make_axes(table.columns, table.n_rows, max_exhaustive, merge);
  return problem;
}

nb::tuple to_tuple(const optimal::TreeNode& node, const Table& table) {
  const char* side = node.missing == optimal::MissingSide::left    ? "left"
                     : node.missing == optimal::MissingSide::right ? "right"
                                                                   : "none";
  double cut = std::numeric_limits<double>::quiet_NaN(), below = cut, above = cut;
  if (node.column >= 0 && node.levels.empty()) {
    const bough::Column& column = table.columns[node.column];
    below = column.value(node.row_below), above = column.value(node.row_above);
    cut = bough::cut_between(below, above, column.scale);
  }
  return nb::make_tuple(node.column, cut, node.levels, side, below, above);
}

// keep: whether Ctrl-C ends the search with what was found; otherwise it is raised.
Dict search_optimal(const ColumnList& columns, std::int64_t n_rows, const Dict& target, const Dict& settings,
                    double time_limit, bool keep, int n_threads, const BoundsProgress& progress) {
  const Table table(columns, n_rows);
  optimal::Problem problem = to_problem(table, Reader(settings, "settings"), true);
  const Given given = to_given(Reader(target, "target"), n_rows, problem);
  checked_threads(n_threads);
  const auto begin = std::chrono::steady_clock::now();
  double lower = 0, value = optimal::kInfinity;
  bool interrupted = false;
  const bough::Monitor monitor = [&](double) {
    nb::gil_scoped_acquire locked;
    interrupted = PyErr_CheckSignals() != 0;
    if (interrupted) return false;
    if (progress && value < optimal::kInfinity) (*progress)(lower, value);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < time_limit;
  };
  const optimal::BoundsMonitor bounds = [&](double least, double found) { lower = least, value = found; };
  const optimal::Best best = [&] {
    nb::gil_scoped_release unlocked;
    return given.n_classes
               ? optimal::search_classes(problem, given.n_classes, given.loss, n_threads, monitor, bounds)
               : optimal::search_numbers(problem, given.weight, given.y, n_threads, monitor, bounds);
  }();
  if (interrupted) {
    if (!keep || !PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw nb::python_error();
    PyErr_Clear();
  }
  if (progress) (*progress)(best.lower, best.value);
  nb::list nodes;
  for (const optimal::TreeNode& node : best.tree) nodes.append(to_tuple(node, table));
  nb::dict d;
  d["value"] = best.value;
  d["lower"] = best.lower;
  d["stopped"] = best.stopped;
  d["n_examined"] = best.n_examined;
  d["nodes"] = nodes;
  return d;
}

// most: the greatest value of a tree, in the units of the losses.
Dict nearly_optimal(const ColumnList& columns, std::int64_t n_rows, const Dict& target, const Dict& settings,
                    double most, std::int64_t max_trees, const Progress& progress) {
  const Table table(columns, n_rows);
  optimal::Problem problem = to_problem(table, Reader(settings, "settings"), false);
  const Given given = to_given(Reader(target, "target"), n_rows, problem);
  check(max_trees >= 1, "max_trees must be at least 1");
  const optimal::NearlyOptimal found = watched(progress, [&](const bough::Monitor& monitor) {
    if (given.n_classes > 0)
      return optimal::nearly_optimal_classes(problem, given.n_classes, given.loss, most, max_trees, monitor);
    return optimal::nearly_optimal_numbers(problem, given.weight, given.y, most, max_trees, monitor);
  });
  nb::list trees;
  for (const auto& [value, nodes] : found.trees) {
    nb::list tuples;
    for (const optimal::TreeNode& node : nodes) tuples.append(to_tuple(node, table));
    trees.append(nb::make_tuple(value, tuples));
  }
  nb::dict d;
  d["count"] = found.count;
  d["too_many"] = found.too_many;
  d["trees"] = trees;
  return d;
}

}  // namespace

void init_optimal(nb::module_& m) {
  using namespace nb::literals;
  m.def("search_optimal", &search_optimal, "columns"_a, "n_rows"_a, "target"_a, "settings"_a, "time_limit"_a,
        "keep"_a, "n_threads"_a, "progress"_a.none(),
        "Searches the best tree; returns its nodes in preorder as (column, cut, levels, side of the missing, "
        "value "
        "below the cut, value above it).");
  m.def("nearly_optimal", &nearly_optimal, "columns"_a, "n_rows"_a, "target"_a, "settings"_a, "most"_a,
        "max_trees"_a, "progress"_a.none(), "Counts the trees of at most this value and lists the best.");
}
