#include "bough/quinlan/prune.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "bough/quinlan/class_search.hpp"
#include "bough/quinlan/extra_errors.hpp"

namespace bough::quinlan {

namespace {

// Cases stand in one array. Those of a node are a range of it, which is partitioned into the ranges of its
// branches. Where a value is missing the case stands in every branch in turn, its weight multiplied by the
// branch's share: such cases stand before the range of the present branch, and then move behind it.
//
// In a tree of release 8, weights and their sums are 32-bit floats wherever they may be fractions. Sums of
// whole numbers are exact: such a float cannot count beyond 2^24.
template <class Errors>
class Pruner {
 public:
  using T = typename Errors::Number;

  Pruner(TreeBuilder& tree, const Data& data, const PruneOptions& options, Watch& watch);
  void run();

 private:
  enum class Stage { start, branch, raised };
  // A node whose branches are estimated one after the other.
  struct Frame {
    std::int32_t node;
    std::int64_t begin, end;
    bool updates;  // figures are stored, and the tree may change
    bool whole;    // all weights are whole numbers
    Stage stage = Stage::start;
    std::int64_t at = 0, n_incomplete = 0;  // the range of the present branch, incomplete cases first
    std::int32_t branch = -1, largest = -1;
    std::size_t first_count = 0;  // in counts_: the number of cases of each branch
    double known_weight = 0, factor = 0;
    T most = 0, errors = 0, leaf_errors = 0;
  };

  bool lay_out();
  void step();
  void start(Frame& frame);
  void leave_branch(Frame& frame);
  void next_branch();
  void close_branches();
  void decide(Frame& frame, T raised);
  void finish_frame(T errors);
  double tally(const Frame& frame);
  void store(const Frame& frame, double weight);
  void store_empty(std::int32_t node);
  double sum(std::int64_t begin, std::int64_t end, bool whole) const;
  double rounded(double number, bool whole = false) const {
    return rounds_ && !whole ? static_cast<double>(static_cast<float>(number)) : number;
  }
  void find_branches(const Node& node, std::int64_t begin, std::int64_t end);
  void note_neighbours(const Frame& frame);
  void partition(const Node& node, Frame& frame);

