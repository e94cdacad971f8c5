#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bough/grow/grow.hpp"
#include "bough/predict/spread_router.hpp"
#include "bough/quinlan/extra_errors.hpp"
#include "bough/quinlan/fold.hpp"
#include "bough/quinlan/grow.hpp"
#include "bough/quinlan/prune.hpp"
#include "columns.hpp"
#include "grown_arrays.hpp"
#include "monitor.hpp"
#include "tree_arrays.hpp"

namespace {

using namespace bough_python;

nb::dict to_arrays(bough::quinlan::FinishedTree&& tree, std::size_t width) {
  nb::dict d = node_arrays(tree.arrays, width);
  d["share"] = to_numpy(std::move(tree.share));
  return d;
}

void check_labels(const bough::Data& data) {
  for (std::int64_t i = 0; data.label && i < data.n_rows; ++i)
    if (data.label[i] < 0 || data.label[i] >= data.n_classes)
      throw std::invalid_argument("a label is not that of a class");
}

void check_rows(std::int64_t n_rows) {
  if (n_rows < 1 || n_rows > (std::int64_t{1} << 31) - 4096)
    throw std::invalid_argument("a table in memory may have 1 to 2^31 - 4096 rows");
}

bough::Data to_data(const GivenColumns& held, std::int64_t n_rows, int n_classes,
                    const Given<std::int32_t>& label, const Given<double>& weight,
                    const Given<double>& cases) {
  bough::Data data;
  data.columns = held.views;
  if (data.columns.empty()) throw std::invalid_argument("a table needs a column");
  data.n_rows = n_rows;
  data.n_classes = n_classes;
  data.label = data_of(label, n_rows, "labels");
  data.weight = data_of(weight, n_rows, "weights");
  data.cases = data_of(cases, n_rows, "cases");
  check_labels(data);
  return data;
}

bool any_row(const bough::Data& data, const std::uint8_t* grown) {
  for (std::int64_t i = 0; i < data.n_rows; ++i)
    if ((!grown || grown[i]) && (!data.weight || data.weight[i] > 0)) return true;
  return false;
}

nb::dict grow_c45(const nb::list& columns, std::int64_t n_rows, int n_classes, Input<std::int32_t, 1> label,
                  const Given<double>& weight, const Given<double>& cases, const Given<std::uint8_t>& grown,
                  const std::string& variant, const nb::dict& options, int n_threads,
                  const nb::object& progress) {
  check_rows(n_rows);
  const GivenColumns held = to_columns(columns, n_rows);
  const bough::Data data = to_data(held, n_rows, n_classes, label, weight, cases);
  const std::uint8_t* rows = data_of(grown, n_rows, "grown");
  if (!any_row(data, rows)) throw std::invalid_argument("there is no row to grow on");
  if (variant != "c4.5" && variant != "j48") throw std::invalid_argument("unknown variant " + variant);
  bough::quinlan::C45Options wanted;
  wanted.min_cases = nb::cast<double>(options["min_cases"]);
  wanted.gain_ratio = nb::cast<bool>(options["gain_ratio"]);
  wanted.subset = nb::cast<bool>(options["subset"]);
  wanted.binary = nb::cast<bool>(options["binary"]);
  const bool collapses = nb::cast<bool>(options["collapse"]);
  const auto kind = variant == "j48" ? bough::quinlan::Variant::j48 : bough::quinlan::Variant::release8;
  auto tree = unlocked([&] {
    return bough::quinlan::grow_c45(data, rows, kind, wanted, collapses, n_threads, monitor_of(progress));
  });
  return to_arrays(std::move(tree), n_classes);
}

nb::dict prune_by_errors(const nb::dict& tree, const nb::list& columns, std::int64_t n_rows, int n_classes,
                         Input<std::int32_t, 1> label, const Given<double>& weight,
                         const Given<double>& cases, const std::string& estimate, double confidence,
                         double deviate, bool raising, bool spread, const nb::object& progress) {
  check_rows(n_rows);
  const GivenColumns held = to_columns(columns, n_rows);
  bough::Data data = to_data(held, n_rows, n_classes, label, weight, cases);
  const TreeArrays arrays(tree, held.views);
  if (estimate != "c4.5" && estimate != "j48") throw std::invalid_argument("unknown estimate " + estimate);
  bough::quinlan::PruneOptions options;
  options.estimate = estimate == "j48" ? bough::quinlan::Estimate::weka : bough::quinlan::Estimate::release8;
  options.confidence = confidence;
  options.deviate = deviate;
  options.raising = raising;
  options.spread = spread;
  auto pruned = unlocked([&] {
    return bough::quinlan::prune(arrays.view(), arrays.n_children.data(), arrays.gain.data(), data, options,
                                 monitor_of(progress));
  });
  return to_arrays(std::move(pruned), n_classes);
}

Output<double> spread(const nb::dict& tree, Input<double, 1> share, Input<double, 2> values,
                      const nb::list& columns, std::int64_t n_rows, int n_threads) {
  const GivenColumns held = to_columns(columns, n_rows);
  const TreeArrays arrays(tree, held.views);
  const std::size_t n = arrays.n_children.shape(0), width = values.shape(1);
  if (share.shape(0) != n || values.shape(0) != n)
    throw std::invalid_argument("shares and values must have one entry a node");
  std::vector<double> sums(n_rows * width);
  {
    nb::gil_scoped_release released;
    bough::spread(arrays.view(), arrays.n_children.data(), share.data(), values.data(),
                  static_cast<int>(width), held.views, n_rows, n_threads, sums.data());
  }
  return to_numpy(std::move(sums), {static_cast<std::size_t>(n_rows), width});
}

Output<double> collect(const nb::dict& tree, const Given<double>& share, Input<double, 2> figures,
                       const nb::list& columns, std::int64_t n_rows) {
  const GivenColumns held = to_columns(columns, n_rows);
  const TreeArrays arrays(tree, held.views);
  const std::size_t n = arrays.n_children.shape(0), width = figures.shape(1);
  if ((share && share->shape(0) != n) || static_cast<std::int64_t>(figures.shape(0)) != n_rows)
    throw std::invalid_argument("shares must have one entry a node, figures one a row");
  std::vector<double> sums(n * width);
  {
    nb::gil_scoped_release released;
    bough::collect(arrays.view(), arrays.n_children.data(), share ? share->data() : nullptr, figures.data(),
                   static_cast<int>(width), held.views, n_rows, sums.data());
  }
  return to_numpy(std::move(sums), {n, width});
}

Output<double> collect_classes(const nb::dict& tree, const Given<double>& share, int n_classes,
                               Input<std::int32_t, 1> label, const Given<double>& weight,
                               const nb::list& columns, std::int64_t n_rows) {
  const GivenColumns held = to_columns(columns, n_rows);
  const TreeArrays arrays(tree, held.views);
  const bough::Data data = to_data(held, n_rows, n_classes, label, weight, std::nullopt);
  const std::size_t n = arrays.n_children.shape(0), width = n_classes;
  if (share && share->shape(0) != n) throw std::invalid_argument("shares must have one entry a node");
  std::vector<double> sums(n * width);
  {
    nb::gil_scoped_release released;
    bough::collect_classes(arrays.view(), arrays.n_children.data(), share ? share->data() : nullptr,
                           data.label, data.weight, n_classes, held.views, n_rows, sums.data());
  }
  return to_numpy(std::move(sums), {n, width});
}

nb::dict grow_rep(const nb::list& columns, std::int64_t n_rows, int n_classes,
                  const Given<std::int32_t>& label, const Given<double>& y, const Given<double>& weight,
                  const Given<double>& cases, const Given<std::uint32_t>& order, const nb::dict& options,
                  int n_threads, const nb::object& progress) {
  check_rows(n_rows);
  const GivenColumns held = to_columns(columns, n_rows);
  if (label.has_value() == y.has_value() || label.has_value() != (n_classes > 0))
    throw std::invalid_argument("either labels of classes or numbers must be given");
  bough::Data data = to_data(held, n_rows, n_classes, label, weight, cases);
  data.y = data_of(y, n_rows, "y");
  std::vector<std::uint8_t> grown(n_rows, order ? 0 : 1);
  std::vector<std::uint32_t> rows;
  if (order) rows.assign(order->data(), order->data() + order->shape(0));
  for (std::uint32_t row : rows) {
    if (row >= n_rows || grown[row]) throw std::invalid_argument("order must name rows, each once");
    grown[row] = 1;
  }
  if (!any_row(data, grown.data())) throw std::invalid_argument("there is no row to grow on");
  bough::quinlan::RepOptions wanted;
  wanted.min_weight = nb::cast<double>(options["min_weight"]);
  wanted.min_variance = nb::cast<double>(options["min_variance"]);
  wanted.max_depth = nb::cast<int>(options["max_depth"]);
  auto tree = unlocked([&] {
    return bough::quinlan::grow_rep(data, grown.data(), rows, wanted, n_threads, monitor_of(progress));
  });
  return to_arrays(std::move(tree), n_classes > 0 ? n_classes : 1);
}

Output<std::uint8_t> fold_of_rows(const Given<std::int32_t>& label, std::int64_t n_rows, int n_folds,
                                  int fold, std::optional<std::int32_t> seed) {
  check_rows(n_rows);
  if (n_folds < 1 || fold < 0 || fold >= n_folds) throw std::invalid_argument("there is no such fold");
  const std::int32_t* labels = data_of(label, n_rows, "labels");
  return to_numpy(
      unlocked([&] { return bough::quinlan::fold_of_rows(labels, n_rows, n_folds, fold, seed); }));
}

Output<std::uint32_t> grown_rows(const Given<std::int32_t>& label, std::int64_t n_rows, int n_folds,
                                 std::int32_t seed, bool holds_out) {
  check_rows(n_rows);
  if (n_folds < 1) throw std::invalid_argument("there is no such fold");
  const std::int32_t* labels = data_of(label, n_rows, "labels");
  return to_numpy(
      unlocked([&] { return bough::quinlan::grown_rows(labels, n_rows, n_folds, seed, holds_out); }));
}

template <class Errors>
std::vector<double> expected(const Errors& extra, const double* weight, const double* errors, std::size_t n) {
  using T = typename Errors::Number;
  std::vector<double> sums(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const T w = static_cast<T>(weight[i]), e = static_cast<T>(errors[i]);
    if (w > 0) sums[i] = e + extra(w, e);
  }
  return sums;
}

Output<double> expected_errors(Input<double, 1> weight, Input<double, 1> errors, const std::string& estimate,
                               double confidence, double deviate) {
  const std::size_t n = weight.shape(0);
  if (errors.shape(0) != n) throw std::invalid_argument("weights and errors differ in length");
  if (estimate != "c4.5" && estimate != "j48") throw std::invalid_argument("unknown estimate " + estimate);
  if (estimate == "j48")
    return to_numpy(
        expected(bough::quinlan::WekaErrors(confidence, deviate), weight.data(), errors.data(), n));
  return to_numpy(
      expected(bough::quinlan::Release8Errors(confidence, deviate), weight.data(), errors.data(), n));
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
  m.def("spread", &spread, "tree"_a, "share"_a, "values"_a, "columns"_a, "n_rows"_a, "n_threads"_a,
        "Sums the values of the nodes where the parts of each row end.");
  m.def("collect", &collect, "tree"_a, "share"_a.none(), "figures"_a, "columns"_a, "n_rows"_a,
        "Sums the figures of the rows whose parts end in each node.");
  m.def("collect_classes", &collect_classes, "tree"_a, "share"_a.none(), "n_classes"_a, "label"_a,
        "weight"_a.none(), "columns"_a, "n_rows"_a,
        "Sums the weights of the rows whose parts end in each node, by class.");
  m.def("grow_rep", &grow_rep, "columns"_a, "n_rows"_a, "n_classes"_a, "label"_a.none(), "y"_a.none(),
        "weight"_a.none(), "cases"_a.none(), "order"_a.none(), "options"_a, "n_threads"_a,
        "progress"_a.none(), "Grows a tree as Weka's REPTree does; returns its arrays.");
  m.def("fold_of_rows", &fold_of_rows, "label"_a.none(), "n_rows"_a, "n_folds"_a, "fold"_a, "seed"_a.none(),
        "Which rows Weka puts into a fold.");
  m.def("grown_rows", &grown_rows, "label"_a.none(), "n_rows"_a, "n_folds"_a, "seed"_a, "holds_out"_a,
        "The rows REPTree grows on, in the order it takes them.");
  m.def("expected_errors", &expected_errors, "weight"_a, "errors"_a, "estimate"_a, "confidence"_a,
        "deviate"_a, "The errors to be expected of leaves of a weight that make some errors.");
}
