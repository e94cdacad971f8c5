#include "bough/forest/tree_grower.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "bough/forest/drawn_search.hpp"
#include "bough/forest/few_class_search.hpp"
#include "bough/forest/node_mean.hpp"
#include "bough/forest/part_rows.hpp"
#include "bough/forest/random_search.hpp"
#include "bough/forest/screened_search.hpp"
#include "bough/forest/sparse_place.hpp"
#include "bough/forest/tree_places.hpp"
#include "bough/forest/tree_targets.hpp"

namespace bough {

namespace {

constexpr unsigned kNodesBetweenLooks = 256;
constexpr int kLeastListed = 16;  // rows, where few are not searched side by side

// Writes the weights of two classes, each summed in the order of the rows; returns the cases. No row waits
// for a sum in memory, and none is foreseen by its class.
double sum_two_classes(const std::uint32_t* index, int n, const Rows& rows, double* weights) {
  double weight[2] = {0, 0}, cases = 0;
  for (int i = 0; i < n; ++i) {
    const std::uint32_t at = index[i];
    const double w = rows.weight[at], second = rows.label[at] * w;
    weight[0] += w - second;
    weight[1] += second;
    cases += rows.cases[at];
  }
  std::copy_n(weight, 2, weights);
  return cases;
}

}  // namespace

TreeGrower::TreeGrower(const ForestPlan& plan)
    : plan_(plan),
      k_(plan.data.n_classes ? plan.data.n_classes : 2 * plan.data.n_targets()),
      order_(plan),
      block_(plan),
      search_(plan, static_cast<std::size_t>(std::max<std::int64_t>(plan.data.n_rows, block_.most_rows()))),
      bounds_(plan),
      few_cuts_(plan.recipe.criterion == criterion_of<Poisson> ? few_rates_kernel() : few_cuts_kernel()),
      low_(plan.evaluator.width()),
      missing_(plan.evaluator.width()),
      tried_(plan.evaluator.width()),
      rest_(plan.evaluator.width()) {
  few_rows_.evaluator = &plan.evaluator;
  const auto n = static_cast<std::size_t>(plan.data.n_rows);
  rows_.resize(n + kLanes);
  spare_.resize(n);
  const bool parts_values = plan.recipe.splitter == Splitter::random && parts_lists_by_vectors();
  if (!plan.sparse && (parts_values || (!plan.counts && plan.recipe.splitter == Splitter::best)))
    part_code_.resize(n + kLanes);
  index_.resize(block_.most_rows() + kLanes);
  if (plan.sparse) sparse_.emplace(plan);
  if (plan.counts) node_.emplace(n);
  if (plan.counts_classes) classes_.emplace(plan.evaluator, n);
  if (plan.counts && !plan.sparse && plan.recipe.splitter == Splitter::best) {
    counts_.emplace(*node_, n, plan.recipe.missing);
    std::size_t most = 0;
    for (std::size_t c = 0; c < plan.data.columns.size(); ++c)
      if (search_.by_sets(static_cast<int>(c)))
        most = std::max<std::size_t>(most, plan.coded.columns[c].n_codes + 1);
    if (most > 0 && plan.data.n_rows > block_.most_rows()) counter_.emplace(most, std::min(most, n));
  } else if (!plan.sparse && plan.recipe.splitter == Splitter::best &&
             plan.data.n_rows > block_.most_rows()) {
    keys_.resize(n + 16);
    other_keys_.resize(n + 16);
  }
  const bool drawn = plan.recipe.splitter == Splitter::random;
  if (plan.recipe.criterion.reads_moments() && plan.data.n_targets() == 1 && !plan.sparse &&
      (drawn || plan.recipe.monotonic.empty()))
    screen_.emplace(plan.evaluator, n, drawn);
  if (plan.data.n_classes == 2 && !plan.counts && plan.data.n_targets() == 1 && !plan.sparse && !drawn &&
      plan.recipe.monotonic.empty() &&
      (plan.recipe.criterion == criterion_of<Gini> || plan.recipe.criterion == criterion_of<Entropy>))
    two_classes_.emplace(plan.recipe.criterion == criterion_of<Entropy>, n);
  if ((screen_ && !drawn) || classes_ || two_classes_) mark_side_by_side();
  least_listed_ = (side_by_side_.empty() ? kLeastListed : few_cuts_.most_rows) + 1;
  if (drawn && plan.data.n_classes && !plan.counts && plan.data.n_targets() == 1 && !plan.sparse &&
      plan.recipe.monotonic.empty())
    tally_.emplace(plan.data.n_classes, n);
  const bool several_squares = plan.recipe.criterion == criterion_of<OfTargets<SquaredError>> && !plan.sparse;
  const int width = static_cast<int>(plan.data.columns.size());
  bool numbers = drawn && !plan.sparse && width > 0;  // in all columns, and none is missing
  for (int c = 0; numbers && c < width; ++c)
    numbers = plan.data.columns[c].scale != Scale::nominal && !plan.coded.columns[c].has_missing;
  if (numbers && several_squares && plan.recipe.max_features >= width && plan.recipe.tree_features == 0)
    target_screen_.emplace(width, plan.data.n_targets(), n);
  // All columns of a row together cost no more than some of them one by one.
  if (numbers && (screen_ || tally_ || plan.counts) && plan.recipe.max_features >= width / kLanes)
    cuts_.emplace(width, tally_ ? plan.data.n_classes : 0);
  constexpr int kMarkedColumns = 64;
  constexpr std::size_t kMostPicked = std::size_t{1} << 17;
  // Counts of several classes take the most for each column, so that copies one by one pay too.
  if (cuts_ && width <= kMarkedColumns && 2 * plan.recipe.max_features <= width &&
      plan.recipe.tree_features == 0 && (tally_ || cuts_->picks_at_once()))
    cuts_->make_room_to_pick(std::min(n, kMostPicked), plan.recipe.max_features);
  for (const Column& column : plan.data.columns) numeric_.push_back(column.scale == Scale::numeric);
  if (cuts_ && plan.recipe.max_features < width && plan.recipe.tree_features == 0 &&
      std::all_of(numeric_.begin(), numeric_.end(), [](char numeric) { return numeric; }))
    cuts_->draw_few_columns(plan.recipe.max_features);
  quick_moments_ = screen_ && drawn && plan.recipe.criterion == criterion_of<SquaredError> &&
                   plan.recipe.monotonic.empty() && plan.recipe.limits.min_cases_leaf <= 1;
  if (plan.recipe.splitter == Splitter::random) {
    drawn_value_.resize(n + NodeCounts::kFewRows);
    best_value_.resize(n + NodeCounts::kFewRows);
  }
  if (plan.counts) {
    row_counted_.resize(n);
  } else {
    const std::size_t all = n + (sparse_ ? sparse_->n_standing : 0);
    weight_.resize(all);
    cases_.resize(all);
    if (!plan.data.n_classes) square_.resize(n * plan.data.n_targets());
    grid_.resize(all * grid_width_of(plan.data, plan.recipe.criterion));
  }
  int most_levels = 0;
  for (const Column& column : plan.data.columns) most_levels = std::max(most_levels, column.n_levels);
  side_.resize(most_levels + 1);
  columns_.resize(plan.data.columns.size());
  block_.set_ranks(order_.ranks());
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
    set_counted(span.node, counted, span.count);
    return;
  }
  if (plan_.data.n_targets() > 1) return sum_up_targets(place, span);
  if (plan_.data.n_classes == 2) {
    node.cases = sum_two_classes(index, span.count, view.rows, statistics);
    node.weight = statistics[0] + statistics[1];
    return;
  }
  if (plan_.data.n_classes) {
    double cases = 0;
    for (int i = 0; i < span.count; ++i) {
      statistics[view.rows.label[index[i]]] += view.rows.weight[index[i]];
      cases += view.rows.cases[index[i]];
    }
    node.cases = cases;
    node.weight = std::accumulate(statistics, statistics + k_, 0.0);
    return;
  }
  const bool events = plan_.evaluator.criterion().reads_rates();
  if (span.count == 1 && !events && !search_.deviations()) return set_single(span.node, index[0], view);
  double weight = 0, cases = 0, sum = 0, squares = 0, low = view.rows.y[index[0]], high = low;
  for (int i = 0; i < span.count; ++i) {
    const std::uint32_t at = index[i];
    weight += view.rows.weight[at];
    cases += view.rows.cases[at];
    sum += view.rows.grid[at];
    // The same number, without a look at the whole table.
    squares += events ? square_[place.row(at)] : view.rows.grid[at] * (view.rows.y[at] - origin_);
    low = std::min(low, view.rows.y[at]);
    high = std::max(high, view.rows.y[at]);
  }
  node.weight = weight;
  node.cases = cases;
  moments_[2 * span.node] = weight;
  moments_[2 * span.node + 1] = sum;
  uniform_[span.node] = low == high;
  if (search_.deviations()) {
    const auto [median, deviation] = search_.deviations()->centre(index, span.count, view);
    statistics[0] = median;
    statistics[1] = deviation;
    return;
  }
  statistics[0] =
      low == high ? low : mean_of(index, span.count, view.rows, 0, origin_, sum / weight, low, high);
  if (events)
    statistics[1] = std::max(0.0, 2 * (squares - (sum > 0 ? sum * std::log(sum / weight) : 0)));
  else
    statistics[1] = low == high ? 0 : std::max(0.0, squares - sum * sum / weight);
}