  TreeBuilder& tree_;
  const Data& data_;
  Errors extra_;
  bool raising_;
  bool rounds_;  // to 32-bit floats
  Watch& watch_;
  bool weights_count_cases_ = false;  // each case weighs 1 at first
  std::vector<std::uint32_t> row_;    // of each case
  std::vector<double> weight_;        // of each case
  std::vector<std::uint32_t> cases_, buffer_;
  std::vector<std::int32_t> branch_;  // of each case in the present range
  std::vector<std::int64_t> counts_, places_;
  std::vector<double> of_class_;
  std::vector<Frame> frames_;
  T result_ = 0;  // errors of the frame that was finished last
};

template <class Errors>
Pruner<Errors>::Pruner(TreeBuilder& tree, const Data& data, const PruneOptions& options, Watch& watch)
    : tree_(tree),
      data_(data),
      extra_(options.confidence, options.deviate),
      raising_(options.raising),
      rounds_(std::is_same_v<T, float> && options.fractional),
      watch_(watch) {
  const bool whole = lay_out();
  cases_.resize(row_.size());
  std::iota(cases_.begin(), cases_.end(), 0u);
  buffer_.resize(cases_.size());
  branch_.resize(cases_.size());
  frames_.push_back({0, 0, static_cast<std::int64_t>(cases_.size()), true, whole});
}

// Makes cases of the rows; returns whether all their weights are whole. In release 8, as in growth, a row of
// weight 2 is two cases then, unless there are very many.
template <class Errors>
bool Pruner<Errors>::lay_out() {
  const auto weight_of = [&](std::int64_t row) { return data_.weight ? data_.weight[row] : 1.0; };
  bool whole = true, counts_cases = true;
  double total = 0;
  for (std::int64_t i = 0; i < data_.n_rows; ++i) {
    whole &= weight_of(i) == std::floor(weight_of(i));
    counts_cases &= weight_of(i) == (data_.cases ? data_.cases[i] : 1);
    total += weight_of(i);
  }
  const bool copies = rounds_ && whole && total <= kMostInCaseOrder;
  weights_count_cases_ = !data_.weight || (copies && counts_cases);
  for (std::int64_t i = 0; i < data_.n_rows; ++i)
    for (double copy = 0; copy < (copies ? weight_of(i) : weight_of(i) != 0); ++copy) {
      row_.push_back(static_cast<std::uint32_t>(i));
      weight_.push_back(copies ? 1.0 : rounded(weight_of(i)));
    }
  return whole;
}

template <class Errors>
void Pruner<Errors>::run() {
  while (!frames_.empty()) {
    watch_.poll_or_throw();
    step();
  }
}

template <class Errors>
void Pruner<Errors>::step() {
  Frame& frame = frames_.back();
  if (frame.stage == Stage::start) return start(frame);
  if (frame.stage == Stage::raised) return decide(frame, result_);
  frame.errors += result_;
  leave_branch(frame);
  next_branch();
}

template <class Errors>
double Pruner<Errors>::sum(std::int64_t begin, std::int64_t end, bool whole) const {
  double total = 0;
  for (std::int64_t i = begin; i < end; ++i) total = rounded(total + weight_[cases_[i]], whole);
  return total;
}

// Sets the class weights of the cases; returns the weight of all.
template <class Errors>
double Pruner<Errors>::tally(const Frame& frame) {
  of_class_.assign(data_.n_classes, 0.0);
  double total = 0;
  for (std::int64_t i = frame.begin; i < frame.end; ++i) {
    const double weight = weight_[cases_[i]];
    double& of_class = of_class_[data_.label[row_[cases_[i]]]];
    of_class = rounded(of_class + weight, frame.whole);
    total = rounded(total + weight, frame.whole);
  }
  return total;
}

template <class Errors>
void Pruner<Errors>::store(const Frame& frame, double weight) {
  Node& node = tree_.nodes[frame.node];
  node.weight = node.cases = weight;
  if (!weights_count_cases_) {
    node.cases = 0;
    for (std::int64_t i = frame.begin; i < frame.end; ++i) {
      const std::uint32_t row = row_[cases_[i]];
      node.cases += (data_.cases ? data_.cases[row] : 1) * (weight_[cases_[i]] / rounded(data_.weight[row]));
    }
  }
  std::copy(of_class_.begin(), of_class_.end(), tree_.statistics_of(frame.node));
  node.risk = weight - *std::max_element(of_class_.begin(), of_class_.end());
}

template <class Errors>
void Pruner<Errors>::store_empty(std::int32_t top) {
  std::vector<std::int32_t> below{top};
  while (!below.empty()) {
    Node& node = tree_.nodes[below.back()];
    std::fill_n(tree_.statistics_of(below.back()), tree_.width, 0.0);
    below.pop_back();
    node.weight = node.cases = node.risk = 0;
    for (std::int32_t k = 0; k < node.n_children; ++k) below.push_back(node.first_child + k);
  }
}

template <class Errors>
void Pruner<Errors>::finish_frame(T errors) {
  result_ = errors;
  frames_.pop_back();
}

template <class Errors>
void Pruner<Errors>::start(Frame& frame) {
  const double total = tally(frame);
  const T weight = static_cast<T>(total);
  const T leaf = weight - static_cast<T>(*std::max_element(of_class_.begin(), of_class_.end()));
  frame.leaf_errors = leaf + extra_(weight, leaf);
  if (frame.updates) store(frame, total);
  const Node& node = tree_.nodes[frame.node];
  if (node.n_children == 0) return finish_frame(frame.leaf_errors);
  partition(node, frame);
  frame.stage = Stage::branch;
  next_branch();
}

// The branch of each case of a range; -1: down all of them.
template <class Errors>
void Pruner<Errors>::find_branches(const Node& node, std::int64_t begin, std::int64_t end) {
  const Column& column = data_.columns[node.column];
  const auto compare = [&](const auto& value_of) {
    const double cut = least_right(node.kind, node.cut);
    for (std::int64_t i = begin; i < end; ++i) {
      const double x = value_of(row_[cases_[i]]);
      branch_[i] = x != x ? node.default_branch : x >= cut;
    }
  };
  if (node.n_levels == 0) {
    if (column.type == Column::Type::float64)
      compare([&](std::uint32_t row) { return column.at<double>(row); });
    else if (column.type == Column::Type::float32)
      compare([&](std::uint32_t row) { return static_cast<double>(column.at<float>(row)); });
    else
      compare([&](std::uint32_t row) { return column.value(row); });
    return;
  }
  const std::int32_t *first = tree_.level_code.data() + node.first_level, *last = first + node.n_levels;
  const std::int32_t* branch = tree_.level_branch.data() + node.first_level;
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int32_t level = column.code(row_[cases_[i]]);
    const std::int32_t* found = std::lower_bound(first, last, level);
    branch_[i] = found == last || *found != level ? node.default_branch : branch[found - first];
  }
}

// Notes the values beside the cut of a threshold, whose cases have their branches.
template <class Errors>
void Pruner<Errors>::note_neighbours(const Frame& frame) {
  Node& node = tree_.nodes[frame.node];
  node.cut_below = node.cut_above = std::numeric_limits<double>::quiet_NaN();
  const Column& column = data_.columns[node.column];
  for (std::int64_t i = frame.begin; i < frame.end; ++i)
    if (const double x = column.value(row_[cases_[i]]); x == x) node.note_value(branch_[i], x);
}

// Parts the range of a node: incomplete cases first, then branch after branch.
template <class Errors>
void Pruner<Errors>::partition(const Node& node, Frame& frame) {
  find_branches(node, frame.begin, frame.end);
  if (frame.updates && node.n_levels == 0) note_neighbours(frame);
  frame.first_count = counts_.size();
  counts_.resize(counts_.size() + node.n_children, 0);
  std::int64_t* count = counts_.data() + frame.first_count;
  for (std::int64_t i = frame.begin; i < frame.end; ++i)
    ++(branch_[i] < 0 ? frame.n_incomplete : count[branch_[i]]);
  places_.assign(node.n_children + 1, 0);
  places_[1] = frame.n_incomplete;
  for (std::int32_t b = 1; b < node.n_children; ++b) places_[b + 1] = places_[b] + count[b - 1];
  for (std::int64_t i = frame.begin; i < frame.end; ++i) buffer_[places_[branch_[i] + 1]++] = cases_[i];
  std::copy_n(buffer_.data(), frame.end - frame.begin, cases_.data() + frame.begin);
  frame.at = frame.begin;
  frame.known_weight = sum(frame.begin + frame.n_incomplete, frame.end, frame.whole);
}

// Estimates the next branch that has cases.
template <class Errors>
void Pruner<Errors>::next_branch() {
  Frame& frame = frames_.back();
  const Node node = tree_.nodes[frame.node];
  const bool none_known = frame.n_incomplete == frame.end - frame.begin;
  while (++frame.branch < node.n_children) {
    const std::int32_t child = node.first_child + frame.branch;
    const std::int64_t count = counts_[frame.first_count + frame.branch];
    const std::int64_t first = frame.at + frame.n_incomplete;
    const double inside = sum(first, first + count, frame.whole);
    frame.factor =
        none_known ? Errors::share_if_none_known(node.n_children) : rounded(inside / frame.known_weight);
    // Rounded factors do not sum to 1: they are divided in the end.
    if (frame.updates) tree_.nodes[child].share = rounds_ ? inside : frame.factor;
    if (!(frame.factor > 0)) {
      if (frame.updates) store_empty(child);
      continue;
    }
    if (const T share = static_cast<T>(frame.factor); Errors::no_less(share, frame.most)) {
      frame.most = share;
      frame.largest = frame.branch;
    }
    for (std::int64_t i = frame.at; i < first; ++i) {
      double& weight = weight_[cases_[i]];
      weight = rounded(weight * frame.factor);
    }
    const bool whole = frame.whole && frame.n_incomplete == 0;
    const Frame below{child, frame.at, first + count, frame.updates, whole};
    frames_.push_back(below);
    return;
  }
  close_branches();
}

// A branch is done: its incomplete cases get their weights back and move on to the next.
template <class Errors>
void Pruner<Errors>::leave_branch(Frame& frame) {
  const std::int64_t count = counts_[frame.first_count + frame.branch];
  if (frame.n_incomplete == 0) {
    frame.at += count;
    return;
  }
  const std::int64_t end = frame.at + frame.n_incomplete + count;
  find_branches(tree_.nodes[frame.node], frame.at, end);
  std::int64_t complete = 0, incomplete = count;
  for (std::int64_t i = frame.at; i < end; ++i)
    buffer_[branch_[i] < 0 ? incomplete++ : complete++] = cases_[i];
  std::copy_n(buffer_.data(), end - frame.at, cases_.data() + frame.at);
  frame.at += count;
  for (std::int64_t i = frame.at; i < end; ++i) {
    double& weight = weight_[cases_[i]];
    weight = rounded(weight / frame.factor);
  }
}

// All branches are estimated: what if the largest stood here?
template <class Errors>
void Pruner<Errors>::close_branches() {
  Frame& frame = frames_.back();
  counts_.resize(frame.first_count);
  if (!frame.updates) return finish_frame(frame.errors);
  if (!raising_ || frame.largest < 0) return decide(frame, std::numeric_limits<T>::max());
  frame.stage = Stage::raised;
  const std::int32_t largest = tree_.nodes[frame.node].first_child + frame.largest;
  const Frame below{largest, frame.begin, frame.end, false, frame.whole};
  frames_.push_back(below);
}

template <class Errors>
void Pruner<Errors>::decide(Frame& frame, T raised) {
  constexpr double kSlack = 0.1;
  const T leaf = frame.leaf_errors;
  if (Errors::no_more(leaf, frame.errors + kSlack) && Errors::no_more(leaf, raised + kSlack)) {
    tree_.make_leaf(frame.node);
    return finish_frame(leaf);
  }
  if (!Errors::no_more(raised, frame.errors + kSlack)) return finish_frame(frame.errors);
  Node& node = tree_.nodes[frame.node];
  const Node was = node;
  node = tree_.nodes[was.first_child + frame.largest];
  node.parent = was.parent;
  node.share = was.share;
  frame = Frame{frame.node, frame.begin, frame.end, true, frame.whole};
}

// Levels that a test above has sent elsewhere are taken from the last branch of a subset; if none is left to
// it, it goes, unless it takes missing values.
void drop_impossible_levels(TreeBuilder& tree) {
  std::vector<std::int32_t> order{0};
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::int32_t k = 0; k < tree.nodes[order[i]].n_children; ++k) {
      order.push_back(tree.nodes[order[i]].first_child + k);
      tree.nodes[order.back()].parent = order[i];
    }
  for (const std::int32_t id : order) {
    Node& node = tree.nodes[id];
    if (node.kind != SplitKind::subset) continue;
    std::int32_t child = id, up = node.parent;
    while (up >= 0 && !(tree.nodes[up].kind == SplitKind::subset && tree.nodes[up].column == node.column))
      child = std::exchange(up, tree.nodes[up].parent);
    if (up < 0) continue;
    const Node& test = tree.nodes[up];
    const std::int32_t taken = child - test.first_child;
    const auto leads_here = [&](std::int32_t level) {
      for (std::int32_t p = 0; p < test.n_levels; ++p)
        if (tree.level_code[test.first_level + p] == level)
          return tree.level_branch[test.first_level + p] == taken;
      return false;
    };
    std::int32_t kept = 0, in_last = 0;
    const std::int32_t last = node.n_children - 1;
    for (std::int32_t p = 0; p < node.n_levels; ++p) {
      const std::int32_t level = tree.level_code[node.first_level + p];
      const std::int32_t branch = tree.level_branch[node.first_level + p];
      if (branch == last && !leads_here(level)) continue;
      in_last += branch == last;
      tree.level_code[node.first_level + kept] = level;
      tree.level_branch[node.first_level + kept++] = branch;
    }
    node.n_levels = kept;
    if (in_last == 0 && node.default_branch != last) --node.n_children;
  }
}

