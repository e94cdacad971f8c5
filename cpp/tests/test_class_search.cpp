// The search among several counted classes finds the cut of a plain scan to the bit, and kernels for any
// processor give the results of those for this one to the bit.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "bough/forest/class_search.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// The rows of a node with the codes of several columns.
struct ClassedNode {
  int n, k;
  std::vector<std::int32_t> label;
  std::vector<double> weight, statistics;
  std::vector<std::vector<std::uint32_t>> code;
  std::vector<std::uint32_t> index;
  RowView view;
  NodeSums sums;

  ClassedNode(Draws& draws, int n_rows, int n_classes, int n_codes, int most_draws)
      : n(n_rows), k(n_classes), label(n), weight(n), statistics(k, 0.0), code(11), index(n) {
    std::iota(index.begin(), index.end(), 0u);
    for (int i = 0; i < n; ++i) {
      label[i] = draws.below(k);
      weight[i] = 1 + draws.below(most_draws);
      statistics[label[i]] += weight[i];
    }
    for (std::vector<std::uint32_t>& own : code)
      for (int i = 0; i < n; ++i) {
        const int lift = draws.below(3) ? 0 : label[i] * n_codes / k;
        own.push_back(static_cast<std::uint32_t>((draws.below(n_codes) + lift) / 2));
      }
    view.rows.label = label.data();
    view.rows.weight = weight.data();
    sums.weight = sums.cases = std::accumulate(statistics.begin(), statistics.end(), 0.0);
    sums.statistics = statistics.data();
  }

  // Betters `best` by the cuts of a column, one after the other.
  void scan(int column, const Evaluator& evaluator, double least, ForestSplit& best) const {
    const std::vector<std::uint32_t>& own = code[column];
    std::vector<std::uint32_t> order = index;
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return own[a] < own[b]; });
    std::vector<double> left(k, 0.0), right = statistics;
    double below = 0;
    for (int i = 0; i + 1 < n; ++i) {
      const std::uint32_t row = order[i];
      left[label[row]] += weight[row];
      right[label[row]] -= weight[row];
      below += weight[row];
      if (own[row] == own[order[i + 1]] || below < least || sums.weight - below < least) continue;
      const double value = evaluator.value(left.data(), right.data(), sums.weight);
      if (value > best.value) best.take_code(column, value, own[row]);
    }
  }

  // The weight left of a split.
  double below(const ForestSplit& split) const {
    double sum = 0;
    for (int i = 0; i < n; ++i)
      if (code[split.column][i] <= split.last_left) sum += weight[i];
    return sum;
  }
};

template <class Check>
void for_classed_nodes(const Check& check) {
  Draws draws(17);
  for (const int n : {2, 3, 15, 16, 17, 60, 128, 129, 700, 3000})
    for (const int k : {3, 7, 8, 9, 16})
      for (const int n_codes : {2, 9, 1000, 2000000})
        for (const int most : {1, 4, n > 128 ? 60 : 300})
          check(ClassedNode(draws, n, k, n_codes, most), draws);
}

}  // namespace

TEST(the_search_among_counted_classes_finds_what_a_scan_finds) {
  for_classed_nodes([](const ClassedNode& node, Draws& draws) {
    const Evaluator evaluator(criterion_of<Gini>, node.k);
    ClassSearch search(evaluator, node.n);
    const double least = draws.below(2) ? 1 : 1 + draws.below(static_cast<int>(node.sums.weight / 3) + 1);
    search.set_least(least);
    CHECK(search.start(node.index.data(), node.n, node.view, node.sums));
    ForestSplit found, plain;
    found.value = plain.value = draws.below(2) ? -0.5 : 1e-26;
    for (std::size_t c = 0; c < node.code.size(); ++c) {
      search.search(static_cast<int>(c), {node.code[c].data(), 1}, found);
      node.scan(static_cast<int>(c), evaluator, least, plain);
    }
    search.look_closer(found);
    CHECK(found.column == plain.column);
    CHECK(found.value == plain.value);
    if (plain.column >= 0) CHECK(node.below(found) == node.below(plain));
  });
}

TEST(counted_classes_of_too_much_weight_are_left_to_scans) {
  Draws draws(3);
  ClassedNode node(draws, 5, 3, 9, 1);
  node.sums.weight = 0x1p24;
  const Evaluator evaluator(criterion_of<Gini>, 3);
  ClassSearch search(evaluator, 5);
  CHECK(!search.start(node.index.data(), node.n, node.view, node.sums));
}