// The same for a single row of a number, as half of the children are.
inline void TreeGrower::set_single(int at, std::uint32_t row, const RowView& view) {
  ForestNode& node = tree_.nodes[at];
  const double weight = view.rows.weight[row];
  node.weight = moments_[2 * at] = weight;
  node.cases = view.rows.cases[row];
  moments_[2 * at + 1] = view.rows.grid[row];
  uniform_[at] = true;
  tree_.statistics[2 * at] = view.rows.y[row];
  tree_.statistics[2 * at + 1] = 0;
}

// Fills in the statistics of both children, where class weights are whole numbers: those of the larger child
// are those of the node less those of the smaller one.
template <class Place>
void TreeGrower::sum_up_smaller(Place& place, const Span& span, const Span& low, const Span& high) {
  const Span &small = low.count < high.count ? low : high, &large = low.count < high.count ? high : low;
  sum_up(place, small);
  const auto statistics_of = [this](int node) {
    return tree_.statistics.data() + static_cast<std::ptrdiff_t>(node) * k_;
  };
  const double *all = statistics_of(span.node), *part = statistics_of(small.node);
  double* rest = statistics_of(large.node);
  for (int c = 0; c < k_; ++c) rest[c] = all[c] - part[c];
  tree_.nodes[large.node].weight = tree_.nodes[span.node].weight - tree_.nodes[small.node].weight;
  tree_.nodes[large.node].cases = tree_.nodes[span.node].cases - tree_.nodes[small.node].cases;
}

