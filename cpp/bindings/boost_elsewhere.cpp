#include "bough/boost/boost_elsewhere.hpp"

#include <nanobind/stl/tuple.h>

#include "bins.hpp"
#include "boost.hpp"
#include "bough/boost/gradient_partition.hpp"
#include "watched.hpp"

namespace {

using namespace bough_python;

// Whether histograms keep all bits, and the factors of gradients and of hessians.
using Grid = std::tuple<bool, double, double>;
// Rows drawn, the greatest gradient and hessian, and the sum of all gradients' sizes.
using Range = std::tuple<std::int64_t, double, double, double>;
using Words = Output<std::uint64_t>;
using Bytes = Array<std::uint8_t>;

// What rows elsewhere answer.
template <class T>
T answer(nb::handle given) {
  T value{};
  check(nb::try_cast<T>(given, value), "rows gave an answer of the wrong type");
  return value;
}

bough::DistantRows::Histogram histogram_of(nb::handle given, std::size_t size) {
  const auto words = answer<Array<std::uint64_t>>(given);
  check(words.n() == size, "a histogram has the wrong length");
  return {words.begin(), words.end()};
}

bough::BoostTarget to_target(const Target& given, std::int64_t n_rows, int n_classes) {
  check(n_classes > 0 ? given.label.has_value() : given.y.has_value(), "the target is missing");
  const bough::BoostTarget target{n_rows, n_classes, entries(given.label, n_rows, "labels"),
                                  entries(given.y, n_rows, "y"), entries(given.weight, n_rows, "weights")};
  check_codes(target.label, n_rows, n_classes, "a label is no class");
  check_finite(target.y, n_rows, "y");
  check_weights(target.weight, n_rows, "weights");
  return target;
}

// Of rows that need not know each other.
std::unique_ptr<bough::Loss> to_loss(const bough::LossSettings& settings, const bough::BoostTarget& rows) {
  check(rows.n_classes >= 0, "the number of classes is negative");
  check(settings.name != "cox", "Cox's loss needs all rows in one place");
  return bough::make_loss(settings, rows);
}

void check_scores(const double* scores, std::size_t n) {
  if (!std::all_of(scores, scores + n, [](double each) { return std::isfinite(each); }))
    throw std::overflow_error("the scores of the loss are not finite");
}

// Rows of one partition, with the arrays that they look into.
class GradientPartition {
 public:
  GradientPartition(const bough::BinnedTable& bins, int n_classes, const Dict& target, const Dict& settings,
                    std::int64_t first_row, bool unit_weights, const std::vector<double>& start)
      : bins_(bins) {
    Reader(target, "target").read("label", given_.label, "y", given_.y, "weight", given_.weight);
    const bough::BoostSettings own = to_boost_settings(Reader(settings, "settings"), bins.columns.size());
    const bough::BoostTarget rows = to_target(given_, bins.n_rows, n_classes);
    check(static_cast<int>(start.size()) == to_loss(own.loss, rows)->n_scores(),
          "there is a start for each score");
    // The score of a class without weight starts from minus infinity.
    check(std::none_of(start.begin(), start.end(), [](double each) { return std::isnan(each); }),
          "a start is no number");
    check(first_row >= 0, "the first row is negative");
    check(!unit_weights || !rows.weight ||
              std::all_of(rows.weight, rows.weight + rows.n_rows, [](double w) { return w == 1; }),
          "a weight is not 1");
    own_ = std::make_unique<bough::GradientPartition>(bins, rows, own, static_cast<std::uint32_t>(first_row),
                                                      unit_weights, start);
  }

  void restart() { own_->restart(); }
  void begin_round(int round) { own_->begin_round(round); }

  Range range(int which) {
    check_score(which);
    const bough::DrawnRange found = own_->range(which);
    return {found.n_rows, found.range.most_gradient, found.range.most_hessian, found.range.sum_gradient};
  }

