#include "bough/forest/tree_grower.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "bough/forest/judge_random.hpp"

namespace bough {

namespace {

constexpr unsigned kNodesBetweenLooks = 256;

}  // namespace

// The rows of the whole table.
class TreeGrower::Whole {
 public:
  static constexpr bool kAnyOrder = false;  // they are kept ascending, so that memory is read forwards

  explicit Whole(TreeGrower& grower) : g_(grower) {}

  std::uint32_t* index() { return g_.rows_.data(); }
  const RowView& view() const { return g_.view_; }
  std::uint32_t row(std::uint32_t index) const { return index; }
  Cells<float> values(int column) const {
    return {g_.plan_.coded.values.get() + static_cast<std::size_t>(g_.plan_.data.n_rows) * column, 1};
  }

  bool varies(int column, const Span& span) const {
    const CodedColumn& coded = g_.order_.columns()[column];
    const std::uint32_t* index = g_.rows_.data() + span.begin;
    const std::uint32_t first = coded.code[index[0]];
    for (int i = 1; i < span.count; ++i)
      if (coded.code[index[i]] != first) return true;
    return false;
  }

  void judge(int column, const Span& span, const NodeSums& sums) {
    if (g_.counter_) {
      const CountedCodes codes =
          g_.counter_->count(g_.plan_.coded.columns[column], index() + span.begin, span.count);
      return g_.search_.judge(column, codes, sums, g_.best_);
    }
    if (!varies(column, span)) return;
    const CodedColumn& coded = g_.order_.columns()[column];
    const std::uint32_t* index = g_.rows_.data() + span.begin;
    for (int i = 0; i < span.count; ++i)
      g_.keys_[i] = make_entry<std::uint64_t>(coded.code[index[i]], index[i], 0);
    const std::uint64_t* list = sort_keys(g_.keys_.data(), g_.other_keys_.data(), span.count,
                                          EntryTraits<std::uint64_t>::kCodeShift, coded.bits);
    g_.search_.judge(column, list, span.count, coded.n_codes, g_.view_, sums, g_.best_);
  }

  // The code of each row, by index.
  Cells<std::uint32_t> codes(int column) const { return {g_.order_.columns()[column].code, 1}; }

 private:
  TreeGrower& g_;
};

// The rows of a block.
class TreeGrower::Small {
 public:
  static constexpr bool kAnyOrder = true;  // sums of counts are the same in any

  explicit Small(TreeGrower& grower) : g_(grower), block_(grower.block_) {}

  std::uint32_t* index() { return g_.index_.data(); }
  const RowView& view() const { return block_.view(); }
  std::uint32_t row(std::uint32_t index) const { return block_.row(index); }
  Cells<float> values(int column) const { return block_.values(column); }

  void judge(int column, const Span& span, const NodeSums& sums) {
    const std::uint32_t* list = block_.ordered(column, index() + span.begin, span.count);
    g_.search_.judge(column, list, span.count, EntryTraits<std::uint32_t>::kMissing, block_.view(), sums,
                     g_.best_);
  }

  Cells<std::uint32_t> codes(int column) const { return block_.codes(column); }

