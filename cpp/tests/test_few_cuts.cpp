// Columns of few rows searched side by side, under squared error and Poisson: the best cut is that of a plain
// scan of one column after the other.
#include <algorithm>
#include <numeric>

#include "bough/criteria/list.hpp"
#include "bough/forest/few_cuts.hpp"
#include "bough/forest/few_rates.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

constexpr int kTableRows = 50;

// The rows of a node in a table of codes, of which each has up to n_codes.
struct FewNode {
  int width;  // columns of the table
  FewRows rows;
  std::vector<std::uint32_t> cells, index;
  std::vector<int> columns;

  // evaluator: of Poisson, whose rows have whole numbers of events or any; null: squared error.
  FewNode(Draws& draws, int n, int n_columns, int n_codes, int n_width, const Evaluator* evaluator = nullptr)
      : width(n_width) {
    for (int i = 0; i < kTableRows * width; ++i)
      cells.push_back(static_cast<std::uint32_t>(draws.below(n_codes)));
    rows.n = n;
    for (int i = 0; i < n; ++i) {
      index.push_back(static_cast<std::uint32_t>(draws.below(kTableRows)));
      rows.weight[i] = n_codes % 2 ? 1 + draws.below(3) : 0.1 + draws.share();
      rows.sum[i] = rows.weight[i] *
                    (evaluator ? draws.below(3) * (n_codes > 5 ? draws.share() : 1.0) : draws.share() - 0.5);
      rows.total_weight += rows.weight[i];
      rows.total_sum += rows.sum[i];
    }
    rows.node_weight = rows.total_weight;
    rows.evaluator = evaluator;
    for (int c = 0; c < n_columns; ++c) columns.push_back(draws.below(width));
  }

  FewCodes codes() const { return {cells.data(), static_cast<std::size_t>(width), index.data()}; }
  std::uint32_t code(int row, int column) const {
    return cells[index[row] * static_cast<std::size_t>(width) + column];
  }
};

FewCut plain_cut(const FewNode& node, double floor) {
  FewCut best;
  best.value = floor;
  for (int order = 0; order < static_cast<int>(node.columns.size()); ++order) {
    std::vector<int> row(node.rows.n);
    std::iota(row.begin(), row.end(), 0);
    const int column = node.columns[order];
    std::stable_sort(row.begin(), row.end(),
                     [&](int a, int b) { return node.code(a, column) < node.code(b, column); });
    double left = 0, left_sum = 0, right = node.rows.total_weight, right_sum = node.rows.total_sum;
    for (int i = 0; i + 1 < node.rows.n; ++i) {
      left += node.rows.weight[row[i]];
      left_sum += node.rows.sum[row[i]];
      right -= node.rows.weight[row[i]];
      right_sum -= node.rows.sum[row[i]];
      if (node.code(row[i], column) == node.code(row[i + 1], column)) continue;
      const double sides[2][2] = {{left, left_sum}, {right, right_sum}};
      const double value = node.rows.evaluator
                               ? node.rows.evaluator->value(sides[0], sides[1], node.rows.node_weight)
                               : SquaredError::value(left, left_sum, right, right_sum, node.rows.node_weight);
      if (value > best.value) best = {value, order, row[i], row[i + 1]};
    }
  }
  return best;
}

void check_as_plain(const FewNode& node, const std::vector<FewCutsKernel>& kernels) {
  const double highest = plain_cut(node, 0).value;
  for (const double floor : {0.0, highest / 2, highest}) {
    const FewCut expected = plain_cut(node, floor);
    for (const FewCutsKernel& kernel : kernels) {
      if (node.rows.n > kernel.most_rows) continue;
      FewCut found;
      found.value = floor;
      kernel.search(node.rows, node.codes(), node.columns.data(), static_cast<int>(node.columns.size()),
                    found);
      CHECK_EQUAL(found.value, expected.value);
      CHECK_EQUAL(found.order, expected.order);
      CHECK_EQUAL(found.below, expected.below);
      CHECK_EQUAL(found.above, expected.above);
    }
  }
}

// check: of a number of rows, of columns, of codes and the width of the table.
template <class Check>
void for_few_nodes(const Check& check) {
  for (int n = 2; n <= FewRows::kMost; ++n)
    for (const int n_columns : {1, 3, 8, 9, 24})
      for (const int n_codes : {1, 2, 5, 1000})
        // Of tables of up to 16 and 32 columns a row fits one and two registers.
        check(n, n_columns, n_codes, n % 3 == 0 ? 12 : n % 3 == 1 ? 28 : 40);
}

TEST(few_cuts_are_those_of_plain_scans) {
  Draws draws(5);
  for_few_nodes([&](int n, int n_columns, int n_codes, int width) {
    check_as_plain(FewNode(draws, n, n_columns, n_codes, width), runnable_few_cuts());
  });
}

TEST(few_cuts_of_rates_are_those_of_plain_scans) {
  Draws draws(6);
  for (const bool zero_rates : {false, true}) {
    Evaluator evaluator(criterion_of<Poisson>, 2);
    if (zero_rates) evaluator.allow_zero_rates();
    for_few_nodes([&](int n, int n_columns, int n_codes, int width) {
      const FewNode node(draws, n, n_columns, n_codes, width, &evaluator);
      if (node.rows.total_sum > 0) check_as_plain(node, runnable_few_rates());
    });
  }
}

}  // namespace

}  // namespace bough::tests