  std::tuple<std::int64_t, std::int64_t, std::int64_t> begin_tree(int round, int which, const Grid& grid) {
    check_score(which);
    for (const double scale : {std::get<1>(grid), std::get<2>(grid)})
      check(std::isfinite(scale) && scale > 0, "a scale is not positive");
    const bough::QuantizedSums sums =
        own_->begin_tree(round, which, {std::get<0>(grid), std::get<1>(grid), std::get<2>(grid)});
    return {sums.gradient, sums.hessian, sums.squares};
  }

  int n_parted() const { return own_->n_parted(); }

  void part(int leaf, int column, const Bytes& branch) {
    check(leaf >= 0 && leaf <= 2 * own_->n_parted(), "there is no such leaf");
    check_branches(column, branch.begin(), branch.n());
    const bough::PartRequest request{leaf, column, true, {branch.begin(), branch.end()}};
    nb::gil_scoped_release unlocked;
    own_->part(request);
  }

  std::int64_t count(int leaf) const { return own_->count(leaf); }
  Words histogram(int leaf) {
    bough::DistantRows::Histogram sums;
    {
      nb::gil_scoped_release unlocked;
      sums = own_->histogram(leaf);
    }
    return to_numpy(std::move(sums));
  }

  // The rows of a leaf, and the residual of each at a score.
  std::tuple<Output<std::uint32_t>, Output<double>> residuals(int which, int leaf) const {
    check_score(which);
    check(given_.y.has_value(), "classes have no residuals");
    std::vector<std::uint32_t> rows = own_->rows(leaf);
    std::vector<double> found;
    for (const std::uint32_t row : rows) found.push_back(own_->residual(which, row));
    return {to_numpy(std::move(rows)), to_numpy(std::move(found))};
  }

  void add(int which, const Dict& given) {
    check_score(which);
    Array<std::int32_t> column, first_child;
    Array<std::int64_t> first_branch;
    Bytes branch;
    Array<double> value;
    Reader(given, "tree")
        .read("column", column, "first_child", first_child, "first_branch", first_branch, "branch", branch,
              "value", value);
    check(column.n() >= 1, "a tree needs a node");
    check_lengths(column.n(), "arrays of nodes differ in length", first_child, first_branch, value);
    check_scores(value.data(), value.n());
    for (std::size_t i = 0; i < column.n(); ++i) {
      check(column[i] >= -1, "there is no such column");
      if (column[i] < 0) continue;
      check(first_child[i] > static_cast<std::int64_t>(i) &&
                static_cast<std::size_t>(first_child[i]) + 1 < column.n(),
            "a child is no node");
      check(first_branch[i] >= 0 && static_cast<std::size_t>(first_branch[i]) <= branch.n(),
            "branches are out of range");
      check(column[i] < static_cast<int>(bins_.columns.size()), "there is no such column");
      const auto many = static_cast<std::size_t>(bins_.columns[column[i]].n_codes());
      check(branch.n() - first_branch[i] >= many, "branches are out of range");
      check_branches(column[i], branch.begin() + first_branch[i], many);
    }
    const bough::CodedTree tree{{column.begin(), column.end()},
                                {first_child.begin(), first_child.end()},
                                {first_branch.begin(), first_branch.end()},
                                {branch.begin(), branch.end()},
                                {value.begin(), value.end()}};
    nb::gil_scoped_release unlocked;
    own_->add(which, tree);
  }

 private:
  void check_score(int which) const {
    check(which >= 0 && which < own_->n_scores(), "there is no such score");
  }

  void check_branches(int column, const std::uint8_t* branch, std::size_t n) const {
    check(column >= 0 && column < static_cast<int>(bins_.columns.size()), "there is no such column");
    check(n == static_cast<std::size_t>(bins_.columns[column].n_codes()), "each code has a branch");
    check(std::all_of(branch, branch + n, [](std::uint8_t each) { return each < 2; }),
          "a branch is not 0 or 1");
  }