 private:
  TreeGrower& g_;
  Block& block_;
};

TreeGrower::TreeGrower(const ForestPlan& plan)
    : plan_(plan),
      k_(plan.data.n_classes ? plan.data.n_classes : 2),
      search_(plan),
      order_(plan),
      block_(plan),
      low_(plan.judge.width()),
      missing_(plan.judge.width()),
      tried_(plan.judge.width()),
      rest_(plan.judge.width()) {
  const auto n = static_cast<std::size_t>(plan.data.n_rows);
  rows_.resize(n + kLanes);
  spare_.resize(n);
  index_.resize(block_.most_rows() + kLanes);
  if (plan.counts) node_.emplace(n);
  if (plan.counts && plan.recipe.splitter == Splitter::best) {
    counts_.emplace(*node_, n, plan.recipe.missing);
    std::size_t most = 0;
    for (std::size_t c = 0; c < plan.data.columns.size(); ++c)
      if (search_.by_sets(static_cast<int>(c)))
        most = std::max<std::size_t>(most, plan.coded.columns[c].n_codes + 1);
    if (most > 0 && plan.data.n_rows > block_.most_rows()) counter_.emplace(most, std::min(most, n));
  } else if (plan.recipe.splitter == Splitter::best && plan.data.n_rows > block_.most_rows()) {
    keys_.resize(n + 16);
    other_keys_.resize(n + 16);
  }
  if (plan.recipe.splitter == Splitter::random) {
    drawn_value_.resize(n + NodeCounts::kFewRows);
    best_value_.resize(n + NodeCounts::kFewRows);
  }
  if (plan.counts) {
    row_counted_.resize(n);
  } else {
    weight_.resize(n);
    cases_.resize(n);
    if (!plan.data.n_classes) grid_.resize(n), square_.resize(n);
  }
  int most_levels = 0;
  for (const Column& column : plan.data.columns) most_levels = std::max(most_levels, column.n_levels);
  side_.resize(most_levels + 1);
  columns_.resize(plan.data.columns.size());
  block_.set_ranks(order_.ranks());
}

// Draws the rows of a tree and weighs them.
void TreeGrower::draw(std::uint64_t tree) {
  const Data& data = plan_.data;
  const std::int64_t n = data.n_rows;
  if (plan_.sampler.takes_all() && !count_.empty()) {  // all is as it was for the tree before
    std::iota(rows_.begin(), rows_.begin() + n, 0u);
    return;
  }
  plan_.sampler.draw(plan_.seed, tree, count_);
  int m = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    rows_[m] = static_cast<std::uint32_t>(i);
    m += count_[i] > 0;
  }
  n_drawn_ = m;
  view_ = {};
  if (plan_.counts) {
    for (std::int64_t i = 0; i < n; ++i) row_counted_[i] = counted_draws(count_[i], data.label[i] == 1);
    view_.counted = row_counted_.data();
    node_->set_most_draws(*std::max_element(count_.begin(), count_.end()));
    if (counter_) counter_->start(row_counted_);
    return;
  }
  double total = 0, sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    weight_[i] = count_[i] * (data.weight ? data.weight[i] : 1.0);
    cases_[i] = count_[i] * (data.cases ? data.cases[i] : 1.0);
    total += weight_[i];
    if (data.y) sum += weight_[i] * data.y[i];
  }
  if (plan_.recipe.balance) {
    std::vector<double> of_class(data.n_classes, 0.0);
    for (std::int64_t i = 0; i < n; ++i) of_class[data.label[i]] += weight_[i];
    for (std::int64_t i = 0; i < n; ++i)
      if (weight_[i] > 0) weight_[i] *= total / (data.n_classes * of_class[data.label[i]]);
  }
  view_.rows.label = data.label;
  view_.rows.y = data.y;
  view_.rows.weight = weight_.data();
  view_.rows.cases = cases_.data();
  if (!data.y) return;
  const bool events = plan_.judge.criterion() == Criterion::poisson;
  origin_ = events ? 0 : sum / total;
  for (std::int64_t i = 0; i < n; ++i) {
    const double y = data.y[i] - origin_;
    grid_[i] = weight_[i] * y;
    square_[i] = events ? (y > 0 ? weight_[i] * y * std::log(y) : 0) : grid_[i] * y;
  }
  view_.rows.grid = grid_.data();
}

NodeSums TreeGrower::sums_of(int node) const {
  NodeSums sums;
  sums.weight = tree_.nodes[node].weight;
  sums.cases = tree_.nodes[node].cases;
  sums.statistics = (plan_.data.n_classes ? tree_.statistics.data() : moments_.data()) +
                    static_cast<std::ptrdiff_t>(node) * k_;
  if (plan_.counts) sums.counted = counted_[node];
  return sums;
}