TEST(kernels_of_counted_classes_give_the_same_on_any_processor) {
  for_classed_nodes([](const ClassedNode& node, Draws& draws) {
    const int width = (node.k + 7) / 8 * 8, n_bins = 2 + draws.below(40);
    std::vector<std::uint32_t> content(static_cast<std::size_t>(n_bins) * width, 0u);
    std::vector<float> share(width, 0.0f), slack(width, 0.0f);
    for (int i = 0; i < node.n; ++i) {
      const int bin = i < 2 ? i * (n_bins - 1) : draws.below(n_bins);
      content[bin * width + node.label[i]] += static_cast<std::uint32_t>(node.weight[i]);
    }
    for (int c = 0; c < node.k; ++c) {
      share[c] = static_cast<float>(node.statistics[c] / node.sums.weight);
      slack[c] = static_cast<float>(1e-6 * node.statistics[c]);
    }
    const ClassedBins bins{
        content.data(), n_bins, width, share.data(), slack.data(), static_cast<float>(node.sums.weight), 2};
    std::vector<float> behind(n_bins), within(n_bins), other_behind(n_bins), other_within(n_bins);
    const float peak = runnable_class_kernels().front()->bound_bins(bins, behind.data(), within.data());
    for (const ClassKernels* kernels : runnable_class_kernels()) {
      CHECK(kernels->bound_bins(bins, other_behind.data(), other_within.data()) == peak);
      CHECK(behind == other_behind && within == other_within);
    }
  });
}

TEST(few_rows_of_classes_are_compared_alike_on_any_processor) {
  Draws draws(29);
  for (int n = 2; n < 140; ++n) {
    std::vector<std::int32_t> code(n + kClassLanes), count(n), end, total;
    for (int i = 0; i < n; ++i) {
      code[i] = draws.below(n);
      count[i] = 1 + draws.below(3);
      if (i == 0 || draws.below(3) == 0) end.push_back(0), total.push_back(0);
      end.back() = i + 1;
      total.back() += count[i];
    }
    const std::int32_t highest = *std::max_element(code.begin(), code.begin() + n);
    std::fill(code.begin() + n, code.end(), highest);
    const std::int32_t all = std::accumulate(count.begin(), count.end(), 0),
                       squares = std::inner_product(total.begin(), total.end(), total.begin(), 0);
    const ClassedRows rows{
        code.data(), count.data(), n,       end.data(),        total.data(), static_cast<int>(end.size()),
        highest,     all,          squares, 1 + draws.below(3)};
    std::vector<float> first;
    for (const ClassKernels* kernels : runnable_class_kernels()) {
      std::vector<std::int32_t> left(n + kClassLanes), own(n + kClassLanes), products(n + kClassLanes);
      std::vector<float> value(n + kClassLanes);
      const float peak = kernels->cut_rows(rows, {left.data(), own.data(), products.data(), value.data()});
      value.resize(n);
      CHECK(peak == std::max(-1.0f, *std::max_element(value.begin(), value.end())));
      if (first.empty()) first = value;
      CHECK(value == first);
      for (int i = 0; i < n; ++i) {
        std::int32_t below = 0;
        for (int j = 0; j < n; ++j) below += code[j] <= code[i] ? count[j] : 0;
        CHECK(left[i] == below);
        CHECK((value[i] >= 0) == (code[i] < highest && below >= rows.least && all - below >= rows.least));
      }
    }
  }
}

TEST(rows_of_open_bins_are_listed_alike_on_any_processor) {
  Draws draws(5);
  for (const int n : {0, 1, 15, 16, 17, 100, 1000})
    for (const int shift : {0, 3, 20})
      for (const int one_in : {1, 2, 40}) {
        OpenClassBins bins;
        bins.low = draws.below(1000);
        bins.shift = shift;
        for (int b = 0; b < OpenClassBins::kMost; ++b) bins.set(b, draws.below(one_in) == 0);
        std::vector<std::int32_t> code;
        for (int i = 0; i < n; ++i)
          code.push_back(bins.low + (draws.below(OpenClassBins::kMost) << shift) + draws.below(1 << shift));
        std::vector<std::uint64_t> expected;
        for (int i = 0; i < n; ++i)
          if (bins.has(code[i]))
            expected.push_back(static_cast<std::uint64_t>(code[i]) << 32 | static_cast<std::uint32_t>(i));
        for (const ClassKernels* kernels : runnable_class_kernels()) {
          std::vector<std::uint64_t> key(n + kClassLanes);
          key.resize(kernels->list_open(bins, code.data(), n, key.data()));
          CHECK(key == expected);
        }
      }
}

}  // namespace bough::tests
