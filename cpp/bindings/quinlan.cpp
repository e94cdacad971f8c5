#include "bough/machine/java_random.hpp"
#include "bough/predict/spread_router.hpp"
#include "bough/quinlan/extra_errors.hpp"
#include "bough/quinlan/fold.hpp"
#include "bough/quinlan/grow.hpp"
#include "bough/quinlan/part.hpp"
#include "bough/quinlan/prune.hpp"
#include "table.hpp"
#include "tree_arrays.hpp"
#include "watched.hpp"

namespace {

using namespace bough_python;
namespace quinlan = bough::quinlan;

Dict to_dict(quinlan::FinishedTree&& tree, std::size_t width) {
  nb::dict d = tree_dict(tree.arrays, width);
  put(d, "share", tree.share);
  return d;
}

Dict grow_c45(const ColumnList& columns, std::int64_t n_rows, int n_classes, const Array<std::int32_t>& label,
              const Optional<double>& weight, const Optional<double>& cases,
              const Optional<std::uint8_t>& grown, const std::string& variant, const Dict& options,
              int n_threads, const Progress& progress) {
  const Table table(columns, n_rows);
  const bough::Data data = to_data(table, n_classes, {label, {}, weight, cases});
  const std::uint8_t* rows = entries(grown, n_rows, "grown");
  check_any_row(data, rows);
  const auto kind = named<quinlan::Variant>(
      variant, {{"c4.5", quinlan::Variant::release8}, {"j48", quinlan::Variant::j48}}, "variant");
  quinlan::C45Options wanted;
  bool collapses = true;
  Reader(options, "options")
      .read("min_cases", wanted.min_cases, "gain_ratio", wanted.gain_ratio, "subset", wanted.subset, "binary",
            wanted.binary, "collapse", collapses);
  check(wanted.min_cases > 0 && std::isfinite(wanted.min_cases), "min_cases must be positive");
  checked_threads(n_threads);
  return to_dict(watched(progress,
                         [&](const bough::Monitor& monitor) {
                           return quinlan::grow_c45(data, rows, kind, wanted, collapses, n_threads, monitor);
                         }),
                 n_classes);
}

quinlan::Estimate estimate_named(const std::string& name) {
  return named<quinlan::Estimate>(
      name, {{"c4.5", quinlan::Estimate::release8}, {"j48", quinlan::Estimate::weka}}, "estimate");
}

void check_confidence(double confidence) {
  check(confidence > 0 && confidence <= 1, "confidence must lie in (0, 1]");
}

Dict prune_by_errors(const Dict& tree, const ColumnList& columns, std::int64_t n_rows, int n_classes,
                     const Array<std::int32_t>& label, const Optional<double>& weight,
                     const Optional<double>& cases, const std::string& estimate, double confidence,
                     double deviate, bool raising, bool spread, const Progress& progress) {
  const Table table(columns, n_rows);
  const bough::Data data = to_data(table, n_classes, {label, {}, weight, cases});
  const TreeArrays arrays(tree, table.n_levels());
  const auto gain = Reader(tree, "tree").get<Array<double>>("gain");
  check_lengths(arrays.n_nodes(), "the arrays of a tree differ in length", gain);
  check_confidence(confidence);
  const quinlan::PruneOptions options{estimate_named(estimate), confidence, deviate, raising, spread};
  return to_dict(watched(progress,
                         [&](const bough::Monitor& monitor) {
                           return quinlan::prune(arrays.view(), arrays.n_children().data(), gain.data(), data,
                                                 options, monitor);
                         }),
                 n_classes);
}

// A tree, the share of each of its nodes if it has them, and the rows to take down it.
struct Descent {
  Table table;
  TreeArrays arrays;
  const double* share;

