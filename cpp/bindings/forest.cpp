#include <algorithm>
#include <memory>

#include "bough/forest/careful_walk.hpp"
#include "bough/forest/grow_forest.hpp"
#include "bough/forest/permute.hpp"
#include "bough/forest/quantile.hpp"
#include "bough/forest/survival_forest.hpp"
#include "bough/forest/tally.hpp"
#include "forest_model.hpp"
#include "names.hpp"
#include "table.hpp"
#include "watched.hpp"

namespace {

using namespace bough_python;

// The samples that Python gives, an array of counts or of weights (trees × rows), which it keeps alive.
void read_given(const Reader& given, bough::SampleDesign& design) {
  const auto counts = given.get<std::optional<Array<std::uint32_t, 2>>>("counts");
  const auto weights = given.get<std::optional<Array<double, 2>>>("weights");
  check(counts.has_value() != weights.has_value(), "a sample has counts or weights");
  check(static_cast<std::int64_t>(counts ? counts->shape(1) : weights->shape(1)) == design.n_rows,
        "each row needs a count");
  design.counts = counts ? counts->data() : nullptr;
  design.weights = weights ? weights->data() : nullptr;
  design.n_trees = static_cast<std::int64_t>(counts ? counts->shape(0) : weights->shape(0));
  given.read("first_tree", design.first_tree);
}

bough::SampleDesign to_design(const nb::dict& sample, std::int64_t n_rows) {
  using Draw = bough::SampleDesign::Draw;
  const Reader given(sample, "sample");
  bough::SampleDesign design;
  design.n_rows = checked_rows(n_rows);
  design.draw = named<Draw>(given.get<std::string>("draw"),
                            {{"all", Draw::all},
                             {"with_replacement", Draw::with_replacement},
                             {"without_replacement", Draw::without_replacement},
                             {"given", Draw::given}},
                            "draw");
  if (design.draw == Draw::given) {
    read_given(given, design);
    return design;
  }
  given.read("size", design.size);
  for (const std::int64_t size : design.size)
    check(size >= 0 && size < std::int64_t{1} << 31, "the size of a sample is out of range");
  if (const auto stratum = given.get<Optional<std::int32_t>>("stratum"))
    design.stratum.assign(stratum->begin(), stratum->end());
  return design;
}

bough::ForestRecipe to_recipe(const std::string& criterion, const Reader& given, int n_columns,
                              int n_targets) {
  bough::ForestRecipe recipe;
  bool random_splits = false, learn_missing = false;
  std::string nominal;
  bough::Limits& l = recipe.limits;
  given.read("random_splits", random_splits, "learn_missing", learn_missing, "nominal", nominal,
             "max_features", recipe.max_features, "tree_features", recipe.tree_features, "balance",
             recipe.balance, "seek", recipe.seek, "shuffle", recipe.shuffle, "gainless", recipe.gainless,
             "seeds", recipe.seeds, "max_exhaustive", recipe.max_exhaustive, "max_depth", l.max_depth,
             "monotonic", recipe.monotonic, "max_leaves", l.max_leaves, "min_cases_split", l.min_cases_split,
             "min_cases_leaf", l.min_cases_leaf, "min_weight_fraction_leaf", l.min_weight_fraction_leaf,
             "min_decrease", l.min_decrease);
  recipe.criterion = bough::criterion_named(criterion, n_targets);
  recipe.splitter = random_splits ? bough::Splitter::random : bough::Splitter::best;
  recipe.missing = learn_missing ? bough::ForestMissing::learned : bough::ForestMissing::majority;
  recipe.nominal = named<bough::ForestNominal>(nominal,
                                               {{"ordered", bough::ForestNominal::ordered},
                                                {"subset", bough::ForestNominal::subset},
                                                {"randomforest", bough::ForestNominal::randomforest}},
                                               "nominal");
  check(!recipe.criterion.reads_values() || recipe.nominal != bough::ForestNominal::randomforest,
        "absent levels have no side under absolute_error");
  check(!recipe.balance || recipe.criterion.reads_classes(), "only classes are balanced");
  check_exhaustive(recipe.max_exhaustive);
  check(recipe.max_features >= 1 && recipe.tree_features >= 0 && recipe.tree_features <= n_columns,
        "a number of columns is out of range");
  check(l.max_depth >= 0 && l.max_leaves >= 0, "a limit is negative");
  return recipe;
}

Dict to_dict(bough::PackedForest&& f, std::size_t n_columns) {
  const std::size_t n_trees = f.node_start.size() - 1, width = f.shape.width();
  const std::size_t n_leaves = f.cases.size();
  nb::dict d;
  d["wide"] = f.layout.wide;
  d["column_bits"] = f.layout.column_bits;
  d["leaf"] = to_numpy(std::move(f.leaf), {n_leaves, width});
  const std::size_t spread = f.shape.spread();
  d["leaf_totals"] =
      to_numpy(std::move(f.spread), {spread ? f.spread.size() / spread : 0, spread ? spread : 2});
  d["importance"] = to_numpy(std::move(f.importance), {n_trees, n_columns});
  put(d, "nodes", f.nodes, "gain", f.gain, "cases", f.cases, "special", f.special, "node_start", f.node_start,
      "leaf_start", f.leaf_start, "special_start", f.special_start);
  return d;
}

void check_levels(const bough::Data& data) {
  for (const bough::Column& column : data.columns)
    check(column.n_levels < 1 << 24, "a column of a forest may have at most 2^24 levels");
}

Dict grow_forest(const AnyColumns& columns, std::int64_t n_rows, int n_classes,
                 const Optional<std::int32_t>& label, const Optional<double>& y,
                 const Optional<double>& weight, const Optional<double>& cases, const std::string& criterion,
                 const Dict& recipe, const Dict& sample, std::uint64_t seed, int first_tree, int n_trees,
                 int n_threads, const Progress& progress, const std::vector<int>& targets) {
  const Table table(columns, n_rows);
  const bough::Data data = to_data(table, n_classes, {label, y, weight, cases, {}, {}, targets});
  check_levels(data);
  check(first_tree >= 0 && n_trees >= 0, "a number of trees is negative");
  const bough::ForestRecipe own =
      to_recipe(criterion, Reader(recipe, "recipe"), static_cast<int>(data.columns.size()), data.n_targets());
  check(own.criterion.reads_classes() == (n_classes > 0), "the criterion does not fit the target");
  check(own.seeds.empty() || own.seeds.size() == static_cast<std::size_t>(n_trees), "each tree needs a seed");
  check_directions(own.monotonic, data, own.criterion);
  check(!data.columns[0].sparse() || !own.criterion.reads_values(), "sparse columns have no medians");
  check(data.n_targets() == 1 || !own.criterion.reads_values(), "several targets have no medians");
  check_room_for_zeros(data, 1);
  const bough::SampleDesign design = to_design(sample, n_rows);
  checked_threads(n_threads);
  return to_dict(watched(progress,
                         [&](const bough::Monitor& monitor) {
                           return bough::grow_forest(data, own, design, seed, first_tree, n_trees, n_threads,
                                                     monitor);
                         }),
                 data.columns.size());
}

Dict grow_survival_forest(const AnyColumns& columns, std::int64_t n_rows, const Array<double>& time,
                          const Array<double>& event, const Optional<double>& weight,
                          const Optional<double>& cases, const std::string& criterion, const Dict& recipe,
                          const Dict& sample, std::uint64_t seed, int first_tree, int n_trees, int n_threads,
                          const Progress& progress) {
  const Table table(columns, n_rows);
  const bough::Data data = to_data(table, 0, {{}, event, weight, cases, {}, {}, {}});
  check_levels(data);
  check(!data.columns[0].sparse(), "forests of times take no sparse columns");
  check(static_cast<std::int64_t>(time.n()) == n_rows, "each row needs a time");
  check_finite(time.data(), time.n(), "times");
  check(first_tree >= 0 && n_trees >= 0, "a number of trees is negative");
  const bough::ForestRecipe own =
      to_recipe(criterion, Reader(recipe, "recipe"), static_cast<int>(data.columns.size()), 1);
  check(!own.criterion.reads_classes(), "the criterion does not fit the target");
  const bough::SampleDesign design = to_design(sample, n_rows);
  check(!design.weights, "forests of times take samples of counts");
  checked_threads(n_threads);
  return to_dict(watched(progress,
                         [&](const bough::Monitor& monitor) {
                           return bough::grow_survival_forest(data, time.data(), own, design, seed,
                                                              first_tree, n_trees, n_threads, monitor);
                         }),
                 data.columns.size());
}

Output<double> logrank_statistics(const Array<double>& time, const Array<double>& event,
                                  const Array<double>& weight) {
  check_lengths(time.n(), "each row needs a time, a status and a weight", event, weight);
  check_finite(time.data(), time.n(), "times");
  check_finite(event.data(), event.n(), "events");
  check_weights(weight.data(), weight.n(), "weights");
  return to_numpy(bough::logrank_statistics({time.begin(), time.end()}, {event.begin(), event.end()},
                                            {weight.begin(), weight.end()}));
}

// The rows to predict; holds on to the arrays they look into.
class RowsToPredict {
 public:
  RowsToPredict(const Forest& forest, const AnyColumns& columns, std::int64_t n_rows, int n_threads) {
    const std::vector<int>& n_levels = forest.view().n_levels;
    if (nb::isinstance<nb::list>(columns))
      check_same_columns(dense_.emplace(columns, n_rows), n_levels);
    else
      check_same_columns(sparse_.emplace(columns, n_rows), n_levels);
    checked_threads(n_threads);
  }