TreeBuilder builder_of(const TreeView& tree, const std::int32_t* n_children, const double* gain,
                       int n_classes, bool fractional) {
  TreeBuilder builder;
  builder.width = n_classes;
  builder.nodes.resize(tree.n_nodes);
  builder.statistics.assign(static_cast<std::size_t>(tree.n_nodes) * n_classes, 0.0);
  for (std::int32_t i = 0; i < tree.n_nodes; ++i) {
    Node& node = builder.nodes[i];
    node.kind = static_cast<SplitKind>(tree.kind[i]);
    if (node.kind == SplitKind::leaf) continue;
    node.first_child = tree.first_child[i];
    node.n_children = n_children[i];
    node.column = tree.column[i];
    node.cut = tree.cut[i];
    node.gain = gain[i];
    node.first_level = static_cast<std::int64_t>(builder.level_code.size());
    node.n_levels = static_cast<std::int32_t>(tree.level_start[i + 1] - tree.level_start[i]);
    node.default_branch = fractional ? -1 : tree.default_branch[i];
    std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
    for (std::int64_t p = tree.level_start[i]; p < tree.level_start[i + 1]; ++p)
      pairs.push_back({tree.level_code[p], tree.level_branch[p]});
    std::sort(pairs.begin(), pairs.end());
    for (const auto& [level, branch] : pairs) {
      builder.level_code.push_back(level);
      builder.level_branch.push_back(branch);
    }
  }
  return builder;
}

}  // namespace

FinishedTree prune(const TreeView& tree, const std::int32_t* n_children, const double* gain, const Data& data,
                   const PruneOptions& options, const Monitor& monitor) {
  Watch watch(monitor);
  TreeBuilder builder = builder_of(tree, n_children, gain, data.n_classes, options.fractional);
  if (options.estimate == Estimate::release8) {
    Pruner<Release8Errors>(builder, data, options, watch).run();
    builder.divide_shares();
    if (options.raising) drop_impossible_levels(builder);
  } else {
    Pruner<WekaErrors>(builder, data, options, watch).run();
  }
  return finish(builder);
}

}  // namespace bough::quinlan
