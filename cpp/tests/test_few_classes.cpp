// Columns of few rows of several classes searched side by side: the best cut is that of a plain scan of one
// column after the other.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "bough/criteria/list.hpp"
#include "bough/forest/few_classes.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

constexpr int kClassTableRows = 50, kClassWidth = 20;

// The rows of a node in a table of codes, of which each has up to n_codes.
struct FewClassNode {
  FewClassRows rows;
  std::vector<std::uint32_t> cells, index;
  std::vector<int> columns, label;
  std::vector<double> weight, total;

  FewClassNode(Draws& draws, int n, int n_columns, int n_codes, int n_classes) : total(n_classes, 0.0) {
    for (int i = 0; i < kClassTableRows * kClassWidth; ++i)
      cells.push_back(static_cast<std::uint32_t>(draws.below(n_codes)));
    for (int i = 0; i < n; ++i) {
      index.push_back(static_cast<std::uint32_t>(draws.below(kClassTableRows)));
      label.push_back(draws.below(n_classes));
      weight.push_back(1 + draws.below(n_codes % 2 ? 7 : 2));
      total[label[i]] += weight[i];
    }
    rows.n = n;
    for (const double each : total) {
      rows.weight += each;
      rows.squares += each * each;
    }
    rows.least = n_columns % 2 ? 1 : 3;
    for (int i = 0; i < n; ++i) rows.set(i, label[i], weight[i], total[label[i]]);
    for (int c = 0; c < n_columns; ++c) columns.push_back(draws.below(kClassWidth));
  }

  FewCodes codes() const { return {cells.data(), kClassWidth, index.data()}; }
  std::uint32_t code(int row, int column) const { return cells[index[row] * kClassWidth + column]; }
};

FewCut plain_class_cut(const FewClassNode& node, double floor, double enough) {
  const int k = static_cast<int>(node.total.size());
  const Evaluator evaluator(criterion_of<Gini>, k, 1);
  FewCut best;
  best.value = floor;
  for (int order = 0; order < static_cast<int>(node.columns.size()) && best.value < enough; ++order) {
    std::vector<int> row(node.rows.n);
    std::iota(row.begin(), row.end(), 0);
    const int column = node.columns[order];
    std::stable_sort(row.begin(), row.end(),
                     [&](int a, int b) { return node.code(a, column) < node.code(b, column); });
    std::vector<double> left(k, 0.0), right = node.total;
    double below = 0;
    for (int i = 0; i + 1 < node.rows.n; ++i) {
      left[node.label[row[i]]] += node.weight[row[i]];
      right[node.label[row[i]]] -= node.weight[row[i]];
      below += node.weight[row[i]];
      if (node.code(row[i], column) == node.code(row[i + 1], column)) continue;
      if (below < node.rows.least || node.rows.weight - below < node.rows.least) continue;
      const double value = evaluator.value(left.data(), right.data(), node.rows.weight);
      if (value > best.value) best = {value, order, row[i], row[i + 1]};
    }
  }
  return best;
}

TEST(few_classes_are_those_of_plain_scans) {
  constexpr double kNeverEnough = 2;
  Draws draws(7);
  for (int n = 2; n <= FewClassRows::kMost; ++n)
    for (const int n_columns : {1, 5, 8, 12})
      for (const int n_codes : {1, 2, 5, 1000})
        for (const int n_classes : {2, 3, 8}) {
          const FewClassNode node(draws, n, n_columns, n_codes, n_classes);
          const double highest = plain_class_cut(node, 0, kNeverEnough).value;
          for (const auto& [floor, enough] :
               {std::pair{-0.5, kNeverEnough}, {0.0, highest / 2}, {0.0, highest}, {highest, kNeverEnough}}) {
            const FewCut expected = plain_class_cut(node, floor, enough);
            for (const FewClassesKernel& kernel : runnable_few_classes()) {
              FewCut found;
              found.value = floor;
              kernel.search(node.rows, node.codes(), node.columns.data(), n_columns, enough, found);
              CHECK_EQUAL(found.value, expected.value);
              CHECK_EQUAL(found.order, expected.order);
              CHECK_EQUAL(found.below, expected.below);
              CHECK_EQUAL(found.above, expected.above);
            }
          }
        }
}

}  // namespace

}  // namespace bough::tests
