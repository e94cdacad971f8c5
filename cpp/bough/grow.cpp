#include "bough/grow.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <queue>

#include "bough/grow_node.hpp"
#include "bough/presort.hpp"

namespace bough {

namespace {

// A node with at most this many rows is grown as a subtree of its own on packed lists; any bound from 4096 to
// 16384 serves as well, since all lists of the subtree then stay in the second-level cache.
constexpr int kPackedRows = 4096;
static_assert(kPackedRows <= kMaxPackedRows);
constexpr int kPadding = 16;                 // scans read whole vectors
constexpr unsigned kNodesBetweenLooks = 64;  // at the clock
constexpr auto kPatience = std::chrono::milliseconds(50);
// Below this many cells, waking a second thread costs more than it saves.
constexpr std::int64_t kCellsForTeam = 20000;

using Long = std::uint64_t;
using Packed = std::uint32_t;

// Asks the monitor now and then, from the calling thread only.
class Watch {
 public:
  Watch(const Monitor& monitor, double rows) : monitor_(monitor), rows_(rows) {}

  void done(double rows) { finished_.fetch_add(rows, std::memory_order_relaxed); }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  void ask() {
    const auto now = std::chrono::steady_clock::now();
    if (!monitor_ || now < next_) return;
    next_ = now + kPatience;
    if (!monitor_(std::min(1.0, finished_.load(std::memory_order_relaxed) / rows_))) stopped_.store(true);
  }
  void ask_or_throw() {
    ask();
    if (stopped()) throw Interrupted();
  }

 private:
  const Monitor& monitor_;
  double rows_;
  std::atomic<double> finished_{0};
  std::atomic<bool> stopped_{false};
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + kPatience;
};

// Weights as whole numbers: as they are if they are whole, else on a grid of a power of two.
struct WholeWeights {
  std::vector<double> weight;  // empty: one each
  double unit = 1;
  bool given_whole = true;
};

WholeWeights whole_weights(const Data& data) {
  WholeWeights w;
  if (!data.weight) return w;
  double total = 0;
  for (std::int64_t i = 0; i < data.n_rows; ++i) {
    total += data.weight[i];
    w.given_whole &= data.weight[i] == std::floor(data.weight[i]);
  }
  w.given_whole &= total < 0x1p52;
  w.weight.assign(data.weight, data.weight + data.n_rows);
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
    if (table.cases) cases_.resize(most);
    local_.resize(problem.data.n_rows);
    Rows rows = table;
    rows.label = table.label ? label_.data() : nullptr;
    rows.y = table.y ? y_.data() : nullptr;
    rows.grid = table.y ? grid_.data() : nullptr;
    rows.weight = table.weight ? weight_.data() : nullptr;
    rows.cases = table.cases ? cases_.data() : nullptr;
    std::vector<Packed*> lists;
    for (int c = 0; c < n_columns_; ++c) lists.push_back(lists_.get() + stride_ * c);
    grower_ = std::make_unique<NodeGrower<Packed>>(problem, rows, std::move(lists), row_.data(), stride_,
                                                   most, nullptr);
  }

  // Grows what lies below the node; returns nothing if it was told to stop.
  Branching grow(const Range& at, const std::vector<Long*>& lists, const Branching& trunk, Watch& watch,
                 bool ask) {
    load(at, lists);
    Branching out;
    const int k = problem_.data.n_classes;
    out.nodes.reserve(k ? at.count : 2 * at.count);  // of numbers nearly every row may become a leaf
    out.nodes.push_back(trunk.nodes[at.node]);
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
      if (ask && ++nodes % kNodesBetweenLooks == 0) watch.ask();
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
  std::vector<double> y_, grid_, weight_, cases_;
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
    watch.ask_or_throw();
  }
}

}  // namespace

