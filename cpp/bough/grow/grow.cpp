#include "bough/grow/grow.hpp"

#include <memory>
#include <queue>

#include "bough/data/presort.hpp"
#include "bough/grow/node_grower.hpp"

namespace bough {

namespace {

// A node with at most this many rows is grown as a subtree of its own on packed lists; any bound from 4096 to
// 16384 serves as well, since all lists of the subtree then stay in the second-level cache.
constexpr int kPackedRows = 4096;
static_assert(kPackedRows <= kMaxPackedRows);
constexpr int kPadding = 16;                 // scans read whole vectors
constexpr unsigned kNodesBetweenLooks = 64;  // at the clock
// Below this many cells, waking a second thread costs more than it saves.
constexpr std::int64_t kCellsForTeam = 20000;

using Long = std::uint64_t;
using Packed = std::uint32_t;

// Weights as whole numbers: as they are if they are whole, else on a grid of a power of two.
struct WholeWeights {
  std::vector<double> weight;  // empty: one each
  double unit = 1;
  bool given_whole = true;
};

WholeWeights whole_weights(const double* given, std::int64_t n_rows) {
  WholeWeights w;
  if (!given) return w;
  double total = 0;
  for (std::int64_t i = 0; i < n_rows; ++i) {
    total += given[i];
    w.given_whole &= given[i] == std::floor(given[i]);
  }
  w.given_whole &= total < 0x1p52;
  w.weight.assign(given, given + n_rows);
  if (w.given_whole) return w;
  int power;
  std::frexp(total, &power);
  w.unit = std::ldexp(1.0, power - 52);
  for (double& x : w.weight) x = std::rint(std::ldexp(x, 52 - power));
  return w;
}

// A subtree of at most kPackedRows rows: its data copied, its lists packed.
class Subtree {
 public:
  // most: the rows of the largest node it will grow.
  Subtree(const Problem& problem, const Rows& table, int most)
      : problem_(problem), table_(table), n_columns_(static_cast<int>(problem.data.columns.size())) {
    stride_ = static_cast<std::size_t>(most) + kPadding;
    lists_ = std::make_unique_for_overwrite<Packed[]>(stride_ * n_columns_);
    std::fill_n(lists_.get(), stride_ * n_columns_, Packed{0});
    row_.resize(most);
    if (table.label) label_.resize(most);
    if (table.y) y_.resize(most), grid_.resize(most);
    if (table.weight) weight_.resize(most);
    if (table.own) own_.resize(most);
    if (table.cases) cases_.resize(most);
    local_.resize(problem.data.n_rows);
    Rows rows = table;
    rows.label = table.label ? label_.data() : nullptr;
    rows.y = table.y ? y_.data() : nullptr;
    rows.grid = table.y ? grid_.data() : nullptr;
    rows.weight = table.weight ? weight_.data() : nullptr;
    rows.own = table.own ? own_.data() : nullptr;
    rows.cases = table.cases ? cases_.data() : nullptr;
    std::vector<Packed*> lists;
    for (int c = 0; c < n_columns_; ++c) lists.push_back(lists_.get() + stride_ * c);
    grower_ = std::make_unique<NodeGrower<Packed>>(problem, rows, std::move(lists), row_.data(), stride_,
                                                   most, nullptr);
  }