  Descent(const nb::dict& tree, const Optional<double>& shares, const nb::list& columns, std::int64_t n_rows)
      : table(columns, n_rows),
        arrays(tree, table.n_levels()),
        share(entries(shares, static_cast<std::int64_t>(arrays.n_nodes()), "shares")) {
    check_weights(share, share ? arrays.n_nodes() : 0, "shares");
  }
};

Output<double> spread(const Dict& tree, const Array<double>& share, const Array<double, 2>& values,
                      const ColumnList& columns, std::int64_t n_rows, bool nested, int n_threads) {
  const Descent rows(tree, share, columns, n_rows);
  check_lengths(rows.arrays.n_nodes(), "values must have one entry a node", values);
  checked_threads(n_threads);
  const std::size_t width = values.shape(1);
  std::vector<double> sums(n_rows * width);
  watched({}, [&](const bough::Monitor& monitor) {
    bough::spread(rows.arrays.view(), rows.arrays.n_children().data(), rows.share, values.data(),
                  static_cast<int>(width), rows.table.columns, n_rows, nested, n_threads, sums.data(),
                  monitor);
  });
  return to_numpy(std::move(sums), {static_cast<std::size_t>(n_rows), width});
}

Output<double> collect(const Dict& tree, const Optional<double>& share, const Array<double, 2>& figures,
                       const ColumnList& columns, std::int64_t n_rows) {
  const Descent rows(tree, share, columns, n_rows);
  check_lengths(n_rows, "figures must have one entry a row", figures);
  const std::size_t n = rows.arrays.n_nodes(), width = figures.shape(1);
  std::vector<double> sums(n * width);
  watched({}, [&](const bough::Monitor& monitor) {
    bough::collect(rows.arrays.view(), rows.arrays.n_children().data(), rows.share, figures.data(),
                   static_cast<int>(width), rows.table.columns, n_rows, sums.data(), monitor);
  });
  return to_numpy(std::move(sums), {n, width});
}

Output<double> collect_classes(const Dict& tree, const Optional<double>& share, int n_classes,
                               const Array<std::int32_t>& label, const Optional<double>& weight,
                               const ColumnList& columns, std::int64_t n_rows) {
  const Descent rows(tree, share, columns, n_rows);
  const bough::Data data = to_data(rows.table, n_classes, {label, {}, weight});
  const std::size_t n = rows.arrays.n_nodes(), width = n_classes;
  std::vector<double> sums(n * width);
  watched({}, [&](const bough::Monitor& monitor) {
    bough::collect_classes(rows.arrays.view(), rows.arrays.n_children().data(), rows.share, data.label,
                           data.weight, n_classes, data.columns, n_rows, sums.data(), monitor);
  });
  return to_numpy(std::move(sums), {n, width});
}

Output<double> errors_of_passing_rows(const Dict& tree, const Optional<double>& share,
                                      const Array<double>& answer, const Array<double>& truth, bool classes,
                                      const Optional<double>& weight, const ColumnList& columns,
                                      std::int64_t n_rows) {
  const Descent rows(tree, share, columns, n_rows);
  check_lengths(rows.arrays.n_nodes(), "answers must have one entry a node", answer);
  check_lengths(n_rows, "truths must have one entry a row", truth);
  const double* weights = entries(weight, n_rows, "weights");
  check_weights(weights, n_rows, "weights");
  std::vector<double> sums(rows.arrays.n_nodes());
  watched({}, [&](const bough::Monitor& monitor) {
    bough::errors_of_passing_rows(rows.arrays.view(), rows.arrays.n_children().data(), rows.share,
                                  answer.data(), truth.data(), classes, weights, rows.table.columns, n_rows,
                                  sums.data(), monitor);
  });
  return to_numpy(std::move(sums));
}

// The rows to grow on, in their order; all, if no order is given.
struct GrownRows {
  std::vector<std::uint8_t> grown;
  std::vector<std::uint32_t> order;