  bough::ForestTable table() const {
    return dense_ ? bough::ForestTable(dense_->columns) : bough::ForestTable(sparse_->rows);
  }

 private:
  std::optional<Table> dense_;
  std::optional<SparseRowTable> sparse_;
};

Dict tally(const Forest& forest, const AnyColumns& columns, std::int64_t n_rows, bool shares, bool votes,
           bool decide, const Optional<std::int32_t>& label, const Optional<double>& y, bool by_votes,
           const std::vector<double>& cutoff, const std::optional<Dict>& sample, std::uint64_t seed,
           int first_tree, int n_threads, const Progress& progress) {
  const RowsToPredict rows(forest, columns, n_rows, n_threads);
  const int n_classes = forest.view().n_classes;
  const std::size_t n = n_rows, k = forest.view().width;
  check(first_tree >= 0, "a number of trees is negative");
  std::optional<bough::Sampler> sampler;
  if (sample) sampler.emplace(to_design(*sample, n_rows));
  bough::TallyTask task{rows.table(), n_rows};
  task.sampler = sampler ? &*sampler : nullptr;
  task.seed = seed;
  task.first_tree = first_tree;
  task.shares = shares;
  task.votes = votes && n_classes;
  task.decide = decide && n_classes && !sampler;
  task.label = n_classes ? entries(label, n_rows, "labels") : nullptr;
  task.y = n_classes ? nullptr : entries(y, n_rows, "y");
  task.by_votes = by_votes;
  task.cutoff = cutoff;
  task.n_threads = n_threads;
  check(cutoff.empty() || cutoff.size() == k, "each class needs a cutoff");
  check(n_classes == 0 || shares || votes, "something must be summed");
  check(n_classes > 0 || k == 1 || !task.y, "errors are those of one target");
  check(!task.label || (by_votes ? votes : shares), "what the errors are graded by must be summed");
  check_codes(task.label, n_rows, n_classes, "a label is not that of a class");
  bough::Tally out = watched(
      progress, [&](const bough::Monitor& monitor) { return bough::tally(forest.walker(), task, monitor); });
  const std::size_t width = n_classes ? k + 1 : 1, steps = out.seen.size() / width;
  nb::dict d;
  d["share"] = to_numpy(std::move(out.share), {out.share.empty() ? 0 : n, k});
  d["vote"] = to_numpy(std::move(out.vote), {out.vote.empty() ? 0 : n, k});
  d["trees"] = to_numpy(std::move(out.trees));
  d["seen"] = to_numpy(std::move(out.seen), {steps, width});
  d["wrong"] = to_numpy(std::move(out.wrong), {steps, width});
  return d;
}

template <class T>
Output<double> sums_of_few(const Forest& forest, const Array<T, 2>& matrix) {
  const bough::ForestView& view = forest.view();
  const std::size_t n = matrix.n(), k = view.width;
  check(
      matrix.shape(1) == view.n_levels.size() && std::count(view.n_levels.begin(), view.n_levels.end(), 0) ==
                                                     static_cast<std::ptrdiff_t>(view.n_levels.size()),
      "the matrix has other columns");
  return to_numpy(bough::careful_sums(view, matrix.data(), static_cast<std::int64_t>(n)), {n, k});
}

Output<std::uint32_t> leaves(const Forest& forest, const AnyColumns& columns, std::int64_t n_rows,
                             int n_threads, const Progress& progress) {
  const RowsToPredict rows(forest, columns, n_rows, n_threads);
  const std::size_t n_trees = forest.view().n_trees, n = n_rows;
  return to_numpy(watched(progress,
                          [&](const bough::Monitor& monitor) {
                            return bough::leaves(forest.walker(), rows.table(), n_rows, n_threads, monitor);
                          }),
                  {n, n_trees});
}

Dict permute(const Forest& forest, const AnyColumns& columns, std::int64_t n_rows,
             const Optional<std::int32_t>& label, const Optional<double>& y, const Dict& sample,
             std::uint64_t seed, std::uint64_t shuffle_seed, bool by_case, int n_threads,
             const Progress& progress) {
  const Table table(columns, n_rows);
  check_same_columns(table, forest.view().n_levels);
  checked_threads(n_threads);
  const bough::ForestView& view = forest.view();
  const bough::Sampler sampler(to_design(sample, n_rows));
  bough::PermuteTask task{table.columns, n_rows, sampler, seed, shuffle_seed};
  task.label = entries(label, n_rows, "labels");
  task.y = entries(y, n_rows, "y");
  task.by_case = by_case;
  task.n_threads = n_threads;
  check(view.n_classes ? task.label != nullptr : task.y != nullptr && view.width == 1,
        "the truth of one target must be given");
  if (view.n_classes) check_codes(task.label, n_rows, view.n_classes, "a label is not that of a class");
  bough::Permuted out = watched(progress, [&](const bough::Monitor& monitor) {
    return bough::permute(forest.walker(), task, monitor);
  });
  const std::size_t n_columns = table.columns.size(), n_trees = view.n_trees,
                    width = view.n_classes ? view.n_classes + 1 : 1;
  nb::dict d;
  d["drop"] = to_numpy(std::move(out.drop), {n_trees, n_columns, width});
  const std::size_t n = by_case ? n_rows : 0;
  d["by_case"] = to_numpy(std::move(out.by_case), {n, n_columns});
  d["times"] = to_numpy(std::move(out.times));
  return d;
}

Output<double> quantiles(const Forest& forest, const AnyColumns& columns, std::int64_t n_rows,
                         const Array<std::int64_t>& start, const Array<std::uint32_t>& rank,
                         const Array<float>& weight, const std::vector<double>& values,
                         const std::vector<double>& wanted, int n_threads, const Progress& progress) {
  const RowsToPredict rows(forest, columns, n_rows, n_threads);
  const bough::ForestView& view = forest.view();
  const char* misfit = "the members of the leaves do not fit the forest";
  check_starts(start, rank.n(), "the members of a leaf are out of range");
  check_lengths(view.leaf_start[view.n_trees] + 1, misfit, start);
  check_lengths(rank.n(), misfit, weight);
  for (std::size_t l = 0; l + 1 < start.n(); ++l) check(start[l] < start[l + 1], "a leaf has no member");
  for (std::size_t m = 0; m < rank.n(); ++m)
    check(rank[m] < values.size() && weight[m] > 0, "a member of a leaf is out of range");
  check(view.n_trees > 0, "a forest without trees has no quantiles");
  const bough::LeafMembers members{start.data(), rank.data(), weight.data()};
  return to_numpy(watched(progress,
                          [&](const bough::Monitor& monitor) {
                            return bough::quantiles(forest.walker(), members, values, rows.table(), n_rows,
                                                    wanted, n_threads, monitor);
                          }),
                  {static_cast<std::size_t>(n_rows), wanted.size()});
}

Output<std::uint32_t> draws(const Dict& sample, std::int64_t n_rows, std::uint64_t seed, int first_tree,
                            int n_trees) {
  check(first_tree >= 0 && n_trees >= 0, "a number of trees is negative");
  const bough::Sampler sampler(to_design(sample, n_rows));
  std::vector<std::uint32_t> out(static_cast<std::size_t>(n_rows) * n_trees), count;
  for (int t = 0; t < n_trees; ++t) {
    sampler.draw(seed, static_cast<std::uint64_t>(first_tree) + t, count);
    for (std::int64_t i = 0; i < n_rows; ++i) out[static_cast<std::size_t>(i) * n_trees + t] = count[i];
  }
  return to_numpy(std::move(out), {static_cast<std::size_t>(n_rows), static_cast<std::size_t>(n_trees)});
}

}  // namespace

