#include "bough/c50/classify.hpp"

#include "bough/c50/parting.hpp"

namespace bough::c50 {

namespace {

// How much of a case goes to the lower branch of a soft threshold.
float lower_share(const Node& node, float value) {
  if (value <= node.lower) return 1.0f;
  if (value >= node.upper) return 0.0f;
  return static_cast<float>(value <= node.mid
                                ? 1 - 0.5 * (value - node.lower) / (node.mid - node.lower + 1e-6)
                                : 0.5 - 0.5 * (value - node.mid) / (node.upper - node.mid + 1e-6));
}

class Walk {
 public:
  Walk(const Workshop& shop, Row row) : sums(shop.n_classes(), 0.0), shop_(shop), row_(row) {}

  void go(const Node& node, const Node* parent, float share) {
    if (node.is_leaf()) return answer(node, parent, share);
    const Attribute& attribute = shop_.attribute(node.column);
    if (shop_.skipped[node.column] || attribute.missing(row_)) return spread(node, share);
    if (node.test == Test::threshold) {
      const float low = lower_share(node, attribute.value[row_]);
      const float shares[2] = {share * low, share * (1 - low)};
      for (int v = 0; v < 2; ++v)
        if (shares[v] >= 0.01) go(*node.branches[v], &node, shares[v]);
      return;
    }
    const int branch = branch_of(node, attribute, row_);
    if (branch < 0) return answer(node, parent, share);
    go(*node.branches[branch], &node, share);
  }

  std::vector<double> sums;

 private:
  void spread(const Node& node, float share) {
    for (const Tree& branch : node.branches)
      if (branch->cases > kEpsilon) go(*branch, &node, (share * branch->cases) / node.cases);
  }

  void answer(const Node& node, const Node* parent, float share) {
    const Node* from = node.cases < kEpsilon ? parent : &node;
    if (from == nullptr) return;
    for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += share * from->dist[c] / from->cases;
  }

  const Workshop& shop_;
  Row row_;
};

}  // namespace

int select_class(Workshop& shop, const std::vector<double>& weights, int first, bool by_cost) {
  const int k = shop.n_classes();
  int best = first;
  if (!by_cost) {
    for (int c = 0; c < k; ++c)
      if (weights[c] > weights[best]) best = c;
    shop.confidence_of_class = weights[best];
    return best;
  }
  double least = 1e38, total = 0;
  for (int c = 0; c < k; ++c) {
    double expected = 0;
    for (int actual = 0; actual < k; ++actual)
      if (actual != c) expected += weights[actual] * shop.cost(c, actual);
    total += expected;
    if (expected < least) {
      best = c;
      least = expected;
    }
  }
  shop.confidence_of_class = 1 - least / total;
  return best;
}

int classify(Workshop& shop, const Node& tree, Row row) {
  Walk walk(shop, row);
  walk.go(tree, nullptr, 1.0f);
  return select_class(shop, walk.sums, 0, shop.has_costs());
}

}  // namespace bough::c50
