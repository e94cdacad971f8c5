#include "bough/c50/classify.hpp"

#include "bough/c50/partition.hpp"

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
  Walk(const Training& training, Row row) : sums(training.n_classes(), 0.0), training_(training), row_(row) {}

  void go(const Node& node, const Node* parent, float share) {
    if (node.is_leaf()) return answer(node, parent, share);
    const Attribute& attribute = training_.attribute(node.column);
    if (training_.skipped[node.column] || attribute.missing(row_)) return send_down_all(node, share);
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
  void send_down_all(const Node& node, float share) {
    for (const Tree& branch : node.branches)
      if (branch->cases > kEpsilon) go(*branch, &node, (share * branch->cases) / node.cases);
  }

  void answer(const Node& node, const Node* parent, float share) {
    const Node* from = node.cases < kEpsilon ? parent : &node;
    if (from == nullptr) return;
    for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += share * from->dist[c] / from->cases;
  }

  const Training& training_;
  Row row_;
};

}  // namespace

int select_class(Training& training, const std::vector<double>& weights, int first, bool by_cost) {
  const int k = training.n_classes();
  int best = first;
  if (!by_cost) {
    for (int c = 0; c < k; ++c)
      if (weights[c] > weights[best]) best = c;
    training.confidence_of_class = weights[best];
    return best;
  }
  double least = 1e38, total = 0;
  for (int c = 0; c < k; ++c) {
    double expected = 0;
    for (int actual = 0; actual < k; ++actual)
      if (actual != c) expected += weights[actual] * training.cost(c, actual);
    total += expected;
    if (expected < least) {
      best = c;
      least = expected;
    }
  }
  training.confidence_of_class = 1 - least / total;
  return best;
}

int classify(Training& training, const Node& tree, Row row) {
  Walk walk(training, row);
  walk.go(tree, nullptr, 1.0f);
  return select_class(training, walk.sums, 0, training.has_costs());
}

}  // namespace bough::c50
