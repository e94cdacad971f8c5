#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bough/forest/grow_forest.hpp"
#include "bough/forest/permute.hpp"
#include "bough/forest/quantile.hpp"
#include "bough/forest/tally.hpp"
#include "columns.hpp"
#include "monitor.hpp"
#include "names.hpp"

namespace {

using namespace bough_python;

void check(bool right, const char* wrong) {
  if (!right) throw std::invalid_argument(wrong);
}

bough::SampleDesign to_design(const nb::dict& sample, std::int64_t n_rows) {
  bough::SampleDesign design;
  design.n_rows = n_rows;
  const auto draw = nb::cast<std::string>(sample["draw"]);
  design.draw = draw == "all"                ? bough::SampleDesign::Draw::all
                : draw == "with_replacement" ? bough::SampleDesign::Draw::with_replacement
                                             : bough::SampleDesign::Draw::without_replacement;
  design.size = nb::cast<std::vector<std::int64_t>>(sample["size"]);
  if (!sample["stratum"].is_none()) {
    const auto stratum = nb::cast<Input<std::int32_t, 1>>(sample["stratum"]);
    design.stratum.assign(stratum.data(), stratum.data() + stratum.shape(0));
  }
  return design;
}

bough::ForestRecipe to_recipe(const std::string& criterion, const nb::dict& given, int n_columns) {
  bough::ForestRecipe recipe;
  recipe.criterion = bough::criterion_named(criterion);
  check(!recipe.criterion.reads_values(), "forests know no absolute_error");
  recipe.splitter = nb::cast<bool>(given["random_splits"]) ? bough::Splitter::random : bough::Splitter::best;
  recipe.missing =
      nb::cast<bool>(given["learn_missing"]) ? bough::ForestMissing::learned : bough::ForestMissing::majority;
  recipe.nominal =
      nb::cast<bool>(given["best_sets"]) ? bough::ForestNominal::subset : bough::ForestNominal::ordered;
  recipe.max_features = nb::cast<int>(given["max_features"]);
  recipe.tree_features = nb::cast<int>(given["tree_features"]);
  recipe.balance = nb::cast<bool>(given["balance"]);
  check(!recipe.balance || recipe.criterion.reads_classes(), "only classes are balanced");
  recipe.seek = nb::cast<bool>(given["seek"]);
  recipe.max_exhaustive = nb::cast<int>(given["max_exhaustive"]);
  check_exhaustive(recipe.max_exhaustive);
  check(recipe.max_features >= 1 && recipe.tree_features >= 0 && recipe.tree_features <= n_columns,
        "a number of columns is out of range");
  bough::Limits& l = recipe.limits;
  l.max_depth = nb::cast<int>(given["max_depth"]);
  l.max_leaves = nb::cast<int>(given["max_leaves"]);
  l.min_cases_split = nb::cast<double>(given["min_cases_split"]);
  l.min_cases_leaf = nb::cast<double>(given["min_cases_leaf"]);
  l.min_weight_fraction_leaf = nb::cast<double>(given["min_weight_fraction_leaf"]);
  l.min_decrease = nb::cast<double>(given["min_decrease"]);
  return recipe;
}

nb::dict to_arrays(bough::PackedForest&& f, std::size_t n_columns) {
  const std::size_t n_trees = f.node_start.size() - 1, width = f.width;
  const std::size_t n_leaves = f.cases.size();
  nb::dict d;
  d["wide"] = f.layout.wide;
  d["column_bits"] = f.layout.column_bits;
  d["nodes"] = to_numpy(std::move(f.nodes));
  d["gain"] = to_numpy(std::move(f.gain));
  d["leaf"] = to_numpy(std::move(f.leaf), {n_leaves, width});
  d["spread"] = to_numpy(std::move(f.spread), {f.spread.size() / 2, 2});
  d["cases"] = to_numpy(std::move(f.cases));
  d["special"] = to_numpy(std::move(f.special));
  d["node_start"] = to_numpy(std::move(f.node_start));
  d["leaf_start"] = to_numpy(std::move(f.leaf_start));
  d["special_start"] = to_numpy(std::move(f.special_start));
  d["importance"] = to_numpy(std::move(f.importance), {n_trees, n_columns});
  return d;
}

nb::dict grow_forest(const nb::list& columns, std::int64_t n_rows, int n_classes,
                     const Given<std::int32_t>& label, const Given<double>& y, const Given<double>& weight,
                     const Given<double>& cases, const std::string& criterion, const nb::dict& recipe,
                     const nb::dict& sample, std::uint64_t seed, int first_tree, int n_trees, int n_threads,
                     const nb::object& progress) {
  constexpr std::int64_t kMostRows = (std::int64_t{1} << 31) - 4096;
  check(n_rows >= 1 && n_rows <= kMostRows, "a table in memory may have 1 to 2^31 - 4096 rows");
  check(first_tree >= 0 && n_trees >= 0, "a number of trees is negative");
  const GivenColumns held = to_columns(columns, n_rows);
  bough::Data data;
  data.columns = held.views;
  check(!data.columns.empty(), "a table needs a column");
  for (const bough::Column& column : data.columns)
    check(column.n_levels < 1 << 24, "a column of a forest may have at most 2^24 levels");
  data.n_rows = n_rows;
  data.n_classes = n_classes;
  data.label = data_of(label, n_rows, "labels");
  data.y = data_of(y, n_rows, "y");
  data.weight = data_of(weight, n_rows, "weights");
  data.cases = data_of(cases, n_rows, "cases");
  check((data.label != nullptr) != (data.y != nullptr) && (data.label != nullptr) == (n_classes > 0),
        "either labels of classes or numbers must be given");
  for (std::int64_t i = 0; data.label && i < n_rows; ++i)
    check(data.label[i] >= 0 && data.label[i] < n_classes, "a label is not that of a class");
  const auto n_columns = static_cast<int>(data.columns.size());
  const bough::ForestRecipe own = to_recipe(criterion, recipe, n_columns);
  check(own.criterion.reads_classes() == (n_classes > 0), "the criterion does not fit the target");
  const bough::SampleDesign design = to_design(sample, n_rows);
  return to_arrays(unlocked([&] {
                     return bough::grow_forest(data, own, design, seed, first_tree, n_trees, n_threads,
                                               monitor_of(progress));
                   }),
                   data.columns.size());
}

// A forest ready to be asked; it holds on to the arrays it looks into.
struct Forest {
  Input<std::uint64_t, 1> nodes;
  Input<double, 2> leaf;
  Input<std::uint32_t, 1> special;
  Input<std::int64_t, 1> node_start, leaf_start, special_start;
  std::unique_ptr<bough::ForestWalker> walker;
};

void check_starts(const Input<std::int64_t, 1>& start, std::size_t size, const char* wrong) {
  check(start.shape(0) >= 1 && start.data()[0] == 0, wrong);
  for (std::size_t t = 1; t < start.shape(0); ++t) check(start.data()[t] >= start.data()[t - 1], wrong);
  check(static_cast<std::size_t>(start.data()[start.shape(0) - 1]) == size, wrong);
}

void check_special(const bough::ForestView& v, int tree, std::uint64_t word, int n_levels) {
  const std::int64_t begin = v.special_start[tree], size = v.special_start[tree + 1] - begin;
  const auto at = static_cast<std::int64_t>(word >> bough::NodeLayout::kUpper);
  check(at + 2 <= size, "a special split is out of range");
  const std::uint32_t* s = v.special + begin + at;
  check(s[0] <= 2 && at + 2 + static_cast<std::int64_t>(s[1]) <= size, "a special split is out of range");
  check((s[0] == 2) == (n_levels == 0) || s[0] == 2, "levels are split of a column that has none");
  check(s[0] != 2 || s[1] == 2, "a cut has two words");
}

// Whether the nodes of a tree are sound is summed without branches: forests have millions of them.
void check_tree(const bough::ForestView& v, int t) {
  const bough::NodeLayout& layout = v.layout;
  const std::int64_t n = v.node_start[t + 1] - v.node_start[t],
                     n_leaves = v.leaf_start[t + 1] - v.leaf_start[t];
  check(n >= 1, "a tree has no node");
  const std::uint64_t* node = v.nodes + v.node_start[t] * layout.words();
  bool column_wrong = false, child_wrong = false, leaf_wrong = false, special = false;
  for (std::int64_t i = 0; i < n; ++i, node += layout.words()) {
    const bool leaf = layout.is_leaf(node[0]);
    const std::int64_t child = layout.child(node);
    column_wrong |= static_cast<std::size_t>(layout.column(node[0])) >= v.n_levels.size();
    child_wrong |= !leaf & ((child <= i) | (child + 1 >= n));
    leaf_wrong |= leaf & ((child != i) | ((node[0] & bough::NodeLayout::kRight) != 0) |
                          (layout.leaf(node) >= n_leaves));
    special |= (node[0] & bough::NodeLayout::kSpecial) != 0;
  }
  check(!column_wrong, "a column is out of range");
  check(!child_wrong, "a child is out of range");
  check(!leaf_wrong, "a leaf is out of range or has a split");
  for (std::int64_t i = 0; special && i < n; ++i) {
    const std::uint64_t word = v.nodes[(v.node_start[t] + i) * layout.words()];
    if (word & bough::NodeLayout::kSpecial) check_special(v, t, word, v.n_levels[layout.column(word)]);
  }
}

Forest make_forest(Input<std::uint64_t, 1> nodes, bool wide, int column_bits, Input<double, 2> leaf,
                   Input<std::uint32_t, 1> special, Input<std::int64_t, 1> node_start,
                   Input<std::int64_t, 1> leaf_start, Input<std::int64_t, 1> special_start,
                   const std::vector<int>& n_levels, int n_classes) {
  bough::ForestView v;
  v.layout.wide = wide;
  v.layout.column_bits = column_bits;
  check(column_bits >= 1 && column_bits <= bough::NodeLayout::kWideColumnBits &&
            (!wide || column_bits == bough::NodeLayout::kWideColumnBits),
        "no such layout of nodes");
  v.n_trees = static_cast<int>(node_start.shape(0)) - 1;
  v.n_classes = n_classes;
  v.width = n_classes ? n_classes : 1;
  check(leaf.shape(1) == static_cast<std::size_t>(v.width) && nodes.shape(0) % v.layout.words() == 0 &&
            !n_levels.empty(),
        "the arrays of a forest do not fit each other");
  check(leaf_start.shape(0) == node_start.shape(0) && special_start.shape(0) == node_start.shape(0),
        "the arrays of a forest differ in trees");
  check_starts(node_start, nodes.shape(0) / v.layout.words(), "the nodes of a tree are out of range");
  check_starts(leaf_start, leaf.shape(0), "the leaves of a tree are out of range");
  check_starts(special_start, special.shape(0), "the special splits of a tree are out of range");
  v.nodes = nodes.data();
  v.leaf = leaf.data();
  v.special = special.data();
  v.node_start = node_start.data();
  v.leaf_start = leaf_start.data();
  v.special_start = special_start.data();
  v.n_levels = n_levels;
  for (int t = 0; t < v.n_trees; ++t) check_tree(v, t);
  return {
      nodes, leaf, special, node_start, leaf_start, special_start, std::make_unique<bough::ForestWalker>(v)};
}

GivenColumns checked_columns(const Forest& forest, const nb::list& columns, std::int64_t n_rows) {
  GivenColumns given = to_columns(columns, n_rows);
  const std::vector<int>& n_levels = forest.walker->forest().n_levels;
  check(given.views.size() == n_levels.size(), "the table has another number of columns than the forest");
  for (std::size_t c = 0; c < n_levels.size(); ++c)
    check(given.views[c].n_levels == n_levels[c], "a column has another number of levels than the forest's");
  return given;
}

nb::dict tally(const Forest& forest, const nb::list& columns, std::int64_t n_rows, bool shares, bool votes,
               bool decide, const Given<std::int32_t>& label, const Given<double>& y, bool by_votes,
               const std::vector<double>& cutoff, const std::optional<nb::dict>& sample, std::uint64_t seed,
               int first_tree, int n_threads, const nb::object& progress) {
  check(first_tree >= 0, "a number of trees is negative");
  const GivenColumns given = checked_columns(forest, columns, n_rows);
  const bough::ForestView& view = forest.walker->forest();
  const std::size_t n = n_rows, k = std::max(1, view.n_classes);
  std::optional<bough::Sampler> sampler;
  if (sample) sampler.emplace(to_design(*sample, n_rows));
  bough::TallyTask task{given.views, n_rows};
  task.sampler = sampler ? &*sampler : nullptr;
  task.seed = seed;
  task.first_tree = first_tree;
  task.shares = shares;
  task.votes = votes && view.n_classes;
  task.decide = decide && view.n_classes && !sampler;
  task.label = view.n_classes ? data_of(label, n_rows, "labels") : nullptr;
  task.y = view.n_classes ? nullptr : data_of(y, n_rows, "y");
  task.by_votes = by_votes;
  task.cutoff = cutoff;
  task.n_threads = n_threads;
  check(cutoff.empty() || cutoff.size() == k, "each class needs a cutoff");
  check(view.n_classes == 0 || shares || votes, "something must be summed");
  check(!task.label || (by_votes ? votes : shares), "what the errors are graded by must be summed");
  for (std::size_t i = 0; task.label && i < n; ++i)
    check(task.label[i] >= 0 && task.label[i] < view.n_classes, "a label is not that of a class");
  bough::Tally out = unlocked([&] { return bough::tally(*forest.walker, task, monitor_of(progress)); });
  const std::size_t width = view.n_classes ? k + 1 : 1, steps = out.seen.size() / width;
  nb::dict d;
  d["share"] = to_numpy(std::move(out.share), {out.share.empty() ? 0 : n, k});
  d["vote"] = to_numpy(std::move(out.vote), {out.vote.empty() ? 0 : n, k});
  d["trees"] = to_numpy(std::move(out.trees));
  d["seen"] = to_numpy(std::move(out.seen), {steps, width});
  d["wrong"] = to_numpy(std::move(out.wrong), {steps, width});
  return d;
}

Output<std::uint32_t> leaves(const Forest& forest, const nb::list& columns, std::int64_t n_rows,
                             int n_threads, const nb::object& progress) {
  const GivenColumns given = checked_columns(forest, columns, n_rows);
  const std::size_t n_trees = forest.walker->forest().n_trees, n = n_rows;
  auto out = unlocked(
      [&] { return bough::leaves(*forest.walker, given.views, n_rows, n_threads, monitor_of(progress)); });
  return to_numpy(std::move(out), {n, n_trees});
}

nb::dict permute(const Forest& forest, const nb::list& columns, std::int64_t n_rows,
                 const Given<std::int32_t>& label, const Given<double>& y, const nb::dict& sample,
                 std::uint64_t seed, std::uint64_t shuffle_seed, bool by_case, int n_threads,
                 const nb::object& progress) {
  const GivenColumns given = checked_columns(forest, columns, n_rows);
  const bough::ForestView& view = forest.walker->forest();
  const bough::Sampler sampler(to_design(sample, n_rows));
  bough::PermuteTask task{given.views, n_rows, sampler, seed, shuffle_seed};
  task.label = data_of(label, n_rows, "labels");
  task.y = data_of(y, n_rows, "y");
  task.by_case = by_case;
  task.n_threads = n_threads;
  check(view.n_classes ? task.label != nullptr : task.y != nullptr, "the truth must be given");
  for (std::int64_t i = 0; view.n_classes && i < n_rows; ++i)
    check(task.label[i] >= 0 && task.label[i] < view.n_classes, "a label is not that of a class");
  bough::Permuted out = unlocked([&] { return bough::permute(*forest.walker, task, monitor_of(progress)); });
  const std::size_t n_columns = given.views.size(), n_trees = view.n_trees,
                    width = view.n_classes ? view.n_classes + 1 : 1;
  nb::dict d;
  d["drop"] = to_numpy(std::move(out.drop), {n_trees, n_columns, width});
  const std::size_t n = by_case ? n_rows : 0;
  d["by_case"] = to_numpy(std::move(out.by_case), {n, n_columns});
  d["times"] = to_numpy(std::move(out.times));
  return d;
}

Output<double> quantiles(const Forest& forest, const nb::list& columns, std::int64_t n_rows,
                         Input<std::int64_t, 1> start, Input<std::uint32_t, 1> rank, Input<float, 1> weight,
                         const std::vector<double>& values, const std::vector<double>& wanted, int n_threads,
                         const nb::object& progress) {
  const GivenColumns given = checked_columns(forest, columns, n_rows);
  const bough::ForestView& view = forest.walker->forest();
  check_starts(start, rank.shape(0), "the members of a leaf are out of range");
  check(static_cast<std::int64_t>(start.shape(0)) == view.leaf_start[view.n_trees] + 1 &&
            weight.shape(0) == rank.shape(0),
        "the members of the leaves do not fit the forest");
  for (std::size_t l = 0; l + 1 < start.shape(0); ++l)
    check(start.data()[l] < start.data()[l + 1], "a leaf has no member");
  for (std::size_t m = 0; m < rank.shape(0); ++m)
    check(rank.data()[m] < values.size() && weight.data()[m] > 0, "a member of a leaf is out of range");
  const bough::LeafMembers members{start.data(), rank.data(), weight.data()};
  auto out = unlocked([&] {
    return bough::quantiles(*forest.walker, members, values, given.views, n_rows, wanted, n_threads,
                            monitor_of(progress));
  });
  return to_numpy(std::move(out), {static_cast<std::size_t>(n_rows), wanted.size()});
}

Output<std::uint32_t> draws(const nb::dict& sample, std::int64_t n_rows, std::uint64_t seed, int first_tree,
                            int n_trees) {
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
        "n_trees"_a, "n_threads"_a, "progress"_a.none(), "Grows some trees of a forest; returns its arrays.");
  m.def("draws", &draws, "sample"_a, "n_rows"_a, "seed"_a, "first_tree"_a, "n_trees"_a,
        "How often each row is in the bag of each tree.");
  nb::class_<Forest>(m, "Forest", "The packed trees of a forest, ready to be asked.")
      .def(nb::new_(&make_forest), "nodes"_a, "wide"_a, "column_bits"_a, "leaf"_a, "special"_a,
           "node_start"_a, "leaf_start"_a, "special_start"_a, "n_levels"_a, "n_classes"_a)
      .def("tally", &tally, "columns"_a, "n_rows"_a, "shares"_a, "votes"_a, "decide"_a, "label"_a.none(),
           "y"_a.none(), "by_votes"_a, "cutoff"_a, "sample"_a.none(), "seed"_a, "first_tree"_a, "n_threads"_a,
           "progress"_a.none(), "What the trees say of each row, summed.")
      .def("leaves", &leaves, "columns"_a, "n_rows"_a, "n_threads"_a, "progress"_a.none(),
           "The leaf of each row in each tree.")
      .def("permute", &permute, "columns"_a, "n_rows"_a, "label"_a.none(), "y"_a.none(), "sample"_a, "seed"_a,
           "shuffle_seed"_a, "by_case"_a, "n_threads"_a, "progress"_a.none(),
           "How much worse each tree answers when a column is shuffled.")
      .def("quantiles", &quantiles, "columns"_a, "n_rows"_a, "start"_a, "rank"_a, "weight"_a, "values"_a,
           "wanted"_a, "n_threads"_a, "progress"_a.none(), "Quantiles of y for each row.");
}