  // Grows what lies below the node; returns nothing if it was told to stop.
  Branching grow(const Range& at, const std::vector<Long*>& lists, const Branching& trunk, Watch& watch) {
    load(at, lists);
    Branching out;
    const int k = problem_.data.n_classes;
    out.nodes.reserve(k ? at.count : 2 * at.count);  // of numbers nearly every row may become a leaf
    out.nodes.push_back(trunk.nodes[at.node]);
    out.root_risk = trunk.root_risk;
    out.counts.assign(trunk.counts.begin() + static_cast<std::ptrdiff_t>(at.node) * k,
                      trunk.counts.begin() + static_cast<std::ptrdiff_t>(at.node + 1) * k);
    Range root = at;
    root.node = root.begin = 0;
    stack_.assign(1, root);
    unsigned nodes = 0;
    while (!stack_.empty() && !watch.stopped()) {
      const Range range = stack_.back();
      stack_.pop_back();
      const Best best = grower_->search(range, out);
      if (best.column < 0) continue;
      const std::vector<Range>& children = grower_->split(range, best, out);
      for (auto child = children.rbegin(); child != children.rend(); ++child)
        if (child->live) stack_.push_back(*child);
      if (++nodes % kNodesBetweenLooks == 0) watch.poll();
    }
    return out;
  }

 private:
  void load(const Range& at, const std::vector<Long*>& lists) {
    const Long* first = lists[0] + at.begin;
    for (int i = 0; i < at.count; ++i) {
      const std::uint32_t row = index_of(first[i]);
      local_[row] = static_cast<std::uint32_t>(i);
      row_[i] = row;
      if (table_.label) label_[i] = table_.label[row];
      if (table_.y) y_[i] = table_.y[row], grid_[i] = table_.grid[row];
      if (table_.weight) weight_[i] = table_.weight[row];
      if (table_.own) own_[i] = table_.own[row];
      if (table_.cases) cases_[i] = table_.cases[row];
    }
    for (int c = 0; c < n_columns_; ++c) {
      const Long* from = lists[c] + at.begin;
      Packed* to = lists_.get() + stride_ * c;
      std::uint32_t rank = 0, last = code_of(from[0]);
      for (int i = 0; i < at.count; ++i) {
        const std::uint32_t code = code_of(from[i]);
        rank += code != last;
        last = code;
        const bool missing = code == EntryTraits<Long>::kMissing;
        to[i] = make_entry<Packed>(missing ? EntryTraits<Packed>::kMissing : rank, local_[index_of(from[i])],
                                   label_bit(from[i]));
      }
    }
  }

  const Problem& problem_;
  const Rows& table_;
  int n_columns_;
  std::size_t stride_;
  std::unique_ptr<Packed[]> lists_;
  std::vector<std::uint32_t> row_, local_;
  std::vector<std::int32_t> label_;
  std::vector<double> y_, grid_, weight_, own_, cases_;
  std::vector<Range> stack_;
  std::unique_ptr<NodeGrower<Packed>> grower_;
};

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

}  // namespace

namespace {

// The rows that weigh anything, as every tree of one call reads them.
struct Ground {
  const Data& data;
  const Recipe& recipe;
  WholeWeights weight, own;
  std::vector<std::uint32_t> rows;
  std::vector<std::uint8_t> bit;

  Ground(const Data& given, const Recipe& by)
      : data(given),
        recipe(by),
        weight(whole_weights(given.weight, given.n_rows)),
        own(whole_weights(given.own, given.n_rows)) {
    rows.reserve(data.n_rows);
    for (std::int64_t i = 0; i < data.n_rows; ++i)
      if (weight.weight.empty() || weight.weight[i] > 0) rows.push_back(static_cast<std::uint32_t>(i));
    if (rows.empty()) throw std::invalid_argument("no row has weight");
    if (data.n_classes == 2) bit.assign(data.label, data.label + data.n_rows);
  }
  const std::uint8_t* bits() const { return bit.empty() ? nullptr : bit.data(); }
};

// The whole of one tree, from sorted lists of n rows, whose order it uses up.
class Growth {
 public:
  // is_last: the lists are of no use afterwards, and their memory is given back as soon as may be.
  Growth(const Ground& ground, SortedColumns& sorted, int n, Team& team, Watch& watch, bool is_last)
      : ground_(ground),
        sorted_(sorted),
        grid_(ground.data.y ? ground.data.n_rows : 0),
        table_(rows_of(ground, grid_.data())),
        problem_(problem_of(ground, sorted_, n)),
        n_(n),
        team_(team),
        watch_(watch),
        is_last_(is_last) {
    if (ground.recipe.prior_events <= 0) return;
    double exposure = 0, events = 0;
    for (int i = 0; i < n; ++i) {
      const std::uint32_t row = index_of(sorted_.lists[0][i]);
      exposure += table_.weight_at(row);
      events += table_.weight_at(row) * table_.y[row];
    }
    if (events > 0) table_.prior_exposure = ground.recipe.prior_events * exposure / events;
  }

