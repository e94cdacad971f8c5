// The bounds of a column of two weighted classes hold for the best of its cuts.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "bough/criteria/list.hpp"
#include "bough/forest/two_class_screen.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

struct TwoClassNode {
  std::vector<std::uint32_t> code, index;
  std::vector<std::int32_t> label;
  std::vector<double> weight;
  double total[2] = {0, 0};

  // The second class is rarer the greater `rarity` is, and more frequent among high codes.
  TwoClassNode(Draws& draws, int n, int n_codes, int rarity, bool whole)
      : code(n), index(n), label(n), weight(n) {
    std::iota(index.begin(), index.end(), 0u);
    for (int i = 0; i < n; ++i) {
      code[i] = static_cast<std::uint32_t>(draws.below(n_codes));
      label[i] = draws.below(rarity) == 0 || draws.below(3 * n_codes) < static_cast<int>(code[i]);
      weight[i] = whole ? 1 + draws.below(3) : std::exp(4 * draws.share());
      total[label[i]] += weight[i];
    }
  }

  double best(bool entropy) const {
    const Evaluator evaluator(entropy ? criterion_of<Entropy> : criterion_of<Gini>, 2, 1);
    std::vector<std::uint32_t> order = index;
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return code[a] < code[b]; });
    double left[2] = {0, 0}, right[2] = {total[0], total[1]};
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      left[label[order[i]]] += weight[order[i]];
      right[label[order[i]]] -= weight[order[i]];
      if (code[order[i]] != code[order[i + 1]])
        most = std::max(most, evaluator.value(left, right, total[0] + total[1]));
    }
    return most;
  }
};

TEST(two_class_bounds_enclose_the_best_cut) {
  Draws draws(11);
  for (const int n : {2, 9, 65, 300, 5000, 40000})
    for (const int n_codes : {1, 2, 40, 100000})
      for (const int rarity : {2, 50, 100000})
        for (const bool whole : {false, true}) {
          const TwoClassNode node(draws, n, n_codes, rarity, whole);
          RowView view;
          view.rows.label = node.label.data();
          view.rows.weight = node.weight.data();
          NodeSums sums;
          sums.weight = node.total[0] + node.total[1];
          sums.statistics = node.total;
          for (const bool entropy : {false, true})
            for (const TwoClassKernels* kernels : runnable_two_class_kernels()) {
              TwoClassScreen screen(entropy, node.code.size(), *kernels);
              screen.start(node.index.data(), n, view, sums);
              const ValueRange range = screen.range({node.code.data(), 1}, node.index.data());
              const double best = node.best(entropy);
              CHECK(range.least <= best);
              CHECK(best <= range.highest);
              // Bounds are close where each bin has one code.
              if (n_codes > 1 && n_codes <= 40 && n >= 300)
                CHECK(range.highest - best <= 4 * TwoClassScreen::kSlack);
            }
        }
}

}  // namespace

}  // namespace bough::tests