// Fills in the statistics of a node from its rows.
template <class Place>
void TreeGrower::sum_up(Place& place, const Span& span) {
  ForestNode& node = tree_.nodes[span.node];
  double* statistics = tree_.statistics.data() + static_cast<std::ptrdiff_t>(span.node) * k_;
  const std::uint32_t* index = place.index() + span.begin;
  const RowView& view = place.view();
  if (plan_.counts) {
    std::uint64_t counted = 0;
    for (int i = 0; i < span.count; ++i) counted += view.counted[index[i]];
    set_counted(span.node, counted);
    return;
  }
  if (plan_.data.n_classes) {
    for (int i = 0; i < span.count; ++i) {
      statistics[view.rows.label[index[i]]] += view.rows.weight[index[i]];
      node.cases += view.rows.cases[index[i]];
    }
    node.weight = std::accumulate(statistics, statistics + k_, 0.0);
    return;
  }
  double weight = 0, sum = 0, squares = 0, low = view.rows.y[index[0]], high = low;
  for (int i = 0; i < span.count; ++i) {
    const std::uint32_t at = index[i];
    weight += view.rows.weight[at];
    node.cases += view.rows.cases[at];
    sum += view.rows.grid[at];
    squares += square_[place.row(at)];
    low = std::min(low, view.rows.y[at]);
    high = std::max(high, view.rows.y[at]);
  }
  node.weight = weight;
  moments_[2 * span.node] = weight;
  moments_[2 * span.node + 1] = sum;
  uniform_[span.node] = low == high;
  statistics[0] = low == high ? low : origin_ + sum / weight;
  if (plan_.judge.criterion() == Criterion::poisson)
    statistics[1] = std::max(0.0, 2 * (squares - (sum > 0 ? sum * std::log(sum / weight) : 0)));
  else
    statistics[1] = low == high ? 0 : std::max(0.0, squares - sum * sum / weight);
}

void TreeGrower::set_counted(int node, std::uint64_t counted) {
  counted_[node] = counted;
  const auto all = static_cast<double>(counted & 0xffffffffu), second = static_cast<double>(counted >> 32);
  tree_.nodes[node].weight = tree_.nodes[node].cases = all;
  tree_.statistics[2 * node] = all - second;
  tree_.statistics[2 * node + 1] = second;
}

void TreeGrower::add_nodes(int n) {
  const std::size_t size = tree_.nodes.size() + n;
  tree_.nodes.resize(size);
  tree_.statistics.resize(size * k_, 0.0);
  if (plan_.counts) counted_.resize(size);
  if (!plan_.data.n_classes) {
    moments_.resize(2 * size);
    uniform_.resize(size);
  }
}

bool TreeGrower::live(const Span& span) const {
  const Limits& limits = plan_.recipe.limits;
  const ForestNode& node = tree_.nodes[span.node];
  if (span.count < 2 || span.depth >= limits.max_depth || node.cases < limits.min_cases_split ||
      node.cases < 2 * limits.min_cases_leaf)
    return false;
  if (!plan_.data.n_classes) return !uniform_[span.node];
  const double* counts = tree_.statistics.data() + static_cast<std::ptrdiff_t>(span.node) * k_;
  return *std::max_element(counts, counts + k_) < node.weight;
}

// What a split would be worth that leaves each side one class.
double TreeGrower::value_if_pure(const NodeSums& sums) const {
  constexpr double kSlack = 1 - 1e-12;  // more than what rounding takes
  const Criterion criterion = plan_.judge.criterion();
  if (plan_.counts) return sums.statistics[0] * sums.statistics[1] * kSlack;
  if (criterion == Criterion::gini || criterion == Criterion::entropy || criterion == Criterion::deviance)
    return plan_.judge.impurity(sums.statistics) * kSlack;
  return std::numeric_limits<double>::infinity();
}

// What a split must exceed to gain anything: what rounding may make of none. Sums of numbers and of weights
// are rounded, counts are not; information is judged with its rounding taken off.
double TreeGrower::least_gain(int node) const {
  constexpr double kRounding = 1e-13;
  if (plan_.counts) return 0;
  const double weight = tree_.nodes[node].weight;
  switch (plan_.judge.criterion()) {
    case Criterion::gini:
    case Criterion::twoing:
      return kRounding * kRounding;
    case Criterion::chi_square:
      return kRounding * kRounding * weight;
    case Criterion::misclassification:
      return kRounding;
    case Criterion::squared_error: {
      const double sum = moments_[2 * node + 1], risk = tree_.statistics[2 * node + 1];
      return kRounding * kRounding * (risk + sum * sum / weight) / weight;
    }
    case Criterion::poisson: {
      const double rate = moments_[2 * node + 1] / weight;
      return rate > 0 ? kRounding * rate * (1 + std::abs(std::log(rate))) : 0;
    }
    default:
      return 0;
  }
}

