#include "boost.hpp"

#include <algorithm>

#include "bins.hpp"
#include "bough/boost/gbm.hpp"
#include "bough/boost/tree_sum.hpp"
#include "bough/boost/vector_boost.hpp"
#include "term_bounds.hpp"
#include "watched.hpp"

namespace bough_python {

bough::BoostSettings to_boost_settings(const Reader& given, std::size_t n_columns) {
  bough::BoostSettings s;
  bough::BoostLimits& l = s.limits;
  given.read("loss", s.loss.name, "quantiles", s.loss.quantiles, "power", s.loss.power, "n_rounds",
             s.n_rounds, "first_round", s.first_round, "learning_rate", s.learning_rate, "row_share",
             s.row_share, "top_share", s.top_share, "drop_rate", s.drop_rate, "columns_by_tree",
             s.columns_by_tree, "seed", s.seed, "patience", s.patience, "tolerance", s.tolerance,
             "linear_leaves", s.linear_leaves, "ridge", s.ridge, "base_interval", s.base_interval,
             "gradient_splits", s.gradient_splits);
  given.read("max_depth", l.max_depth, "max_leaves", l.max_leaves, "min_samples_leaf", l.min_samples_leaf,
             "min_hessian", l.min_hessian, "min_gain", l.min_gain, "l1", l.l1, "l2", l.l2, "path_smoothing",
             l.path_smoothing, "max_step", l.max_step, "level_smoothing", l.level_smoothing, "level_l2",
             l.level_l2, "level_penalty", l.level_penalty, "monotonic", l.monotonic, "interactions",
             l.interactions, "most_on_path", l.most_on_path, "columns_by_level", l.columns_by_level,
             "columns_by_node", l.columns_by_node);
  given.read("max_leaves_by_round", s.max_leaves_by_round, "memory", s.memory);
  check(s.memory >= 0 && s.memory <= 1, "the memory is not in [0, 1]");
  for (const int leaves : s.max_leaves_by_round) check(leaves >= 1, "a tree needs a leaf");
  given.read("truncation", s.loss.truncation, "position_weights", s.loss.position_weights);
  s.order = named<bough::GrowthOrder>(
      given.get<std::string>("order"),
      {{"best_first", bough::GrowthOrder::best_first}, {"by_level", bough::GrowthOrder::by_level}}, "order");
  check(s.n_rounds >= 0 && s.first_round >= 0 && l.max_depth >= 0 && l.max_leaves >= 0 && s.patience >= 0 &&
            l.most_on_path >= 0 && s.base_interval >= 0,
        "a limit is negative");
  check(s.base_interval == 0 || !(s.linear_leaves || s.drop_rate > 0 || s.first_round > 0),
        "a base class has no linear leaves, no dropout and no rounds before");
  for (const double x :
       {s.learning_rate, l.min_samples_leaf, l.min_hessian, l.l1, l.l2, l.max_step, l.level_smoothing,
        l.level_l2, l.level_penalty, l.path_smoothing, s.tolerance, s.ridge})
    check(std::isfinite(x) && x >= 0, "a setting is negative or not finite");
  for (const double x : {s.row_share, s.columns_by_tree, l.columns_by_level, l.columns_by_node})
    check(x > 0 && x <= 1, "a share is not in (0, 1]");
  check(s.top_share >= 0 && s.top_share < s.row_share,
        "the share of top rows is not below that of all drawn");
  check(s.drop_rate >= 0 && s.drop_rate < 1, "the rate of dropout is not in [0, 1)");
  check(!s.loss.quantiles.empty(), "a quantile is needed");
  check(l.monotonic.empty() || l.monotonic.size() == n_columns, "each column needs a direction");
  for (const std::vector<int>& set : l.interactions)
    for (const int c : set) check(c >= 0 && c < static_cast<int>(n_columns), "a set names no column");
  return s;
}

void check_directions(const bough::BoostSettings& settings, const std::vector<bough::Column>& columns) {
  const std::vector<int>& directions = settings.limits.monotonic;
  for (std::size_t c = 0; c < directions.size(); ++c)
    check(directions[c] == 0 || columns[c].scale != bough::Scale::nominal,
          "levels without an order cannot be constrained");
}

namespace {

// An array of all trees, one after the other.
template <class T>
std::vector<T> joined_arrays(const std::vector<bough::GrownTree>& trees,
                             bough::RawVector<T> bough::GrownTree::* array) {
  std::vector<T> all;
  for (const bough::GrownTree& tree : trees)
    all.insert(all.end(), (tree.*array).begin(), (tree.*array).end());
  return all;
}

// -0.0 is 0.0: which of them a row beside the cut has depends on the order of rows.
std::vector<double> joined_neighbours(const std::vector<bough::GrownTree>& trees,
                                      bough::RawVector<double> bough::GrownTree::* array) {
  std::vector<double> all = joined_arrays(trees, array);
  for (double& value : all) value += 0.0;
  return all;
}

}  // namespace

nb::dict joined(const std::vector<bough::GrownTree>& trees) {
  using Tree = bough::GrownTree;
  std::vector<std::int64_t> tree_start = {0}, level_start = {0};
  for (const Tree& tree : trees) {
    const std::int64_t levels = level_start.back();
    for (std::size_t i = 1; i < tree.level_start.size(); ++i)
      level_start.push_back(levels + tree.level_start[i]);
    tree_start.push_back(tree_start.back() + static_cast<std::int64_t>(tree.parent.size()));
  }
  const auto all = [&](auto array) { return joined_arrays(trees, array); };
  nb::dict d;
  put(d, "tree_start", tree_start, "parent", all(&Tree::parent), "first_child", all(&Tree::first_child),
      "n_children", all(&Tree::n_children), "column", all(&Tree::column), "kind", all(&Tree::kind), "cut",
      all(&Tree::cut), "cut_below", joined_neighbours(trees, &Tree::cut_below), "cut_above",
      joined_neighbours(trees, &Tree::cut_above), "default_branch", all(&Tree::default_branch), "level_start",
      level_start, "level_code", all(&Tree::level_code), "level_branch", all(&Tree::level_branch), "weight",
      all(&Tree::weight), "cases", all(&Tree::cases), "gain", all(&Tree::gain), "value",
      all(&Tree::statistics));
  return d;
}

}  // namespace bough_python

