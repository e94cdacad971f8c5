// The fast scans against ThresholdScan over the same list, bit for bit.
#include <limits>

#include "bough/data/entry.hpp"
#include "bough/search/scan.hpp"
#include "bough/search/search.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr int kPadding = 16;

// A sorted list of n entries, followed by entries of other rows, which a scan may read and must not heed.
template <class E>
struct List {
  std::vector<E> entries;
  std::vector<double> y;
  int n, ones = 0;
  double sum = 0;

  // distinct: about how many values there are. largest: y lies within it.
  List(Draws& draws, int size, int distinct, double share_of_ones, double largest) : n(size) {
    std::uint32_t code = 0;
    for (int i = 0; i < n; ++i) {
      code += draws.below(n) < distinct;
      const bool one = draws.share() < share_of_ones;
      entries.push_back(make_entry<E>(code, static_cast<std::uint32_t>(n - 1 - i), one));
      ones += one;
    }
    for (int i = 0; i < n; ++i) {
      y.push_back(std::rint((2 * draws.share() - 1) * largest));
      sum += y.back();
    }
    for (int i = 0; i < kPadding; ++i)
      entries.push_back(make_entry<E>(static_cast<std::uint32_t>(draws.below(1000)), 0, draws.below(2)));
  }

  // Adds a whole number to every y.
  void shift(double by) {
    for (double& v : y) v += by;
    sum += by * n;
  }

  bool one_code() const { return code_of(entries[0]) == code_of(entries[n - 1]); }
};

// What the plain scan finds; `row` writes the statistics of an entry.
template <class E, class Row>
Cut plain_cut(const List<E>& list, const Evaluator& evaluator, const double* total, const LeafLimits& limits,
              double node_weight, Row row) {
  ThresholdScan scan(evaluator, limits, total, list.n, node_weight);
  Cut best{kNone, 0};
  int group = 0, begin = 0;
  for (int i = 0; i < list.n; ++i) {
    row(list.entries[i], scan.left());
    if (i + 1 < list.n && code_of(list.entries[i]) == code_of(list.entries[i + 1])) continue;
    scan.end_row(i + 1 - begin);
    begin = i + 1;
    if (scan.best_row() == group++) best = {scan.best_value(), i + 1};
  }
  return best;
}

// A cut must be found above every floor below its value, and none above a floor that is not.
template <class Scan>
void check_floors(const Cut& plain, double infinite_floor, Scan scan) {
  const double next_below = std::nextafter(plain.value, kNone);
  for (double floor : {infinite_floor, plain.value / 2, next_below}) {
    if (plain.left == 0 && floor != kNone) continue;
    const Cut cut = scan(floor);
    const bool reached = plain.left > 0 && plain.value > floor;
    CHECK_EQUAL(cut.left, reached ? plain.left : 0);
    CHECK_EQUAL(cut.value, reached ? plain.value : floor);
  }
  if (plain.left == 0) return;
  for (double floor : {plain.value, std::nextafter(plain.value, 1e300), 2 * plain.value + 1})
    CHECK_EQUAL(scan(floor).left, 0);
}

template <class E>
void check_classes(Criterion criterion, const List<E>& list, int min_cases, double node_weight,
                   const AnswerRule& rule) {
  const Evaluator evaluator(criterion, 2);
  const double total[] = {static_cast<double>(list.n - list.ones), static_cast<double>(list.ones)};
  const Cut plain = plain_cut(list, evaluator, total, {static_cast<double>(min_cases), 0, 1, rule},
                              node_weight, [](E entry, double* left) { ++left[label_bit(entry)]; });
  ScanSpace space;
  check_floors(plain, kNone, [&](double floor) {
    return best_cut_of_two_classes(list.entries.data(), list.n, list.ones, min_cases, rule, node_weight,
                                   evaluator, floor, space);
  });
}

template <class E>
void check_classes(const List<E>& list, int min_cases, double node_weight, const AnswerRule& rule) {
  for (const Criterion criterion : {criterion_of<Gini>, criterion_of<Entropy>, criterion_of<Deviance>})
    check_classes(criterion, list, min_cases, node_weight, rule);
}

template <class E>
void check_squares(const List<E>& list, int min_cases, double node_weight, const AnswerRule& rule) {
  const Evaluator evaluator(criterion_of<SquaredError>, 2);
  const double total[] = {static_cast<double>(list.n), list.sum};
  const Cut plain = plain_cut(list, evaluator, total, {static_cast<double>(min_cases), 0, 1, rule},
                              node_weight, [&](E entry, double* left) {
                                left[0] += 1;
                                left[1] += list.y[index_of(entry)];
                              });
  ScanSpace space;
  check_floors(plain, kNone, [&](double floor) {
    return best_squares_cut(list.entries.data(), list.n, list.y.data(), list.sum, min_cases, rule,
                            node_weight, floor, space);
  });
}

