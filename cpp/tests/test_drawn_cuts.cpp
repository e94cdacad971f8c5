// Cuts of several columns drawn together: extremes and sums are those of plain loops over the rows.
#include <algorithm>
#include <numeric>

#include "bough/criteria/list.hpp"
#include "bough/forest/drawn_cuts.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// Some rows of a table with several columns, a cut of each, and targets of all kinds.
struct DrawnRows {
  int width, n_classes, n_table;
  std::vector<float> cells, cut;
  std::vector<std::uint32_t> index, count;
  std::vector<double> weight, sum, draws_of_row;
  std::vector<std::int32_t> label;

  DrawnRows(Draws& draws, int n, int columns, int classes)
      : width(columns), n_classes(classes), n_table(2 * n + 3) {
    cells.resize(static_cast<std::size_t>(n_table) * width + kLanes);
    for (float& cell : cells) cell = static_cast<float>(draws.below(9)) / 4 - 1;
    for (int c = 0; c < width; ++c) cut.push_back(static_cast<float>(draws.below(9)) / 4 - 1);
    std::vector<std::uint32_t> all(n_table);
    std::iota(all.begin(), all.end(), 0u);
    for (int i = 0; i < n; ++i) {
      std::swap(all[i], all[i + draws.below(n_table - i)]);
      index.push_back(all[i]);
      count.push_back(1 + draws.below(3) + (draws.below(2) << 16));
    }
    for (int i = 0; i < n_table; ++i) {
      weight.push_back(0.1 + draws.share());
      sum.push_back(draws.share() - 0.5);
      draws_of_row.push_back(1 + draws.below(3));
      label.push_back(draws.below(n_classes));
    }
  }

  float cell(std::uint32_t row, int column) const { return cells[row * width + column]; }
  bool below(std::uint32_t row, int column) const { return cell(row, column) < cut[column]; }
};

template <class Check>
void for_drawn_rows(const Check& check) {
  Draws draws(31);
  for (const int n : {1, 2, 3, 17, 64, 301})
    for (const int width : {1, 7, 8, 9, 16, 28, 33, 70})
      for (const int n_classes : {2, 7, 40}) check(DrawnRows(draws, n, width, n_classes));
}

// The weights and sums below the cut of a column, row by row.
std::pair<double, double> plain_moments(const DrawnRows& rows, int column) {
  double weight = 0, sum = 0;
  for (const std::uint32_t row : rows.index) {
    if (!rows.below(row, column)) continue;
    weight += rows.weight[row];
    sum += rows.sum[row];
  }
  return {weight, sum};
}

}  // namespace

TEST(extremes_and_moments_of_cuts_drawn_together_are_those_of_the_rows) {
  for_drawn_rows([](const DrawnRows& rows) {
    DrawnCuts cuts(rows.width, 0);
    cuts.start(rows.cells.data(), rows.index.data(), static_cast<int>(rows.index.size()));
    for (int c = 0; c < rows.width; ++c) cuts.set_cut(c, rows.cut[c]);
    cuts.sum_moments(rows.weight.data(), rows.sum.data());
    cuts.sum_counts(rows.count.data());
    for (int c = 0; c < rows.width; ++c) {
      float least = rows.cell(rows.index[0], c), most = least;
      std::uint32_t count = 0;
      for (std::size_t i = 0; i < rows.index.size(); ++i) {
        least = std::min(least, rows.cell(rows.index[i], c));
        most = std::max(most, rows.cell(rows.index[i], c));
        if (rows.below(rows.index[i], c)) count += rows.count[i];
      }
      CHECK_EQUAL(cuts.least(c), least);
      CHECK_EQUAL(cuts.most(c), most);
      CHECK_EQUAL(cuts.varies(c), least < most);
      CHECK_EQUAL(cuts.count_below(c), count);
      CHECK_EQUAL(cuts.weight_below(c), plain_moments(rows, c).first);
      CHECK_EQUAL(cuts.sum_below(c), plain_moments(rows, c).second);
    }
  });
}

TEST(classes_below_cuts_drawn_together_are_those_of_the_rows) {
  for_drawn_rows([](const DrawnRows& rows) {
    DrawnCuts cuts(rows.width, rows.n_classes);
    const Evaluator evaluator(criterion_of<Gini>, rows.n_classes);
    std::vector<double> total(rows.n_classes, 0.0);
    for (const std::uint32_t row : rows.index) total[rows.label[row]] += rows.draws_of_row[row];
    const double all = std::accumulate(total.begin(), total.end(), 0.0);
    cuts.start(rows.cells.data(), rows.index.data(), static_cast<int>(rows.index.size()));
    for (int c = 0; c < rows.width; ++c) cuts.set_cut(c, rows.cut[c]);
    cuts.count_classes(rows.label.data(), rows.draws_of_row.data());
    Gini::Bound gini(evaluator, total.data(), 0);
    cuts.sum_class_squares(total.data(), gini.squares_of_both);
    for (int c = 0; c < rows.width; ++c) {
      std::vector<double> plain(rows.n_classes, 0.0), found(rows.n_classes, -1.0), rest = total;
      for (const std::uint32_t row : rows.index)
        if (rows.below(row, c)) {
          plain[rows.label[row]] += rows.draws_of_row[row];
          rest[rows.label[row]] -= rows.draws_of_row[row];
        }
      const double weight = std::accumulate(plain.begin(), plain.end(), 0.0);
      CHECK_EQUAL(cuts.classes_below(c, total.data(), found.data()), weight);
      CHECK(found == plain);
      CHECK_EQUAL(cuts.squares(c).weight, weight);
      if (weight == 0 || weight == all) continue;
      gini.squares_left = cuts.squares(c).left;
      gini.squares_right = cuts.squares(c).right;
      CHECK_EQUAL(gini.value(weight, all - weight, all), evaluator.value(plain.data(), rest.data(), all));
    }
  });
}

