#include "bough/grow/grow.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>

#include "bough/data/presort.hpp"
#include "bough/grow/distinct_rows.hpp"
#include "bough/grow/level_trees.hpp"
#include "bough/grow/limb.hpp"
#include "bough/grow/row_sequence.hpp"
#include "bough/grow/sparse_subtree.hpp"
#include "bough/grow/whole_weights.hpp"
#include "bough/machine/watched_run.hpp"

namespace bough {

namespace {

// Below this many cells, waking a second thread costs more than it saves.
constexpr std::int64_t kCellsForTeam = 20000;

// The trunk is grown until each thread has about this many parts of the tree to grow alone.
constexpr int kLimbsForEach = 4;

using Long = std::uint64_t;

// Splits the most valuable leaf first, until the tree has the leaves it may have.
void grow_best_first(NodeGrower<Long>& grower, const Range& root, int max_leaves, Branching& trunk,
                     Watch& watch) {
  struct Waiting {
    double worth;
    Range range;
    Best best;
  };
  const auto later = [](const std::shared_ptr<Waiting>& a, const std::shared_ptr<Waiting>& b) {
    return a->worth < b->worth || (a->worth == b->worth && a->range.node > b->range.node);
  };
  std::priority_queue<std::shared_ptr<Waiting>, std::vector<std::shared_ptr<Waiting>>, decltype(later)> queue(
      later);
  const auto wait = [&](const Range& range) {
    if (!range.live) return;
    Best best = grower.search(range, trunk);
    if (best.column < 0) return;
    const double worth = grower.worth(best, range, trunk);
    queue.push(std::make_shared<Waiting>(Waiting{worth, range, std::move(best)}));
  };
  wait(root);
  int leaves = 1;
  while (!queue.empty()) {
    const std::shared_ptr<Waiting> next = queue.top();
    queue.pop();
    if (leaves + next->best.n_branches - 1 > max_leaves) continue;
    leaves += next->best.n_branches - 1;
    const std::vector<Range> children = grower.split(next->range, next->best, trunk);
    for (const Range& child : children) {
      if (!child.live) watch.done(child.count);
      wait(child);
    }
    watch.poll_or_throw();
  }
}

// The rows of positive weight, as every tree of one call reads them.
struct TrainingRows {
  const Data& data;
  const Recipe& recipe;
  WholeWeights weight, own;
  std::vector<std::uint32_t> rows;
  std::vector<std::uint8_t> bit;

  TrainingRows(const Data& given, const Recipe& by)
      : data(given),
        recipe(by),
        weight(whole_weights(given.weight, given.n_rows)),
        own(whole_weights(given.own, given.n_rows)) {
    rows.reserve(data.n_rows);
    for (std::int64_t i = 0; i < data.n_rows; ++i)
      if (weight.weight.empty() || weight.weight[i] > 0) rows.push_back(static_cast<std::uint32_t>(i));
    if (rows.empty()) throw std::invalid_argument("no row has weight");
    if (data.n_classes == 2 && data.n_targets() == 1) bit.assign(data.label, data.label + data.n_rows);
  }
  const std::uint8_t* bits() const { return bit.empty() ? nullptr : bit.data(); }
};

// The sorted lists of all columns over some rows: those of sparse columns are written node by node.
struct TrainingLists {
  SortedColumns sorted;
  std::optional<SparseSorted> sparse;
  std::vector<std::uint32_t> rows;  // ascending; of sparse columns

  const std::vector<bool>& has_missing() const { return sparse ? sparse->has_missing : sorted.has_missing; }
  void free() {
    sorted.memory.reset();
    if (sparse) sparse->entries.reset();
  }
};

// Grows one tree from sorted lists of n rows; it leaves them parted.
class Growth {
 public:
  // is_last: the lists are not needed afterwards, and their memory is freed early. sequence: of distinct
  // rows, where the sums of losses need the order of all rows.
  Growth(const TrainingRows& training, const Recipe& recipe, TrainingLists& lists, int n, Team& team,
         Watch& watch, bool is_last, RowSequence* sequence = nullptr)
      : training_(training),
        recipe_(recipe),
        all_(lists),
        sorted_(lists.sorted),
        grid_(lists.sparse ? 0 : training.data.n_rows * grid_width_of(training.data, recipe.criterion)),
        table_(rows_of(training, grid_.data())),
        problem_(problem_of(training, recipe, lists, n)),
        n_(n),
        team_(team),
        watch_(watch),
        is_last_(is_last) {
    if (lists.sparse) {
      zeros_.emplace(table_, training.data, problem_.evaluator, team.size());
      table_ = zeros_->rows();
      nodes_.emplace(*lists.sparse, *zeros_, training.data, problem_.evaluator, team.size(), 0);
      nodes_->set_root(*lists.sparse, lists.rows, training.bits());
      nodes_->set_lists(sorted_.lists);
      Range root;
      root.count = n;
      nodes_->list_whole(0, root);
    } else if (training.data.label && table_.grid) {
      ClassColumns(problem_.evaluator).write_all(table_, training.data.n_rows);
    }
    table_.sequence = sequence;
    if (sequence) sequence->start(sorted_.lists[0], n, table_.weight);
    if (recipe.prior_events <= 0) return;
    double exposure = 0, events = 0;
    for (int i = 0; i < n; ++i) {
      const std::uint32_t row = index_of(sorted_.lists[0][i]);
      exposure += table_.weight_at(row);
      events += table_.weight_at(row) * table_.y[row];
    }
    if (events > 0) table_.prior_exposure = recipe.prior_events * exposure / events;
  }