namespace {

using namespace bough_python;

// Functions of the scores of all rows, which compute gradients and hessians, or
// losses; None: the loss is one of ours.
using OwnLoss = std::optional<nb::typed<nb::callable, nb::object(Output<double>)>>;

void copy_numbers(nb::handle from, std::int64_t n, double* to) {
  const auto numbers = nb::cast<Array<double>>(from);
  check(numbers.n() == static_cast<std::size_t>(n), "a loss of one's own returns a number for each row");
  std::copy(numbers.begin(), numbers.end(), to);
}

Output<double> scores_of(const double* score, std::int64_t n) {
  return to_numpy(std::vector<double>(score, score + n));
}

void set_own_loss(const OwnLoss& gradients, const OwnLoss& losses, std::int64_t n,
                  bough::LossSettings& loss) {
  if (gradients)
    loss.gradients = [&gradients, n](const double* score, double* gradient, double* hessian) {
      nb::gil_scoped_acquire locked;
      const nb::object both = (*gradients)(scores_of(score, n));
      copy_numbers(both[0], n, gradient);
      copy_numbers(both[1], n, hessian);
    };
  if (losses)
    loss.losses = [&losses, n](const double* score, double* loss) {
      nb::gil_scoped_acquire locked;
      copy_numbers((*losses)(scores_of(score, n)), n, loss);
    };
}

// A function of the rounds made and of the loss on the validation rows, or None.
using LossReport = std::optional<nb::typed<nb::callable, void(int, double)>>;

void set_report(const LossReport& report, bough::BoostSettings& settings) {
  if (report)
    settings.report_loss = [&report](int n_rounds, double loss) {
      nb::gil_scoped_acquire locked;
      (*report)(n_rounds, loss);
    };
}

// A function of the rounds made and of the scores of all rows (scores x rows), which says whether boosting
// ends, or None. All calls get the same array.
using EndsAfter = std::optional<nb::typed<nb::callable, bool(int, Output<double>)>>;

void set_end(const EndsAfter& ends_after, std::int64_t n_rows, std::size_t n_scores,
             bough::BoostSettings& settings) {
  if (!ends_after) return;
  const auto n = static_cast<std::size_t>(n_rows);
  const nb::object array = nb::cast(to_numpy(std::vector<double>(n * n_scores), {n_scores, n}));
  double* shown = nb::cast<nb::ndarray<double, nb::c_contig>>(array).data();
  settings.ends_after = [&ends_after, array, shown, n](int n_rounds, const std::vector<double*>& scores) {
    for (std::size_t k = 0; k < scores.size(); ++k) std::copy_n(scores[k], n, shown + k * n);
    nb::gil_scoped_acquire locked;
    const nb::object result = (*ends_after)(n_rounds, array);
    const int truth = PyObject_IsTrue(result.ptr());
    if (truth < 0) throw nb::python_error();
    return truth > 0;
  };
}

Dict boost(const ColumnList& columns, std::int64_t n_rows, int n_classes, const Dict& target,
           const Dict& settings, const bough::BinnedTable& bins, int n_threads, const Progress& progress,
           const OwnLoss& gradients, const OwnLoss& losses, const LossReport& report,
           const EndsAfter& ends_after) {
  const Table table(columns, n_rows);
  Target given;
  Optional<std::uint8_t> held_out;
  Optional<double> time, scores;
  Reader(target, "target")
      .read("label", given.label, "y", given.y, "weight", given.weight, "time", time, "validation", held_out,
            "scores", scores);
  const bough::Data data = to_data(table, n_classes, given);
  const std::uint8_t* validation = entries(held_out, n_rows, "validation");
  check_bins(bins, table);
  bough::BoostSettings own = to_boost_settings(Reader(settings, "settings"), table.columns.size());
  Optional<std::int32_t> group;
  Reader(target, "target").read("group", group);
  own.loss.group = entries(group, n_rows, "groups");
  check(!own.loss.group || n_classes == 0, "a ranking needs numbers");
  check_directions(own, table.columns);
  checked_threads(n_threads);
  set_own_loss(gradients, losses, n_rows, own.loss);
  set_report(report, own);
  check(!gradients || losses || !validation || ends_after, "validation needs the losses of rows");
  const bough::BoostTarget rows{n_rows, n_classes,   data.label,
                                data.y, data.weight, entries(time, n_rows, "times")};
  check(own.loss.name != "cox" || rows.time, "Cox's loss needs times");
  const std::size_t n_scores = bough::make_loss(own.loss, rows)->n_scores();
  const double* start = entries(scores, n_rows * static_cast<std::int64_t>(n_scores), "scores");
  set_end(ends_after, n_rows, n_scores, own);
  bough::BoostedTrees trees = watched(progress, [&](const bough::Monitor& monitor) {
    return bough::boost(table.columns, bins, rows, validation, start, own, n_threads, monitor);
  });
  Dict result;
  put(result, "start", trees.start, "validation_loss", trees.validation_loss);
  result["trees"] = joined(trees.trees);
  if (own.linear_leaves) {
    bough::NodeModels models;
    for (const bough::NodeModels& each : trees.models) models.append(each);
    nb::dict d;
    put(d, "intercept", models.intercept, "start", models.start, "column", models.column, "coefficient",
        models.coefficient, "substitute", models.substitute, "lowest", models.lowest, "highest",
        models.highest);
    result["models"] = d;
  }
  return result;
}

// Several numbers at once; y: rows x targets.
Dict boost_vectors(const ColumnList& columns, std::int64_t n_rows, const Array<double, 2>& y,
                   const Optional<double>& weight, const Optional<std::uint8_t>& held_out,
                   const Dict& settings, const bough::BinnedTable& bins, int n_threads,
                   const Progress& progress, const LossReport& report) {
  const Table table(columns, n_rows);
  check_bins(bins, table);
  const auto n = static_cast<std::size_t>(n_rows), k = y.shape(1);
  check(y.n() == n && k >= 1, "y needs a row of numbers for each row");
  check_finite(y.data(), y.size(), "y");
  std::vector<double> by_target(n * k);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < k; ++j) by_target[j * n + i] = y.data()[i * k + j];
  bough::BoostSettings own = to_boost_settings(Reader(settings, "settings"), table.columns.size());
  set_report(report, own);
  checked_threads(n_threads);
  const bough::VectorTarget target{n_rows, static_cast<int>(k), by_target.data(),
                                   entries(weight, n_rows, "weights")};
  check_weights(target.weight, n, "weights");
  const std::uint8_t* validation = entries(held_out, n_rows, "validation");
  bough::BoostedTrees trees = watched(progress, [&](const bough::Monitor& monitor) {
    return bough::boost_vectors(table.columns, bins, target, validation, own, n_threads, monitor);
  });
  Dict result;
  put(result, "start", trees.start, "validation_loss", trees.validation_loss);
  result["trees"] = joined(trees.trees);
  return result;
}

