// Global pruning: subtrees whose leaves save the fewest errors each become leaves, ties all at once, as long
// as the errors added stay within one standard error.
#include "bough/c50/classify.hpp"
#include "bough/c50/prune.hpp"

namespace bough::c50 {

namespace {

bool tests_missing(const Training& training, const Node& node) {
  if (node.is_leaf()) return false;
  if (training.attribute(node.column).some_missing) return true;
  for (const Tree& branch : node.branches)
    if (tests_missing(training, *branch)) return true;
  return false;
}

Count errors_as_leaf(const Node& node) { return node.cases - node.dist[node.label]; }

// The subtrees of the least price an error so far.
class Cheapest {
 public:
  explicit Cheapest(double most) : most_(most) {}

  void search(Node& node) {
    if (node.is_leaf()) return;
    const double price_before = price_, extra_before = extra;
    const std::size_t found_before = found.size();
    for (const Tree& branch : node.branches)
      if (branch->cases > 0.1) search(*branch);
    const double added = errors_as_leaf(node) - node.errors;
    const double price = added / (node.leaves - 1);
    if (!(added <= most_)) return;
    if (price < price_ || (price <= price_ && price < price_before)) {
      price_ = static_cast<float>(price);
      found = {&node};
      extra = added;
    } else if (price <= price_) {
      // Ties below this node go with it.
      if (found.size() > found_before) {
        extra = extra_before;
        found.resize(found_before);
      }
      found.push_back(&node);
      extra += added;
    }
  }

  std::vector<Node*> found;
  double extra = 0;

 private:
  double most_;
  float price_ = 1e38f;
};

}  // namespace

void prune_globally(Training& training, Node& tree) {
  double errors = tree.errors;
  if (tests_missing(training, tree)) {
    errors = 0;
    for (Row i = 0; i < training.n_cases; ++i) {
      const Row row = training.order[i];
      if (classify(training, tree, row) != training.data.label[row]) errors += training.weight[row];
    }
  }
  double allowance = std::sqrt(errors * (1 - errors / training.n_cases));
  while (allowance > 0) {
    Cheapest cheapest(allowance);
    cheapest.search(tree);
    if (cheapest.found.empty() || cheapest.extra > allowance) return;
    for (Node* node : cheapest.found) {
      node->make_leaf();
      const double added = errors_as_leaf(*node) - node->errors;
      const int leaves = 1 - node->leaves;
      for (Node* at = node; at != nullptr; at = at->parent) {
        at->errors = static_cast<Count>(at->errors + added);
        at->leaves += leaves;
      }
      allowance -= added;
    }
  }
}

}  // namespace bough::c50