  GrownTree grow() {
    const int k = training_.data.node_width();
    NodeGrower<Long> grower(
        problem_, table_, sorted_.lists, nullptr, static_cast<std::size_t>(n_) + kListPadding,
        zeros_ ? zeros_->size() : training_.data.n_rows, &team_, nodes_ ? &*nodes_ : nullptr, sorted_.rooms);
    const Range root = make_root(grower);
    watch_.poll_or_throw();
    if (recipe_.limits.max_leaves > 0) {
      grow_best_first(grower, root, recipe_.limits.max_leaves, trunk_, watch_);
      return assemble(trunk_, {}, training_.data.columns, k, team_, watch_);
    }
    const std::vector<Range> ends = grow_trunk(grower, root);
    const std::vector<Graft> grafts = nodes_ ? grow_sparse(ends) : grow_limbs(ends);
    if (is_last_) all_.free();
    return assemble(trunk_, grafts, training_.data.columns, k, team_, watch_);
  }

  static Rows rows_of(const TrainingRows& training, double* grid) {
    const auto pointer = [](const WholeWeights& w) { return w.weight.empty() ? nullptr : w.weight.data(); };
    Rows rows;
    rows.label = training.data.label;
    rows.y = training.data.y;
    rows.weight = pointer(training.weight);
    rows.own = pointer(training.own);
    rows.cases = training.data.cases;
    rows.grid = grid;
    rows.whole_weights = training.weight.counts_rows;
    rows.weight_unit = training.weight.unit;
    rows.n_targets = training.data.n_targets();
    rows.grid_width = grid_width_of(training.data, training.recipe.criterion);
    if (rows.grid_width == 0) rows.grid = nullptr;
    rows.own_unit = rows.own ? training.own.unit : training.weight.unit;
    return rows;
  }

  static Problem problem_of(const TrainingRows& training, const Recipe& recipe, const TrainingLists& lists,
                            int n) {
    const int k = training.data.n_classes;
    Problem p{
        training.data, recipe, lists.has_missing(),
        evaluator_of(training.data, recipe.criterion, static_cast<std::size_t>(std::min(n, 1 << 20)) + 1)};
    if (recipe.zero_rates) p.evaluator.allow_zero_rates();
    p.evaluator.set_loss(recipe.split_loss);
    p.unit_weights = training.weight.weight.empty() && training.own.weight.empty() && !training.data.cases;
    const bool gini = recipe.criterion == criterion_of<Gini>;
    p.fast_classes =
        p.unit_weights && k == 2 &&
        (gini || recipe.criterion == criterion_of<Entropy> || recipe.criterion == criterion_of<Deviance>);
    p.fast_squares = p.unit_weights && recipe.criterion == criterion_of<SquaredError>;
    p.several_squares =
        recipe.criterion == criterion_of<OfTargets<SquaredError>> ||
        (recipe.criterion == criterion_of<OfTargets<Gini>> &&
         grid_width_of(training.data, recipe.criterion) > 0 && training.weight.given_whole &&
         std::accumulate(training.weight.weight.begin(), training.weight.weight.end(), 0.0) + n < 0x1p26);
    if (lists.sparse) {
      p.quick_sparse = ((p.fast_classes && gini) || p.fast_squares) && recipe.price.empty();
      p.fast_classes = p.fast_squares = false;  // rows that stand for zeros do not weigh 1
    }
    p.plain = (p.several_squares || (training.data.n_targets() == 1 && !recipe.criterion.reads_values())) &&
              !lists.sparse && recipe.limits.significance >= 1 && recipe.price.empty() && !recipe.draw.any();
    for (std::size_t c = 0; c < training.data.columns.size(); ++c)
      p.plain &= !p.has_missing[c] && training.data.columns[c].scale != Scale::nominal;
    p.pairs = p.plain && !training.data.cases && recipe.limits.max_leaves == 0 &&
              recipe.limits.min_decrease <= 0 && recipe.limits.min_gain < 0 && recipe.limits.min_share <= 0 &&
              recipe.n_competitors == 0 && recipe.missing != MissingRows::own_level;
    return p;
  }