bough::GbmSettings to_gbm_settings(const Reader& given, std::size_t n_columns) {
  bough::GbmSettings s;
  given.read("loss", s.loss.name, "quantile", s.loss.quantile, "degrees", s.loss.degrees, "n_rounds",
             s.n_rounds, "learning_rate", s.learning_rate, "row_share", s.row_share, "seed", s.seed,
             "n_splits", s.limits.n_splits, "min_cases", s.limits.min_cases, "monotonic", s.limits.monotonic);
  check(s.n_rounds >= 0 && s.limits.n_splits >= 1 && s.limits.min_cases >= 1, "a limit is too small");
  check(std::isfinite(s.learning_rate) && s.learning_rate > 0, "the learning rate is not positive");
  check(s.row_share > 0 && s.row_share <= 1, "a share is not in (0, 1]");
  check(s.loss.quantile > 0 && s.loss.quantile < 1 && s.loss.degrees > 0, "a setting of the loss is wrong");
  check(s.limits.monotonic.empty() || s.limits.monotonic.size() == n_columns,
        "each column needs a direction");
  return s;
}

Dict boost_gbm(const ColumnList& columns, std::int64_t n_rows, int n_classes, const Array<double>& y,
               const Array<double>& weight, const Dict& settings, int n_threads, const Progress& progress) {
  const Table table(columns, n_rows);
  check(n_rows >= 1 && !table.columns.empty(), "a table needs a row and a column");
  check_lengths(static_cast<std::size_t>(n_rows), "y and weights need an entry for each row", y, weight);
  check_finite(y.data(), y.n(), "y");
  check_weights(weight.data(), weight.n(), "weights");
  for (const double each : y)
    check(n_classes == 0 || (each >= 0 && each < n_classes && each == std::floor(each)), "y is no class");
  const bough::GbmSettings own = to_gbm_settings(Reader(settings, "settings"), table.columns.size());
  checked_threads(n_threads);
  const bough::GbmTarget target{n_rows, n_classes, y.data(), weight.data()};
  bough::GbmTrees trees = watched(progress, [&](const bough::Monitor& monitor) {
    return bough::boost_gbm(table.columns, target, own, n_threads, monitor);
  });
  Dict result;
  put(result, "start", trees.start, "training_loss", trees.training_loss);
  result["trees"] = joined(trees.trees);
  return result;
}