template <class E>
void check_both(const List<E>& list, int min_cases, double node_weight) {
  check_classes(list, min_cases, node_weight, {});
  check_squares(list, min_cases, node_weight, {});
  // Rules as constraints make them, with bounds that some of the cuts keep.
  const double share = static_cast<double>(list.ones) / list.n, mean = list.sum / list.n;
  for (const int direction : {-1, 1}) {
    check_classes(list, min_cases, node_weight, {true, direction});
    check_classes(list, min_cases, node_weight, {true, direction, share * 0.8, share * 1.1});
    check_squares(list, min_cases, node_weight, {true, direction});
    check_squares(list, min_cases, node_weight,
                  {true, direction, std::min(mean * 0.5, mean * 2), std::max(mean * 0.5, mean * 2)});
  }
}

template <class E>
void check_all_sizes() {
  Draws draws(sizeof(E));
  for (int n = 2; n <= 600; ++n) {
    const int distinct = n % 3 == 0 ? n : n % 3 == 1 ? n / 2 + 1 : 5;
    const double largest = n % 2 ? 3 : 0x1p50 / n;  // many ties, or values that fill the grid
    const List<E> list(draws, n, distinct, n % 5 == 0 ? 0.02 : 0.4, largest);
    const int min_cases = n % 4 == 0 ? 1 + draws.below(n / 2 + 1) : 1;
    check_both(list, min_cases, n + draws.below(2) * 3);
  }
}

template <class E>
void check_long_lists() {
  Draws draws(20 + sizeof(E));
  for (int n : {1023, 4096, 8192, 32768})
    for (int distinct : {3, n}) {
      const List<E> list(draws, n, distinct, 0.3, 0x1p51 / n);
      check_both(list, 1, n);
      check_both(list, n / 3, n + 100);
    }
}

template <class E>
void check_ends() {
  Draws draws(30 + sizeof(E));
  for (int n : {2, 3, 24, 25, 129, 300}) {
    check_both(List<E>(draws, n, n, 0.0, 0), 1, n);  // all labels and all y the same
    check_both(List<E>(draws, n, n, 1.0, 5), n / 2, n);
    check_both(List<E>(draws, n, n, 0.5, 5), n / 2 + 1, n);  // no cut leaves enough
    const List<E> constant(draws, n, 0, 0.5, 5);
    CHECK(constant.one_code());
    check_both(constant, 1, n);
  }
}

}  // namespace

TEST(scans_of_packed_lists_of_every_size) { check_all_sizes<std::uint32_t>(); }
TEST(scans_of_long_lists_of_every_size) { check_all_sizes<std::uint64_t>(); }
TEST(scans_of_thousands_of_packed_entries) { check_long_lists<std::uint32_t>(); }
TEST(scans_of_thousands_of_long_entries) { check_long_lists<std::uint64_t>(); }
TEST(scans_where_nothing_can_be_cut_or_gained) {
  check_ends<std::uint32_t>();
  check_ends<std::uint64_t>();
}

TEST(scans_where_differences_drown_in_rounding) {
  Draws draws(40);
  for (int n : {30, 129, 600, 3000})
    for (double noise : {1.0, 1e3, 1e6}) {
      List<std::uint32_t> packed(draws, n, n, 0.5, noise);
      packed.shift(std::floor(0x1p51 / n));
      check_squares(packed, 1, n, {});
      List<std::uint64_t> list(draws, n, n / 2, 0.5, noise);
      list.shift(-std::floor(0x1p51 / n));
      check_squares(list, 1, n + 5, {});
    }
}

TEST(the_lowest_of_equal_cuts_is_taken_across_blocks) {
  // One 1 at each end: the first and the last cut have the same value.
  for (int n : {10, 129, 257, 1000}) {
    std::vector<std::uint64_t> list;
    std::vector<double> y(n, 0.0);
    for (int i = 0; i < n; ++i)
      list.push_back(make_entry<std::uint64_t>(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i),
                                               i == 0 || i == n - 1));
    y[0] = y[n - 1] = 7;
    list.resize(n + kPadding, 0);
    ScanSpace space;
    const Evaluator evaluator(criterion_of<Gini>, 2);
    CHECK_EQUAL(best_gini_cut(list.data(), n, 2, 1, {}, n, evaluator, kNone, space).left, 1);
    CHECK_EQUAL(best_squares_cut(list.data(), n, y.data(), 14.0, 1, {}, n, kNone, space).left, 1);
  }
}

}  // namespace bough::tests