// Looks at max_features columns, drawn anew; while none of them can be split it looks at more.
template <class Place>
bool TreeGrower::search(Place& place, const Span& span) {
  const ForestRecipe& recipe = plan_.recipe;
  best_.value = least_gain(span.node);
  best_.column = -1;
  const NodeSums sums = sums_of(span.node);
  if (node_) node_->start(place.view().counted, place.index() + span.begin, span.count, sums.counted);
  if (counts_) counts_->start();
  // Among few rows it is common that a split leaves each side one class, which no other column can better.
  const bool few = span.count <= NodeCounts::kFewRows;
  const double pure = few ? value_if_pure(sums) : 0;
  for (int seen = 0; seen < n_columns_; ++seen) {
    if (seen >= recipe.max_features && (best_.column >= 0 || !recipe.seek)) break;
    if (recipe.max_features < n_columns_)
      std::swap(columns_[seen],
                columns_[seen + random_.below(static_cast<std::uint32_t>(n_columns_ - seen))]);
    const int column = columns_[seen];
    const Scale scale = plan_.data.columns[column].scale;
    if (recipe.splitter == Splitter::random)
      judge_random(place, column, span, sums);
    else if (counts_ && !search_.by_sets(column))
      counts_->judge(column, place.codes(column), order_.columns()[column], scale != Scale::ordinal, best_);
    else {
      if (counts_) counts_->look_closer(best_);  // so that of equal gains that of the first column wins
      place.judge(column, span, sums);
    }
    if (counts_ && (few || seen + 1 >= std::min(recipe.max_features, n_columns_)))
      counts_->look_closer(best_);
    if (few && best_.value >= pure) break;
  }
  if (best_.column < 0) return false;
  if (plan_.counts) best_.value *= 2 / (sums.weight * sums.weight);
  return best_.value * sums.weight / root_weight_ + 2.2e-16 >= recipe.limits.min_decrease;
}

// Parts the rows of a node as the split says; returns how many are on the left.
template <class Place>
int TreeGrower::part(Place& place, const Span& span) {
  const auto parted = [&](auto right) {
    std::uint32_t *index = place.index() + span.begin, *other = spare_.data();
    int l = 0, r = 0;
    if (Place::kAnyOrder && plan_.counts) {
      for (int i = 0; i < span.count; ++i) {
        const std::uint32_t at = index[i];
        const bool goes_right = right(at, i);
        index[i] = index[l];
        index[l] = at;
        l += !goes_right;
      }
      return l;
    }
    for (int i = 0; i < span.count; ++i) {
      const std::uint32_t at = index[i];
      const bool goes_right = right(at, i);
      index[l] = at;
      other[r] = at;
      l += !goes_right;
      r += goes_right;
    }
    std::copy_n(other, r, index + l);
    return l;
  };
  const int column = best_.column;
  const bool otherwise = best_.default_branch == 1;
  if (best_.kind == ForestSplit::Kind::value) {
    const auto cut = static_cast<float>(best_.cut);
    const float* values = best_value_.data();
    if (!best_.missing_seen) return parted([&](std::uint32_t, int i) { return values[i] >= cut; });
    return parted([&](std::uint32_t, int i) {
      const float x = values[i];
      return x == x ? x >= cut : otherwise;
    });
  }
  if (best_.kind == ForestSplit::Kind::levels) {
    const CodedColumn& coded = plan_.coded.columns[column];
    for (std::uint32_t level : best_.left) side_[level] = 0;
    for (std::uint32_t level : best_.right) side_[level] = 1;
    side_[coded.n_codes] = otherwise;
    return parted([&](std::uint32_t at, int) { return side_[coded.code[place.row(at)]] != 0; });
  }
  const Cells<std::uint32_t> code = place.codes(column);
  const std::uint32_t missing = plan_.coded.columns[column].n_codes;
  if (best_.apart) return parted([&](std::uint32_t at, int) { return code[at] != missing; });
  const std::uint32_t last = best_.last_left;
  if (const std::int32_t* near = counts_ ? counts_->codes_of(column) : nullptr) {
    const auto limit = static_cast<std::int32_t>(last);
    if (plan_.data.columns[column].scale != Scale::nominal) {
      const auto [below, above] = kernels_.around(near, span.count, limit);
      const std::uint32_t* index = place.index() + span.begin;
      best_.row_below = index[std::find(near, near + span.count, below) - near];
      best_.row_above = index[std::find(near, near + span.count, above) - near];
    }
    return parted([&](std::uint32_t, int i) { return near[i] > limit; });
  }
  // On the way, the rows are found that hold the values next to the cut.
  std::uint64_t below = 0, above = ~std::uint64_t{0};
  const bool to_right = !best_.missing_seen || otherwise;
  const int left = parted([&](std::uint32_t at, int) {
    const std::uint32_t own = code[at];
    const std::uint64_t key = static_cast<std::uint64_t>(own) << 32 | at;
    const bool over = own > last;
    below = std::max(below, over ? 0 : key);
    above = std::min(above, over ? key : ~std::uint64_t{0});
    return over && (to_right || own != missing);
  });
  if (!best_.has_rows) {
    best_.row_below = static_cast<std::uint32_t>(below);
    best_.row_above = static_cast<std::uint32_t>(above);
  }
  return left;
}

