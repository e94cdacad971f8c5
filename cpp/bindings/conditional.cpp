// Conditional inference: tests of the columns of a node and its split.
#include "bough/conditional/inference.hpp"
#include "table.hpp"
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

conditional::Target to_target(const Target& given, const Table& table, int n_classes) {
  const bough::Data data = to_data(table, n_classes, given);
  conditional::Target target;
  target.n_classes = n_classes;
  const std::int64_t n = data.n_rows;
  if (data.label) target.label.assign(data.label, data.label + n);
  if (data.y) target.y.assign(data.y, data.y + n);
  if (data.weight) target.weight.assign(data.weight, data.weight + n);
  if (data.cases) target.cases.assign(data.cases, data.cases + n);
  return target;
}

nb::tuple to_tuple(const conditional::Split& split, const Table& table) {
  double cut = std::numeric_limits<double>::quiet_NaN();
  if (split.column >= 0 && split.codes.empty())
    cut = bough::cut_between(split.below, split.above, table.columns[split.column].scale);
  return nb::make_tuple(split.column, split.below, split.above, cut, split.codes, split.branches);
}

// A table and its target, whose nodes are searched one after the other.
class Inference {
 public:
  Inference(const ColumnList& columns, std::int64_t n_rows, int n_classes,
            const Optional<std::int32_t>& label, const Optional<double>& y, const Optional<double>& weight,
            const Optional<double>& cases, const Dict& options)
      : table_(columns, n_rows),
        inference_(table_.columns,
                   to_target({label, y, weight, cases, std::nullopt, std::nullopt}, table_, n_classes),
                   to_options(Reader(options, "options"))) {}

  Dict search(const Array<std::uint32_t>& rows, std::uint64_t stream, const Progress& progress) const {
    for (std::size_t i = 0; i < rows.n(); ++i)
      check(rows[i] < static_cast<std::uint64_t>(table_.n_rows), "a row is not one of the table");
    const std::span<const std::uint32_t> of_node(rows.data(), rows.n());
    const conditional::Found found = watched(progress, [&](const bough::Monitor& monitor) {
      bough::Watch watch(monitor);
      return inference_.search(of_node, stream, [&watch] { watch.poll_or_throw(); });
    });
    nb::list tests, surrogates;
    for (const conditional::Test& test : found.tests)
      tests.append(nb::make_tuple(test.column, test.statistic, test.p_value));
    for (const conditional::Surrogate& each : found.surrogates)
      surrogates.append(nb::make_tuple(to_tuple(each.split, table_), each.turned));
    nb::dict d;
    d["tests"] = tests;
    d["split"] = to_tuple(found.split, table_);
    d["surrogates"] = surrogates;
    return d;
  }

 private:
  Table table_;
  conditional::Inference inference_;
};

}  // namespace

void init_conditional(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<Inference>(m, "ConditionalInference", "Permutation tests of the columns of nodes of a table.")
      .def(nb::init<const ColumnList&, std::int64_t, int, const Optional<std::int32_t>&,
                    const Optional<double>&, const Optional<double>&, const Optional<double>&, const Dict&>(),
           "columns"_a, "n_rows"_a, "n_classes"_a, "label"_a.none(), "y"_a.none(), "weight"_a.none(),
           "cases"_a.none(), "options"_a)
      .def("search", &Inference::search, "rows"_a, "stream"_a, "progress"_a.none(),
           "Tests the columns in the node of these rows: {tests: (column, statistic, adjusted p), split: "
           "(column, below, above, cut, codes, branches), surrogates}.");
}
