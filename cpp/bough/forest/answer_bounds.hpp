// Bounds between which the answers below each node of a tree stay, where columns are constrained to a
// direction. They are in the unit of the statistics: shares of the second class, or means from the origin.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "bough/forest/grown.hpp"
#include "bough/forest/plan.hpp"
#include "bough/search/search.hpp"

namespace bough {

class AnswerBounds {
 public:
  explicit AnswerBounds(const ForestPlan& plan) : plan_(plan) {}

  bool any() const { return !plan_.recipe.monotonic.empty(); }
  void resize(std::size_t n_nodes) {
    if (any()) bounds_.resize(n_nodes);
  }
  void clear() { bounds_.clear(); }

  // What a split of the node on the column must keep to.
  AnswerRule rule(int column, int node) const {
    const int direction = plan_.recipe.monotonic[column];
    return {direction != 0, direction, bounds_[node].lower, bounds_[node].upper};
  }

  // Children keep the bounds of their parent, and if the column is constrained, each stays on its side of the
  // middle of their answers.
  void bound_children(int node, int first_child, int column, double first_answer, double second_answer) {
    Bounds &first = bounds_[first_child], &second = bounds_[first_child + 1];
    first = second = bounds_[node];
    const int direction = plan_.recipe.monotonic[column];
    if (direction == 0) return;
    const double middle = first_answer / 2 + second_answer / 2;
    (direction > 0 ? first : second).upper = (direction > 0 ? second : first).lower = middle;
  }

  // A node whose own answer lies outside its bounds gives what is nearest inside.
  void keep(ForestTree& tree, double origin) const {
    const bool classes = plan_.data.n_classes > 0;
    const bool squares = plan_.recipe.criterion == criterion_of<SquaredError>;
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
      const auto [lower, upper] = bounds_[i];
      double* statistics = tree.statistics.data() + 2 * i;
      if (classes) {
        const double weight = statistics[0] + statistics[1], share = statistics[1] / weight;
        if (lower <= share && share <= upper) continue;
        statistics[1] = std::clamp(share, lower, upper) * weight;
        statistics[0] = weight - statistics[1];
        continue;
      }
      const double own = statistics[0];
      statistics[0] = std::clamp(own, origin + lower, origin + upper);
      const double off = own - statistics[0];
      if (squares) statistics[1] += tree.nodes[i].weight * off * off;
    }
  }

 private:
  struct Bounds {
    double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  };

  const ForestPlan& plan_;
  std::vector<Bounds> bounds_;  // of each node
};

}  // namespace bough