// Missing values of a split that has no side for them follow most of the known weight.
template <class Place>
void TreeGrower::settle_default(Place& place, const Span& span) {
  if (best_.default_branch >= 0) return;
  const std::uint32_t* index = place.index() + span.begin;
  const RowView& view = place.view();
  best_.default_branch = 1;  // of codes, missing ones are last, hence on the right
  if (!best_.missing_seen) return;
  double side[2] = {0, 0};
  const CodedColumn& coded = plan_.coded.columns[best_.column];
  if (best_.kind == ForestSplit::Kind::levels) {
    for (std::uint32_t level : best_.left) side_[level] = 0;
    for (std::uint32_t level : best_.right) side_[level] = 1;
  }
  const float* values = best_.kind == ForestSplit::Kind::value ? best_value_.data() : nullptr;
  for (int i = 0; i < span.count; ++i) {
    const std::uint32_t at = index[i];
    if (values) {
      if (values[i] == values[i]) side[values[i] >= best_.cut] += view.weight(at);
      continue;
    }
    const std::uint32_t level = coded.code[place.row(at)];
    if (level == coded.n_codes) continue;
    const bool right = best_.kind == ForestSplit::Kind::levels
                           ? side_[level]
                           : place.codes(best_.column)[at] > best_.last_left;
    side[right] += view.weight(at);
  }
  best_.default_branch = side[1] > side[0];
}

// The levels that do not follow the default branch: those of the rows on the other side.
template <class Place>
void TreeGrower::write_levels(Place& place, const Span& span, int left) {
  ForestNode& node = tree_.nodes[span.node];
  std::vector<std::uint32_t>& levels = tree_.levels;
  node.first_level = static_cast<std::int64_t>(levels.size());
  if (best_.kind == ForestSplit::Kind::levels) {
    const auto& other = best_.default_branch == 1 ? best_.left : best_.right;
    levels.insert(levels.end(), other.begin(), other.end());
  } else {
    const bool right = best_.default_branch == 0;
    const std::uint32_t* index = place.index() + span.begin;
    const std::uint32_t* code = plan_.coded.columns[best_.column].code;
    for (int i = right ? left : 0; i < (right ? span.count : left); ++i) {
      const std::uint32_t level = code[place.row(index[i])];
      if (!side_[level]) levels.push_back(level);
      side_[level] = 1;
    }
    for (std::size_t i = node.first_level; i < levels.size(); ++i) side_[levels[i]] = 0;
  }
  node.n_levels = static_cast<std::int32_t>(levels.size() - node.first_level);
  std::sort(levels.begin() + node.first_level, levels.end());
}

template <class Place>
void TreeGrower::write_split(Place& place, const Span& span, int left) {
  ForestNode& node = tree_.nodes[span.node];
  node.column = best_.column;
  node.gain = best_.value;
  node.default_branch = best_.default_branch;
  if (plan_.data.columns[best_.column].scale == Scale::nominal) {
    write_levels(place, span, left);
  } else if (best_.kind == ForestSplit::Kind::value) {
    node.cut = best_.cut;
  } else if (best_.apart) {
    node.cut = -std::numeric_limits<double>::infinity();
  } else {
    uncut_.push_back({span.node, place.row(best_.row_below), place.row(best_.row_above)});
  }
}