  GrownTree grow() {
    const Recipe& recipe = ground_.recipe;
    const int k = ground_.data.n_classes;
    NodeGrower<Long> grower(problem_, table_, sorted_.lists, nullptr, static_cast<std::size_t>(n_) + kPadding,
                            ground_.data.n_rows, &team_);
    const Range root = plant(grower);
    watch_.poll_or_throw();
    if (recipe.limits.max_leaves > 0) {
      grow_best_first(grower, root, recipe.limits.max_leaves, trunk_, watch_);
      return assemble(trunk_, {}, ground_.data.columns, k, team_);
    }
    const std::vector<Range> small = grow_trunk(grower, root);
    const std::vector<Graft> grafts = grow_small(small);
    if (is_last_) sorted_.memory.reset();
    return assemble(trunk_, grafts, ground_.data.columns, k, team_);
  }

 private:
  static Rows rows_of(const Ground& ground, double* grid) {
    const auto pointer = [](const WholeWeights& w) { return w.weight.empty() ? nullptr : w.weight.data(); };
    Rows rows;
    rows.label = ground.data.label;
    rows.y = ground.data.y;
    rows.weight = pointer(ground.weight);
    rows.own = pointer(ground.own);
    rows.cases = ground.data.cases;
    rows.grid = grid;
    rows.whole_weights = ground.weight.given_whole;
    rows.weight_unit = ground.weight.unit;
    rows.own_unit = rows.own ? ground.own.unit : ground.weight.unit;
    return rows;
  }

  static Problem problem_of(const Ground& ground, const SortedColumns& sorted, int n) {
    const Recipe& recipe = ground.recipe;
    const int k = ground.data.n_classes;
    Problem p{ground.data, recipe, sorted.has_missing,
              Judge(recipe.criterion, uses_moments(recipe.criterion) ? 2 : k,
                    static_cast<std::size_t>(std::min(n, 1 << 20)) + 1)};
    if (recipe.zero_rates) p.judge.allow_zero_rates();
    p.unit_weights = ground.weight.weight.empty() && ground.own.weight.empty() && !ground.data.cases;
    p.fast_gini = p.unit_weights && recipe.criterion == Criterion::gini && k == 2;
    p.fast_squares = p.unit_weights && recipe.criterion == Criterion::squared_error;
    p.plain = (p.fast_gini || p.fast_squares) && recipe.limits.significance >= 1 && recipe.price.empty();
    for (std::size_t c = 0; c < ground.data.columns.size(); ++c)
      p.plain &= !p.has_missing[c] && ground.data.columns[c].scale != Scale::nominal;
    p.pairs = p.plain && recipe.limits.max_leaves == 0 && recipe.limits.min_decrease <= 0 &&
              recipe.limits.min_gain < 0 && recipe.limits.min_share <= 0 && recipe.n_competitors == 0;
    return p;
  }

  Range plant(NodeGrower<Long>& grower) {
    const Limits& limits = ground_.recipe.limits;
    trunk_.nodes.resize(1);
    trunk_.counts.resize(ground_.data.n_classes);
    Range root;
    root.count = n_;
    grower.measure(sorted_.lists[0], root, trunk_);
    trunk_.root_risk = trunk_.nodes[0].risk;
    problem_.root_weight = trunk_.nodes[0].weight;
    problem_.min_weight_leaf = limits.min_weight_fraction_leaf * root.weight;
    problem_.min_rows_leaf = static_cast<int>(
        std::min<double>(n_, std::ceil(std::max({1.0, limits.min_cases_leaf, problem_.min_weight_leaf}))));
    problem_.pairs &= problem_.min_rows_leaf == 1;
    if (limits.min_share > 0 && root.live) {
      const Best best = grower.search(root, trunk_);
      if (best.column >= 0) problem_.root_improvement = grower.improvement(best, root, trunk_);
    }
    return root;
  }