  const bough::BinnedTable& bins_;
  Target given_;
  std::unique_ptr<bough::GradientPartition> own_;
};

// Rows that a Python object asks elsewhere.
class AskedRows final : public bough::BoostedRows {
 public:
  AskedRows(const nb::object& rows, const bough::BinnedTable& bins) : rows_(rows) {
    for (const bough::ColumnBins& column : bins.columns) n_codes_ += column.n_codes();
  }

  bough::DrawnRange range(int round, int which) override {
    nb::gil_scoped_acquire locked;
    const auto [n_rows, gradient, hessian, sum] = answer<Range>(rows_.attr("range")(round, which));
    return {n_rows, {gradient, hessian, sum}};
  }

  bough::RootReply begin(int round, int which, const bough::GradientGrid& grid) override {
    nb::gil_scoped_acquire locked;
    width_ = grid.wide ? bough::WideGradients::kWidth : bough::PackedGradients::kWidth;
    const nb::object reply =
        rows_.attr("begin")(round, which, Grid{grid.wide, grid.gradient_scale, grid.hessian_scale});
    const auto sum = [&](int i) { return answer<std::int64_t>(nb::object(reply[i])); };
    return {{sum(0), sum(1), sum(2)}, histogram_of(nb::object(reply[3]), n_codes_ * width_)};
  }

  std::vector<bough::PartReply> part(const std::vector<bough::PartRequest>& requests) override {
    nb::gil_scoped_acquire locked;
    nb::list asked;
    for (const bough::PartRequest& request : requests)
      asked.append(nb::make_tuple(request.leaf, request.column, request.counts_left,
                                  to_numpy(std::vector<std::uint8_t>(request.branch))));
    const nb::object replies = rows_.attr("part")(asked);
    std::vector<bough::PartReply> found;
    for (nb::handle reply : replies)
      found.push_back({answer<std::int64_t>(nb::object(reply[0])),
                       histogram_of(nb::object(reply[1]), n_codes_ * width_)});
    return found;
  }

  std::vector<double> quantiles(int which, const std::vector<int>& leaves, double share) override {
    nb::gil_scoped_acquire locked;
    return answer<std::vector<double>>(rows_.attr("quantiles")(which, leaves, share));
  }

  void add(int which, bough::CodedTree tree) override {
    nb::gil_scoped_acquire locked;
    nb::dict d;
    put(d, "column", tree.column, "first_child", tree.first_child, "first_branch", tree.first_branch,
        "branch", tree.branch, "value", tree.value);
    rows_.attr("add")(which, d);
  }

 private:
  nb::object rows_;
  std::size_t n_codes_ = 0, width_ = 1;
};

// n_rows: of the table of codes, which has a row for each code.
Dict boost_elsewhere(const ColumnList& columns, std::int64_t n_rows, int n_classes, const Dict& settings,
                     const bough::BinnedTable& bins, bool unit_weights, const nb::object& rows, int n_threads,
                     const Progress& progress) {
  const Table table(columns, n_rows);
  check_bins(bins, table);
  const bough::BoostSettings own = to_boost_settings(Reader(settings, "settings"), table.columns.size());
  check_directions(own, table.columns);
  checked_threads(n_threads);
  const auto loss = to_loss(own.loss, {0, n_classes});
  AskedRows asked(rows, bins);
  return joined(watched(progress, [&](const bough::Monitor& monitor) {
    return bough::boost_elsewhere(table.columns, bins, *loss, unit_weights, own, asked, n_threads, monitor);
  }));
}

bough::StartSums to_sums(int n_classes, const Array<double>& sums) {
  check(n_classes >= 0 && sums.n() == static_cast<std::size_t>(n_classes) + 2,
        "there are sums for each class");
  bough::StartSums all(n_classes);
  all.sum = sums[0];
  all.weight = sums[1];
  std::copy(sums.begin() + 2, sums.end(), all.of_class.begin());
  return all;
}

// Adds rows to the sums from which scores start: of y times weight, of weights, and of the weights of
// classes.
Output<double> add_start_sums(int n_classes, std::int64_t n_rows, const Dict& target,
                              const Array<double>& sums) {
  Target given;
  Reader(target, "target").read("label", given.label, "y", given.y, "weight", given.weight);
  const bough::BoostTarget rows = to_target(given, n_rows, n_classes);
  bough::StartSums all = to_sums(n_classes, sums);
  for (std::int64_t row = 0; row < n_rows; ++row) all.add(rows, row);
  std::vector<double> found = {all.sum, all.weight};
  found.insert(found.end(), all.of_class.begin(), all.of_class.end());
  return to_numpy(std::move(found));
}

std::vector<double> start_scores(int n_classes, std::size_t n_columns, const Dict& settings,
                                 const Array<double>& sums) {
  const bough::BoostSettings own = to_boost_settings(Reader(settings, "settings"), n_columns);
  check_scores(sums.data(), sums.n());
  return to_loss(own.loss, {0, n_classes})->start_of(to_sums(n_classes, sums));
}

}  // namespace

