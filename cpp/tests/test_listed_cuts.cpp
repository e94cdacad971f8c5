// The lists of a block: they are parted as a stable partition does, and no cut is worth more than the bound
// that follows from its list.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bough/criteria/list.hpp"
#include "bough/data/entry.hpp"
#include "bough/forest/list_parting.hpp"
#include "bough/forest/moment_screen.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// The rows of a block in the order of a column, whose codes are the ranks of its values.
struct ListedRows {
  std::vector<double> weight, sum;
  std::vector<std::uint32_t> list;
  double total_weight = 0, total_sum = 0, squares = 0;

  ListedRows(Draws& draws, int n, int n_codes, bool events, double unit) {
    std::vector<int> value(n);
    for (int i = 0; i < n; ++i) {
      value[i] = draws.below(n_codes);
      const double y =
          events ? draws.below(4) : unit * (draws.share() - 0.4 + (2 * value[i] > n_codes) * 0.5);
      weight.push_back(1 + draws.below(3));
      sum.push_back(weight[i] * y);
      total_weight += weight[i];
      total_sum += sum[i];
      squares += sum[i] * y;
    }
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return value[a] < value[b]; });
    std::uint32_t rank = 0;
    for (int i = 0; i < n; ++i) {
      rank += i > 0 && value[order[i]] != value[order[i - 1]];
      list.push_back(make_entry<std::uint32_t>(rank, order[i], 0));
    }
  }

  // The highest value of all cuts; -inf if there is none.
  double best(const Evaluator& evaluator) const {
    double left[2] = {0, 0}, right[2] = {total_weight, total_sum};
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i + 1 < list.size(); ++i) {
      const std::uint32_t row = index_of(list[i]);
      left[0] += weight[row], left[1] += sum[row];
      right[0] -= weight[row], right[1] -= sum[row];
      if (code_of(list[i]) != code_of(list[i + 1]))
        most = std::max(most, evaluator.value(left, right, total_weight));
    }
    return most;
  }
};

}  // namespace

TEST(the_best_cut_of_a_list_is_worth_what_its_bounds_allow) {
  Draws draws(17);
  for (const int n : {2, 3, 7, 33, 64, 65, 66, 200, 1500})
    for (const int n_codes : {1, 2, 7, 100000})
      for (const double unit : {1.0, 1e-30, 1e130, 0.0})
        for (const bool events : {false, true}) {
          const ListedRows rows(draws, n, n_codes, events, unit);
          const Evaluator evaluator(events ? criterion_of<Poisson> : criterion_of<SquaredError>, 2);
          PackedRows packed(n);
          packed.load(rows.weight.data(), rows.sum.data(), n);
          const double statistics[2] = {rows.total_weight, rows.total_sum};
          const NodeSums sums{rows.total_weight, static_cast<double>(n), statistics, 0};
          const double risk =
              std::max(0.0, rows.squares - rows.total_sum * rows.total_sum / rows.total_weight);
          MomentScreen screen(evaluator, n, false);
          screen.start_listed(n, packed, sums, risk);
          const auto [least, bound] = screen.range_listed(rows.list.data(), true);
          const double best = rows.best(evaluator);
          CHECK(bound >= best);
          CHECK(least <= best);
          if (!events && (unit == 1 || unit == 1e-30))
            CHECK(n_codes == 1 ||
                  (bound <= best * (1 + 1e-5) + 1e-300 && least >= best * (1 - 1e-5) - 1e-300));
          if (events && n >= 200 && n_codes > 1) CHECK(bound <= best * 1.5 && least >= best * 0.7);
        }
}

namespace {

// A node of packed rows, under squared error or, of events, Poisson.
ListedNode node_of(const ListedRows& rows, const PackedRows& packed, bool events) {
  ListedNode node{packed.rows(), rows.total_weight, rows.total_sum / rows.total_weight * packed.scale()};
  if (events) {
    node.tilt = 1 / node.mean;
    node.slack = 1e-9 * rows.total_weight * rows.total_weight;
  }
  return node;
}

void check_same(const PeakOfCuts& peak, const PeakOfCuts& expected) {
  CHECK(peak.highest == expected.highest ||
        std::abs(peak.highest - expected.highest) <= 1e-12 * expected.highest);
  CHECK(peak.least == expected.least || std::abs(peak.least - expected.least) <= 1e-12 * expected.least);
}

}  // namespace

TEST(values_of_lists_are_the_same_on_every_processor) {
  Draws draws(18);
  for (const int n : {2, 5, 40, 129, 1000})
    for (const bool events : {false, true}) {
      const ListedRows rows(draws, n, 100000, events, 1);
      PackedRows packed(n);
      packed.load(rows.weight.data(), rows.sum.data(), n);
      CHECK(packed.scale() > 0);
      const ListedNode node = node_of(rows, packed, events);
      for (const ListedPeaks& peaks : runnable_listed_peaks())
        for (const bool ties : {false, true})
          check_same(peaks.of_list(rows.list.data(), n, ties, node),
                     runnable_listed_peaks()[0].of_list(rows.list.data(), n, true, node));
    }
}

TEST(values_of_few_codes_are_those_of_the_list_of_their_rows) {
  Draws draws(20);
  for (const int n : {1, 2, 3, 5, 33, 40, 129, 1000})
    for (const int n_codes : {1, 2, 3, 7, 16, 31, kMostSummedCodes})
      for (const bool events : {false, true}) {
        const ListedRows rows(draws, n, n_codes, events, 1);
        if (rows.total_sum == 0) continue;
        PackedRows packed(n);
        packed.load(rows.weight.data(), rows.sum.data(), n);
        const ListedNode node = node_of(rows, packed, events);
        std::vector<std::uint8_t> code(n);
        for (const std::uint32_t entry : rows.list)
          code[index_of(entry)] = static_cast<std::uint8_t>(code_of(entry));
        std::vector<std::uint32_t> index(n);
        std::iota(index.begin(), index.end(), 0u);
        const PeakOfCuts expected = runnable_listed_peaks()[0].of_list(rows.list.data(), n, true, node);
        for (const ListedPeaks& peaks : runnable_listed_peaks())
          check_same(peaks.of_codes(code.data(), n_codes, index.data(), n, node), expected);
      }
}

TEST(lists_of_a_block_are_parted_stably) {
  Draws draws(19);
  for (const int n : {1, 2, 15, 16, 17, 33, 300, SideBits::kMostRows})
    for (const int share_left : {0, 1, 5, 10}) {
      const ListedRows rows(draws, n, 50, false, 1);
      SideBits sides;
      for (int i = 0; i < n; ++i)
        if (draws.below(10) < share_left) sides.set_left(static_cast<std::uint32_t>(i));
      std::vector<std::uint32_t> expected = rows.list;
      const auto middle = std::stable_partition(expected.begin(), expected.end(),
                                                [&](auto entry) { return sides.left(index_of(entry)); });
      const auto left = middle - expected.begin();
      for (const PartList part_list : runnable_list_partings())
        for (const Kept kept : {Kept::both, Kept::left, Kept::right}) {
          std::vector<std::uint32_t> parted = rows.list, scratch(n + kListPadding);
          part_list(parted.data(), n, sides, kept, scratch.data());
          CHECK(kept == Kept::right || std::equal(parted.begin(), parted.begin() + left, expected.begin()));
          CHECK(kept == Kept::left || std::equal(parted.begin() + left, parted.end(), middle));
        }
    }
}

}  // namespace bough::tests
