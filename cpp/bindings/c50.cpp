#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bough/c50/flat.hpp"
#include "bough/c50/learn.hpp"
#include "bough/c50/sample.hpp"
#include "columns.hpp"
#include "monitor.hpp"

namespace {

using namespace bough_python;
namespace c50 = bough::c50;

void check(bool right, const char* wrong) {
  if (!right) throw std::invalid_argument(wrong);
}

c50::Attribute to_attribute(const bough::Column& column, std::int64_t n_rows) {
  c50::Attribute attribute{column.scale, column.n_levels, {}, {}, false};
  if (attribute.numeric())
    attribute.value.resize(n_rows);
  else
    attribute.level.resize(n_rows);
  for (std::int64_t i = 0; i < n_rows; ++i) {
    if (attribute.numeric())
      attribute.value[i] = static_cast<float>(column.value(i));
    else
      attribute.level[i] = column.code(i);
    attribute.some_missing = attribute.some_missing || attribute.missing(static_cast<c50::Row>(i));
  }
  return attribute;
}

c50::Problem to_problem(const nb::list& columns, Input<std::int32_t, 1> label, int n_classes,
                        Input<double, 1> weight, Input<double, 1> cost) {
  const auto n_rows = static_cast<std::int64_t>(label.shape(0));
  check(n_rows >= 1 && n_rows < (std::int64_t{1} << 31) - 4096, "a table may have 1 to 2^31 - 4096 rows");
  check(n_classes >= 1, "there must be a class");
  c50::Problem problem;
  problem.n_rows = static_cast<c50::Row>(n_rows);
  problem.n_classes = n_classes;
  const GivenColumns given = to_columns(columns, n_rows);
  check(!given.views.empty(), "a table needs a column");
  for (const bough::Column& column : given.views) problem.attributes.push_back(to_attribute(column, n_rows));
  problem.label.assign(label.data(), label.data() + n_rows);
  for (const std::int32_t l : problem.label) check(l >= 0 && l < n_classes, "a label is not that of a class");
  check(weight.shape(0) == 0 || weight.shape(0) == label.shape(0), "weights must have one entry a row");
  problem.case_weight.assign(weight.data(), weight.data() + weight.shape(0));
  for (const float w : problem.case_weight) check(w > 0 && std::isfinite(w), "a weight must be positive");
  const auto k = static_cast<std::size_t>(n_classes);
  check(cost.shape(0) == 0 || cost.shape(0) == k * k, "costs must be a square of the classes");
  problem.cost.assign(cost.data(), cost.data() + cost.shape(0));
  for (std::size_t i = 0; i < problem.cost.size(); ++i)
    check(i / k == i % k || (problem.cost[i] > 0 && std::isfinite(problem.cost[i])),
          "a cost must be positive");
  return problem;
}

c50::Settings to_settings(const nb::dict& given) {
  c50::Settings settings;
  settings.trials = nb::cast<int>(given["trials"]);
  settings.rules = nb::cast<bool>(given["rules"]);
  settings.subset = nb::cast<bool>(given["subset"]);
  settings.bands = nb::cast<int>(given["bands"]);
  settings.winnow = nb::cast<bool>(given["winnow"]);
  settings.global_pruning = nb::cast<bool>(given["global_pruning"]);
  settings.confidence = nb::cast<float>(given["confidence"]);
  settings.min_cases = nb::cast<float>(given["min_cases"]);
  settings.fuzzy = nb::cast<bool>(given["fuzzy"]);
  settings.early_stopping = nb::cast<bool>(given["early_stopping"]);
  settings.n_threads = nb::cast<int>(given["n_threads"]);
  check(settings.n_threads >= 1 && settings.n_threads <= 4096, "the number of threads is out of range");
  check(settings.trials >= 1 && settings.min_cases > 0, "trials and cases must be positive");
  check(settings.confidence > 0 && settings.confidence <= 1, "confidence must lie in (0, 1]");
  return settings;
}

nb::dict to_arrays(c50::FlatTree&& t) {
  const std::size_t n = t.n_nodes(), k = static_cast<std::size_t>(t.n_classes);
  nb::dict d;
  d["parent"] = to_numpy(std::move(t.parent));
  d["first_child"] = to_numpy(std::move(t.first_child));
  d["n_children"] = to_numpy(std::move(t.n_children));
  d["column"] = to_numpy(std::move(t.column));
  d["label"] = to_numpy(std::move(t.label));
  d["test"] = to_numpy(std::move(t.test));
  d["cut"] = to_numpy(std::move(t.cut));
  d["lower"] = to_numpy(std::move(t.lower));
  d["mid"] = to_numpy(std::move(t.mid));
  d["upper"] = to_numpy(std::move(t.upper));
  d["cases"] = to_numpy(std::move(t.cases));
  d["gain"] = to_numpy(std::move(t.gain));
  d["dist"] = to_numpy(std::move(t.dist), {n, k});
  d["level_start"] = to_numpy(std::move(t.level_start));
  d["level_code"] = to_numpy(std::move(t.level_code));
  d["level_branch"] = to_numpy(std::move(t.level_branch));
  return d;
}

nb::tuple to_python(const c50::Condition& condition) {
  nb::list levels;
  for (std::size_t l = 0; l < condition.levels.size(); ++l)
    if (condition.levels[l]) levels.append(l);
  if (condition.test == c50::Test::discrete) levels.append(condition.value);
  const bool threshold = condition.test == c50::Test::threshold;
  return nb::make_tuple(condition.column, threshold, condition.cut, threshold && condition.value == 1,
                        levels);
}

nb::tuple to_python(const c50::RuleSet& set) {
  nb::list rules;
  for (const c50::Rule& rule : set.rules) {
    nb::list conditions;
    for (const c50::Condition& condition : rule.conditions) conditions.append(to_python(condition));
    rules.append(nb::make_tuple(conditions, rule.label, rule.cover, rule.correct, rule.prior));
  }
  return nb::make_tuple(rules, set.default_label);
}

nb::dict learn(const nb::list& columns, Input<std::int32_t, 1> label, int n_classes, Input<double, 1> weight,
               Input<double, 1> cost, const nb::dict& settings, const nb::object& progress) {
  const c50::Problem problem = to_problem(columns, label, n_classes, weight, cost);
  const c50::Settings asked = to_settings(settings);
  c50::Model model = unlocked([&] { return c50::learn(problem, asked, monitor_of(progress)); });
  nb::list trees, rule_sets;
  for (const c50::Tree& tree : model.trees) trees.append(to_arrays(c50::flatten(*tree, n_classes)));
  for (const c50::RuleSet& set : model.rule_sets) rule_sets.append(to_python(set));
  nb::dict result;
  result["trees"] = trees;
  result["rule_sets"] = rule_sets;
  result["skipped"] = to_numpy(std::move(model.skipped));
  result["winnow_importance"] = to_numpy(std::move(model.winnow_importance));
  return result;
}

template <class T>
std::vector<T> to_vector(const nb::dict& tree, const char* name, std::size_t size) {
  const auto array = nb::cast<Input<T, 1>>(tree[name]);
  check(size == 0 || array.shape(0) == size, "the arrays of a tree differ in length");
  return {array.data(), array.data() + array.shape(0)};
}

void check_sound(const c50::FlatTree& t, const std::vector<int>& n_levels) {
  const auto n = static_cast<std::int64_t>(t.n_nodes());
  for (std::int64_t i = 0; i < n; ++i) {
    check(t.label[i] >= 0 && t.label[i] < t.n_classes, "a node's class is out of range");
    check(t.parent[i] < i && t.parent[i] >= (i > 0 ? 0 : -1), "a node's parent is out of range");
    check(t.cases[i] > 0 || (i > 0 && t.cases[t.parent[i]] > 0), "an empty node needs a parent with cases");
    if (t.column[i] < 0) continue;
    const std::int64_t first = t.first_child[i], many = t.n_children[i];
    check(t.column[i] < static_cast<int>(n_levels.size()) && first > i && many >= 1 && first + many <= n,
          "a node's column or children are out of range");
    const bool numeric = n_levels[t.column[i]] < 0, threshold = t.test[i] == 2;
    check(numeric == threshold && (!threshold || many == 2), "a test does not fit its column");
    const std::int64_t begin = t.level_start[i], end = t.level_start[i + 1];
    check(begin >= 0 && begin <= end && end <= static_cast<std::int64_t>(t.level_code.size()),
          "the levels of a node are out of range");
    for (std::int64_t p = begin; p < end; ++p)
      check(t.level_code[p] >= 0 && t.level_code[p] < n_levels[t.column[i]] && t.level_branch[p] >= 0 &&
                t.level_branch[p] < many,
            "a level is out of range");
  }
}

c50::FlatTree to_flat(const nb::dict& given, int n_classes, const std::vector<int>& n_levels) {
  c50::FlatTree t;
  t.n_classes = n_classes;
  t.parent = to_vector<std::int32_t>(given, "parent", 0);
  const std::size_t n = t.parent.size();
  check(n > 0, "a tree needs a node");
  t.first_child = to_vector<std::int32_t>(given, "first_child", n);
  t.n_children = to_vector<std::int32_t>(given, "n_children", n);
  t.column = to_vector<std::int32_t>(given, "column", n);
  t.label = to_vector<std::int32_t>(given, "label", n);
  t.test = to_vector<std::uint8_t>(given, "test", n);
  t.cut = to_vector<float>(given, "cut", n);
  t.lower = to_vector<float>(given, "lower", n);
  t.upper = to_vector<float>(given, "upper", n);
  t.cases = to_vector<float>(given, "cases", n);
  const auto dist = nb::cast<Input<float, 2>>(given["dist"]);
  check(dist.shape(0) == n && dist.shape(1) == static_cast<std::size_t>(n_classes),
        "class weights do not fit");
  t.dist.assign(dist.data(), dist.data() + n * n_classes);
  t.level_start = to_vector<std::int64_t>(given, "level_start", n + 1);
  t.level_code = to_vector<std::int32_t>(given, "level_code", 0);
  t.level_branch = to_vector<std::int32_t>(given, "level_branch", 0);
  check(t.level_code.size() == t.level_branch.size(), "the levels of a tree differ in length");
  check_sound(t, n_levels);
  return t;
}

// n_levels: of each column, -1 for numeric ones.
c50::Predictor make_predictor(const nb::list& trees, int n_classes, Input<double, 1> cost,
                              const std::vector<int>& n_levels) {
  const auto k = static_cast<std::size_t>(n_classes);
  check(n_classes >= 1 && (cost.shape(0) == 0 || cost.shape(0) == k * k),
        "costs must be a square of the classes");
  std::vector<c50::FlatTree> flat;
  for (nb::handle tree : trees) flat.push_back(to_flat(nb::cast<nb::dict>(tree), n_classes, n_levels));
  check(!flat.empty(), "a model needs a tree");
  return {std::move(flat), std::vector<float>(cost.data(), cost.data() + cost.shape(0)), n_levels};
}

nb::tuple rules_from_tree(const nb::dict& tree, const nb::list& columns, Input<std::int32_t, 1> label,
                          int n_classes, Input<double, 1> weight, const nb::dict& settings,
                          const nb::object& progress) {
  const std::vector<double> none(1);
  const c50::Problem problem =
      to_problem(columns, label, n_classes, weight, Input<double, 1>(none.data(), {std::size_t{0}}));
  std::vector<int> n_levels;
  for (const c50::Attribute& a : problem.attributes) n_levels.push_back(a.numeric() ? -1 : a.n_levels);
  const c50::FlatTree flat = to_flat(tree, n_classes, n_levels);
  std::vector<int> depth(flat.n_nodes(), 0);
  for (std::size_t i = 1; i < depth.size(); ++i) {
    depth[i] = depth[flat.parent[i]] + 1;
    check(depth[i] <= c50::kMostDepth, "the tree is deeper than 4000 splits");
  }
  const c50::Settings asked = to_settings(settings);
  return to_python(
      unlocked([&] { return c50::rules_from_tree(problem, asked, flat, monitor_of(progress)); }));
}

nb::tuple predict(const c50::Predictor& predictor, const nb::list& columns, std::int64_t n_rows, int n_trees,
                  int n_threads) {
  const GivenColumns given = to_columns(columns, n_rows);
  check(given.views.size() == predictor.n_columns(),
        "the table has another number of columns than the model");
  for (std::size_t c = 0; c < given.views.size(); ++c) {
    const bool numeric = given.views[c].scale == bough::Scale::numeric;
    check((numeric ? -1 : given.views[c].n_levels) == predictor.n_levels(c),
          "a column has another number of levels than the model's");
  }
  c50::Prediction prediction;
  {
    nb::gil_scoped_release unlocked;
    prediction = predictor.predict(given.views, n_rows, n_trees, n_threads);
  }
  const auto k = static_cast<std::size_t>(predictor.n_classes());
  return nb::make_tuple(to_numpy(std::move(prediction.probability), {static_cast<std::size_t>(n_rows), k}),
                        to_numpy(std::move(prediction.label)));
}

}  // namespace

void init_c50(nb::module_& m) {
  using namespace nb::literals;
  m.def("c50_learn", &learn, "columns"_a, "label"_a, "n_classes"_a, "weight"_a, "cost"_a, "settings"_a,
        "progress"_a.none(), "Learns C5.0's trees or rules; empty arrays for no weights and no costs.");
  m.def("c50_rules", &rules_from_tree, "tree"_a, "columns"_a, "label"_a, "n_classes"_a, "weight"_a,
        "settings"_a, "progress"_a.none(), "Draws rules from a tree as C5.0 does.");
  m.def(
      "c50_sample",
      [](std::int32_t n_rows, float share, int seed) {
        return to_numpy(c50::sample_rows(n_rows, share, seed));
      },
      "n_rows"_a, "share"_a, "seed"_a, "The rows of the sample that C5.0 would draw.");
  nb::class_<c50::Predictor>(m, "C50Predictor", "Answers for rows by C5.0's trees.")
      .def(nb::new_(&make_predictor), "trees"_a, "n_classes"_a, "cost"_a, "n_levels"_a)
      .def("predict", &predict, "columns"_a, "n_rows"_a, "n_trees"_a, "n_threads"_a,
           "The probability of each class for each row, and the class chosen.");
}