  GrownRows(const Optional<std::uint32_t>& given, std::int64_t n_rows) : grown(n_rows, given ? 0 : 1) {
    if (given) order.assign(given->begin(), given->end());
    for (std::uint32_t row : order) {
      check(row < n_rows && !grown[row], "order must name rows, each once");
      grown[row] = 1;
    }
  }
};

Dict grow_rep(const ColumnList& columns, std::int64_t n_rows, int n_classes,
              const Optional<std::int32_t>& label, const Optional<double>& y, const Optional<double>& weight,
              const Optional<double>& cases, const Optional<std::uint32_t>& order, const Dict& options,
              int n_threads, const Progress& progress) {
  const Table table(columns, n_rows);
  const bough::Data data = to_data(table, n_classes, {label, y, weight, cases});
  const GrownRows rows(order, n_rows);
  const std::vector<std::uint8_t>& grown = rows.grown;
  check_any_row(data, grown.data());
  quinlan::RepOptions wanted;
  Reader(options, "options")
      .read("min_weight", wanted.min_weight, "min_variance", wanted.min_variance, "max_depth",
            wanted.max_depth);
  checked_threads(n_threads);
  return to_dict(watched(progress,
                         [&](const bough::Monitor& monitor) {
                           return quinlan::grow_rep(data, grown.data(), rows.order, wanted, n_threads,
                                                    monitor);
                         }),
                 n_classes > 0 ? n_classes : 1);
}

Dict grow_simple_cart(const ColumnList& columns, std::int64_t n_rows, int n_classes,
                      const Array<std::int32_t>& label, const Optional<double>& weight,
                      const Optional<double>& cases, const Optional<std::uint32_t>& order, double min_cases,
                      bool heuristic, int n_threads, const Progress& progress) {
  const Table table(columns, n_rows);
  const bough::Data data = to_data(table, n_classes, {label, {}, weight, cases});
  const GrownRows rows(order, n_rows);
  check_any_row(data, rows.grown.data());
  checked_threads(n_threads);
  return to_dict(watched(progress,
                         [&](const bough::Monitor& monitor) {
                           return quinlan::grow_simple_cart(data, rows.grown.data(), rows.order,
                                                            {min_cases, heuristic}, n_threads, monitor);
                         }),
                 n_classes);
}

// list[tuple[list, list[float]]]: the conditions and the class weights of each rule.
using RuleTuples =
    nb::typed<nb::list, nb::typed<nb::tuple, nb::typed<nb::list, nb::any>, std::vector<double>>>;

RuleTuples part_rules(const ColumnList& columns, std::int64_t n_rows, int n_classes,
                      const Array<std::int32_t>& label, const Optional<double>& weight,
                      const Optional<double>& cases, const Optional<std::uint8_t>& held_out,
                      const Dict& options, int n_threads, const Progress& progress) {
  const Table table(columns, n_rows);
  const bough::Data data = to_data(table, n_classes, {label, {}, weight, cases});
  check_any_row(data);
  quinlan::PartOptions wanted;
  bool prunes = true;
  Reader(options, "options")
      .read("min_cases", wanted.splits.min_cases, "binary", wanted.splits.binary, "prunes", prunes,
            "confidence", wanted.confidence, "deviate", wanted.deviate);
  if (!prunes) wanted.pruning = quinlan::PartPruning::none;
  if (const std::uint8_t* held = entries(held_out, n_rows, "held_out")) {
    wanted.pruning = quinlan::PartPruning::reduced_error;
    wanted.held_out.assign(held, held + n_rows);
    check(!wanted.held_out.empty() && std::find(held, held + n_rows, 0) != held + n_rows,
          "all rows are held out");
  }
  check(wanted.splits.min_cases > 0 && std::isfinite(wanted.splits.min_cases), "min_cases must be positive");
  check_confidence(wanted.confidence);
  checked_threads(n_threads);
  const auto rules = watched(progress, [&](const bough::Monitor& monitor) {
    return quinlan::part_rules(data, wanted, n_threads, monitor);
  });
  RuleTuples found;
  for (const quinlan::PartRule& rule : rules) {
    nb::list conditions;
    for (const quinlan::PartCondition& each : rule.conditions)
      conditions.append(nb::make_tuple(each.column, each.up_to, each.cut, each.levels, each.fraction));
    found.append(nb::make_tuple(conditions, rule.distribution));
  }
  return found;
}

Output<std::uint32_t> stratified_rows(const Array<std::int32_t>& label, std::int64_t n_kept, int n_folds,
                                      std::int32_t seed) {
  const auto n = static_cast<std::int64_t>(label.n());
  check(n_kept >= 0 && n_kept <= n && n_folds >= 1, "there are not so many rows or folds");
  return to_numpy(quinlan::stratified_rows(label.data(), n, n_kept, n_folds, seed));
}

Output<std::uint32_t> weka_order(const Array<std::uint32_t>& rank) {
  std::vector<quinlan::Entry> sorted(checked_rows(static_cast<std::int64_t>(rank.n())));
  for (std::uint32_t i = 0; i < sorted.size(); ++i) sorted[i] = {i, rank.data()[i], 0};
  quinlan::sort_as_weka(sorted);
  std::vector<std::uint32_t> order;
  for (const quinlan::Entry& entry : sorted) order.push_back(entry.item);
  return to_numpy(std::move(order));
}

// Java's random numbers, for programs that shuffle rows as Weka does.
class JavaShuffle {
 public:
  explicit JavaShuffle(std::int64_t seed) : random_(seed) {}

