#include "bough/boost/gbm_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bough {

namespace {

// By how much three children reduce the squared error of their node.
double improvement(const GbmSums& left, const GbmSums& right, const GbmSums& missing) {
  const auto between = [](const GbmSums& a, const GbmSums& b) {
    const double difference = a.sum / a.weight - b.sum / b.weight;
    return a.weight * b.weight * difference * difference;
  };
  if (missing.weight == 0) return between(left, right) / (left.weight + right.weight);
  const double all = between(left, right) + between(left, missing) + between(right, missing);
  return all / (left.weight + right.weight + missing.weight);
}

void move(GbmSums& from, GbmSums& to, const GbmSums& some) {
  to.sum += some.sum;
  to.weight += some.weight;
  to.cases += some.cases;
  from.sum -= some.sum;
  from.weight -= some.weight;
  from.cases -= some.cases;
}

// Shell's sort with the steps of R's rsort, which leaves equal keys of many levels in an order of its own.
void sort_like_r(std::vector<double>& key, std::vector<int>& code) {
  const auto n = static_cast<int>(key.size());
  int step = 1;
  while (step <= n / 9) step = 3 * step + 1;
  for (; step > 0; step /= 3)
    for (int i = step; i < n; ++i)
      for (int j = i; j >= step && key[j - step] > key[j]; j -= step) {
        std::swap(key[j - step], key[j]);
        std::swap(code[j - step], code[j]);
      }
}

}  // namespace

GbmTreeGrower::GbmTreeGrower(const std::vector<Column>& columns, std::int64_t n_rows, const GbmLimits& limits,
                             Team& team, Watch& watch)
    : columns_(columns),
      n_rows_(n_rows),
      limits_(limits),
      team_(team),
      watch_(watch),
      known_(columns.size()),
      missing_(columns.size()),
      levels_(columns.size()),
      rank_(columns.size()),
      leaf_of_row_(n_rows) {
  for_columns([&](int c) {
    for (std::int64_t row = 0; row < n_rows; ++row)
      (std::isnan(columns[c].value(row)) ? missing_ : known_)[c].push_back(static_cast<std::uint32_t>(row));
    if (columns[c].scale != Scale::nominal)
      std::stable_sort(known_[c].begin(), known_[c].end(), [&](std::uint32_t a, std::uint32_t b) {
        return columns[c].value(a) < columns[c].value(b);
      });
    if (columns[c].scale != Scale::numeric) list_levels(c);
  });
}

// Like gbm, drops levels that no row has: they would change the order of ties and the cuts of ordered levels.
void GbmTreeGrower::list_levels(int column) {
  rank_[column].assign(columns_[column].n_levels, -1);
  for (const std::uint32_t row : known_[column]) rank_[column][columns_[column].code(row)] = 0;
  for (int code = 0; code < columns_[column].n_levels; ++code) {
    if (rank_[column][code] < 0) continue;
    rank_[column][code] = static_cast<int>(levels_[column].size());
    levels_[column].push_back(code);
  }
}

void GbmTreeGrower::for_columns(const std::function<void(int)>& work) {
  team_.run(static_cast<int>(columns_.size()), [&](int c, int) {
    if (!watch_.should_stop()) work(c);
  });
  watch_.throw_if_stopped();
}

void GbmTreeGrower::grow(const double* response, const double* weight, const std::uint8_t* drawn) {
  GbmLeaf root;
  for (std::int64_t row = 0; row < n_rows_; ++row) {
    if (!drawn[row]) continue;
    root.sums.sum += weight[row] * response[row];
    root.sums.weight += weight[row];
    ++root.sums.cases;
  }
  root.value = root.sums.sum / root.sums.weight;
  leaves_.assign(1, root);
  best_.assign(1, {});
  nodes_.assign(1, root);
  std::fill(leaf_of_row_.begin(), leaf_of_row_.end(), 0);
  tree_ = {};
  tree_.nodes.resize(1);
  const Response given{response, weight, drawn};
  search({0}, given);
  for (int i = 0; i < limits_.n_splits; ++i) {
    watch_.poll_or_throw();
    int next = 0;
    for (std::size_t leaf = 1; leaf < leaves_.size(); ++leaf)
      if (best_[leaf].improvement > best_[next].improvement) next = static_cast<int>(leaf);
    if (best_[next].improvement == 0) break;
    const auto first_new = static_cast<int>(leaves_.size());
    split(next);
    std::vector<int> children = {next};
    for (int leaf = first_new; leaf < static_cast<int>(leaves_.size()); ++leaf) children.push_back(leaf);
    if (i + 1 < limits_.n_splits) search(children, given);
  }
  count_cases();
}

