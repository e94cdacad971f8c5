#include "bough/prune/complexity.hpp"

#include <algorithm>
#include <utility>

namespace bough {

namespace {

// The best subtree of each node just before the node collapses: what it takes off the risk, the leaves it
// adds, and their ratio.
class Links {
 public:
  explicit Links(const PricedTree& tree)
      : tree_(tree), fall_(tree.n_nodes), extra_(tree.n_nodes), alpha_(tree.n_nodes) {
    for (int i = 0; i < tree.n_nodes; ++i) {
      extra_[i] = std::max(tree.n_children[i] - 1, 1);
      set_fall(i, tree.n_children[i] ? tree.fall[i] : 0.0);
    }
  }

  bool has_grandchildren(int node) const {
    bool any = false;
    for_inner_children(node, [&](int) { any = true; });
    return any;
  }

  template <class Visit>
  void for_inner_children(int node, const Visit& visit) const {
    for (int c = tree_.first_child[node]; c < tree_.first_child[node] + tree_.n_children[node]; ++c)
      if (tree_.n_children[c]) visit(c);
  }

  void settle(int node, double fall, double extra) {
    extra_[node] = extra;
    set_fall(node, fall);
  }

  // The split of the node alone.
  double own_fall(int node) const { return tree_.fall[node]; }
  double own_extra(int node) const { return std::max(tree_.n_children[node] - 1, 1); }

  double fall(int node) const { return fall_[node]; }
  double extra(int node) const { return extra_[node]; }
  double alpha(int node) const { return alpha_[node]; }
  std::vector<double> take() { return std::move(alpha_); }

 private:
  void set_fall(int node, double fall) {
    fall_[node] = fall > tree_.noise[node] ? fall : 0.0;
    alpha_[node] = fall_[node] / extra_[node];
  }

  const PricedTree& tree_;
  std::vector<double> fall_, extra_, alpha_;
};

struct Link {
  double alpha;
  int node;
  bool operator<(const Link& other) const {  // the greatest alpha first, of equals the first node
    return alpha < other.alpha || (alpha == other.alpha && node > other.node);
  }
};

void push_all(std::vector<Link>& heap, std::vector<Link>&& others) {
  if (heap.size() < others.size()) std::swap(heap, others);
  for (const Link& link : others) {
    heap.push_back(link);
    std::push_heap(heap.begin(), heap.end());
  }
}

}  // namespace

// Starts from the children as leaves and opens the node of greatest alpha below while that is more.
std::vector<double> weakest_links(const PricedTree& tree) {
  Links links(tree);
  // Under each node, the nodes that collapse before it; such a heap is opened when its node is.
  std::vector<std::vector<Link>> earlier(tree.n_nodes);
  for (int node = tree.n_nodes - 1; node >= 0; --node) {
    if (!tree.n_children[node] || !links.has_grandchildren(node)) continue;
    std::vector<Link> waiting;
    links.for_inner_children(node, [&](int child) { waiting.push_back({links.alpha(child), child}); });
    std::make_heap(waiting.begin(), waiting.end());
    double fall = links.own_fall(node), extra = links.own_extra(node);
    while (!waiting.empty() && waiting.front().alpha > fall / extra) {
      const int opened = waiting.front().node;
      std::pop_heap(waiting.begin(), waiting.end());
      waiting.pop_back();
      fall += links.fall(opened);
      extra += links.extra(opened);
      push_all(waiting, std::move(earlier[opened]));
    }
    earlier[node] = std::move(waiting);
    links.settle(node, fall, extra);
  }
  return links.take();
}

// Starts from the children as they were before they collapse and closes that of least alpha if that is less.
std::vector<double> rpart_links(const PricedTree& tree, double rounding) {
  Links links(tree);
  std::vector<int> children;
  for (int node = tree.n_nodes - 1; node >= 0; --node) {
    if (!tree.n_children[node] || !links.has_grandchildren(node)) continue;
    children.clear();
    links.for_inner_children(node, [&](int child) { children.push_back(child); });
    std::stable_sort(children.begin(), children.end(),
                     [&](int a, int b) { return links.alpha(a) < links.alpha(b); });
    double fall = links.own_fall(node), extra = links.own_extra(node);
    for (int child : children) {
      fall += links.fall(child);
      extra += links.extra(child);
    }
    for (int child : children) {
      if (fall / extra <= links.alpha(child) * (1 + rounding)) break;
      fall -= links.fall(child);
      extra -= links.extra(child);
    }
    links.settle(node, fall, extra);
  }
  return links.take();
}

}  // namespace bough
