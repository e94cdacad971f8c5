#include "bough/c50/thresholds.hpp"

#include <algorithm>

#include "bough/c50/classify.hpp"
#include "bough/c50/parting.hpp"

namespace bough::c50 {

namespace {

void settle(Node& node, int column, const std::vector<float>& values) {
  if (node.test == Test::threshold && node.column == column) {
    auto above = std::upper_bound(values.begin(), values.end(), node.cut);
    node.cut = node.lower = node.upper = above == values.begin() ? values.front() : *(above - 1);
  }
  for (const Tree& branch : node.branches) settle(*branch, column, values);
}

void mark_tested(const Node& node, std::vector<std::uint8_t>& tested) {
  if (node.test == Test::threshold) tested[node.column] = 1;
  for (const Tree& branch : node.branches) mark_tested(*branch, tested);
}

std::vector<float> distinct_values(const Attribute& attribute) {
  std::vector<float> values;
  for (const float v : attribute.value)
    if (!std::isnan(v)) values.push_back(v);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// Errors of each subtree on the cases it was grown on. Where a value is missing C5.0 counts none, unless
// costs weigh the cases; what it does is what the bounds are measured by, so it is done here.
void count_errors(Workshop& shop, Node& node, std::int64_t first, std::int64_t last) {
  if (node.is_leaf()) {
    node.errors = node.cases - node.dist[node.label];
    return;
  }
  Parting parting(shop, node, first, last);
  const std::int64_t n_missing = parting.n_missing(), known_from = parting.first_known();
  node.errors = 0;
  if (n_missing > 0 && !shop.cost_weights) return;
  const Count missing = n_missing > 0 ? shop.sum_plain_weights(first, known_from) : 0;
  const Count known = n_missing > 0 ? shop.sum_plain_weights(known_from, last) : 0;
  for (int v = 0; v < node.n_branches(); ++v) {
    parting.take(v);
    const double share = n_missing == 0 ? 0 : static_cast<double>(parting.known_plain_weight() / known);
    if (!(parting.known_weight() + share * missing >= kMinLeaf)) continue;
    parting.enter(share, [&](std::int64_t from, std::int64_t to) {
      count_errors(shop, *node.branches[v], from, to);
      node.errors += node.branches[v]->errors;
    });
  }
}

class Softening {
 public:
  explicit Softening(Workshop& shop) : shop_(shop) {}

  void soften(Node& node, std::int64_t first, std::int64_t last) {
    if (node.is_leaf()) return;
    shop_.watch.poll_or_throw();
    Parting parting(shop_, node, first, last);
    const Count known = shop_.sum_weights(parting.first_known(), last);
    if (node.test == Test::threshold) set_bounds(node, known, parting.first_known(), last);
    for (int v = 0; v < node.n_branches(); ++v) {
      parting.take(v);
      const double share = parting.known_weight() / known;
      if (!parting.taken_any() || !(share > 1e-6)) continue;
      parting.enter(share, [&](std::int64_t from, std::int64_t to) { soften(*node.branches[v], from, to); });
    }
  }

 private:
  float value(std::int64_t i) const { return values_->value[shop_.order[i]]; }

  void set_bounds(Node& node, Count known, std::int64_t first, std::int64_t last) {
    values_ = &shop_.attribute(node.column);
    if (first >= last) return;
    std::stable_sort(shop_.order.begin() + first, shop_.order.begin() + last,
                     [&](Row a, Row b) { return values_->value[a] < values_->value[b]; });
    std::int64_t split = first;
    for (std::int64_t i = first; i < last; ++i)
      if (value(i) <= node.cut) split = i;
    if (split + 1 >= last) {
      node.mid = node.cut;
      return;
    }
    node.mid = (value(split) + value(split + 1)) / 2;
    const float allowed = static_cast<float>(
        std::sqrt(static_cast<double>(node.errors * (known - node.errors)) / (known + 1e-3)) * 2);
    set_lower(node, allowed, first, split);
    set_upper(node, allowed, split, last);
  }

  void set_lower(Node& node, float allowed, std::int64_t first, std::int64_t split) {
    Count own = 0, other = 0;
    std::int64_t bound = split;
    for (std::int64_t i = split; i > first; --i) {
      judge(node, i, 1, other);
      judge(node, i, 0, own);
      if (!(value(i - 1) < value(i))) continue;
      if (other > 2 * own + 1 || other - own > 0.5 * allowed) break;
      bound = i - 1;
    }
    node.lower = std::min(node.mid, value(bound));
  }

  void set_upper(Node& node, float allowed, std::int64_t split, std::int64_t last) {
    Count own = 0, other = 0;
    std::int64_t bound = split + 1;
    for (std::int64_t i = split + 1; i < last - 1; ++i) {
      judge(node, i, 0, other);
      judge(node, i, 1, own);
      if (!(value(i) < value(i + 1))) continue;
      if (other > 2 * own + 1 || other - own > 0.5 * allowed) break;
      bound = i + 1;
    }
    node.upper = std::max(node.mid, value(bound));
  }

  // Adds the case's weight to the errors of a branch if it would be misclassified there.
  void judge(const Node& node, std::int64_t i, int branch, Count& errors) {
    const Row row = shop_.order[i];
    if (classify(shop_, *node.branches[branch], row) != shop_.data.label[row]) errors += shop_.weight[row];
  }

  Workshop& shop_;
  const Attribute* values_ = nullptr;
};

}  // namespace

void settle_thresholds(Workshop& shop, Node& tree) {
  std::vector<std::uint8_t> tested(shop.n_attributes(), 0);
  mark_tested(tree, tested);
  for (int a = 0; a < shop.n_attributes(); ++a) {
    if (!tested[a]) continue;
    std::vector<float>& values = shop.distinct_values[a];
    if (values.empty()) values = distinct_values(shop.attribute(a));
    if (shop.trial == 0) shop.possible_cuts[a] = static_cast<int>(values.size()) - 1;
    settle(tree, a, values);
  }
}

void soften_thresholds(Workshop& shop, Node& tree) {
  count_errors(shop, tree, 0, shop.n_cases);
  Softening(shop).soften(tree, 0, shop.n_cases);
}

}  // namespace bough::c50