 private:
  Range make_root(NodeGrower<Long>& grower) {
    const Limits& limits = recipe_.limits;
    trunk_.nodes.resize(1);
    trunk_.counts.resize(training_.data.node_width());
    Range root;
    root.count = n_;
    root.key = recipe_.draw.seed;
    grower.measure(sorted_.lists[0], root, trunk_);
    trunk_.root_risk = trunk_.nodes[0].risk;
    problem_.root_weight = trunk_.nodes[0].weight;
    problem_.min_weight_leaf = limits.min_weight_fraction_leaf * root.weight;
    problem_.min_rows_leaf = static_cast<int>(std::min<double>(
        n_, std::ceil(std::max({1.0, limits.min_cases_of_two(), problem_.min_weight_leaf}))));
    problem_.pairs &= problem_.min_rows_leaf == 1;
    if (limits.min_share > 0 && root.live) {
      const Best best = grower.search(root, trunk_);
      if (best.column >= 0) problem_.root_improvement = grower.improvement(best, root, trunk_);
    }
    return root;
  }

  // The most rows of a node at which the trunk ends.
  int rows_at_ends() const {
    if (nodes_ || team_.size() == 1) return kPackedRows;
    return std::max(kPackedRows, n_ / (kLimbsForEach * team_.size()));
  }

  // Grows the nodes of many rows, one after the other; returns those of few, the larger first.
  std::vector<Range> grow_trunk(NodeGrower<Long>& grower, const Range& root) {
    const int most = rows_at_ends();
    std::vector<Range> stack, ends;
    if (root.live) stack.push_back(root);
    while (!stack.empty()) {
      const Range range = stack.back();
      stack.pop_back();
      if (range.count <= most && !table_.sequence) {
        ends.push_back(range);
        continue;
      }
      const Best best = grower.search(range, trunk_);
      if (best.column < 0) continue;
      for (const Range& child : grower.split(range, best, trunk_)) {
        if (child.live)
          stack.push_back(child);
        else
          watch_.done(child.count);
      }
      watch_.poll_or_throw();
    }
    std::sort(ends.begin(), ends.end(), [](const Range& a, const Range& b) {
      return a.count > b.count || (a.count == b.count && a.node < b.node);
    });
    return ends;
  }

  // The subtrees below the ends of the trunk, which gets the nodes between them and their limbs.
  std::vector<Graft> grow_limbs(const std::vector<Range>& ends) {
    std::vector<Limb> limbs = side_by_side<Limb>(
        ends,
        [&](int) { return std::make_unique<LimbGrower>(problem_, table_, sorted_.lists, ends[0].count); },
        [&](LimbGrower& worker, const Range& end) { return worker.grow(end, trunk_, watch_); });
    std::vector<Graft> grafts;
    for (Limb& limb : limbs) join(std::move(limb), trunk_, grafts);
    return grafts;
  }

  std::vector<Graft> grow_sparse(const std::vector<Range>& ends) {
    return side_by_side<Graft>(
        ends,
        [&](int member) {
          return std::make_unique<SparseSubtree>(problem_, table_, *all_.sparse, *zeros_, member,
                                                 ends[0].count);
        },
        [&](SparseSubtree& worker, const Range& end) {
          Graft graft{end.node, worker.grow(end, *nodes_, trunk_, watch_)};
          watch_.done(end.count);
          return graft;
        });
  }

  // Grows what lies below the ends of the trunk; make returns what a thread grows it with.
  template <class Part, class Make, class Grow>
  std::vector<Part> side_by_side(const std::vector<Range>& ends, const Make& make, const Grow& grow) {
    std::vector<Part> parts(ends.size());
    std::vector<decltype(make(0))> workers(team_.size());
    run_watched(team_, watch_, static_cast<int>(ends.size()), [&](int i, int member) {
      if (!workers[member]) workers[member] = make(member);
      parts[i] = grow(*workers[member], ends[i]);
    });
    watch_.throw_if_stopped();
    return parts;
  }