// The value of parting two rows; sums are taken as scans take them.
double TreeGrower::value_of_pair(std::uint32_t left, const RowView& view, const NodeSums& sums) {
  const bool classes = plan_.data.n_classes > 0;
  const LeafLimits& limits = search_.limits();
  const double cases = view.cases_at(left), weight = view.weight_at(left);
  if (cases < limits.min_cases || sums.cases - cases < limits.min_cases || weight < limits.min_weight ||
      sums.weight - weight < limits.min_weight)
    return kNoSplit;
  low_.clear();
  add_row(low_.statistics.data(), view, left, classes);
  std::copy_n(sums.statistics, rest_.statistics.size(), rest_.statistics.begin());
  subtract_row(rest_.statistics.data(), view, left, classes);
  return plan_.evaluator.value(low_.statistics.data(), rest_.statistics.data(), sums.weight);
}

// Searches a column of a node of two rows, a third of all nodes: every column that parts them has one of two
// values. Returns whether it has done so; otherwise the column is to be searched as any other.
template <class Place>
bool TreeGrower::search_pair(Place& place, int column, const Span& span, const NodeSums& sums) {
  if (span.count != 2 || plan_.coded.columns[column].has_missing || search_.by_sets(column) ||
      search_.deviations() || bounds_.any())
    return false;
  const std::uint32_t* index = place.index() + span.begin;
  const Cells<std::uint32_t> codes = place.codes(column);
  const std::uint32_t first = codes[index[0]], second = codes[index[1]];
  if (first == second) return true;
  const bool swapped = second < first;
  double& value = pair_value_[swapped];
  if (value != value) value = value_of_pair(index[swapped], place.view(), sums);
  if (value > best_.value) best_.take_cut(column, value, index[swapped], index[!swapped]);
  return true;
}

// Draws the column that a node looks at next; returns where it was among the columns.
int TreeGrower::draw_column(int seen) {
  if (plan_.recipe.max_features >= n_columns_ && !plan_.recipe.shuffle) return seen;
  const int from = seen + static_cast<int>(random_.below(static_cast<std::uint32_t>(n_columns_ - seen)));
  std::swap(columns_[seen], columns_[from]);
  return from;
}

