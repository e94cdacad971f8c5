#include "bough/grow.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "columns.hpp"
#include "names.hpp"

namespace {

using namespace bough_python;

template <class T>
using Given = std::optional<Input<T, 1>>;

template <class T>
const T* data_of(const Given<T>& array, std::int64_t n_rows, const char* what) {
  if (!array) return nullptr;
  if (static_cast<std::int64_t>(array->shape(0)) != n_rows)
    throw std::invalid_argument(std::string(what) + " must have one entry a row");
  return array->data();
}

double number(const nb::dict& limits, const char* name) { return nb::cast<double>(limits[name]); }

bough::Recipe to_recipe(const std::string& criterion, const std::string& nominal, int max_exhaustive,
                        const nb::dict& limits) {
  bough::Recipe recipe;
  recipe.criterion = bough::criterion_named(criterion);
  recipe.nominal = nominal_named(nominal);
  check_exhaustive(max_exhaustive);
  recipe.max_exhaustive = max_exhaustive;
  bough::Limits& l = recipe.limits;
  l.max_depth = nb::cast<int>(limits["max_depth"]);
  l.max_leaves = nb::cast<int>(limits["max_leaves"]);
  l.min_cases_split = number(limits, "min_cases_split");
  l.min_cases_leaf = number(limits, "min_cases_leaf");
  l.min_weight_fraction_leaf = number(limits, "min_weight_fraction_leaf");
  l.min_decrease = number(limits, "min_decrease");
  l.min_gain = number(limits, "min_gain");
  l.purity = number(limits, "purity");
  l.significance = number(limits, "significance");
  l.min_variance = number(limits, "min_variance");
  l.min_events = number(limits, "min_events");
  return recipe;
}

// Lets Python handle signals and, if asked for, shows how far growth has come.
bough::Monitor monitor_of(const nb::object& progress) {
  return [&progress](double share) {
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) return false;
    if (!progress.is_none()) progress(share);
    return true;
  };
}

nb::dict to_arrays(bough::GrownTree&& t, std::size_t width) {
  const std::size_t n = t.parent.size();
  nb::dict d;
  d["parent"] = to_numpy(std::move(t.parent));
  d["first_child"] = to_numpy(std::move(t.first_child));
  d["n_children"] = to_numpy(std::move(t.n_children));
  d["column"] = to_numpy(std::move(t.column));
  d["kind"] = to_numpy(std::move(t.kind));
  d["cut"] = to_numpy(std::move(t.cut));
  d["level_start"] = to_numpy(std::move(t.level_start));
  d["level_code"] = to_numpy(std::move(t.level_code));
  d["level_branch"] = to_numpy(std::move(t.level_branch));
  d["default_branch"] = to_numpy(std::move(t.default_branch));
  d["weight"] = to_numpy(std::move(t.weight));
  d["rows"] = to_numpy(std::move(t.cases));
  d["statistics"] = to_numpy(std::move(t.statistics), {n, width});
  d["risk"] = to_numpy(std::move(t.risk));
  d["gain"] = to_numpy(std::move(t.gain));
  return d;
}

nb::dict grow(const nb::list& columns, std::int64_t n_rows, int n_classes, const Given<std::int32_t>& label,
              const Given<double>& y, const Given<double>& weight, const Given<double>& cases,
              const std::string& criterion, const std::string& nominal, int max_exhaustive,
              const nb::dict& limits, int n_threads, const nb::object& progress) {
  constexpr std::int64_t kMostRows = (std::int64_t{1} << 31) - 4096;
  if (n_rows < 1 || n_rows > kMostRows)
    throw std::invalid_argument("a table in memory may have 1 to 2^31 - 4096 rows");
  bough::Data data;
  const GivenColumns held = to_columns(columns, n_rows);
  data.columns = held.views;
  if (data.columns.empty()) throw std::invalid_argument("a table needs a column");
  data.n_rows = n_rows;
  data.n_classes = n_classes;
  data.label = data_of(label, n_rows, "labels");
  data.y = data_of(y, n_rows, "y");
  data.weight = data_of(weight, n_rows, "weights");
  data.cases = data_of(cases, n_rows, "cases");
  if ((data.label != nullptr) == (data.y != nullptr) || (data.label != nullptr) != (n_classes > 0))
    throw std::invalid_argument("either labels of classes or numbers must be given");
  for (std::int64_t i = 0; data.label && i < n_rows; ++i)
    if (data.label[i] < 0 || data.label[i] >= n_classes)
      throw std::invalid_argument("a label is not that of a class");
  const bough::Recipe recipe = to_recipe(criterion, nominal, max_exhaustive, limits);
  if (bough::judges_classes(recipe.criterion) != (n_classes > 0))
    throw std::invalid_argument("the criterion does not fit the target");

  bough::GrownTree tree;
  try {
    nb::gil_scoped_release unlocked;
    tree = bough::grow(data, recipe, n_threads, monitor_of(progress));
  } catch (const bough::Interrupted&) {
    if (PyErr_Occurred()) throw nb::python_error();
    throw;
  }
  return to_arrays(std::move(tree), n_classes ? n_classes : 1);
}

}  // namespace

void init_grow(nb::module_& m) {
  using namespace nb::literals;
  m.def("grow", &grow, "columns"_a, "n_rows"_a, "n_classes"_a, "label"_a.none(), "y"_a.none(),
        "weight"_a.none(), "cases"_a.none(), "criterion"_a, "nominal"_a, "max_exhaustive"_a, "limits"_a,
        "n_threads"_a, "progress"_a.none(),
        "Grows a tree exactly; returns its arrays, nodes numbered breadth first.");
}