  const TrainingRows& training_;
  const Recipe& recipe_;
  TrainingLists& all_;
  SortedColumns& sorted_;
  std::vector<double> grid_;
  Rows table_;
  std::optional<RowsWithZeros> zeros_;  // where columns are sparse
  std::optional<SparseNodes> nodes_;
  Problem problem_;
  int n_;
  Team& team_;
  Watch& watch_;
  bool is_last_;
  Branching trunk_;
};

// The recipe of the trees without a fold, which predict the rows of the fold and nothing else: competitors
// are not needed, and surrogates only where a value may be missing, or a level that only the fold has.
Recipe recipe_of_folds(const Recipe& recipe, const Data& data, const TrainingLists& lists) {
  Recipe own = recipe;
  own.n_competitors = 0;
  bool routes_all = true;
  for (std::size_t c = 0; c < data.columns.size(); ++c)
    routes_all &= !lists.has_missing()[c] && data.columns[c].scale != Scale::nominal;
  if (routes_all) own.surrogates.most = 0;
  return own;
}

// Copies the sorted lists without the rows of one fold; what was copied before may go.
void copy_without(const SortedColumns& all, int n, const std::int32_t* fold, int left_out,
                  SortedColumns& kept) {
  const std::size_t stride = static_cast<std::size_t>(n) + kListPadding;
  if (!kept.memory) {
    kept.memory = make_buffer<Long>(stride * all.lists.size());
    kept.has_missing = all.has_missing;
    for (std::size_t c = 0; c < all.lists.size(); ++c) kept.lists.push_back(kept.memory.get() + stride * c);
  }
  for (std::size_t c = 0; c < all.lists.size(); ++c) {
    Long* to = kept.lists[c];
    for (int i = 0; i < n; ++i) {
      const Long entry = all.lists[c][i];
      *to = entry;  // and written over, if it does not stay
      to += fold[index_of(entry)] != left_out;
    }
    std::fill_n(to, kListPadding, Long{0});
  }
}

// The same for sparse columns.
void copy_without(const SparseSorted& all, const std::int32_t* fold, int left_out, SparseSorted& kept) {
  if (!kept.entries) kept.entries = make_buffer<Long>(static_cast<std::size_t>(all.n_entries()) + 1);
  kept.zero = all.zero;
  kept.has_missing = all.has_missing;
  kept.start.assign(1, 0);
  Long* to = kept.entries.get();
  for (int c = 0; c < all.n_columns(); ++c) {
    for (std::int64_t i = all.start[c]; i < all.start[c + 1]; ++i)
      if (fold[index_of(all.entries[i])] != left_out) *to++ = all.entries[i];
    kept.start.push_back(to - kept.entries.get());
  }
}

void copy_without(const TrainingLists& all, const std::int32_t* fold, int left_out, TrainingLists& kept) {
  if (!all.sparse)
    return copy_without(all.sorted, static_cast<int>(all.rows.size()), fold, left_out, kept.sorted);
  if (!kept.sparse) kept.sparse.emplace();
  copy_without(*all.sparse, fold, left_out, *kept.sparse);
  kept.sorted.lists.resize(all.sorted.lists.size());
  kept.rows.clear();
  for (const std::uint32_t row : all.rows)
    if (fold[row] != left_out) kept.rows.push_back(row);
}

TrainingLists sorted_lists(const TrainingRows& training, Team& team, Watch& watch) {
  TrainingLists lists;
  const std::vector<Column>& columns = training.data.columns;
  const auto between = [&watch] { watch.poll_or_throw(); };
  lists.rows = training.rows;
  if (!columns[0].sparse()) {
    lists.sorted = presort(columns, training.rows, training.bits(), team, between);
    return lists;
  }
  std::vector<std::uint8_t> taken(training.data.n_rows, 0);
  for (const std::uint32_t row : training.rows) taken[row] = 1;
  lists.sparse = presort_sparse(columns, taken.data(), training.bits(), team, between);
  lists.sorted.lists.resize(columns.size());
  return lists;
}

// The trees of a table in which most rows come several times, from its distinct rows.
std::vector<GrownTree> grow_distinct(const DistinctRows& distinct, const Data& data, const Recipe& recipe,
                                     const std::int32_t* fold, int n_folds, int n_threads,
                                     const Monitor& monitor) {
  Team team(n_threads);
  Watch watch(monitor, static_cast<double>(distinct.size()) * (n_folds + 1));
  std::vector<GrownTree> trees(n_folds + 1);
  const std::vector<std::vector<double>> weight = distinct.weights(fold, n_folds);
  const Data whole = distinct.data(data, weight[0].data());
  const Recipe of_folds =
      recipe_of_folds(recipe, data, sorted_lists(TrainingRows(whole, recipe), team, watch));
  const bool sums_losses = recipe.criterion.reads_rates();
  run_watched(team, watch, n_folds + 1, [&](int i, int) {
    const Data own = distinct.data(data, weight[i].data());
    const Recipe& by = i == 0 ? recipe : of_folds;
    const TrainingRows training(own, by);
    std::optional<RowSequence> sequence;
    if (sums_losses) sequence.emplace(distinct.id(), distinct.size(), i == 0 ? nullptr : fold, i - 1);
    Team alone(1);
    TrainingLists lists = sorted_lists(training, alone, watch);
    const int n = static_cast<int>(training.rows.size());
    trees[i] = Growth(training, by, lists, n, alone, watch, true, sequence ? &*sequence : nullptr).grow();
  });
  watch.throw_if_stopped();
  return trees;
}

// The trees of a table of nominal columns, from counts of their levels; none where these do not serve.
std::optional<std::vector<GrownTree>> grow_from_counts(const Data& data, const Recipe& recipe,
                                                       const std::int32_t* fold, int n_folds, int n_threads,
                                                       const Monitor& monitor) {
  if (!LevelTrees::serves(data, recipe)) return {};
  const std::optional<LevelRows> rows = LevelRows::of(data, fold, n_folds);
  if (!rows) return {};
  std::optional<LevelMeasure> measure;
  if (!data.n_classes && !measure.emplace(*rows, data, recipe.criterion).serves()) return {};
  const TrainingRows training(data, recipe);
  TrainingLists lists;
  lists.sorted.has_missing.assign(data.columns.size(), false);
  const int n = static_cast<int>(training.rows.size());
  const Recipe of_folds = recipe_of_folds(recipe, data, lists);
  std::vector<LevelTree> parts{
      {Growth::problem_of(training, recipe, lists, n), Growth::rows_of(training, nullptr)}};
  parts.reserve(n_folds + 1);
  for (int f = 0; f < n_folds; ++f)
    parts.push_back(
        {f ? parts[1].problem : Growth::problem_of(training, of_folds, lists, n), parts[0].table});
  if (measure)
    for (int t = 0; t <= n_folds; ++t) parts[t].table.prior_exposure = measure->prior_exposure(t, recipe);
  Team team(n_threads);
  Watch watch(monitor, static_cast<double>(n) * (n_folds + 1));
  LevelTrees(*rows, measure ? &*measure : nullptr, data, parts, team, watch).grow();
  std::vector<GrownTree> trees;
  for (const LevelTree& part : parts)
    trees.push_back(assemble(part.trunk, part.grafts, data.columns, data.node_width(), team, watch));
  return trees;
}

}  // namespace

GrownTree grow(const Data& data, const Recipe& recipe, int n_threads, const Monitor& monitor) {
  return std::move(grow_folds(data, recipe, nullptr, 0, n_threads, monitor)[0]);
}

std::vector<GrownTree> grow_folds(const Data& data, const Recipe& recipe, const std::int32_t* fold,
                                  int n_folds, int n_threads, const Monitor& monitor) {
  Watch looking(monitor);
  if (const std::optional<DistinctRows> distinct = DistinctRows::of(data, recipe, looking))
    return grow_distinct(*distinct, data, recipe, fold, n_folds, n_threads, monitor);
  if (std::optional<std::vector<GrownTree>> trees =
          grow_from_counts(data, recipe, fold, n_folds, n_threads, monitor))
    return std::move(*trees);
  const TrainingRows training(data, recipe);
  const int n = static_cast<int>(training.rows.size());
  const auto cells = static_cast<std::int64_t>(n) * static_cast<std::int64_t>(data.columns.size());
  Team team(cells * (n_folds + 1) < kCellsForTeam ? 1 : n_threads);
  Watch watch(monitor, static_cast<double>(n) * (n_folds + 1));
  TrainingLists lists = sorted_lists(training, team, watch);
  std::vector<int> n_left_out(n_folds, 0);
  for (std::uint32_t row : training.rows)
    if (fold && fold[row] >= 0) ++n_left_out[fold[row]];

  std::vector<GrownTree> trees(n_folds + 1);
  {
    std::vector<TrainingLists> kept(n_folds ? team.size() : 0);  // one for each member
    const Recipe of_folds = recipe_of_folds(recipe, data, lists);
    run_watched(team, watch, n_folds, [&](int f, int member) {
      copy_without(lists, fold, f, kept[member]);
      Team alone(1);
      trees[f + 1] = Growth(training, of_folds, kept[member], n - n_left_out[f], alone, watch, false).grow();
    });
    watch.throw_if_stopped();
  }
  trees[0] = Growth(training, recipe, lists, n, team, watch, true).grow();
  return trees;
}

}  // namespace bough
