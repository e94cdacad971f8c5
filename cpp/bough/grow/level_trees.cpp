#include "bough/grow/level_trees.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "bough/grow/level_ends.hpp"
#include "bough/machine/watched_run.hpp"

namespace bough {

namespace {

// Nodes that wait hold their counts, so few are split at a time.
constexpr std::size_t kTogether = 64;
constexpr std::size_t kMostBytesTogether = std::size_t{4} << 20;
constexpr std::size_t kLeastCounted = 32;  // of a node that is grown from counts

void subtract(const LevelCounts& all, const LevelCounts& part, LevelCounts& rest) {
  rest.resize(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) rest[i] = all[i] - part[i];
}

bool any_live(const LevelNodes& all) {
  return std::any_of(all.nodes.begin(), all.nodes.end(), [](const LevelNode& one) { return one.range.live; });
}

}  // namespace

bool LevelTrees::serves(const Data& data, const Recipe& recipe) {
  const bool counts = data.n_targets() == 1 && !data.weight && !data.own && !data.cases &&
                      !recipe.criterion.reads_values() && data.n_rows < (std::int64_t{1} << 31);
  const bool plain = recipe.limits.max_leaves == 0 && recipe.limits.significance >= 1 &&
                     recipe.price.empty() && recipe.monotonic.empty() && !recipe.draw.any() &&
                     recipe.nominal != Nominal::complete &&
                     (recipe.prior_events <= 0 || recipe.criterion.reads_rates());
  return counts && plain;
}

LevelTrees::LevelTrees(const LevelRows& rows, const LevelMeasure* measure, const Data& data,
                       std::vector<LevelTree>& trees, Team& team, Watch& watch)
    : rows_(rows),
      measure_(measure),
      data_(data),
      trees_(trees),
      team_(team),
      watch_(watch),
      search_(rows, measure == nullptr, measure != nullptr && measure->whole()),
      few_rows_(std::clamp<std::size_t>(rows.size() / (8 * rows.n_columns()), kLeastCounted, kPackedRows)) {}

void LevelTrees::grow() {
  grow_root();
  const std::size_t together =
      std::clamp(kMostBytesTogether / (rows_.size() * sizeof(std::int64_t)), std::size_t{1}, kTogether);
  while (!waiting_.empty()) {
    const std::size_t n = std::min(together, waiting_.size());
    std::vector<LevelNodes> wave(std::make_move_iterator(waiting_.end() - static_cast<std::ptrdiff_t>(n)),
                                 std::make_move_iterator(waiting_.end()));
    waiting_.resize(waiting_.size() - n);
    grow_wave(wave);
    watch_.poll_or_throw();
  }
  grow_ends();
}

void LevelTrees::grow_root() {
  LevelNodes root;
  root.rows.resize(data_.n_rows);
  std::iota(root.rows.begin(), root.rows.end(), 0u);
  root.nodes.resize(trees_.size());
  for (std::size_t t = 0; t < trees_.size(); ++t) {
    root.nodes[t].tree = static_cast<int>(t);
    trees_[t].trunk.nodes.resize(1);
    trees_[t].trunk.counts.assign(data_.node_width(), 0.0);
  }
  std::vector<Node> measured(trees_.size());
  count_root(root, measured);
  for (const LevelNode& own : root.nodes) start_tree(root, own, measured[own.tree]);
  put_aside(std::move(root));
}

// Counts the rows of the root, and measures it in every tree.
void LevelTrees::count_root(LevelNodes& root, std::vector<Node>& measured) {
  if (!classes()) measure_->measure(root, 0, trees_, measured);
  make_room(root);
  const int n_columns = rows_.n_columns();
  team_.run(n_columns, [&](int c, int) { count_rows(root, c, c + 1); });
  for (const LevelCounts& counts : root.counts) root.totals.push_back(rows_.totals(counts));
  if (!classes()) return;
  std::vector<std::int64_t> of_level(rows_.width());
  for (LevelNode& own : root.nodes) {
    LevelTree& tree = trees_[own.tree];
    for (int l = 0; l < rows_.n_levels(0); ++l) {
      sums_of_level(rows_, root.counts[0], root.totals[0], own.tree, 0, l, of_level.data());
      for (int k = 0; k < rows_.width(); ++k) tree.trunk.counts[k] += static_cast<double>(of_level[k]);
    }
    measure_classes(own, tree, measured[own.tree], tree.trunk.counts.data());
  }
}

void LevelTrees::start_tree(const LevelNodes& root, const LevelNode& own, const Node& measured) {
  LevelTree& tree = trees_[own.tree];
  const Recipe& recipe = tree.problem.recipe;
  tree.trunk.nodes[0] = measured;
  tree.trunk.root_risk = measured.risk;
  tree.problem.root_weight = measured.weight;
  tree.problem.min_weight_leaf = recipe.limits.min_weight_fraction_leaf * own.range.weight;
  if (!own.range.live) watch_.done(own.range.count);
  if (recipe.limits.min_share <= 0 || !own.range.live) return;
  const Best best = search_.best(root, own, tree);
  if (best.column < 0) return;
  const double gain = gain_of(best.value, own.range, recipe, tree.table, tree.trunk);
  tree.problem.root_improvement = improvement_by(gain, own.range, recipe, tree.trunk);
}

// Gives nodes that are to be counted their cells, one table for each grid.
void LevelTrees::make_room(LevelNodes& all) const {
  if (!classes() && measure_->whole() && all.numbers.empty())
    all.numbers.push_back(measure_->numbers_of(all.rows));
  const std::size_t n_grids = classes() ? 1 : std::max<std::size_t>(1, all.numbers.size());
  all.counts.assign(n_grids, LevelCounts(rows_.size(), 0));
}

void LevelTrees::count_rows(LevelNodes& all, int begin, int end) const {
  for (std::size_t g = 0; g < all.counts.size(); ++g)
    rows_.count(all.rows, g < all.numbers.size() ? all.numbers[g].data() : nullptr, begin, end,
                all.counts[g]);
}

void LevelTrees::grow_wave(std::vector<LevelNodes>& wave) {
  std::vector<std::vector<Best>> best(wave.size());
  std::vector<std::pair<int, int>> items;
  for (std::size_t w = 0; w < wave.size(); ++w) {
    best[w].resize(wave[w].nodes.size());
    for (std::size_t i = 0; i < wave[w].nodes.size(); ++i)
      items.emplace_back(static_cast<int>(w), static_cast<int>(i));
  }
  team_.run(static_cast<int>(items.size()), [&](int item, int) {
    const auto [w, i] = items[item];
    const LevelNode& own = wave[w].nodes[i];
    best[w][i] = search_.best(wave[w], own, trees_[own.tree]);
  });
  std::vector<Part> parts = parts_of(wave, best);
  const int n_parts = static_cast<int>(parts.size());
  team_.run(n_parts, [&](int p, int) {
    part_rows(parts[p]);
    measure_children(parts[p]);
    choose_counted(parts[p]);
  });
  count(parts);
  team_.run(n_parts, [&](int p, int) {
    Part& part = parts[p];
    if (!part.counted) return;
    for (LevelNodes& child : part.child)
      for (const LevelCounts& counts : child.counts) child.totals.push_back(rows_.totals(counts));
    for (std::size_t m = 0; m < part.members.size(); ++m) {
      const LevelNode& own = part.parent->nodes[part.members[m]];
      part.surrogates[m] = search_.surrogates(*part.parent, own, trees_[own.tree], part.best[m],
                                              part.of[m].rows, *part.counted, part.counted == part.child);
    }
  });
  for (Part& part : parts) {
    record(part);
    settle(part);
  }
}

// The nodes of each of the wave that are split alike.
std::vector<LevelTrees::Part> LevelTrees::parts_of(std::vector<LevelNodes>& wave,
                                                   std::vector<std::vector<Best>>& best) const {
  std::vector<Part> parts;
  for (std::size_t w = 0; w < wave.size(); ++w) {
    const std::size_t first = parts.size();
    for (std::size_t i = 0; i < wave[w].nodes.size(); ++i) {
      Best& own = best[w][i];
      if (own.column < 0) {
        watch_.done(wave[w].nodes[i].range.count);
        continue;
      }
      const int member = static_cast<int>(i);
      if (std::any_of(parts.begin() + static_cast<std::ptrdiff_t>(first), parts.end(),
                      [&](Part& part) { return join(part, member, own); }))
        continue;
      Part& part = parts.emplace_back();
      part.parent = &wave[w];
      part.branch.assign(rows_.n_levels(own.column), -1);
      join(part, member, own);
    }
  }
  return parts;
}

// Adds a node to the part if its split agrees with it on every level that both have.
bool LevelTrees::join(Part& part, int member, Best& best) const {
  if (!part.best.empty() && part.column() != best.column) return false;
  const LevelBranches& levels = *best.levels;
  for (std::size_t l = 0; l < levels.code.size(); ++l)
    if (const int branch = part.branch[levels.code[l]]; branch >= 0 && branch != levels.branch[l])
      return false;
  for (std::size_t l = 0; l < levels.code.size(); ++l)
    part.branch[levels.code[l]] = static_cast<std::int8_t>(levels.branch[l]);
  part.members.push_back(member);
  part.best.push_back(std::move(best));
  return true;
}

void LevelTrees::part_rows(Part& part) const {
  const std::vector<std::uint32_t>& all = part.parent->rows;
  // Where one tree alone goes on, the rows of its fold are left behind.
  const int left_out = part.members.size() == 1 ? part.parent->nodes[part.members[0]].tree - 1 : -1;
  for (LevelNodes& child : part.child) child.rows.resize(all.size() + 1);
  std::uint32_t *left = part.child[0].rows.data(), *right = part.child[1].rows.data();
  for (const std::uint32_t row : all) {
    const int branch = part.branch[rows_.level(part.column(), row)];
    const bool stays = rows_.fold(row) == left_out;
    *left = *right = row;  // and written over, if it does not go there
    left += (branch == 0) & !stays;
    right += (branch == 1) & !stays;
  }
  part.child[0].rows.resize(left - part.child[0].rows.data());
  part.child[1].rows.resize(right - part.child[1].rows.data());
}

void LevelTrees::measure_classes(LevelNode& own, const LevelTree& tree, Node& node, double* counts) const {
  const int k = rows_.width();
  node.cases = std::accumulate(counts, counts + k, 0.0);
  own.range.count = static_cast<int>(node.cases);
  weigh_classes(own.range, tree.table, k, data_.loss, node, counts);
  const Limits& limits = tree.problem.recipe.limits;
  own.range.live = own.range.count > 0 && !pure_enough(counts, k, node.weight, limits) &&
                   large_enough_to_split(own.range, node, limits, tree.trunk.root_risk);
}

void LevelTrees::measure_children(Part& part) const {
  const std::size_t n = part.members.size();
  part.surrogates.resize(n);
  for (std::size_t m = 0; m < n; ++m)
    part.of.push_back(search_.branches(*part.parent, part.parent->nodes[part.members[m]], part.best[m]));
  for (int j = 0; j < 2; ++j) {
    LevelNodes& child = part.child[j];
    child.nodes.resize(n);
    part.measured[j].resize(n);
    for (std::size_t m = 0; m < n; ++m) {
      const LevelNode& parent = part.parent->nodes[part.members[m]];
      child.nodes[m].tree = parent.tree;
      child.nodes[m].range.depth = parent.range.depth + 1;
      if (classes())
        measure_classes(child.nodes[m], trees_[parent.tree], part.measured[j][m],
                        part.of[m].counts.data() + static_cast<std::ptrdiff_t>(j) * rows_.width());
    }
    if (!classes()) measure_->measure(child, part.column(), trees_, part.measured[j]);
  }
}

bool LevelTrees::wants_surrogates(const Part& part) const {
  return std::any_of(part.members.begin(), part.members.end(), [&](int member) {
    return trees_[part.parent->nodes[member].tree].problem.recipe.surrogates.most > 0;
  });
}

// Decides which children are counted: the smaller one, or on grids of their own those that may be split.
void LevelTrees::choose_counted(Part& part) const {
  LevelNodes* smaller = part.child + (part.child[1].rows.size() < part.child[0].rows.size());
  const bool live[2] = {any_live(part.child[0]), any_live(part.child[1])};
  if (!live[0] && !live[1] && !wants_surrogates(part)) return;
  part.counted = smaller;
  if (!differs()) {
    if (live[0] != live[1]) part.counted = part.child + live[1];
    for (int j = 0; j < 2; ++j)
      if (live[j] && part.child + j != part.counted) make_room(part.child[j]);
  }
  make_room(*part.counted);
}

void LevelTrees::count(std::vector<Part>& parts) {
  std::vector<LevelNodes*> counted;
  for (Part& part : parts)
    for (LevelNodes& child : part.child)
      if (!child.counts.empty()) counted.push_back(&child);
  const int n_columns = rows_.n_columns();
  const int n_shares = std::min(n_columns, team_.size());
  team_.run(static_cast<int>(counted.size()) * n_shares, [&](int item, int) {
    const int share = item % n_shares;
    count_rows(*counted[item / n_shares], share * n_columns / n_shares, (share + 1) * n_columns / n_shares);
  });
}

void LevelTrees::record_split(Part& part, std::size_t m) {
  const LevelNode& own = part.parent->nodes[part.members[m]];
  LevelTree& tree = trees_[own.tree];
  const Recipe& recipe = tree.problem.recipe;
  const Best& best = part.best[m];
  Node node = tree.trunk.nodes[own.range.node];
  const auto gain = [&](double value) { return gain_of(value, own.range, recipe, tree.table, tree.trunk); };
  node.kind = kind_of(Scale::nominal, recipe.nominal);
  node.column = best.column;
  node.gain = gain(best.value);
  append_levels(*best.levels, node, tree.trunk);
  node.first_alternative = static_cast<std::int64_t>(tree.trunk.alternatives.size());
  node.n_competitors = static_cast<std::int32_t>(best.competitors.size());
  node.n_surrogates = static_cast<std::int32_t>(part.surrogates[m].size());
  for (const Best& other : best.competitors) {
    AlternativeSplit split;
    split.column = other.column;
    split.value = gain(other.value);
    split.cases = own.range.count;
    append_levels(*other.levels, split, tree.trunk);
    tree.trunk.alternatives.push_back(split);
  }
  for (const Surrogate& one : part.surrogates[m]) {
    AlternativeSplit split = alternative_of(one);
    append_levels(*one.levels, split, tree.trunk);
    tree.trunk.alternatives.push_back(split);
  }
  tree.trunk.nodes[own.range.node] = node;
}

// Writes the split and the children of every member.
void LevelTrees::record(Part& part) {
  const int width = data_.node_width();
  for (std::size_t m = 0; m < part.members.size(); ++m) {
    record_split(part, m);
    const LevelNode& own = part.parent->nodes[part.members[m]];
    Branching& trunk = trees_[own.tree].trunk;
    const std::int32_t first = add_children(own.range.node, own.range.depth, 2, width, trunk);
    for (int j = 0; j < 2; ++j) {
      trunk.nodes[first + j] = part.measured[j][m];
      part.child[j].nodes[m].range.node = first + j;
      std::copy_n(part.of[m].counts.begin() + static_cast<std::ptrdiff_t>(j) * width, width,
                  trunk.counts.begin() + static_cast<std::ptrdiff_t>(first + j) * width);
      if (!part.child[j].nodes[m].range.live) watch_.done(part.child[j].nodes[m].range.count);
    }
    trunk.nodes[own.range.node].default_branch =
        fallback_branch(trees_[own.tree].problem.recipe.fallback, part.of[m].rows, &trunk.nodes[first]);
  }
}

// Gives every child that may be split its counts, and lets it wait.
void LevelTrees::settle(Part& part) {
  for (LevelNodes& child : part.child) {
    if (!any_live(child)) continue;
    if (differs() && &child != part.counted) {
      subtract(part.parent->counts[0], part.counted->counts[0], child.counts.emplace_back());
      subtract(part.parent->totals[0], part.counted->totals[0], child.totals.emplace_back());
    }
  }
  for (LevelNodes& child : part.child) put_aside(std::move(child));
}

// Keeps the nodes that may be split: to be grown from counts, or as ends.
void LevelTrees::put_aside(LevelNodes all) {
  std::erase_if(all.nodes, [](const LevelNode& one) { return !one.range.live; });
  if (all.nodes.empty()) return;
  all.numbers.clear();
  if (all.rows.size() > few_rows_) return waiting_.push_back(std::move(all));
  all.counts.clear();
  all.totals.clear();
  ends_.push_back(std::move(all));
}

void LevelTrees::grow_ends() {
  if (ends_.empty()) return;
  struct End {
    const LevelNodes* all;
    const LevelNode* own;
  };
  std::vector<End> ends;
  std::size_t most = 0;
  for (const LevelNodes& all : ends_) {
    most = std::max(most, all.rows.size());
    for (const LevelNode& own : all.nodes) ends.push_back({&all, &own});
  }
  std::stable_sort(ends.begin(), ends.end(),
                   [](const End& a, const End& b) { return a.own->tree < b.own->tree; });
  std::vector<Graft> grafts(ends.size());
  std::vector<std::unique_ptr<LevelEnds>> workers(team_.size());
  run_watched(team_, watch_, static_cast<int>(ends.size()), [&](int i, int member) {
    if (!workers[member])
      workers[member] = std::make_unique<LevelEnds>(rows_, data_, trees_, static_cast<int>(most));
    grafts[i] = workers[member]->grow(*ends[i].all, *ends[i].own, watch_);
    watch_.done(ends[i].own->range.count);
  });
  watch_.throw_if_stopped();
  for (std::size_t i = 0; i < ends.size(); ++i)
    trees_[ends[i].own->tree].grafts.push_back(std::move(grafts[i]));
}

}  // namespace bough
