#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bough/c50/learn.hpp"
#include "bough/c50/predictor.hpp"
#include "bough/c50/sample.hpp"
#include "table.hpp"
#include "watched.hpp"

namespace {

using namespace bough_python;
namespace c50 = bough::c50;

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

// Costs of errors, [predicted * n_classes + actual]; none: empty.
std::vector<float> to_costs(const Array<double>& cost, int n_classes) {
  const auto k = static_cast<std::size_t>(n_classes);
  check(n_classes >= 1, "there must be a class");
  check(cost.n() == 0 || cost.n() == k * k, "costs must be a square of the classes");
  std::vector<float> costs(cost.begin(), cost.end());
  for (std::size_t i = 0; i < costs.size(); ++i)
    check(i / k == i % k || (costs[i] > 0 && std::isfinite(costs[i])), "a cost must be positive");
  return costs;
}

c50::Problem to_problem(const Table& table, const Array<std::int32_t>& label, int n_classes,
                        const Array<double>& weight) {
  const std::int64_t n_rows = checked_rows(table.n_rows, 1);
  check(!table.columns.empty(), "a table needs a column");
  check(n_classes >= 1, "there must be a class");
  check_codes(label.data(), n_rows, n_classes, "a label is not that of a class");
  check(weight.n() == 0 || weight.n() == label.n(), "weights must have one entry a row");
  c50::Problem problem;
  problem.n_rows = static_cast<c50::Row>(n_rows);
  problem.n_classes = n_classes;
  for (const bough::Column& column : table.columns)
    problem.attributes.push_back(to_attribute(column, n_rows));
  problem.label.assign(label.begin(), label.end());
  problem.case_weight.assign(weight.begin(), weight.end());
  for (const float w : problem.case_weight) check(w > 0 && std::isfinite(w), "a weight must be positive");
  return problem;
}

c50::Settings to_settings(const Reader& given) {
  c50::Settings s;
  given.read("trials", s.trials, "rules", s.rules, "subset", s.subset, "bands", s.bands, "winnow", s.winnow,
             "global_pruning", s.global_pruning, "confidence", s.confidence, "min_cases", s.min_cases,
             "fuzzy", s.fuzzy, "early_stopping", s.early_stopping, "n_threads", s.n_threads);
  checked_threads(s.n_threads);
  check(s.trials >= 1 && s.min_cases > 0 && std::isfinite(s.min_cases), "trials and cases must be positive");
  check(s.confidence > 0 && s.confidence <= 1, "confidence must lie in (0, 1]");
  return s;
}

Dict to_dict(c50::TreeArrays&& t) {
  const std::size_t n = t.n_nodes(), k = static_cast<std::size_t>(t.n_classes);
  nb::dict d;
  put(d, "parent", t.parent, "first_child", t.first_child, "n_children", t.n_children, "column", t.column,
      "label", t.label, "test", t.test, "cut", t.cut, "lower", t.lower, "mid", t.mid, "upper", t.upper,
      "cases", t.cases, "gain", t.gain, "level_start", t.level_start, "level_code", t.level_code,
      "level_branch", t.level_branch);
  d["dist"] = to_numpy(std::move(t.dist), {n, k});
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

// The rules and the class where none applies.
using PythonRules = nb::typed<nb::tuple, nb::typed<nb::list, nb::any>, int>;

PythonRules to_python(const c50::RuleSet& set) {
  nb::list rules;
  for (const c50::Rule& rule : set.rules) {
    nb::list conditions;
    for (const c50::Condition& condition : rule.conditions) conditions.append(to_python(condition));
    rules.append(nb::make_tuple(conditions, rule.label, rule.cover, rule.correct, rule.prior));
  }
  return nb::make_tuple(rules, set.default_label);
}

Dict learn(const ColumnList& columns, const Array<std::int32_t>& label, int n_classes,
           const Array<double>& weight, const Array<double>& cost, const Dict& settings,
           const Progress& progress) {
  const Table table(columns, static_cast<std::int64_t>(label.n()));
  c50::Problem problem = to_problem(table, label, n_classes, weight);
  problem.cost = to_costs(cost, n_classes);
  const c50::Settings asked = to_settings(Reader(settings, "settings"));
  c50::Model model =
      watched(progress, [&](const bough::Monitor& monitor) { return c50::learn(problem, asked, monitor); });
  nb::list trees, rule_sets;
  for (const c50::Tree& tree : model.trees) trees.append(to_dict(c50::to_arrays(*tree, n_classes)));
  for (const c50::RuleSet& set : model.rule_sets) rule_sets.append(to_python(set));
  nb::dict result;
  result["trees"] = trees;
  result["rule_sets"] = rule_sets;
  put(result, "skipped", model.skipped, "winnow_importance", model.winnow_importance);
  return result;
}

void check_sound(const c50::TreeArrays& t, const std::vector<int>& n_levels) {
  const auto n = static_cast<std::int64_t>(t.n_nodes());
  for (std::int64_t i = 0; i < n; ++i) {
    check(t.label[i] >= 0 && t.label[i] < t.n_classes, "a node's class is out of range");
    check(t.parent[i] < i && t.parent[i] >= (i > 0 ? 0 : -1), "a node's parent is out of range");
    check(t.cases[i] > 0 || (i > 0 && t.cases[t.parent[i]] > 0), "an empty node needs a parent with cases");
    if (t.column[i] < 0) {
      check(t.n_children[i] == 0 && t.test[i] == 0, "a leaf has children");
      continue;
    }
    const std::int64_t first = t.first_child[i], many = t.n_children[i];
    check(t.column[i] < static_cast<int>(n_levels.size()) && first > i && many >= 1 && first + many <= n,
          "a node's column or children are out of range");
    const bool numeric = n_levels[t.column[i]] < 0, threshold = t.test[i] == 2;
    check(t.test[i] >= 1 && t.test[i] <= 3, "there is no such test");
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

// Reads arrays of n entries each, by name.
void copy(const Reader&, std::size_t) {}
template <class T, class... More>
void copy(const Reader& given, std::size_t n, const char* name, std::vector<T>& to, More&&... more) {
  const auto array = given.get<Array<T>>(name);
  check_lengths(n, "the arrays of a tree differ in length", array);
  to.assign(array.begin(), array.end());
  copy(given, n, std::forward<More>(more)...);
}

c50::TreeArrays to_tree_arrays(const nb::dict& tree, int n_classes, const std::vector<int>& n_levels) {
  const Reader given(tree, "tree");
  c50::TreeArrays t;
  t.n_classes = n_classes;
  const std::size_t n = given.get<Array<std::int32_t>>("parent").n();
  check(n > 0, "a tree needs a node");
  copy(given, n, "parent", t.parent, "first_child", t.first_child, "n_children", t.n_children, "column",
       t.column, "label", t.label, "test", t.test, "cut", t.cut, "lower", t.lower, "upper", t.upper, "cases",
       t.cases);
  copy(given, n + 1, "level_start", t.level_start);
  copy(given, given.get<Array<std::int32_t>>("level_code").n(), "level_code", t.level_code, "level_branch",
       t.level_branch);
  const auto dist = given.get<Array<float, 2>>("dist");
  check(dist.n() == n && dist.shape(1) == static_cast<std::size_t>(n_classes), "class weights do not fit");
  t.dist.assign(dist.begin(), dist.end());
  check_sound(t, n_levels);
  return t;
}

// n_levels: of each column, -1 for numeric ones.
c50::Predictor make_predictor(const nb::typed<nb::list, Dict>& trees, int n_classes,
                              const Array<double>& cost, const std::vector<int>& n_levels) {
  std::vector<float> costs = to_costs(cost, n_classes);
  std::vector<c50::TreeArrays> made;
  for (nb::handle tree : trees) {
    nb::dict arrays;
    check(nb::try_cast<nb::dict>(tree, arrays), "a tree must be a dict of arrays");
    made.push_back(to_tree_arrays(arrays, n_classes, n_levels));
  }
  check(!made.empty(), "a model needs a tree");
  return {std::move(made), std::move(costs), n_levels};
}

std::vector<int> levels_of(const Table& table) {
  std::vector<int> n_levels = table.n_levels();
  for (std::size_t c = 0; c < n_levels.size(); ++c)
    if (table.columns[c].scale == bough::Scale::numeric) n_levels[c] = -1;
  return n_levels;
}

PythonRules rules_from_tree(const Dict& tree, const ColumnList& columns, const Array<std::int32_t>& label,
                            int n_classes, const Array<double>& weight, const Dict& settings,
                            const Progress& progress) {
  const Table table(columns, static_cast<std::int64_t>(label.n()));
  const c50::Problem problem = to_problem(table, label, n_classes, weight);
  const c50::TreeArrays arrays = to_tree_arrays(tree, n_classes, levels_of(table));
  std::vector<int> depth(arrays.n_nodes(), 0);
  for (std::size_t i = 1; i < depth.size(); ++i) {
    depth[i] = depth[arrays.parent[i]] + 1;
    check(depth[i] <= c50::kMostDepth, "the tree is deeper than 4000 splits");
  }
  const c50::Settings asked = to_settings(Reader(settings, "settings"));
  return to_python(watched(progress, [&](const bough::Monitor& monitor) {
    return c50::rules_from_tree(problem, asked, arrays, monitor);
  }));
}

std::tuple<Output<double>, Output<std::int32_t>> predict(const c50::Predictor& predictor,
                                                         const ColumnList& columns, std::int64_t n_rows,
                                                         int n_trees, int n_threads) {
  const Table table(columns, n_rows);
  check(levels_of(table) == predictor.n_levels(), "the columns are not those of the model");
  checked_threads(n_threads);
  c50::Prediction prediction = watched({}, [&](const bough::Monitor& monitor) {
    return predictor.predict(table.columns, n_rows, n_trees, n_threads, monitor);
  });
  const auto k = static_cast<std::size_t>(predictor.n_classes());
  return {to_numpy(std::move(prediction.probability), {static_cast<std::size_t>(n_rows), k}),
          to_numpy(std::move(prediction.label))};
}

Output<std::int32_t> sample(std::int32_t n_rows, float share, int seed) {
  checked_rows(n_rows);
  check(share >= 0 && share <= 1, "the share to draw must lie in [0, 1]");
  return to_numpy(c50::sample_rows(n_rows, share, seed));
}

}  // namespace

void init_c50(nb::module_& m) {
  using namespace nb::literals;
  m.def("c50_learn", &learn, "columns"_a, "label"_a, "n_classes"_a, "weight"_a, "cost"_a, "settings"_a,
        "progress"_a.none(), "Learns C5.0's trees or rules; empty arrays for no weights and no costs.");
  m.def("c50_rules", &rules_from_tree, "tree"_a, "columns"_a, "label"_a, "n_classes"_a, "weight"_a,
        "settings"_a, "progress"_a.none(), "Draws rules from a tree as C5.0 does.");
  m.def("c50_sample", &sample, "n_rows"_a, "share"_a, "seed"_a,
        "The rows of the sample that C5.0 would draw.");
  nb::class_<c50::Predictor>(m, "C50Predictor", "Answers for rows by C5.0's trees.")
      .def(nb::new_(&make_predictor), "trees"_a, "n_classes"_a, "cost"_a, "n_levels"_a)
      .def("predict", &predict, "columns"_a, "n_rows"_a, "n_trees"_a, "n_threads"_a,
           "The probability of each class for each row, and the class chosen.");
}
