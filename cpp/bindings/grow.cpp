#include "bough/grow/grow.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "columns.hpp"
#include "grown_arrays.hpp"
#include "monitor.hpp"
#include "names.hpp"

namespace {

using namespace bough_python;

template <class T>
T part(const nb::dict& recipe, const char* name) {
  return nb::cast<T>(recipe[name]);
}

bough::Limits to_limits(const nb::dict& d) {
  bough::Limits l;
  l.max_depth = part<int>(d, "max_depth");
  l.max_leaves = part<int>(d, "max_leaves");
  l.min_cases_split = part<double>(d, "min_cases_split");
  l.min_cases_leaf = part<double>(d, "min_cases_leaf");
  l.min_weight_fraction_leaf = part<double>(d, "min_weight_fraction_leaf");
  l.min_decrease = part<double>(d, "min_decrease");
  l.min_gain = part<double>(d, "min_gain");
  l.purity = part<double>(d, "purity");
  l.significance = part<double>(d, "significance");
  l.min_variance = part<double>(d, "min_variance");
  l.min_events = part<double>(d, "min_events");
  l.min_risk = part<double>(d, "min_risk");
  l.min_share = part<double>(d, "min_share");
  return l;
}

bough::Fallback fallback_named(const std::string& name) {
  if (name == "heaviest") return bough::Fallback::heaviest;
  if (name == "larger") return bough::Fallback::larger;
  if (name == "stay") return bough::Fallback::stay;
  throw std::invalid_argument("unknown fallback " + name);
}

bough::Recipe to_recipe(const nb::dict& d, std::size_t n_columns) {
  bough::Recipe recipe;
  recipe.criterion = bough::criterion_named(part<std::string>(d, "criterion"));
  recipe.nominal = nominal_named(part<std::string>(d, "nominal"));
  recipe.max_exhaustive = part<int>(d, "max_exhaustive");
  check_exhaustive(recipe.max_exhaustive);
  recipe.limits = to_limits(d);
  recipe.fallback = fallback_named(part<std::string>(d, "fallback"));
  recipe.surrogates.most = part<int>(d, "surrogates");
  recipe.surrogates.of_known = part<bool>(d, "agreement_of_known");
  recipe.surrogates.astray = part<bool>(d, "surrogates_astray");
  recipe.surrogates.decide = part<bool>(d, "surrogates_decide");
  recipe.n_competitors = part<int>(d, "competitors");
  recipe.price = part<std::vector<double>>(d, "price");
  recipe.zero_rates = part<bool>(d, "zero_rates");
  recipe.prior_events = part<double>(d, "prior_events");
  if (!recipe.price.empty() && recipe.price.size() != n_columns)
    throw std::invalid_argument("each column needs a price");
  const bool n_ary = recipe.nominal == bough::Nominal::complete;
  if (n_ary && (recipe.surrogates.most > 0 || recipe.fallback != bough::Fallback::heaviest))
    throw std::invalid_argument("only splits in two have surrogates");
  return recipe;
}

nb::object to_arrays(bough::SpareArrays&& s) {
  if (s.column.empty()) return nb::none();
  nb::dict d;
  d["start"] = to_numpy(std::move(s.start));
  d["column"] = to_numpy(std::move(s.column));
  d["cut"] = to_numpy(std::move(s.cut));
  d["turned"] = to_numpy(std::move(s.turned));
  d["level_start"] = to_numpy(std::move(s.level_start));
  d["level_code"] = to_numpy(std::move(s.level_code));
  d["level_branch"] = to_numpy(std::move(s.level_branch));
  d["value"] = to_numpy(std::move(s.value));
  d["adjusted"] = to_numpy(std::move(s.adjusted));
  d["cases"] = to_numpy(std::move(s.cases));
  return d;
}

nb::dict to_arrays(bough::GrownTree&& t, std::size_t width) {
  nb::dict d = node_arrays(t, width);
  d["competitors"] = to_arrays(std::move(t.competitors));
  d["surrogates"] = to_arrays(std::move(t.surrogates));
  return d;
}

// The parts of the target and of the rows, each an array or None.
struct GivenTarget {
  Given<std::int32_t> label, fold;
  Given<double> y, weight, own, cases, loss;