TEST(cuts_of_picked_columns_are_those_of_all_columns) {
  Draws draws(32);
  for_drawn_rows([&](const DrawnRows& rows) {
    const int n = static_cast<int>(rows.index.size()), n_picked = 1 + draws.below(rows.width);
    std::vector<int> columns(rows.width);
    std::iota(columns.begin(), columns.end(), 0);
    for (int c = 0; c < n_picked; ++c) std::swap(columns[c], columns[c + draws.below(rows.width - c)]);
    DrawnCuts all(rows.width, rows.n_classes), picked(rows.width, rows.n_classes);
    picked.make_room_to_pick(rows.index.size(), n_picked);
    all.start(rows.cells.data(), rows.index.data(), n);
    picked.pick(rows.cells.data(), rows.index.data(), n, columns.data(), n_picked);
    CHECK(picked.picked());
    CHECK(!all.picked());
    for (int c = 0; c < rows.width; ++c) all.set_cut(c, rows.cut[c]);
    for (int c = 0; c < n_picked; ++c) picked.set_cut(c, rows.cut[columns[c]]);
    std::vector<double> total(rows.n_classes, 0.0), found(rows.n_classes), expected(rows.n_classes);
    for (const std::uint32_t row : rows.index) total[rows.label[row]] += rows.draws_of_row[row];
    for (DrawnCuts* cuts : {&all, &picked}) {
      cuts->sum_moments(rows.weight.data(), rows.sum.data());
      cuts->sum_counts(rows.count.data());
      cuts->count_classes(rows.label.data(), rows.draws_of_row.data());
      cuts->sum_class_squares(total.data(), 1);
    }
    for (int c = 0; c < n_picked; ++c) {
      const int own = columns[c];
      CHECK_EQUAL(picked.least(c), all.least(own));
      CHECK_EQUAL(picked.most(c), all.most(own));
      CHECK_EQUAL(picked.weight_below(c), all.weight_below(own));
      CHECK_EQUAL(picked.sum_below(c), all.sum_below(own));
      CHECK_EQUAL(picked.count_below(c), all.count_below(own));
      CHECK_EQUAL(picked.squares(c).right, all.squares(own).right);
      picked.classes_below(c, total.data(), found.data());
      all.classes_below(own, total.data(), expected.data());
      CHECK(found == expected);
      for (int i = 0; i < n; ++i) CHECK_EQUAL(picked.picked_cells(c)[i], rows.cell(rows.index[i], own));
    }
  });
}

// A value that is no number stands for none.
double value_or_none(double value) { return value == value ? value : kNoSplit; }

TEST(values_of_cuts_drawn_together_are_those_of_the_criteria) {
  for_drawn_rows([](const DrawnRows& rows) {
    DrawnCuts cuts(rows.width, rows.n_classes);
    const Evaluator evaluator(criterion_of<Gini>, rows.n_classes);
    std::vector<double> total(rows.n_classes, 0.0);
    DrawnTotals numbers, counts, squares;
    std::uint64_t counted = 0;
    for (std::size_t i = 0; i < rows.index.size(); ++i) {
      total[rows.label[rows.index[i]]] += rows.draws_of_row[rows.index[i]];
      numbers.weight += rows.weight[rows.index[i]];
      numbers.sum += rows.sum[rows.index[i]];
      counted += long_count(rows.count[i]);
    }
    numbers.node_weight = numbers.weight;
    numbers.least = 0.1 * numbers.weight;
    counts.node_weight = static_cast<double>(counted & 0xffffffffu);
    counts.second = static_cast<double>(counted >> 32);
    squares.node_weight = std::accumulate(total.begin(), total.end(), 0.0);
    counts.least = squares.least = 2;
    Gini::Bound gini(evaluator, total.data(), 0);
    squares.squares = gini.squares_of_both;
    cuts.start(rows.cells.data(), rows.index.data(), static_cast<int>(rows.index.size()));
    for (int c = 0; c < rows.width; ++c) cuts.set_cut(c, rows.cut[c]);
    cuts.sum_moments(rows.weight.data(), rows.sum.data());
    cuts.sum_counts(rows.count.data());
    cuts.count_classes(rows.label.data(), rows.draws_of_row.data());
    cuts.sum_class_squares(total.data(), gini.squares_of_both);
    const auto check = [&](int c, double left, const DrawnTotals& node, double value) {
      const bool allowed = left >= node.least && node.node_weight - left >= node.least;
      CHECK_EQUAL(value_or_none(cuts.value(c)), allowed ? value_or_none(value) : kNoSplit);
    };
    cuts.value_moments(numbers);
    for (int c = 0; c < rows.width; ++c) {
      const double left = cuts.weight_below(c), sum = cuts.sum_below(c);
      check(c, left, numbers,
            SquaredError::value(left, sum, numbers.weight - left, numbers.sum - sum, numbers.node_weight));
    }
    cuts.value_counts(counts);
    for (int c = 0; c < rows.width; ++c) {
      const double left = cuts.count_below(c) & 0xffffu, second = cuts.count_below(c) >> 16;
      check(c, left, counts, gini_of_counts(left, second, counts.node_weight, counts.second));
    }
    cuts.value_squares(squares);
    for (int c = 0; c < rows.width; ++c) {
      const DrawnCuts::Squares own = cuts.squares(c);
      gini.squares_left = own.left;
      gini.squares_right = own.right;
      check(c, own.weight, squares,
            gini.value(own.weight, squares.node_weight - own.weight, squares.node_weight));
    }
  });
}