// Draws the first n columns that a node looks at.
inline void TreeGrower::draw_columns(int n) {
  if (plan_.recipe.max_features >= n_columns_ && !plan_.recipe.shuffle) return;
  Random random = random_;
  int* columns = columns_.data();
  for (int seen = 0; seen < n; ++seen)
    std::swap(columns[seen],
              columns[seen + static_cast<int>(random.below(static_cast<std::uint32_t>(n_columns_ - seen)))]);
  random_ = random;
}

// Searches the columns that were bounded, the highest bounds first, while these reach the best value. Of
// equal values that of the column seen first wins.
template <class SearchColumn>
void TreeGrower::search_highest(const SearchColumn& search_column) {
  std::make_heap(highest_.begin(), highest_.end(), std::greater<>());  // most columns are never taken from it
  int best_seen = n_columns_;
  for (auto end = highest_.end(); end != highest_.begin(); --end) {
    const auto [negated, seen] = highest_.front();
    if (-negated < best_.value) break;
    std::pop_heap(highest_.begin(), end, std::greater<>());
    const double floor = best_.value;
    if (best_.column >= 0 && seen < best_seen)
      best_.value = std::nextafter(floor, -std::numeric_limits<double>::infinity());
    search_column(columns_[seen]);
    if (best_.column == columns_[seen])
      best_seen = seen;
    else
      best_.value = floor;
  }
}

// Searches a column for its best cut.
template <class Place>
void TreeGrower::search_best(Place& place, int column, const Span& span, const NodeSums& sums) {
  const Scale scale = plan_.data.columns[column].scale;
  if constexpr (!Place::kSparse) {
    if (counts_ && !search_.by_sets(column))
      return counts_->search(column, place.codes(column), order_.columns()[column], scale != Scale::ordinal,
                             best_);
    if (!counts_ && search_pair(place, column, span, sums)) return;
    if (search_classes_ && !search_.by_sets(column) && !plan_.coded.columns[column].has_missing)
      return classes_->search(column, place.codes(column), best_);
    look_closer();  // so that of equal gains that of the first column wins
  }
  place.search(column, span, sums);
}

// Looks into the bins of the columns seen so far.
inline void TreeGrower::look_closer() {
  if (counts_) counts_->look_closer(best_);
  if (search_classes_) classes_->look_closer(best_);
}

// Whether a split was found that lowers the impurity enough; its value becomes that fall.
inline bool TreeGrower::is_worth_making(const NodeSums& sums) {
  // Rounded sums of weights far apart can leave a side no weight.
  if (best_.column < 0 || !std::isfinite(best_.value)) return false;
  best_.value = std::max(0.0, best_.value);
  if (plan_.counts) best_.value *= 2 / (sums.weight * sums.weight);
  return best_.value * sums.weight / root_weight_ + 2.2e-16 >= plan_.recipe.limits.min_decrease;
}

// Looks at max_features columns, drawn anew; while none of them can be split it looks at more.
template <class Place>
bool TreeGrower::search(Place& place, const Span& span) {
  const ForestRecipe& recipe = plan_.recipe;
  best_.value = least_gain(span.node);
  best_.column = best_picked_ = -1;
  constant_ = span.constant;
  const NodeSums sums = sums_of(span.node);
  std::fill_n(pair_value_, 2, std::numeric_limits<double>::quiet_NaN());
  if (node_ && !Place::kSparse)
    node_->start(place.view().counted, place.index() + span.begin, span.count, sums.counted);
  if (counts_) counts_->start();
  search_classes_ = false;
  const bool drawn = recipe.splitter == Splitter::random;
  search_.start(place.index() + span.begin, span.count, place.view());
  if constexpr (Place::kSparse) place.open(span);
  // Among few rows it is common that a split leaves each side one class, which no other column can better.
  const bool few = span.count <= NodeCounts::kFewRows && !(recipe.shuffle && drawn);
  const double pure = few ? value_if_pure(sums) : 0;
  int seen = 0;
  if constexpr (!Place::kSparse) {
    if (screen_ && !drawn) seen = search_screened(place, span, sums);
    if (two_classes_ && !few) seen = search_two_classes(place, span, sums);
    // The whole table lies by columns too, where a few columns of two classes are read faster.
    if (can_draw_together() && (Place::kBlock || !node_ || picks(span.count)))
      seen = search_cuts_together(place, span, sums, few ? pure : std::numeric_limits<double>::infinity());
  }
  if constexpr (Place::kBlock)
    if ((classes_ || two_classes_) && few && span.count > 2)
      seen = search_few_classes(place, span, sums, pure);
  if (classes_ && seen < n_columns_)
    search_classes_ = classes_->start(place.index() + span.begin, span.count, place.view(), sums);
  if (drawn && seen < n_columns_) start_random(place.index() + span.begin, span.count, place.view(), sums);
  if constexpr (!Place::kSparse) {
    if (target_screen_) seen = search_target_cuts(place, span, sums);
  }
  for (; seen < n_columns_; ++seen) {
    if (seen >= recipe.max_features && (best_.column >= 0 || !recipe.seek)) break;
    draw_column(seen);
    const int column = columns_[seen];
    if (bounds_.any()) search_.set_answers(bounds_.rule(column, span.node));
    if constexpr (Place::kSparse)
      place.search(column, span, sums);
    else if (drawn)
      search_random(place, column, span, sums);
    else
      search_best(place, column, span, sums);
    if (few || seen + 1 >= std::min(recipe.max_features, n_columns_)) look_closer();
    if (few && best_.value >= pure) {
      if (!recipe.shuffle) break;
      // Random numbers are drawn all the same, so that the tree of a row drawn twice is that of two such
      // rows.
      while (++seen < std::min(recipe.max_features, n_columns_)) draw_column(seen);
      break;
    }
  }
  return is_worth_making(sums);
}

