// Conditional inference trees.
#include "bough/conditional/growth.hpp"
#include "table.hpp"
#include "tree_arrays.hpp"
#include "watched.hpp"

namespace {

using namespace bough_python;
namespace conditional = bough::conditional;

conditional::Statistic statistic_named(const std::string& word) {
  return named<conditional::Statistic>(
      word, {{"quadratic", conditional::Statistic::quadratic}, {"maximum", conditional::Statistic::maximum}},
      "statistic");
}

conditional::Options to_options(const Reader& given) {
  conditional::Options options;
  std::string test, split;
  given.read("statistic", test, "split_statistic", split, "bonferroni", options.bonferroni, "n_resamples",
             options.n_resamples, "seed", options.seed, "significance", options.significance, "min_statistic",
             options.min_statistic, "min_cases", options.min_cases, "min_share", options.min_share, "n_tries",
             options.n_tries, "max_exhaustive", options.max_exhaustive, "n_surrogates", options.n_surrogates);
  options.test = statistic_named(test);
  options.split = statistic_named(split);
  check(options.max_exhaustive >= 1 && options.max_exhaustive <= 24, "max_exhaustive must be 1 to 24");
  check(options.significance >= 0 && options.significance <= 1, "significance must be 0 to 1");
  return options;
}

// The target as it is shown, as it is tested, and the weights of both.
struct ConditionalTarget {
  Target shown;                                       // weights on their grid
  Optional<double> scores, test_weight, node_weight;  // scores: the numbers to test; None: y
  int weight_exponent = 0;
  bool whole_weights = true;

  explicit ConditionalTarget(const Reader& given) {
    given.read("label", shown.label, "y", shown.y, "scores", scores, "weight", shown.weight, "test_weight",
               test_weight, "node_weight", node_weight, "cases", shown.cases, "weight_exponent",
               weight_exponent, "whole_weights", whole_weights);
    check(weight_exponent > -1100 && weight_exponent < 1100, "weight_exponent is out of range");
  }
};

template <class T>
std::vector<T> copied(const T* values, std::int64_t n) {
  return values ? std::vector<T>(values, values + n) : std::vector<T>();
}

conditional::Target to_target(const ConditionalTarget& given, const bough::Data& data, bool repeats) {
  const std::int64_t n = data.n_rows;
  conditional::Target target;
  target.n_classes = data.n_classes;
  target.label = copied(data.label, n);
  const double* scores = entries(given.scores, n, "scores");
  check_finite(scores, n, "scores");
  check(!scores || data.y, "scores are those of numbers");
  target.y = copied(scores ? scores : data.y, n);
  const double* weight = entries(given.test_weight, n, "weights of tests");
  check_weights(weight, n, "weights of tests");
  if (repeats) return target;  // cases are rows
  target.weight = copied(weight, n);
  target.cases = copied(data.cases, n);
  return target;
}

conditional::ShownRows to_shown(const ConditionalTarget& given, const bough::Data& data,
                                const std::string& criterion) {
  conditional::ShownRows shown{bough::criterion_named(criterion)};
  check(shown.criterion.reads_classes() == (data.n_classes > 0) && !shown.criterion.reads_values(),
        "the criterion does not fit the target");
  shown.n_classes = data.n_classes;
  shown.label = data.label;
  shown.y = data.y;
  shown.weight = data.weight;
  shown.weight_unit = std::ldexp(1.0, -given.weight_exponent);
  shown.whole_weights = given.whole_weights;
  shown.own = entries(given.node_weight, data.n_rows, "weights of nodes");
  check_weights(shown.own, data.n_rows, "weights of nodes");
  shown.cases = data.cases;
  check(!shown.criterion.reads_rates() || !data.y ||
            std::all_of(data.y, data.y + data.n_rows, [](double y) { return y >= 0; }),
        "rates must not be negative");
  return shown;
}

// Cases that are repeated are whole numbers, and not too many.
void check_repeated(const double* cases, std::int64_t n) {
  double total = 0;
  for (std::int64_t i = 0; cases && i < n; ++i) {
    check(cases[i] == std::floor(cases[i]), "cases that are permuted must be whole");
    total += cases[i];
  }
  check(total <= 0x1p31, "more cases than can be permuted");
}

Dict grow_conditional(const ColumnList& columns, std::int64_t n_rows, int n_classes, const Dict& target,
                      const Dict& options, const Progress& progress) {
  const Table table(columns, n_rows);
  const ConditionalTarget given(Reader(target, "target"));
  const bough::Data data = to_data(table, n_classes, given.shown);
  check_any_row(data);
  const Reader named_options(options, "options");
  const conditional::Options chosen = to_options(named_options);
  const conditional::ShownRows shown = to_shown(given, data, named_options.get<std::string>("criterion"));
  if (const double* weight = entries(given.test_weight, data.n_rows, "weights of tests"))
    for (std::int64_t i = 0; i < data.n_rows; ++i)
      check(weight[i] > 0 || !(shown.weight_at(static_cast<std::uint32_t>(i)) > 0),
            "a row with a weight must have one in tests too");
  conditional::NodeLimits limits;
  named_options.read("max_depth", limits.max_depth, "min_cases_split", limits.min_cases);
  if (chosen.n_resamples) check_repeated(data.cases, n_rows);
  conditional::TestedTree grown = watched(progress, [&](const bough::Monitor& monitor) {
    bough::Watch watch(monitor);
    return conditional::grow(data.columns, to_target(given, data, chosen.n_resamples > 0), shown, chosen,
                             limits, [&watch] { watch.poll_or_throw(); });
  });
  const std::size_t n_nodes = grown.tree.parent.size();
  nb::dict d = tree_dict(grown.tree, static_cast<std::size_t>(shown.width()));
  d["surrogates"] = alternatives_dict(std::move(grown.tree.surrogates));
  d["p_value"] = to_numpy(std::move(grown.p_value), {n_nodes, data.columns.size()});
  d["test_statistic"] = to_numpy(std::move(grown.statistic), {n_nodes, data.columns.size()});
  return d;
}

}  // namespace

void init_conditional(nb::module_& m) {
  using namespace nb::literals;
  m.def("grow_conditional", &grow_conditional, "columns"_a, "n_rows"_a, "n_classes"_a, "target"_a,
        "options"_a, "progress"_a.none(),
        "Grows a conditional inference tree; returns its arrays, with the p-value and statistic of each "
        "column in each node.");
}