// The linear models of n nodes, whose terms are of numeric columns.
bough::NodeModels to_models(const Dict& given, std::size_t n, const std::vector<int>& n_levels) {
  Array<double> intercept, coefficient, substitute;
  Array<std::int64_t> start;
  Array<std::int32_t> column;
  Reader(given, "models")
      .read("intercept", intercept, "start", start, "column", column, "coefficient", coefficient,
            "substitute", substitute);
  check_lengths(column.n(), "the arrays of the terms differ in length", coefficient, substitute);
  check(intercept.n() == n && start.n() == n + 1, "there must be a model for each node");
  check_starts(start, column.n(), "the terms of a node are out of range");
  check_codes(column.data(), static_cast<std::int64_t>(column.n()),
              static_cast<std::int64_t>(n_levels.size()), "a term's column is out of range");
  for (const std::int32_t each : column) check(n_levels[each] == 0, "a term's column is not numeric");
  check_finite(coefficient.data(), coefficient.n(), "coefficients");
  check_finite(substitute.data(), substitute.n(), "substitutes");
  const std::optional<TermBounds> bounds = TermBounds::of(given, column.n());
  bough::NodeModels models;
  models.intercept.assign(intercept.begin(), intercept.end());
  models.start.assign(start.begin(), start.end());
  models.column.assign(column.begin(), column.end());
  models.coefficient.assign(coefficient.begin(), coefficient.end());
  models.substitute.assign(substitute.begin(), substitute.end());
  if (bounds) {
    models.lowest.assign(bounds->lowest.begin(), bounds->lowest.end());
    models.highest.assign(bounds->highest.begin(), bounds->highest.end());
  }
  return models;
}

