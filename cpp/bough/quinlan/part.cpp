#include "bough/quinlan/part.hpp"

#include <memory>
#include <numeric>

#include "bough/quinlan/extra_errors.hpp"
#include "bough/quinlan/j48.hpp"

namespace bough::quinlan {

namespace {

constexpr double kUnusable = std::numeric_limits<double>::max();

// The rows of a node, in parts: its items, the entries of each sorted column, and the items held out.
struct Part {
  std::vector<std::uint32_t> items;
  std::vector<std::vector<Entry>> lists;
  std::vector<std::uint32_t> held;
};

// A node of a partial tree. Subtrees that were not grown are null.
struct PartNode {
  std::vector<double> classes;  // weights
  std::vector<double> held;     // class weights of the rows held out
  std::vector<std::vector<double>>
      bags;         // class weights of each branch, fractions of missing values included
  int column = -1;  // -1: a leaf
  Candidate<double> test;
  std::vector<std::unique_ptr<PartNode>> sons;
  int chosen = 0;

  bool is_leaf() const { return column < 0; }
  void make_leaf() {
    column = -1;
    sons.clear();
  }
  double fraction(int branch) const { return total(bags[branch]) / total(classes); }
  static double total(const std::vector<double>& weights) {
    return std::accumulate(weights.begin(), weights.end(), 0.0);
  }
};

class PartialTree {
 public:
  PartialTree(Table<double>& table, const J48Search& search, const PartOptions& options, Watch& watch)
      : table_(table), search_(search), options_(options), watch_(watch) {}

  // Grows a partial tree on rows of these weights.
  std::unique_ptr<PartNode> grow(const std::vector<double>& weight) {
    const auto n = static_cast<std::uint32_t>(table_.data->n_rows);
    items_.row.resize(n);
    std::iota(items_.row.begin(), items_.row.end(), 0u);
    items_.weight = weight;
    Part part;
    for (std::uint32_t row : table_.rows)
      if (weight[row] > 0) part.items.push_back(row);
    for (std::uint32_t row = 0; row < options_.held_out.size(); ++row)
      if (options_.held_out[row] && weight[row] > 0) part.held.push_back(row);
    for (const SortedColumn<double>& column : table_.numbers) {
      std::vector<Entry>& list = part.lists.emplace_back();
      for (const Entry& entry : column.entries)
        if (weight[entry.item] > 0) list.push_back(entry);
    }
    return build(part, false);
  }

  // What of a row a rule takes.
  double weight_of(const PartNode& root, std::uint32_t row) const {
    double weight = 1;
    for (const PartNode* node = &root; !node->is_leaf(); node = node->sons[node->chosen].get()) {
      const int branch = branch_of(*node, row);
      if (branch < 0)
        weight *= node->fraction(node->chosen);
      else if (branch != node->chosen)
        return 0;
    }
    return weight;
  }

  PartRule rule_of(const PartNode& root) const {
    PartRule rule;
    const PartNode* node = &root;
    for (; !node->is_leaf(); node = node->sons[node->chosen].get())
      rule.conditions.push_back(condition_of(*node));
    rule.distribution = node->classes;
    return rule;
  }

 private:
  std::unique_ptr<PartNode> build(const Part& part, bool leaf);
  bool choose_test(const Part& part, PartNode& node);
  std::vector<Part> split(const Part& part, PartNode& node);
  int next_to_grow(const PartNode& node) const;
  int largest_leaf(const PartNode& node) const;
  double size_of_branch(const PartNode& node) const {
    return node.is_leaf() ? PartNode::total(node.classes) : size_of_branch(*node.sons[node.chosen]);
  }
  // The errors of a leaf: those expected of its rows, or those on the rows held out, where a leaf without
  // rows answers as the node above it.
  double errors_of(const PartNode& leaf, const PartNode& above) const {
    const double total = PartNode::total(leaf.classes);
    if (options_.pruning == PartPruning::reduced_error) {
      const std::vector<double>& classes = alike(total, 0) ? above.classes : leaf.classes;
      return PartNode::total(leaf.held) -
             leaf.held[std::max_element(classes.begin(), classes.end()) - classes.begin()];
    }
    if (alike(total, 0)) return 0;
    const double errors = total - *std::max_element(leaf.classes.begin(), leaf.classes.end());
    return errors + WekaErrors(options_.confidence, options_.deviate)(total, errors);
  }
  std::vector<double> class_weights(const std::vector<std::uint32_t>& items) const {
    std::vector<double> weights(table_.data->n_classes, 0.0);
    for (std::uint32_t item : items) weights[table_.data->label[items_.row[item]]] += items_.weight[item];
    return weights;
  }
  std::uint32_t fraction_of(std::uint32_t item, double share) {
    items_.row.push_back(items_.row[item]);
    items_.weight.push_back(share * items_.weight[item]);
    return static_cast<std::uint32_t>(items_.row.size() - 1);
  }
  void prune_end(PartNode& node) const;
  int branch_of(const PartNode& node, std::uint32_t row) const;
  PartCondition condition_of(const PartNode& node) const;
  SortedView view_of(const std::vector<Entry>& list) const {
    const std::span<const Entry> all(list);
    const auto known =
        std::partition_point(all.begin(), all.end(), [](const Entry& e) { return e.rank != kMissing; });
    return {{all.begin(), known}, {known, all.end()}};
  }