  std::int32_t whole() { return random_.whole(); }

  std::int32_t below(std::int32_t bound) {
    check(bound >= 1, "the bound must be positive");
    return random_.below(bound);
  }

  Output<std::int64_t> permutation(std::int64_t n) {
    checked_rows(n);
    std::vector<std::int64_t> order(n);
    for (std::int64_t i = 0; i < n; ++i) order[i] = i;
    for (std::int64_t j = n - 1; j > 0; --j)
      std::swap(order[j], order[random_.below(static_cast<std::int32_t>(j) + 1)]);
    return to_numpy(std::move(order));
  }

 private:
  bough::JavaRandom random_;
};

Output<std::uint8_t> fold_of_rows(const Optional<std::int32_t>& label, std::int64_t n_rows, int n_folds,
                                  int fold, std::optional<std::int32_t> seed) {
  checked_rows(n_rows, 1);
  check(n_folds >= 1 && fold >= 0 && fold < n_folds, "there is no such fold");
  const std::int32_t* labels = entries(label, n_rows, "labels");
  return to_numpy(quinlan::fold_of_rows(labels, n_rows, n_folds, fold, seed));
}

Output<std::uint32_t> grown_rows(const Optional<std::int32_t>& label, std::int64_t n_rows, int n_folds,
                                 std::int32_t seed, bool holds_out) {
  checked_rows(n_rows, 1);
  check(n_folds >= 1, "there is no such fold");
  const std::int32_t* labels = entries(label, n_rows, "labels");
  return to_numpy(quinlan::grown_rows(labels, n_rows, n_folds, seed, holds_out));
}

template <class Errors>
std::vector<double> expected(const Errors& extra, const Array<double>& weight, const Array<double>& errors) {
  using T = typename Errors::Number;
  std::vector<double> sums(weight.n(), 0.0);
  for (std::size_t i = 0; i < weight.n(); ++i) {
    const T w = static_cast<T>(weight[i]), e = static_cast<T>(errors[i]);
    if (w > 0) sums[i] = e + extra(w, e);
  }
  return sums;
}

Output<double> expected_errors(const Array<double>& weight, const Array<double>& errors,
                               const std::string& estimate, double confidence, double deviate) {
  check_lengths(weight.n(), "weights and errors differ in length", errors);
  check_confidence(confidence);
  if (estimate_named(estimate) == quinlan::Estimate::weka)
    return to_numpy(expected(quinlan::WekaErrors(confidence, deviate), weight, errors));
  return to_numpy(expected(quinlan::Release8Errors(confidence, deviate), weight, errors));
}

}  // namespace