  // Grows the nodes of many rows; returns those of few, the larger first.
  std::vector<Range> grow_trunk(NodeGrower<Long>& grower, const Range& root) {
    std::vector<Range> stack, small;
    if (root.live) stack.push_back(root);
    while (!stack.empty()) {
      const Range range = stack.back();
      stack.pop_back();
      if (range.count <= kPackedRows) {
        small.push_back(range);
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
    std::sort(small.begin(), small.end(), [](const Range& a, const Range& b) {
      return a.count > b.count || (a.count == b.count && a.node < b.node);
    });
    return small;
  }

  std::vector<Graft> grow_small(const std::vector<Range>& small) {
    std::vector<Graft> grafts(small.size());
    std::vector<std::unique_ptr<Subtree>> workers(team_.size());
    team_.run(static_cast<int>(small.size()), [&](int i, int member) {
      if (watch_.stopped()) return;
      if (!workers[member]) workers[member] = std::make_unique<Subtree>(problem_, table_, small[0].count);
      grafts[i] = {small[i].node, workers[member]->grow(small[i], sorted_.lists, trunk_, watch_)};
      watch_.done(small[i].count);
    });
    watch_.throw_if_stopped();
    return grafts;
  }

  const Ground& ground_;
  SortedColumns& sorted_;
  std::vector<double> grid_;
  Rows table_;
  Problem problem_;
  int n_;
  Team& team_;
  Watch& watch_;
  bool is_last_;
  Branching trunk_;
};

// Copies the sorted lists without the rows of one fold; what was copied before may go.
void copy_without(const SortedColumns& all, int n, const std::int32_t* fold, int left_out,
                  SortedColumns& kept) {
  const std::size_t stride = static_cast<std::size_t>(n) + kPadding;
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
    std::fill_n(to, kPadding, Long{0});
  }
}

}  // namespace

GrownTree grow(const Data& data, const Recipe& recipe, int n_threads, const Monitor& monitor) {
  return std::move(grow_folds(data, recipe, nullptr, 0, n_threads, monitor)[0]);
}

std::vector<GrownTree> grow_folds(const Data& data, const Recipe& recipe, const std::int32_t* fold,
                                  int n_folds, int n_threads, const Monitor& monitor) {
  const Ground ground(data, recipe);
  const int n = static_cast<int>(ground.rows.size());
  const auto cells = static_cast<std::int64_t>(n) * static_cast<std::int64_t>(data.columns.size());
  Team team(cells * (n_folds + 1) < kCellsForTeam ? 1 : n_threads);
  Watch watch(monitor, static_cast<double>(n) * (n_folds + 1));
  SortedColumns sorted =
      presort(data.columns, ground.rows, ground.bits(), team, [&watch] { watch.poll_or_throw(); });
  std::vector<int> n_left_out(n_folds, 0);
  for (std::uint32_t row : ground.rows)
    if (fold && fold[row] >= 0) ++n_left_out[fold[row]];

  std::vector<GrownTree> trees(n_folds + 1);
  {
    std::vector<SortedColumns> kept(n_folds ? team.size() : 0);  // one for each member
    team.run(n_folds, [&](int f, int member) {
      watch.throw_if_stopped();
      copy_without(sorted, n, fold, f, kept[member]);
      Team alone(1);
      trees[f + 1] = Growth(ground, kept[member], n - n_left_out[f], alone, watch, false).grow();
    });
  }
  trees[0] = Growth(ground, sorted, n, team, watch, true).grow();
  return trees;
}

}  // namespace bough