  Table<double>& table_;
  const J48Search& search_;
  PartOptions options_;
  Watch& watch_;
  Items<double> items_;
  J48Search::Scratch scratch_;
};

bool PartialTree::choose_test(const Part& part, PartNode& node) {
  NodeView<double> view;
  view.items = part.items;
  view.unit_weights = std::all_of(part.items.begin(), part.items.end(),
                                  [&](std::uint32_t item) { return items_.weight[item] == 1; });
  search_.tally(items_, view, node.classes);
  if (search_.stays_leaf(view)) return false;
  std::vector<Candidate<double>> found(table_.data->columns.size());
  for (int c = 0; c < static_cast<int>(found.size()); ++c)
    found[c] = table_.is_nominal(c)
                   ? search_.best_level_test(c, view, items_, false, scratch_)
                   : search_.best_threshold(c, view_of(part.lists[table_.list[c]]), view, items_, scratch_);
  watch_.poll_or_throw();
  node.column = search_.choose_column(found);
  if (node.column >= 0) node.test = std::move(found[node.column]);
  return node.column >= 0;
}

int PartialTree::branch_of(const PartNode& node, std::uint32_t row) const {
  const Column& column = table_.data->columns[node.column];
  if (table_.is_nominal(node.column)) {
    const int code = column.code(row);
    return code < 0 || node.test.branch_of.empty() ? code : node.test.branch_of[code];
  }
  const double x = column.value(row);
  return x == x ? x > node.test.cut : -1;
}

std::vector<Part> PartialTree::split(const Part& part, PartNode& node) {
  const int n_branches = node.test.n_branches;
  std::vector<int> branch(part.items.size());
  node.bags.assign(n_branches, std::vector<double>(node.classes.size(), 0.0));
  for (std::size_t i = 0; i < part.items.size(); ++i) {
    const std::uint32_t row = items_.row[part.items[i]];
    branch[i] = branch_of(node, row);
    if (branch[i] >= 0) node.bags[branch[i]][table_.data->label[row]] += items_.weight[part.items[i]];
  }
  std::vector<double> share(n_branches);
  double known = 0;
  for (int b = 0; b < n_branches; ++b) known += share[b] = PartNode::total(node.bags[b]);
  for (double& each : share) each = known > 0 ? each / known : 1.0 / n_branches;
  // The items of each branch by the items of the node; kMissing: none.
  std::vector<std::vector<std::uint32_t>> moved(n_branches,
                                                std::vector<std::uint32_t>(items_.row.size(), kMissing));
  std::vector<Part> parts(n_branches);
  for (std::size_t i = 0; i < part.items.size(); ++i) {
    const std::uint32_t item = part.items[i], row = items_.row[item];
    for (int b = 0; b < n_branches; ++b) {
      if (branch[i] >= 0 && branch[i] != b) continue;
      std::uint32_t own = item;
      if (branch[i] < 0) {
        node.bags[b][table_.data->label[row]] += share[b] * items_.weight[item];
        if (!more(share[b], 0)) continue;
        own = fraction_of(item, share[b]);
      }
      moved[b][item] = own;
      parts[b].items.push_back(own);
    }
  }
  for (const std::uint32_t item : part.held) {
    const int taken = branch_of(node, items_.row[item]);
    if (taken >= 0) parts[taken].held.push_back(item);
    for (int b = 0; taken < 0 && b < n_branches; ++b)
      if (more(share[b], 0)) parts[b].held.push_back(fraction_of(item, share[b]));
  }
  for (int b = 0; b < n_branches; ++b)
    for (const std::vector<Entry>& list : part.lists) {
      std::vector<Entry>& own = parts[b].lists.emplace_back();
      for (const Entry& entry : list)
        if (moved[b][entry.item] != kMissing) own.push_back({moved[b][entry.item], entry.rank, entry.label});
    }
  return parts;
}

// The branch of least entropy among those not grown yet; -1: all that are left are too small.
int PartialTree::next_to_grow(const PartNode& node) const {
  int best = -1;
  double least = kUnusable;
  for (int b = 0; b < static_cast<int>(node.sons.size()); ++b) {
    if (node.sons[b]) continue;
    const double total = PartNode::total(node.bags[b]);
    double entropy = kUnusable;
    if (!less(total, options_.splits.min_cases)) {
      entropy = 0;
      for (double weight : node.bags[b]) entropy -= Weka::xlog2x(weight);
      entropy = (entropy + Weka::xlog2x(total)) / total;
    }
    if (no_more(entropy, 0)) return b;
    if (less(entropy, least)) {
      least = entropy;
      best = b;
    }
  }
  return best;
}

int PartialTree::largest_leaf(const PartNode& node) const {
  int best = 0;
  double most = -kUnusable;
  for (int b = 0; b < static_cast<int>(node.sons.size()); ++b) {
    if (!node.sons[b] || !no_less(PartNode::total(node.bags[b]), options_.splits.min_cases)) continue;
    const double size = size_of_branch(*node.sons[b]);
    if (more(size, most)) {
      most = size;
      best = b;
    }
  }
  return best;
}

void PartialTree::prune_end(PartNode& node) const {
  double of_tree = options_.pruning == PartPruning::error_based ? 0.1 : 0.0;
  for (const auto& son : node.sons) of_tree += errors_of(*son, node);
  if (no_more(errors_of(node, node), of_tree)) node.make_leaf();
}

std::unique_ptr<PartNode> PartialTree::build(const Part& part, bool leaf) {
  auto node = std::make_unique<PartNode>();
  node->held = class_weights(part.held);
  if (leaf) {
    node->classes = class_weights(part.items);
    return node;
  }
  if (!choose_test(part, *node)) return node;
  const std::vector<Part> parts = split(part, *node);
  const int n_sons = static_cast<int>(parts.size());
  node->sons.resize(n_sons);
  for (int grown = 1; grown <= n_sons; ++grown) {
    const int next = next_to_grow(*node);
    if (next < 0) {
      for (int b = 0; b < n_sons; ++b)
        if (!node->sons[b]) node->sons[b] = build(parts[b], true);
      if (grown < 2) {
        node->make_leaf();
        return node;
      }
      break;
    }
    node->sons[next] = build(parts[next], false);
    if (!node->sons[next]->is_leaf()) break;
  }
  const bool all_leaves = std::all_of(node->sons.begin(), node->sons.end(),
                                      [](const auto& son) { return son && son->is_leaf(); });
  if (options_.pruning != PartPruning::none && all_leaves) prune_end(*node);
  if (!node->is_leaf()) node->chosen = largest_leaf(*node);
  return node;
}

PartCondition PartialTree::condition_of(const PartNode& node) const {
  PartCondition condition{node.column, node.chosen == 0, 0, {}, node.fraction(node.chosen)};
  if (!table_.is_nominal(node.column)) {
    condition.cut = node.test.cut;
    return condition;
  }
  for (std::int32_t level = 0; level < table_.data->columns[node.column].n_levels; ++level) {
    const int branch = node.test.branch_of.empty() ? level : node.test.branch_of[level];
    if (branch == node.chosen) condition.levels.push_back(level);
  }
  return condition;
}

}  // namespace

std::vector<PartRule> part_rules(const Data& data, const PartOptions& options, int n_threads,
                                 const Monitor& monitor) {
  Team team(n_threads);
  Watch watch(monitor, static_cast<double>(data.n_rows));
  std::vector<std::uint8_t> grown(options.held_out);
  for (std::uint8_t& each : grown) each = !each;
  auto table = prepare<double>(data, grown.empty() ? nullptr : grown.data(), team,
                               [&watch] { watch.poll_or_throw(); });
  const J48Search search(table, options.splits, false);
  std::vector<double> weight(data.n_rows, 0.0);
  for (std::int64_t row = 0; row < data.n_rows; ++row) weight[row] = data.weight ? data.weight[row] : 1;
  std::vector<PartRule> rules;
  std::size_t left = table.rows.size();
  while (left > 0) {
    PartialTree tree(table, search, options, watch);
    const auto root = tree.grow(weight);
    bool takes_any = false;
    for (std::uint32_t row = 0; row < weight.size(); ++row) {
      if (weight[row] <= 0) continue;
      const double taken = tree.weight_of(*root, row);
      weight[row] = less(taken, 1) ? weight[row] * (1 - taken) : 0;
      if (!grown.empty() && !grown[row]) continue;
      takes_any |= taken > 0;
      if (weight[row] <= 0) {
        weight[row] = 0;
        --left;
        watch.done(1);
      }
    }
    if (!takes_any) break;
    rules.push_back(tree.rule_of(*root));
  }
  return rules;
}

}  // namespace bough::quinlan