void init_quinlan(nb::module_& m) {
  using namespace nb::literals;
  m.def("grow_c45", &grow_c45, "columns"_a, "n_rows"_a, "n_classes"_a, "label"_a, "weight"_a.none(),
        "cases"_a.none(), "grown"_a.none(), "variant"_a, "options"_a, "n_threads"_a, "progress"_a.none(),
        "Grows a tree by C4.5's rules; returns its arrays, nodes numbered breadth first.");
  m.def("prune_by_errors", &prune_by_errors, "tree"_a, "columns"_a, "n_rows"_a, "n_classes"_a, "label"_a,
        "weight"_a.none(), "cases"_a.none(), "estimate"_a, "confidence"_a, "deviate"_a, "raising"_a,
        "spread"_a, "progress"_a.none(),
        "Prunes a tree by the errors to be expected of it; returns the arrays of the pruned one.");
  m.def("spread", &spread, "tree"_a, "share"_a, "values"_a, "columns"_a, "n_rows"_a, "nested"_a,
        "n_threads"_a, "For each row, the sum of the values of the nodes where fractions of it end.");
  m.def("collect", &collect, "tree"_a, "share"_a.none(), "figures"_a, "columns"_a, "n_rows"_a,
        "For each node, the sum of the figures of the rows of which fractions end there.");
  m.def("collect_classes", &collect_classes, "tree"_a, "share"_a.none(), "n_classes"_a, "label"_a,
        "weight"_a.none(), "columns"_a, "n_rows"_a,
        "For each node and class, the weight of the rows of which fractions end there.");
  m.def("errors_of_passing_rows", &errors_of_passing_rows, "tree"_a, "share"_a.none(), "answer"_a, "truth"_a,
        "classes"_a, "weight"_a.none(), "columns"_a, "n_rows"_a,
        "For each node, the errors of its answer on the rows that pass it, in parts, added row by row.");
  m.def("grow_rep", &grow_rep, "columns"_a, "n_rows"_a, "n_classes"_a, "label"_a.none(), "y"_a.none(),
        "weight"_a.none(), "cases"_a.none(), "order"_a.none(), "options"_a, "n_threads"_a,
        "progress"_a.none(), "Grows a tree as Weka's REPTree does; returns its arrays.");
  m.def("grow_simple_cart", &grow_simple_cart, "columns"_a, "n_rows"_a, "n_classes"_a, "label"_a,
        "weight"_a.none(), "cases"_a.none(), "order"_a.none(), "min_cases"_a, "heuristic"_a, "n_threads"_a,
        "progress"_a.none(), "Grows a tree as Weka's SimpleCart does; returns its arrays.");
  m.def("part_rules", &part_rules, "columns"_a, "n_rows"_a, "n_classes"_a, "label"_a, "weight"_a.none(),
        "cases"_a.none(), "held_out"_a.none(), "options"_a, "n_threads"_a, "progress"_a.none(),
        "Rules of PART: conditions (column, up to, cut, levels, fraction) and class weights of each.");
  m.def("weka_order", &weka_order, "rank"_a, "The order in which Weka's quicksort leaves ranks.");
  m.def("stratified_rows", &stratified_rows, "label"_a, "n_kept"_a, "n_folds"_a, "seed"_a,
        "Rows shuffled and dealt out to folds by class, as SimpleCart does.");
  nb::class_<JavaShuffle>(m, "JavaShuffle", "Permutations from Java's random numbers.")
      .def(nb::init<std::int64_t>(), "seed"_a)
      .def("whole", &JavaShuffle::whole, "The next whole number of 32 bits.")
      .def("below", &JavaShuffle::below, "bound"_a, "The next whole number from 0 to below the bound.")
      .def("permutation", &JavaShuffle::permutation, "n"_a, "The next permutation of n rows.");
  m.def("fold_of_rows", &fold_of_rows, "label"_a.none(), "n_rows"_a, "n_folds"_a, "fold"_a, "seed"_a.none(),
        "Which rows Weka puts into a fold.");
  m.def("grown_rows", &grown_rows, "label"_a.none(), "n_rows"_a, "n_folds"_a, "seed"_a, "holds_out"_a,
        "The rows REPTree grows on, in the order it takes them.");
  m.def("expected_errors", &expected_errors, "weight"_a, "errors"_a, "estimate"_a, "confidence"_a,
        "deviate"_a, "The errors to be expected of leaves, from their weights and their training errors.");
}