TEST(kernels_of_drawn_values_agree_on_every_processor) {
  for_drawn_rows([](const DrawnRows& rows) {
    const int n = static_cast<int>(rows.weight.size()) / 4 * 4;
    DrawnTotals node{40, 3, 41, 50, 900, 0.4};
    std::vector<std::uint32_t> counts(n);
    for (int i = 0; i < n; ++i) counts[i] = rows.label[i] | static_cast<std::uint32_t>(rows.label[i]) << 16;
    const auto results = [&](const DrawnValueKernels& kernels) {
      std::vector<double> values(3 * n);
      kernels.of_moments(rows.weight.data(), rows.sum.data(), n, node, values.data());
      kernels.of_counts(counts.data(), n, node, values.data() + n);
      kernels.of_squares(rows.label.data(), rows.label.data(), rows.label.data(), n, node,
                         values.data() + 2 * n);
      for (double& value : values) value = value_or_none(value);
      return values;
    };
    const auto sets = runnable_drawn_values();
    for (const DrawnValueKernels* own : sets) CHECK(results(*own) == results(*sets.front()));
  });
}

TEST(kernels_of_drawn_cuts_agree_on_every_processor) {
  for_drawn_rows([](const DrawnRows& rows) {
    const int n_groups = (rows.width + kLanes - 1) / kLanes;
    const std::size_t padded = static_cast<std::size_t>(n_groups) * kLanes;
    std::vector<float> cut = rows.cut;
    cut.resize(padded, -2.0f);
    const CellRows given{rows.cells.data(), static_cast<std::size_t>(rows.width), rows.index.data(),
                         static_cast<int>(rows.index.size()), rows.index.data()};
    std::vector<int> columns;
    for (int c = rows.width - 1; c >= 0; c -= 3) columns.push_back(c);
    std::vector<std::uint32_t> identity(rows.index.size());
    std::iota(identity.begin(), identity.end(), 0u);
    const auto results = [&](const DrawnKernels& kernels) {
      std::vector<float> least(padded), most(padded);
      std::vector<double> weights(padded), sums(padded);
      std::vector<std::uint32_t> counts(padded);
      std::vector<std::int32_t> classes(padded * rows.n_classes), total(rows.n_classes, 1);
      std::vector<std::int32_t> of_weight(padded), squares(padded), products(padded);
      kernels.extremes(given, n_groups, least.data(), most.data());
      kernels.moments(given, n_groups, cut.data(), rows.weight.data(), rows.sum.data(), weights.data(),
                      sums.data());
      kernels.counts(given, n_groups, cut.data(), rows.count.data(), counts.data());
      kernels.classes(given, n_groups, cut.data(), rows.label.data(), rows.draws_of_row.data(),
                      classes.data(), padded);
      kernels.squares(classes.data(), padded, n_groups, total.data(), rows.n_classes,
                      {of_weight.data(), squares.data(), products.data()});
      std::vector<float> picked(columns.size() * rows.index.size() + 2 * kLanes), low(padded), high(padded);
      const CellRows to{picked.data(), columns.size(), rows.index.data(), given.n, identity.data()};
      kernels.pick(given, columns.data(), to, picked.data(), low.data(), high.data());
      for (auto* of : {&picked, &low, &high})  // what is behind the cells may differ
        of->resize(of == &picked ? columns.size() * rows.index.size() : columns.size());
      return std::tuple{least,     most,    weights,  sums,   counts, classes,
                        of_weight, squares, products, picked, low,    high};
    };
    const auto sets = runnable_drawn_kernels();
    for (const DrawnKernels* own : sets) CHECK(results(*own) == results(*sets.front()));
  });
}

}  // namespace bough::tests