// Checked arrays of a sum of trees, which a file may hold.
class TreeSum {
 public:
  // vectors: every node has a value for each score.
  TreeSum(const Dict& trees, int n_scores, bool vectors, const std::vector<int>& n_levels,
          const std::optional<Dict>& models)
      : n_levels_(n_levels) {
    Array<std::int64_t> tree_start, level_start;
    Array<std::int32_t> first_child, n_children, column, default_branch, level_code, level_branch;
    Array<std::uint8_t> kind;
    Array<double> cut, value;
    Reader(trees, "trees")
        .read("tree_start", tree_start, "level_start", level_start, "first_child", first_child, "n_children",
              n_children, "column", column, "default_branch", default_branch, "level_code", level_code,
              "level_branch", level_branch, "kind", kind, "cut", cut, "value", value);
    const std::size_t n = first_child.n();
    check_lengths(n, "arrays of nodes differ in length", n_children, column, default_branch, kind, cut);
    const std::size_t width = vectors ? n_scores : 1;
    check(value.n() == n * width, "arrays of nodes differ in length");
    for (const double each : value) check(std::isfinite(each), "a value is not finite");
    check_lengths(level_code.n(), "levels and branches differ in number", level_branch);
    check(n < (std::size_t{1} << 31) && level_code.n() < (std::size_t{1} << 31), "there are too many nodes");
    check_starts(tree_start, n, "the starts of trees are wrong");
    check_starts(level_start, level_code.n(), "the starts of levels are wrong");
    check(level_start.n() == n + 1, "the starts of levels are wrong");
    check(n_scores >= 1, "a model needs a score");
    for (std::size_t t = 0; t + 1 < tree_start.n(); ++t) {
      const std::int64_t begin = tree_start[t], end = tree_start[t + 1];
      check(end > begin, "a tree has no node");
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t child = first_child[i];
        if (child < 0) continue;
        const std::int32_t many = n_children[i], missing = default_branch[i];
        check(many == 2 || (many == 3 && missing == 2),
              "a node has neither two children nor one for missing");
        check(child > i - begin && begin + child + many <= end, "a child is out of range");
        const std::int32_t c = column[i];
        check(c >= 0 && c < static_cast<std::int64_t>(n_levels.size()), "a column is out of range");
        check(missing >= -1 && missing < many, "a default branch is out of range");
        const bool is_cut = kind[i] == 1;
        check(is_cut || (kind[i] == 3 && n_levels[c] > 0), "a kind of split is not known");
        check(!is_cut || cut[i] == cut[i], "a cut is missing");
        check(!is_cut || level_start[i] == level_start[i + 1], "a threshold lists levels");
        for (std::int64_t l = level_start[i]; l < level_start[i + 1]; ++l)
          check(level_code[l] >= 0 && level_code[l] < n_levels[c] && level_branch[l] >= 0 &&
                    level_branch[l] <= 1,
                "a level is out of range");
      }
    }
    bough::TreeSumArrays arrays;
    arrays.n_trees = static_cast<std::int64_t>(tree_start.n()) - 1;
    check(vectors || arrays.n_trees % n_scores == 0, "each score needs as many trees");
    arrays.tree_start = tree_start.data();
    arrays.level_start = level_start.data();
    arrays.first_child = first_child.data();
    arrays.n_children = n_children.data();
    arrays.column = column.data();
    arrays.default_branch = default_branch.data();
    arrays.level_code = level_code.data();
    arrays.level_branch = level_branch.data();
    arrays.kind = kind.data();
    arrays.cut = cut.data();
    arrays.value = value.data();
    check(!models || !vectors, "models are of one score");
    bough::NodeModels linear;
    if (models) linear = to_models(*models, n, n_levels);
    sum_ = std::make_unique<bough::TreeSum>(arrays, n_scores, vectors, n_levels, models ? &linear : nullptr);
  }

  // scores: of the rows so far, n_rows x n_scores; returns them with the
  // answers of trees first to last added.
  Output<double> add(const ColumnList& columns, std::int64_t n_rows, const Array<double, 2>& scores,
                     std::int64_t first, std::int64_t last, int n_threads) const {
    const Table table(columns, n_rows);
    check_same_columns(table, n_levels_);
    check(first >= 0 && first <= last && last <= sum_->n_trees(), "there are not so many trees");
    const auto k = static_cast<std::size_t>(sum_->n_scores());
    check(scores.n() == static_cast<std::size_t>(n_rows) && scores.shape(1) == k,
          "scores have another shape");
    std::vector<double> sums(scores.begin(), scores.end());
    checked_threads(n_threads);
    {
      nb::gil_scoped_release unlocked;
      bough::Team team(n_rows * (last - first) < kTreesForTeam ? 1 : n_threads);
      sum_->add(table.columns, n_rows, first, last, sums.data(), team);
    }
    return to_numpy(std::move(sums), {static_cast<std::size_t>(n_rows), k});
  }

  // The same for a matrix of numbers, rows next to each other; all scores begin
  // with `start`.
  Output<double> add_matrix(const Array<double, 2>& matrix, const Array<double>& start, std::int64_t last,
                            int n_threads) const {
    const std::size_t n = matrix.n(), width = matrix.shape(1), k = start.n();
    check(width == n_levels_.size() &&
              std::count(n_levels_.begin(), n_levels_.end(), 0) == static_cast<std::ptrdiff_t>(width),
          "the matrix has other columns");
    check(k == static_cast<std::size_t>(sum_->n_scores()), "there is a start for each score");
    check(last >= 0 && last <= sum_->n_trees(), "there are not so many trees");
    std::vector<bough::Column> columns;
    for (std::size_t c = 0; c < width; ++c)
      columns.push_back({bough::Column::Type::float64, bough::Scale::numeric,
                         reinterpret_cast<const char*>(matrix.data() + c),
                         static_cast<std::int64_t>(width * sizeof(double))});
    std::vector<double> sums(n * k);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = start[i % k];
    checked_threads(n_threads);
    {
      nb::gil_scoped_release unlocked;
      const auto n_rows = static_cast<std::int64_t>(n);
      bough::Team team(n_rows * last < kTreesForTeam ? 1 : n_threads);
      sum_->add(columns, n_rows, 0, last, sums.data(), team);
    }
    return to_numpy(std::move(sums), {n, k});
  }

 private:
  // Rows times trees from which on threads are worth their start.
  static constexpr std::int64_t kTreesForTeam = 20000;

  std::vector<int> n_levels_;
  std::unique_ptr<bough::TreeSum> sum_;
};

}  // namespace

