#include "bough/c50/winnow.hpp"

#include <algorithm>

#include "bough/c50/classify.hpp"
#include "bough/c50/prune.hpp"

namespace bough::c50 {

namespace {

void mark_used(const Node& node, std::vector<std::uint8_t>& used) {
  if (node.is_leaf()) return;
  used[node.column] = 1;
  for (const Tree& branch : node.branches) mark_used(*branch, used);
}

class Winnowing {
 public:
  explicit Winnowing(Workshop& shop)
      : shop_(shop),
        importance(shop.n_attributes(), 0),
        split(shop.n_attributes(), 0),
        half_(shop.data.n_rows / 2) {}

  // Every second case of each class goes to the far half.
  void share_out() {
    std::vector<std::uint8_t> far(shop_.n_classes(), 0);
    std::int64_t from = 0, to = shop_.data.n_rows - 1;
    for (Row i = 0; i < shop_.data.n_rows; ++i) {
      std::uint8_t& turn = far[shop_.data.label[i]];
      shop_.order[turn ? to-- : from++] = i;
      turn = !turn;
    }
  }

  // What the errors of a tree of the near half cost on the far half.
  float trial_cost(bool first_time) {
    const Count min_cases = shop_.min_cases;
    shop_.min_cases = static_cast<Count>(std::max(min_cases / 2, 2.0f));
    shop_.start_weights();
    shop_.leaf_ratio = 0;
    shop_.n_cases = half_;
    std::fill(shop_.tested.begin(), shop_.tested.end(), 0);
    shop_.set_gain_threshold();
    Grower grower(shop_);
    const Tree tree = grower.grow(0, half_);
    if (first_time) mark_used(*tree, split);
    prune(shop_, grower, *tree);
    shop_.n_cases = shop_.data.n_rows;
    shop_.min_cases = min_cases;
    const float base = cost(*tree);
    if (first_time) weigh_attributes(*tree, base);
    return base;
  }

  float cost(const Node& tree) {
    float sum = 0;
    for (Row i = half_; i < shop_.data.n_rows; ++i) {
      const Row row = shop_.order[i];
      const int predicted = classify(shop_, tree, row), actual = shop_.data.label[row];
      if (predicted != actual) sum += shop_.has_costs() ? shop_.cost(predicted, actual) : 1.0f;
    }
    return sum;
  }

 private:
  void weigh_attributes(const Node& tree, float base) {
    std::vector<std::uint8_t> used(shop_.n_attributes(), 0);
    mark_used(tree, used);
    for (int a = 0; a < shop_.n_attributes(); ++a) {
      if (!used[a]) {
        importance[a] = split[a];
        continue;
      }
      shop_.skipped[a] = 1;
      const float without = cost(tree);
      importance[a] = without < base ? -1 : without / base;
      shop_.skipped[a] = 0;
    }
  }

  Workshop& shop_;

 public:
  std::vector<float> importance;
  std::vector<std::uint8_t> split;  // attributes of the unpruned tree

 private:
  Row half_;
};

}  // namespace

std::vector<float> winnow(Workshop& shop) {
  Winnowing winnowing(shop);
  std::vector<float>& importance = winnowing.importance;
  shop.winnowing = true;
  winnowing.share_out();
  bool any = false;
  if (shop.data.n_rows >= 2) {
    const float base = winnowing.trial_cost(true);
    for (int a = 0; a < shop.n_attributes(); ++a) {
      shop.skipped[a] = importance[a] < 0;
      any = any || shop.skipped[a];
    }
    if (any && winnowing.trial_cost(false) > base)
      for (int a = 0; a < shop.n_attributes(); ++a) {
        if (importance[a] >= 0) continue;
        importance[a] = 1;
        shop.skipped[a] = 0;
      }
    for (int a = 0; a < shop.n_attributes(); ++a) {
      if (!winnowing.split[a]) shop.skipped[a] = 1;
      if (shop.skipped[a]) importance[a] = 0;
    }
  }
  shop.winnowing = false;
  shop.restore_order();
  return std::move(importance);
}

}  // namespace bough::c50
