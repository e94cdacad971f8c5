#include "bough/prune/held_out.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bough {

namespace {

double number_loss(HeldOutLoss loss, double truth, double answer) {
  switch (loss) {
    case HeldOutLoss::absolute:
      return std::abs(truth - answer);
    case HeldOutLoss::poisson:
      return 2 * ((truth > 0 ? truth * std::log(truth / answer) : 0.0) - (truth - answer));
    case HeldOutLoss::roots: {
      const double off = std::sqrt(truth) - std::sqrt(answer);
      return off * off;
    }
    default:
      return (truth - answer) * (truth - answer);
  }
}

// Sums over a list of places, to which each value is added from one place to just before another.
class Intervals {
 public:
  explicit Intervals(std::size_t n) : steps_(n + 1), endless_(n + 1) {}

  void add(std::size_t low, std::size_t high, double value) {
    if (std::isinf(value)) {  // it could not be taken away again
      ++endless_[low];
      --endless_[high];
    } else {
      steps_[low] += value;
      steps_[high] -= value;
    }
  }

  std::vector<double> totals() const {
    std::vector<double> totals(steps_.size() - 1);
    double total = 0;
    int endless = 0;
    for (std::size_t i = 0; i < totals.size(); ++i) {
      total += steps_[i];
      endless += endless_[i];
      totals[i] = endless ? std::numeric_limits<double>::infinity() : total;
    }
    return totals;
  }

 private:
  std::vector<double> steps_;
  std::vector<int> endless_;
};

}  // namespace

Losses held_out_losses(const PathTree& tree, const HeldOut& rows, const std::vector<double>& alphas,
                       HeldOutLoss loss, const double* cost, int n_classes) {
  const std::size_t n = alphas.size();
  // The first alpha for which each node is a leaf.
  std::vector<std::size_t> first_leaf(tree.n_nodes);
  for (int i = 0; i < tree.n_nodes; ++i)
    first_leaf[i] = static_cast<std::size_t>(
        std::lower_bound(alphas.begin(), alphas.end(), tree.complexity[i]) - alphas.begin());
  Intervals sums(n), squares(n);
  for (std::int64_t i = 0; i < rows.n_rows; ++i) {
    std::size_t low = 0;
    for (std::int32_t node = rows.end[i]; node >= 0 && low < n; node = tree.parent[node]) {
      const std::size_t high = node ? first_leaf[tree.parent[node]] : n;
      if (low >= high) continue;
      double lost;
      if (loss == HeldOutLoss::classes)
        lost = cost[static_cast<std::size_t>(rows.truth[i]) * n_classes +
                    static_cast<std::size_t>(tree.answer[node])];
      else
        lost = (rows.exposure ? rows.exposure[i] : 1.0) * number_loss(loss, rows.truth[i], tree.answer[node]);
      sums.add(low, high, rows.weight[i] * lost);
      squares.add(low, high, rows.weight[i] * lost * lost);
      low = high;
    }
  }
  return {sums.totals(), squares.totals()};
}

}  // namespace bough