// Fills in the cuts that lie between the values of two rows. They are fetched together at the end, for they
// lie anywhere in the table.
void TreeGrower::set_cuts() {
  constexpr std::size_t kAhead = 16;
  for (std::size_t i = 0; i < uncut_.size(); ++i) {
    if (i + kAhead < uncut_.size()) {
      const Uncut& later = uncut_[i + kAhead];
      const Column& column = plan_.data.columns[tree_.nodes[later.node].column];
      column.prefetch(later.below);
      column.prefetch(later.above);
    }
    ForestNode& node = tree_.nodes[uncut_[i].node];
    const Column& column = plan_.data.columns[node.column];
    const double low = column.value(uncut_[i].below), high = column.value(uncut_[i].above);
    node.cut =
        column.scale == Scale::numeric ? cut_above_middle(low, high) : cut_between(low, high, column.scale);
  }
}

template <class Place>
void TreeGrower::split(Place& place, const Span& span, std::vector<Span>& stack) {
  const bool seen = best_.missing_seen;
  if (best_.kind == ForestSplit::Kind::codes && best_.has_rows && !best_.apart)
    best_.last_left = place.codes(best_.column)[best_.row_below];
  settle_default(place, span);
  const int left = part(place, span);
  const int child = static_cast<int>(tree_.nodes.size());
  Span low{child, span.begin, left, span.depth + 1};
  Span high{child + 1, span.begin + left, span.count - left, span.depth + 1};
  add_nodes(2);
  if (plan_.counts && !seen && best_.kind != ForestSplit::Kind::levels)
    set_counted(low.node, best_.left_counted);
  else
    sum_up(place, low);
  if (plan_.counts)
    set_counted(high.node, counted_[span.node] - counted_[low.node]);
  else
    sum_up(place, high);
  if (!seen) best_.default_branch = tree_.nodes[high.node].weight > tree_.nodes[low.node].weight;
  write_split(place, span, left);
  tree_.nodes[span.node].first_child = child;
  if (live(high)) stack.push_back(high);
  if (live(low)) stack.push_back(low);
}

// Grows what is below a node; nodes of at most hand_over rows are grown in a block.
template <class Place>
void TreeGrower::grow_below(Place& place, const Span& root, int hand_over) {
  std::vector<Span> stack{root};
  unsigned nodes = 0;
  while (!stack.empty()) {
    const Span span = stack.back();
    stack.pop_back();
    if (span.count <= hand_over) {
      block_.load(rows_.data() + span.begin, span.count, view_);
      std::iota(index_.begin(), index_.begin() + span.count, 0u);
      Small small(*this);
      grow_below(small, {span.node, 0, span.count, span.depth}, 0);
      continue;
    }
    if (++nodes % kNodesBetweenLooks == 0 || span.count > block_.most_rows())
      if ((*stopped_)()) return;
    if (search(place, span)) split(place, span, stack);
  }
}

ForestTree& TreeGrower::grow(std::uint64_t tree, const std::function<bool()>& stopped) {
  stopped_ = &stopped;
  draw(tree);
  random_ = Random(plan_.seed, 2 * tree + 1);
  order_.draw(rows_.data(), n_drawn_, random_);
  n_columns_ = static_cast<int>(columns_.size());
  std::iota(columns_.begin(), columns_.end(), 0);
  if (plan_.recipe.tree_features > 0) {
    for (int i = 0; i < plan_.recipe.tree_features; ++i)
      std::swap(columns_[i], columns_[i + random_.below(static_cast<std::uint32_t>(n_columns_ - i))]);
    n_columns_ = plan_.recipe.tree_features;
    std::sort(columns_.begin(), columns_.begin() + n_columns_);
  }
  tree_.nodes.clear();
  tree_.statistics.clear();
  tree_.levels.clear();
  moments_.clear();
  counted_.clear();
  uniform_.clear();
  uncut_.clear();
  add_nodes(1);
  Whole whole(*this);
  const Span root{0, 0, n_drawn_, 0};
  sum_up(whole, root);
  root_weight_ = tree_.nodes[0].weight;
  search_.set_min_weight(plan_.recipe.limits.min_weight_fraction_leaf * root_weight_);
  if (counts_) counts_->set_least(std::max(search_.limits().min_cases, search_.limits().min_weight));
  if (live(root)) grow_below(whole, root, block_.most_rows());
  set_cuts();
  return tree_;
}

}  // namespace bough