  GivenTarget(const nb::dict& d)
      : label(part<Given<std::int32_t>>(d, "label")),
        fold(part<Given<std::int32_t>>(d, "fold")),
        y(part<Given<double>>(d, "y")),
        weight(part<Given<double>>(d, "weight")),
        own(part<Given<double>>(d, "own")),
        cases(part<Given<double>>(d, "cases")),
        loss(part<Given<double>>(d, "loss")) {}
};

bough::Data to_data(const GivenColumns& columns, std::int64_t n_rows, int n_classes,
                    const GivenTarget& target) {
  constexpr std::int64_t kMostRows = (std::int64_t{1} << 31) - 4096;
  if (n_rows < 1 || n_rows > kMostRows)
    throw std::invalid_argument("a table in memory may have 1 to 2^31 - 4096 rows");
  bough::Data data;
  data.columns = columns.views;
  if (data.columns.empty()) throw std::invalid_argument("a table needs a column");
  data.n_rows = n_rows;
  data.n_classes = n_classes;
  data.label = data_of(target.label, n_rows, "labels");
  data.y = data_of(target.y, n_rows, "y");
  data.weight = data_of(target.weight, n_rows, "weights");
  data.own = data_of(target.own, n_rows, "weights");
  data.cases = data_of(target.cases, n_rows, "cases");
  data.loss = data_of(target.loss, static_cast<std::int64_t>(n_classes) * n_classes, "losses");
  if ((data.label != nullptr) == (data.y != nullptr) || (data.label != nullptr) != (n_classes > 0))
    throw std::invalid_argument("either labels of classes or numbers must be given");
  if (data.own && !data.weight) throw std::invalid_argument("own weights go beside those of the splits");
  for (std::int64_t i = 0; data.label && i < n_rows; ++i)
    if (data.label[i] < 0 || data.label[i] >= n_classes)
      throw std::invalid_argument("a label is not that of a class");
  return data;
}

nb::list grow(const nb::list& columns, std::int64_t n_rows, int n_classes, const nb::dict& given,
              const nb::dict& how, int n_folds, int n_threads, const nb::object& progress) {
  const GivenColumns held = to_columns(columns, n_rows);
  const GivenTarget target(given);
  const bough::Data data = to_data(held, n_rows, n_classes, target);
  const std::int32_t* fold = data_of(target.fold, n_rows, "folds");
  if (n_folds < 0 || (n_folds > 0) != (fold != nullptr)) throw std::invalid_argument("each row needs a fold");
  for (std::int64_t i = 0; fold && i < n_rows; ++i)
    if (fold[i] < -1 || fold[i] >= n_folds) throw std::invalid_argument("a fold is out of range");
  const bough::Recipe recipe = to_recipe(how, data.columns.size());
  if (bough::judges_classes(recipe.criterion) != (n_classes > 0))
    throw std::invalid_argument("the criterion does not fit the target");

  std::vector<bough::GrownTree> trees = unlocked(
      [&] { return bough::grow_folds(data, recipe, fold, n_folds, n_threads, monitor_of(progress)); });
  nb::list arrays;
  for (bough::GrownTree& tree : trees) arrays.append(to_arrays(std::move(tree), n_classes ? n_classes : 1));
  return arrays;
}

}  // namespace

void init_grow(nb::module_& m) {
  using namespace nb::literals;
  m.def(
      "grow", &grow, "columns"_a, "n_rows"_a, "n_classes"_a, "target"_a, "recipe"_a, "n_folds"_a,
      "n_threads"_a, "progress"_a.none(),
      "Grows a tree exactly, and one without each fold; returns their arrays, nodes numbered breadth first.");
}