// Parts the rows of a node among its children, the first of which has the number `child`; returns how many go
// left.
template <class Place>
int TreeGrower::part_rows(Place& place, const Span& span, int child) {
  if constexpr (Place::kSparse) {
    if (!best_.missing_seen) return place.part_stored(span, child);
    place.list_best(span);
  }
  if (best_.kind == ForestSplit::Kind::codes && best_.has_rows && !best_.apart)
    best_.last_left = place.codes(best_.column)[best_.row_below];
  settle_default(place, span);
  const int left = part(place, span);
  if constexpr (Place::kSparse) place.settle(span, child, left);
  return left;
}

template <class Place>
void TreeGrower::split(Place& place, const Span& span, std::vector<Span>& stack) {
  const bool seen = best_.missing_seen;
  const int child = static_cast<int>(tree_.nodes.size());
  const int left = part_rows(place, span, child);
  Span low{child, span.begin, left, span.depth + 1, constant_};
  Span high{child + 1, span.begin + left, span.count - left, span.depth + 1, constant_};
  add_nodes(2);
  if (plan_.counts && !seen && best_.kind != ForestSplit::Kind::levels)
    set_counted(low.node, best_.left_counted, low.count);
  else if (!whole_classes_)
    sum_up(place, low);
  if (plan_.counts)
    set_counted(high.node, counted_[span.node] - counted_[low.node], high.count);
  else if (!whole_classes_)
    sum_up(place, high);
  else
    sum_up_smaller(place, span, low, high);
  if (!seen) best_.default_branch = tree_.nodes[high.node].weight > tree_.nodes[low.node].weight;
  if (bounds_.any())
    bounds_.bound_children(span.node, child, best_.column,
                           answer_of(plan_.recipe.criterion, sums_of(low.node).statistics),
                           answer_of(plan_.recipe.criterion, sums_of(high.node).statistics));
  write_split(place, span, left);
  tree_.nodes[span.node].first_child = child;
  if constexpr (Place::kBlock) place.part_lists(span, low, high);
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
      grow_below(small, {span.node, 0, span.count, span.depth, span.constant}, 0);
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
  const std::vector<std::uint64_t>& seeds = plan_.recipe.seeds;
  random_ = seeds.empty() ? Random(plan_.seed, 2 * tree + 1) : Random(seeds[tree - plan_.first_tree], 1);
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
  bounds_.clear();
  add_nodes(1);
  Whole whole(*this);
  const Span root{0, 0, n_drawn_, 0};
  sum_up(whole, root);
  root_weight_ = tree_.nodes[0].weight;
  search_.set_origin(origin_);
  search_.set_min_weight(plan_.recipe.limits.min_weight_fraction_leaf * root_weight_);
  const double least = std::max(search_.limits().min_cases, search_.limits().min_weight);
  if (counts_) counts_->set_least(least);
  if (classes_) classes_->set_least(least);
  if (sparse_) {
    sparse_->start(rows_.data(), n_drawn_);
    if (!sparse_->label.empty()) view_.rows.label = sparse_->label.data();
    Sparse place(*this);
    if (live(root)) grow_below(place, root, 0);
  } else if (live(root)) {
    grow_below(whole, root, block_.most_rows());
  }
  set_cuts();
  bounds_.keep(tree_, origin_);
  return tree_;
}

}  // namespace bough