void init_forest(nb::module_& m) {
  using namespace nb::literals;
  m.def("grow_forest", &grow_forest, "columns"_a, "n_rows"_a, "n_classes"_a, "label"_a.none(), "y"_a.none(),
        "weight"_a.none(), "cases"_a.none(), "criterion"_a, "recipe"_a, "sample"_a, "seed"_a, "first_tree"_a,
        "n_trees"_a, "n_threads"_a, "progress"_a.none(), "targets"_a = std::vector<int>{},
        "Grows some trees of a forest; returns its arrays.");
  m.def("grow_survival_forest", &grow_survival_forest, "columns"_a, "n_rows"_a, "time"_a, "event"_a,
        "weight"_a.none(), "cases"_a.none(), "criterion"_a, "recipe"_a, "sample"_a, "seed"_a, "first_tree"_a,
        "n_trees"_a, "n_threads"_a, "progress"_a.none(),
        "Grows some trees of a forest of censored times; returns its arrays.");
  m.def("logrank_statistics", &logrank_statistics, "time"_a, "event"_a, "weight"_a,
        "The log-rank statistic of each split of rows in this order: those up to a row against the others.");
  m.def("draws", &draws, "sample"_a, "n_rows"_a, "seed"_a, "first_tree"_a, "n_trees"_a,
        "How often each row was drawn for each tree.");
  nb::class_<Forest>(m, "Forest", "The packed trees of a forest, ready for prediction.")
      .def(nb::new_(&make_forest), "nodes"_a, "wide"_a, "column_bits"_a, "leaf"_a, "special"_a,
           "node_start"_a, "leaf_start"_a, "special_start"_a, "n_levels"_a, "n_classes"_a, "n_threads"_a)
      .def("tally", &tally, "columns"_a, "n_rows"_a, "shares"_a, "votes"_a, "decide"_a, "label"_a.none(),
           "y"_a.none(), "by_votes"_a, "cutoff"_a, "sample"_a.none(), "seed"_a, "first_tree"_a, "n_threads"_a,
           "progress"_a.none(), "Sums the answers of the trees for each row.")
      .def("check_nodes", &Forest::check_nodes, "Checks that the nodes of each tree make one tree.")
      .def("sums_of_few", &sums_of_few<float>, "matrix"_a)
      .def("sums_of_few", &sums_of_few<double>, "matrix"_a,
           "Sums the class shares or the means of the trees for few rows of numbers.")
      .def("leaves", &leaves, "columns"_a, "n_rows"_a, "n_threads"_a, "progress"_a.none(),
           "The leaf of each row in each tree.")
      .def("permute", &permute, "columns"_a, "n_rows"_a, "label"_a.none(), "y"_a.none(), "sample"_a, "seed"_a,
           "shuffle_seed"_a, "by_case"_a, "n_threads"_a, "progress"_a.none(),
           "The fall of each tree's accuracy when a column is permuted.")
      .def("quantiles", &quantiles, "columns"_a, "n_rows"_a, "start"_a, "rank"_a, "weight"_a, "values"_a,
           "wanted"_a, "n_threads"_a, "progress"_a.none(), "Quantiles of y for each row.");
}