void init_boost_elsewhere(nb::module_& m) {
  using namespace nb::literals;
  m.def("boost_elsewhere", &boost_elsewhere, "columns"_a, "n_rows"_a, "n_classes"_a, "settings"_a, "bins"_a,
        "unit_weights"_a, "rows"_a, "n_threads"_a, "progress"_a.none(),
        "Boosts a sum of trees of rows that are asked for their sums; returns the arrays of all trees.");
  m.def("add_start_sums", &add_start_sums, "n_classes"_a, "n_rows"_a, "target"_a, "sums"_a,
        "Adds rows to the sums from which the scores of a loss start.");
  m.def("start_scores", &start_scores, "n_classes"_a, "n_columns"_a, "settings"_a, "sums"_a,
        "The scores of a loss before the first tree.");
  nb::class_<GradientPartition>(m, "GradientPartition", "Some of the rows of a boosted sum of trees.")
      .def(nb::init<const bough::BinnedTable&, int, const Dict&, const Dict&, std::int64_t, bool,
                    const std::vector<double>&>(),
           nb::keep_alive<1, 2>(), "bins"_a, "n_classes"_a, "target"_a, "settings"_a, "first_row"_a,
           "unit_weights"_a, "start"_a)
      .def("restart", &GradientPartition::restart, "Goes back to before the first tree.")
      .def("begin_round", &GradientPartition::begin_round, nb::call_guard<nb::gil_scoped_release>(),
           "round"_a, "Draws the rows of a round.")
      .def("range", &GradientPartition::range, nb::call_guard<nb::gil_scoped_release>(), "which"_a,
           "Rows drawn, the greatest gradient and hessian, and the sum of the sizes of gradients.")
      .def("begin_tree", &GradientPartition::begin_tree, nb::call_guard<nb::gil_scoped_release>(), "round"_a,
           "which"_a, "grid"_a, "Puts the gradients of a tree on its grid; returns their sums.")
      .def_prop_ro("n_parted", &GradientPartition::n_parted)
      .def("part", &GradientPartition::part, "leaf"_a, "column"_a, "branch"_a,
           "Parts the rows of a leaf; the n-th call of a tree makes the leaves 2n + 1 and 2n + 2.")
      .def("count", &GradientPartition::count, "leaf"_a, "The number of rows of a leaf.")
      .def("histogram", &GradientPartition::histogram, "leaf"_a, "The sums of a leaf by code, as bits.")
      .def("residuals", &GradientPartition::residuals, "which"_a, "leaf"_a,
           "The rows of a leaf, and the residual of each at a score.")
      .def("add", &GradientPartition::add, "which"_a, "tree"_a,
           "Adds the values of the leaves of a tree to a score.");
}
