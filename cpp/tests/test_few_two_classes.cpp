// Columns of few rows of two classes searched side by side: the best cut is that of a plain scan of one
// column after the other, to the bit.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "bough/criteria/list.hpp"
#include "bough/forest/few_two_classes.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

constexpr int kTwoTableRows = 90, kTwoWidth = 20;

enum class Weighing { counts, shares, far_apart };

double drawn_weight(Draws& draws, Weighing weighing) {
  if (weighing == Weighing::counts) return 1 + draws.below(3);
  if (weighing == Weighing::shares) return 0.1 + draws.share();
  return draws.below(2) ? 1.0 : 1e-18 * (1 + draws.below(9));
}

// The rows of a node in a table of codes, of which each has up to n_codes.
struct FewTwoClassNode {
  FewTwoClassRows rows;
  std::vector<std::uint32_t> cells, index;
  std::vector<int> columns, label;
  std::vector<double> weight;

  FewTwoClassNode(Draws& draws, int n, int n_columns, int n_codes, const Evaluator& evaluator,
                  Weighing weighing) {
    for (int i = 0; i < kTwoTableRows * kTwoWidth; ++i)
      cells.push_back(static_cast<std::uint32_t>(draws.below(n_codes)));
    rows.n = n;
    rows.evaluator = &evaluator;
    rows.entropy = evaluator.criterion() == criterion_of<Entropy>;
    for (int i = 0; i < n; ++i) {
      index.push_back(static_cast<std::uint32_t>(draws.below(kTwoTableRows)));
      label.push_back(draws.below(4) == 0);
      weight.push_back(drawn_weight(draws, weighing));
      rows.set(i, label[i], weight[i]);
      rows.total[label[i]] += weight[i];
      rows.node_weight += weight[i];
    }
    for (int c = 0; c < n_columns; ++c) columns.push_back(draws.below(kTwoWidth));
  }

  FewCodes codes() const { return {cells.data(), kTwoWidth, index.data()}; }
  std::uint32_t code(int row, int column) const { return cells[index[row] * kTwoWidth + column]; }
};

FewCut plain_cut_of_two(const FewTwoClassNode& node, double floor, double enough) {
  FewCut best;
  best.value = floor;
  for (int order = 0; order < static_cast<int>(node.columns.size()) && best.value < enough; ++order) {
    std::vector<int> row(node.rows.n);
    std::iota(row.begin(), row.end(), 0);
    const int column = node.columns[order];
    std::stable_sort(row.begin(), row.end(),
                     [&](int a, int b) { return node.code(a, column) < node.code(b, column); });
    double left[2] = {0, 0}, right[2] = {node.rows.total[0], node.rows.total[1]}, below = 0,
           above = node.rows.node_weight;
    for (int i = 0; i + 1 < node.rows.n; ++i) {
      const double own = node.weight[row[i]];
      left[node.label[row[i]]] += own;
      right[node.label[row[i]]] -= own;
      below += own;
      above -= own;
      if (node.code(row[i], column) == node.code(row[i + 1], column)) continue;
      if (!(below > 0) || !(above > 0)) continue;
      const double value = node.rows.evaluator->value(left, right, node.rows.node_weight);
      if (value > best.value) best = {value, order, row[i], row[i + 1]};
    }
  }
  return best;
}

void check_kernels(const FewTwoClassNode& node, double floor, double enough) {
  const FewCut expected = plain_cut_of_two(node, floor, enough);
  for (const FewTwoClassesKernel& kernel : runnable_few_two_classes()) {
    // That for any processor is there to be compared; it takes as many rows as the next.
    if (node.rows.n > std::max(kernel.most_rows, FewTwoClassRows::kMost / 2)) continue;
    FewCut found;
    found.value = floor;
    kernel.search(node.rows, node.codes(), node.columns.data(), static_cast<int>(node.columns.size()), enough,
                  found);
    CHECK_EQUAL(found.value, expected.value);
    CHECK_EQUAL(found.order, expected.order);
    CHECK_EQUAL(found.below, expected.below);
    CHECK_EQUAL(found.above, expected.above);
  }
}

TEST(few_rows_of_two_classes_have_the_cuts_of_plain_scans) {
  constexpr double kNeverEnough = 2;
  Draws draws(11);
  for (const Criterion criterion : {criterion_of<Gini>, criterion_of<Entropy>}) {
    const Evaluator evaluator(criterion, 2, 64);
    for (int n = 2; n <= FewTwoClassRows::kMost; ++n)
      for (const int n_columns : {1, 5, 8, 12})
        for (const int n_codes : {1, 2, 5, 1000})
          for (const Weighing weighing : {Weighing::counts, Weighing::shares, Weighing::far_apart}) {
            const FewTwoClassNode node(draws, n, n_columns, n_codes, evaluator, weighing);
            const double highest = plain_cut_of_two(node, 0, kNeverEnough).value;
            for (const auto& [floor, enough] :
                 {std::pair{-0.5, kNeverEnough}, {0.0, highest / 2}, {0.0, highest}, {highest, kNeverEnough}})
              check_kernels(node, floor, enough);
          }
  }
}

}  // namespace

}  // namespace bough::tests