// gbm does not count the cases of a root that is a leaf: their number is that of the leaf whose memory the
// root reuses, the last leaf for missing values of the tree before.
void GbmTreeGrower::count_cases() {
  if (leaves_.size() > 1) {
    int last = 0;
    cases_of_old_leaf_ = 0;
    while (tree_.nodes[last].n_children == 3) last = tree_.nodes[last].first_child + 2;
    if (tree_.nodes[last].n_children == 0) cases_of_old_leaf_ = nodes_[last].sums.cases;
  }
  for (GbmLeaf& leaf : leaves_)
    leaf.has_cases = (leaves_.size() > 1 ? leaf.sums.cases : cases_of_old_leaf_) >= limits_.min_cases;
}

void GbmTreeGrower::search(const std::vector<int>& leaves, const Response& response) {
  searched_ = leaves;
  place_.assign(leaves_.size(), -1);
  for (std::size_t i = 0; i < leaves.size(); ++i) place_[leaves[i]] = static_cast<int>(i);
  const auto n = static_cast<int>(columns_.size());
  std::vector<std::vector<Split>> found(n);
  for_columns([&](int c) {
    if (columns_[c].scale == Scale::nominal)
      search_levels(c, response, found[c]);
    else
      search_threshold(c, response, found[c]);
  });
  for (std::size_t i = 0; i < leaves.size(); ++i)
    for (int c = 0; c < n; ++c)
      if (found[c][i].improvement > best_[leaves[i]].improvement) best_[leaves[i]] = std::move(found[c][i]);
}

// The splits of all searched leaves with the sums of missing values; right: the sums of the others.
std::vector<GbmTreeGrower::Split> GbmTreeGrower::started(int column, const Response& response,
                                                         const std::vector<std::uint32_t>& missing,
                                                         std::vector<GbmSums>& right) const {
  std::vector<Split> splits(searched_.size());
  for (std::size_t i = 0; i < searched_.size(); ++i) {
    splits[i].column = column;
    right.push_back(leaves_[searched_[i]].sums);
  }
  for (const std::uint32_t row : missing) {
    const int at = place_[leaf_of_row_[row]];
    if (at < 0 || !response.drawn[row]) continue;
    move(right[at], splits[at].missing,
         {response.weight[row] * response.value[row], response.weight[row], 1});
  }
  return splits;
}

// Takes a split if it is allowed and better than the best; returns whether it did.
bool GbmTreeGrower::take(Split& best, const GbmSums& left, const GbmSums& right) const {
  if (left.cases < limits_.min_cases || right.cases < limits_.min_cases) return false;
  const int direction = limits_.monotonic.empty() ? 0 : limits_.monotonic[best.column];
  if (direction != 0 && !(direction * (right.sum * left.weight - left.sum * right.weight) > 0)) return false;
  const double gain = improvement(left, right, best.missing);
  if (!(gain > best.improvement)) return false;
  best.improvement = gain;
  best.left = left;
  best.right = right;
  return true;
}

void GbmTreeGrower::search_threshold(int column, const Response& response, std::vector<Split>& found) const {
  std::vector<GbmSums> left(searched_.size()), right;
  found = started(column, response, missing_[column], right);
  std::vector<double> last(searched_.size(), -HUGE_VAL);
  std::vector<std::uint32_t> last_row(searched_.size(), 0);
  for (const std::uint32_t row : known_[column]) {
    const int at = place_[leaf_of_row_[row]];
    if (at < 0 || !response.drawn[row]) continue;
    const double x = columns_[column].value(row);
    if (x != last[at] && take(found[at], left[at], right[at])) {
      found[at].row_below = last_row[at];
      found[at].row_above = row;
    }
    move(right[at], left[at], {response.weight[row] * response.value[row], response.weight[row], 1});
    last[at] = x;
    last_row[at] = row;
  }
}

void GbmTreeGrower::search_levels(int column, const Response& response, std::vector<Split>& found) const {
  const auto n_levels = static_cast<int>(levels_[column].size());
  std::vector<GbmSums> rest;
  found = started(column, response, missing_[column], rest);
  std::vector<std::vector<GbmSums>> levels(searched_.size(), std::vector<GbmSums>(n_levels));
  for (const std::uint32_t row : known_[column]) {
    const int at = place_[leaf_of_row_[row]];
    if (at < 0 || !response.drawn[row]) continue;
    GbmSums& level = levels[at][rank_[column][columns_[column].code(row)]];
    level.sum += response.weight[row] * response.value[row];
    level.weight += response.weight[row];
    ++level.cases;
  }
  for (std::size_t at = 0; at < searched_.size(); ++at) {
    std::vector<double> mean(n_levels, HUGE_VAL);
    std::vector<int> order(n_levels);
    std::iota(order.begin(), order.end(), 0);
    int present = 0;
    for (int level = 0; level < n_levels; ++level) {
      if (levels[at][level].weight == 0) continue;
      mean[level] = levels[at][level].sum / levels[at][level].weight;
      ++present;
    }
    sort_like_r(mean, order);
    GbmSums left, right = rest[at];
    int n_left = 0;
    for (int i = 0; i + 1 < present; ++i) {
      move(right, left, levels[at][order[i]]);
      if (take(found[at], left, right)) n_left = i + 1;
    }
    found[at].goes_right.assign(n_levels, 1);
    for (int i = 0; i < n_left; ++i) found[at].goes_right[order[i]] = 0;
  }
}

