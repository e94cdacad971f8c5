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
  explicit Winnowing(Training& training)
      : training_(training),
        importance(training.n_attributes(), 0),
        split(training.n_attributes(), 0),
        half_(training.data.n_rows / 2) {}

  // Every second case of each class goes to the far half.
  void halve() {
    std::vector<std::uint8_t> far(training_.n_classes(), 0);
    std::int64_t from = 0, to = training_.data.n_rows - 1;
    for (Row i = 0; i < training_.data.n_rows; ++i) {
      std::uint8_t& turn = far[training_.data.label[i]];
      training_.order[turn ? to-- : from++] = i;
      turn = !turn;
    }
  }

  // What the errors of a tree of the near half cost on the far half.
  float trial_cost(bool first_time) {
    const Count min_cases = training_.min_cases;
    training_.min_cases = static_cast<Count>(std::max(min_cases / 2, 2.0f));
    training_.start_weights();
    training_.leaf_ratio = 0;
    training_.n_cases = half_;
    std::fill(training_.tested.begin(), training_.tested.end(), 0);
    training_.set_gain_threshold();
    Grower grower(training_);
    const Tree tree = grower.grow(0, half_);
    if (first_time) mark_used(*tree, split);
    prune(training_, grower, *tree);
    training_.n_cases = training_.data.n_rows;
    training_.min_cases = min_cases;
    const float base = cost(*tree);
    if (first_time) weigh_attributes(*tree, base);
    return base;
  }

  float cost(const Node& tree) {
    float sum = 0;
    for (Row i = half_; i < training_.data.n_rows; ++i) {
      const Row row = training_.order[i];
      const int predicted = classify(training_, tree, row), actual = training_.data.label[row];
      if (predicted != actual) sum += training_.has_costs() ? training_.cost(predicted, actual) : 1.0f;
    }
    return sum;
  }

 private:
  void weigh_attributes(const Node& tree, float base) {
    std::vector<std::uint8_t> used(training_.n_attributes(), 0);
    mark_used(tree, used);
    for (int a = 0; a < training_.n_attributes(); ++a) {
      if (!used[a]) {
        importance[a] = split[a];
        continue;
      }
      training_.skipped[a] = 1;
      const float without = cost(tree);
      importance[a] = without < base ? -1 : without / base;
      training_.skipped[a] = 0;
    }
  }

  Training& training_;

 public:
  std::vector<float> importance;
  std::vector<std::uint8_t> split;  // attributes of the unpruned tree

 private:
  Row half_;
};

}  // namespace

std::vector<float> winnow(Training& training) {
  Winnowing winnowing(training);
  std::vector<float>& importance = winnowing.importance;
  training.winnowing = true;
  winnowing.halve();
  bool any = false;
  if (training.data.n_rows >= 2) {
    const float base = winnowing.trial_cost(true);
    for (int a = 0; a < training.n_attributes(); ++a) {
      training.skipped[a] = importance[a] < 0;
      any = any || training.skipped[a];
    }
    if (any && winnowing.trial_cost(false) > base)
      for (int a = 0; a < training.n_attributes(); ++a) {
        if (importance[a] >= 0) continue;
        importance[a] = 1;
        training.skipped[a] = 0;
      }
    for (int a = 0; a < training.n_attributes(); ++a) {
      if (!winnowing.split[a]) training.skipped[a] = 1;
      if (training.skipped[a]) importance[a] = 0;
    }
  }
  training.winnowing = false;
  training.restore_order();
  return std::move(importance);
}

}  // namespace bough::c50
