// Losses of held-out rows under all pruned trees, against pruning at each alpha and walking up from the end.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/prune/held_out.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

const double kInfinity = std::numeric_limits<double>::infinity();

// A tree with complexities that never rise from parent to child, and rows that end anywhere in it.
struct DrawnPath {
  std::vector<std::int32_t> parent = {-1}, end;
  std::vector<double> complexity = {8}, answer, truth, weight, exposure, cost;
  int n_classes;

  DrawnPath(Draws& draws, int n_nodes, int n_rows, int classes) : n_classes(classes) {
    for (int i = 1; i < n_nodes; ++i) {
      parent.push_back(draws.below(i));
      complexity.push_back(std::min(complexity[parent[i]], draws.below(4) ? 1.0 * draws.below(9) : 0.0));
    }
    for (int i = 0; i < n_nodes; ++i) answer.push_back(classes ? draws.below(classes) : draws.below(5));
    for (int i = 0; i < n_rows; ++i) {
      end.push_back(draws.below(n_nodes));
      truth.push_back(classes ? draws.below(classes) : draws.below(5));
      weight.push_back(1 + draws.below(3));
      exposure.push_back(0.5 * (1 + draws.below(4)));
    }
    for (int i = 0; i < classes * classes; ++i) cost.push_back(i % (classes + 1) ? 1 + draws.below(5) : 0);
  }

  // The highest node on the way to the end that is a leaf at alpha.
  int answering(int row, double alpha) const {
    int found = end[row];
    for (int node = end[row]; node >= 0; node = parent[node])
      if (complexity[node] <= alpha) found = node;
    return found;
  }

  double lost(HeldOutLoss loss, int row, int node) const {
    const double y = truth[row], at = answer[node];
    switch (loss) {
      case HeldOutLoss::classes:
        return cost[static_cast<std::size_t>(y) * n_classes + static_cast<std::size_t>(at)];
      case HeldOutLoss::squared:
        return exposure[row] * (y - at) * (y - at);
      case HeldOutLoss::absolute:
        return exposure[row] * std::abs(y - at);
      case HeldOutLoss::poisson:
        return exposure[row] * 2 * ((y > 0 ? y * std::log(y / at) : 0) - (y - at));
      default:
        return exposure[row] * std::pow(std::sqrt(y) - std::sqrt(at), 2);
    }
  }
};

void check_losses(std::uint64_t seed, HeldOutLoss loss) {
  Draws draws(seed);
  for (int round = 0; round < 200; ++round) {
    const int classes = loss == HeldOutLoss::classes ? 2 + draws.below(3) : 0;
    const DrawnPath drawn(draws, 1 + draws.below(14), draws.below(20), classes);
    std::vector<double> alphas = {0};
    for (int i = draws.below(6); i > 0; --i) alphas.push_back(alphas.back() + 0.5 * draws.below(5));
    if (draws.below(3) == 0) alphas.push_back(kInfinity);
    const Losses found =
        held_out_losses({static_cast<int>(drawn.parent.size()), drawn.parent.data(), drawn.complexity.data(),
                         drawn.answer.data()},
                        {static_cast<std::int64_t>(drawn.end.size()), drawn.end.data(), drawn.truth.data(),
                         drawn.weight.data(), classes ? nullptr : drawn.exposure.data()},
                        alphas, loss, classes ? drawn.cost.data() : nullptr, classes);
    CHECK_EQUAL(found.sum.size(), alphas.size());
    for (std::size_t a = 0; a < alphas.size(); ++a) {
      double sum = 0, square = 0;
      for (int row = 0; row < static_cast<int>(drawn.end.size()); ++row) {
        const double lost = drawn.lost(loss, row, drawn.answering(row, alphas[a]));
        sum += drawn.weight[row] * lost;
        square += drawn.weight[row] * lost * lost;
      }
      CHECK_CLOSE(found.sum[a], sum, 1e-9);
      CHECK_CLOSE(found.square[a], square, 1e-9);
    }
  }
}

}  // namespace

TEST(losses_of_classes) { check_losses(301, HeldOutLoss::classes); }
TEST(squared_losses) { check_losses(302, HeldOutLoss::squared); }
TEST(absolute_losses) { check_losses(303, HeldOutLoss::absolute); }
TEST(losses_of_roots) { check_losses(304, HeldOutLoss::roots); }
// A rate of 0 where events came costs infinitely much, but only while that node answers.
TEST(deviances_of_which_some_are_infinite) { check_losses(305, HeldOutLoss::poisson); }

}  // namespace bough::tests