GrownTree grow(const Data& data, const Recipe& recipe, int n_threads, const Monitor& monitor) {
  const int k = data.n_classes, n_columns = static_cast<int>(data.columns.size());
  const WholeWeights weights = whole_weights(data);
  std::vector<std::uint32_t> rows;
  rows.reserve(data.n_rows);
  for (std::int64_t i = 0; i < data.n_rows; ++i)
    if (weights.weight.empty() || weights.weight[i] > 0) rows.push_back(static_cast<std::uint32_t>(i));
  if (rows.empty()) throw std::invalid_argument("no row has weight");
  const int n = static_cast<int>(rows.size());

  std::vector<std::uint8_t> bit;
  if (k == 2) bit.assign(data.label, data.label + data.n_rows);
  std::vector<double> grid(data.y ? data.n_rows : 0);

  Team team(static_cast<std::int64_t>(n) * n_columns < kCellsForTeam ? 1 : n_threads);
  Watch watch(monitor, n);
  SortedColumns sorted = presort(data.columns, rows, bit.empty() ? nullptr : bit.data(), team,
                                 [&watch] { watch.ask_or_throw(); });
  const std::vector<Long*>& lists = sorted.lists;

  const Rows table{data.label,  data.y,      weights.weight.empty() ? nullptr : weights.weight.data(),
                   data.cases,  grid.data(), weights.given_whole,
                   weights.unit};
  Problem problem{data,
                  recipe,
                  sorted.has_missing,
                  Judge(recipe.criterion, uses_moments(recipe.criterion) ? 2 : k,
                        static_cast<std::size_t>(std::min(n, 1 << 20)) + 1),
                  0,
                  0,
                  weights.weight.empty() && !data.cases};
  problem.fast_gini = problem.unit_weights && recipe.criterion == Criterion::gini && k == 2;
  problem.fast_squares = problem.unit_weights && recipe.criterion == Criterion::squared_error;
  problem.plain = (problem.fast_gini || problem.fast_squares) && recipe.limits.significance >= 1;
  for (int c = 0; c < n_columns; ++c)
    problem.plain &= !problem.has_missing[c] && data.columns[c].scale != Scale::nominal;
  problem.pairs = problem.plain && recipe.limits.max_leaves == 0 && recipe.limits.min_decrease <= 0 &&
                  recipe.limits.min_gain < 0;
  NodeGrower<Long> grower(problem, table, lists, nullptr, static_cast<std::size_t>(n) + kPadding, data.n_rows,
                          &team);

  Branching trunk;
  trunk.nodes.resize(1);
  trunk.counts.resize(k);
  Range root;
  root.count = n;
  grower.measure(lists[0], root, trunk);
  problem.root_weight = trunk.nodes[0].weight;
  problem.min_weight_leaf = recipe.limits.min_weight_fraction_leaf * root.weight;
  problem.min_rows_leaf = static_cast<int>(
      std::min<double>(n, std::ceil(std::max({1.0, recipe.limits.min_cases_leaf, problem.min_weight_leaf}))));
  problem.pairs &= problem.min_rows_leaf == 1;
  watch.ask_or_throw();

  if (recipe.limits.max_leaves > 0) {
    grow_best_first(grower, root, recipe.limits.max_leaves, trunk, watch);
    return assemble(trunk, {}, data.columns, k, team);
  }

  std::vector<Range> stack, small;
  if (root.live) stack.push_back(root);
  while (!stack.empty()) {
    const Range range = stack.back();
    stack.pop_back();
    if (range.count <= kPackedRows) {
      small.push_back(range);
      continue;
    }
    const Best best = grower.search(range, trunk);
    if (best.column < 0) continue;
    for (const Range& child : grower.split(range, best, trunk)) {
      if (child.live)
        stack.push_back(child);
      else
        watch.done(child.count);
    }
    watch.ask_or_throw();
  }

  std::sort(small.begin(), small.end(), [](const Range& a, const Range& b) {
    return a.count > b.count || (a.count == b.count && a.node < b.node);
  });
  std::vector<Graft> grafts(small.size());
  std::vector<std::unique_ptr<Subtree>> workers(team.size());
  team.run(static_cast<int>(small.size()), [&](int i, int member) {
    if (watch.stopped()) return;
    if (!workers[member]) workers[member] = std::make_unique<Subtree>(problem, table, small.front().count);
    grafts[i] = {small[i].node, workers[member]->grow(small[i], lists, trunk, watch, member == 0)};
    watch.done(small[i].count);
  });
  if (watch.stopped()) throw Interrupted();
  workers.clear();
  sorted.memory.reset();
  return assemble(trunk, grafts, data.columns, k, team);
}

}  // namespace bough