// gbm cuts halfway between two values, where ordered levels are numbered without those that no row has.
double GbmTreeGrower::cut_of(const Split& made) const {
  const Column& column = columns_[made.column];
  if (column.scale == Scale::numeric)
    return cut_between(column.value(made.row_below), column.value(made.row_above), column.scale);
  const std::vector<int>& rank = rank_[made.column];
  // A level in the middle goes right.
  const int first_right = (rank[column.code(made.row_below)] + rank[column.code(made.row_above)] + 1) / 2;
  return levels_[made.column][first_right] - 0.5;
}

// Splits a leaf; its left child takes its place. A child for missing values is made if a row has one.
void GbmTreeGrower::split(int leaf) {
  const Split made = std::move(best_[leaf]);
  const bool apart = std::any_of(missing_[made.column].begin(), missing_[made.column].end(),
                                 [&](std::uint32_t row) { return leaf_of_row_[row] == leaf; });
  record(leaf, made, apart);
  const auto n_leaves = static_cast<int>(leaves_.size());
  const int first = tree_.nodes[leaves_[leaf].node].first_child;
  const GbmSums sums[3] = {made.left, made.right, made.missing};
  for (int i = 0; i < (apart ? 3 : 2); ++i) {
    // Missing values of weight 0 have the value of their node.
    const double value = sums[i].weight == 0 ? leaves_[leaf].value : sums[i].sum / sums[i].weight;
    const GbmLeaf child{sums[i], value, first + i};
    nodes_.push_back(child);
    if (i == 0) continue;
    leaves_.push_back(child);
    best_.emplace_back();
  }
  leaves_[leaf] = nodes_[first];
  best_[leaf] = {};
  const Column& column = columns_[made.column];
  const bool by_level = !made.goes_right.empty();
  const double cut = by_level ? 0 : cut_of(made);
  for (std::int64_t row = 0; row < n_rows_; ++row) {
    if (leaf_of_row_[row] != leaf) continue;
    const double x = column.value(row);
    const int branch = std::isnan(x) ? 2
                       : by_level    ? made.goes_right[rank_[made.column][static_cast<int>(x)]]
                                     : x >= cut;
    if (branch > 0) leaf_of_row_[row] = n_leaves + branch - 1;
  }
}

// Writes a split into the tree. Without a child for missing values, rows that lack the value stop.
void GbmTreeGrower::record(int leaf, const Split& made, bool apart) {
  const auto first = static_cast<int>(tree_.nodes.size());
  tree_.nodes.resize(first + (apart ? 3 : 2));
  Node& node = tree_.nodes[leaves_[leaf].node];
  node.first_child = first;
  node.n_children = apart ? 3 : 2;
  node.column = made.column;
  node.default_branch = apart ? 2 : -1;
  node.gain = made.improvement / leaves_[leaf].sums.weight;
  node.row_below = made.row_below;
  node.row_above = made.row_above;
  node.kind = made.goes_right.empty() ? SplitKind::threshold : SplitKind::subset;
  if (columns_[made.column].scale == Scale::ordinal) node.drawn_cut = cut_of(made);
  node.first_level = static_cast<std::int64_t>(tree_.level_code.size());
  node.n_levels = static_cast<std::int32_t>(made.goes_right.size());
  for (std::size_t level = 0; level < made.goes_right.size(); ++level) {
    tree_.level_code.push_back(levels_[made.column][level]);
    tree_.level_branch.push_back(made.goes_right[level]);
  }
}

void GbmTreeGrower::adjust(int at) {
  const Node& node = tree_.nodes[at];
  if (node.first_child < 0) return;
  GbmLeaf &self = nodes_[at], *child = nodes_.data() + node.first_child;
  for (int i = 0; i < 2; ++i) adjust(node.first_child + i);
  const double both = child[0].sums.weight * child[0].value + child[1].sums.weight * child[1].value,
               weight = child[0].sums.weight + child[1].sums.weight;
  const bool apart = node.n_children == 3;
  const bool few =
      apart && tree_.nodes[node.first_child + 2].first_child < 0 && child[2].sums.cases < limits_.min_cases;
  if (!apart || few) {
    self.value = both / weight;
    if (few) child[2].value = self.value;
    return;
  }
  adjust(node.first_child + 2);
  self.value = (both + child[2].sums.weight * child[2].value) / (weight + child[2].sums.weight);
}

const Branching& GbmTreeGrower::finish(double factor) {
  for (const GbmLeaf& leaf : leaves_) nodes_[leaf.node] = leaf;
  adjust(0);
  for (GbmLeaf& leaf : leaves_) leaf.value = nodes_[leaf.node].value;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = tree_.nodes[i];
    node.weight = nodes_[i].sums.weight;
    node.cases = static_cast<double>(nodes_[i].sums.cases);
    node.centre = factor * nodes_[i].value;
  }
  return tree_;
}

}  // namespace bough