void init_boost(nb::module_& m) {
  using namespace nb::literals;
  m.def("boost", &boost, "columns"_a, "n_rows"_a, "n_classes"_a, "target"_a, "settings"_a, "bins"_a,
        "n_threads"_a, "progress"_a.none(), "gradients"_a.none() = nb::none(), "losses"_a.none() = nb::none(),
        "report"_a.none() = nb::none(), "ends_after"_a.none() = nb::none(),
        "Boosts a sum of trees on bins; returns its start and the arrays of "
        "all trees.");
  m.def("boost_vectors", &boost_vectors, "columns"_a, "n_rows"_a, "y"_a, "weight"_a.none(),
        "validation"_a.none(), "settings"_a, "bins"_a, "n_threads"_a, "progress"_a.none(),
        "report"_a.none() = nb::none(),
        "Boosts trees of several numbers at once on bins; returns their start "
        "and the arrays of all trees.");
  m.def("boost_gbm", &boost_gbm, "columns"_a, "n_rows"_a, "n_classes"_a, "y"_a, "weight"_a, "settings"_a,
        "n_threads"_a, "progress"_a.none(),
        "Boosts trees as R's gbm does; returns the start, the training loss "
        "and the arrays of all trees.");
  nb::class_<TreeSum>(m, "TreeSum", "A sum of trees that predicts scores.")
      .def(nb::init<const Dict&, int, bool, const std::vector<int>&, const std::optional<Dict>&>(), "trees"_a,
           "n_scores"_a, "vectors"_a, "n_levels"_a, "models"_a.none() = nb::none())
      .def("add", &TreeSum::add, "columns"_a, "n_rows"_a, "scores"_a, "first"_a, "last"_a, "n_threads"_a,
           "Adds the answers of some trees to the scores of rows.")
      .def("add_matrix", &TreeSum::add_matrix, "matrix"_a, "start"_a, "last"_a, "n_threads"_a,
           "Returns the scores of the rows of a matrix of numbers from the "
           "first trees.");
}
