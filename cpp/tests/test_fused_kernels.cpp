// Kernels that compute a criterion with arithmetic of their own give what its record gives: over all small
// counts, the same bits where they claim the same value, else the same order of splits and the same ties.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bough/criteria/list.hpp"
#include "bough/forest/count_kernels.hpp"
#include "bough/search/bounded_scan.hpp"
#include "bough/search/information_of_two.hpp"
#include "bough/search/scan.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr int kPadding = 16;

// One way to part a node of two classes: what goes left.
struct Part {
  int left, left_second;
};

std::vector<Part> parts_of(int all, int second) {
  std::vector<Part> parts;
  for (int left = 1; left < all; ++left)
    for (int ones = 0; ones <= std::min(left, second); ++ones)
      if (left - ones <= all - second) parts.push_back({left, ones});
  return parts;
}

double record_value(const Evaluator& evaluator, const Part& part, int all, int second) {
  const double left[] = {static_cast<double>(part.left - part.left_second),
                         static_cast<double>(part.left_second)},
               right[] = {static_cast<double>(all - second) - left[0], second - left[1]};
  return evaluator.value(left, right, all);
}

int sign(double x) { return (x > 0) - (x < 0); }

template <class Body>
void for_small_nodes(int most, const Body& body) {
  for (int all = 2; all <= most; ++all)
    for (int second = 0; second <= all; ++second) body(all, second, parts_of(all, second));
}

// A sorted list of n entries: bit i of `labels` is the label of entry i, bit i of `steps` says whether entry
// i + 1 has a higher code.
template <class E>
std::vector<E> list_of(int n, unsigned labels, unsigned steps) {
  std::vector<E> list;
  std::uint32_t code = 0;
  for (int i = 0; i < n; ++i) {
    list.push_back(make_entry<E>(code, static_cast<std::uint32_t>(i), labels >> i & 1));
    code += steps >> i & 1;
  }
  list.resize(n + kPadding, 0);
  return list;
}

// The first best cut when the record evaluates all; statistics: of the first `left` entries.
template <class E, class Statistics>
Cut plain_cut(const std::vector<E>& list, int n, const Evaluator& evaluator, const Statistics& statistics) {
  Cut best{kNone, 0};
  const std::vector<double> total = statistics(n);
  for (int left = 1; left < n; ++left) {
    if (!cuttable(list.data(), left)) continue;
    const std::vector<double> before = statistics(left);
    std::vector<double> after = total;
    Moments::subtract(after.data(), before.data(), evaluator.width());
    const double value = evaluator.value(before.data(), after.data(), n);
    if (value > best.value) best = {value, left};
  }
  return best;
}

template <class E>
void check_two_class_scans(Criterion criterion, int n) {
  const Evaluator evaluator(criterion, 2);
  ScanSpace space;
  for (unsigned labels = 0; labels < 1u << n; ++labels)
    for (unsigned steps = 1; steps < 1u << (n - 1); ++steps) {
      const std::vector<E> list = list_of<E>(n, labels, steps);
      const Cut plain = plain_cut(list, n, evaluator, [&](int left) {
        std::vector<double> counts(2, 0.0);
        for (int i = 0; i < left; ++i) ++counts[label_bit(list[i])];
        return counts;
      });
      const auto above = [&](double floor) {
        return best_cut_of_two_classes(list.data(), n, __builtin_popcount(labels), 1, {}, n, evaluator, floor,
                                       space);
      };
      const Cut cut = above(kNone), just_above = above(std::nextafter(plain.value, kNone));
      CHECK_EQUAL(cut.left, plain.left);
      CHECK_EQUAL(cut.value, plain.value);
      CHECK_EQUAL(just_above.left, plain.left);
      CHECK_EQUAL(above(plain.value).left, 0);
    }
}

template <class E>
void check_squares_scans(int n, int distinct) {
  const Evaluator squares(criterion_of<SquaredError>, 2);
  ScanSpace space;
  int n_targets = 1;
  for (int i = 0; i < n; ++i) n_targets *= distinct;
  for (int target = 0; target < n_targets; ++target) {
    std::vector<double> y;
    for (int i = 0, rest = target; i < n; ++i, rest /= distinct) y.push_back(rest % distinct);
    const auto moments = [&](int left) {
      std::vector<double> sums(2, 0.0);
      for (int i = 0; i < left; ++i) sums[0] += 1, sums[1] += y[i];
      return sums;
    };
    for (unsigned steps = 1; steps < 1u << (n - 1); ++steps) {
      const std::vector<E> list = list_of<E>(n, 0, steps);
      const Cut plain = plain_cut(list, n, squares, moments);
      const double sum = moments(n)[1];
      const Cut cut = best_squares_cut(list.data(), n, y.data(), sum, 1, {}, n, kNone, space);
      CHECK_EQUAL(cut.left, plain.left);
      CHECK_EQUAL(cut.value, plain.value);
      const Cut few = best_squares_of_few(list.data(), n, y.data(), sum, {1, n - 1}, {}, n, kNone);
      CHECK_EQUAL(few.left, plain.left);
      CHECK_EQUAL(few.value, plain.value);
    }
  }
}

}  // namespace

TEST(gini_of_counts_orders_all_splits_of_small_nodes_as_the_record) {
  const Evaluator gini(criterion_of<Gini>, 2);
  for_small_nodes(16, [&](int all, int second, const std::vector<Part>& parts) {
    std::vector<double> counted, recorded;
    for (const Part& part : parts) {
      counted.push_back(gini_of_counts(part.left, part.left_second, all, second));
      recorded.push_back(record_value(gini, part, all, second));
      CHECK_CLOSE(counted.back() * 2 / (static_cast<double>(all) * all), recorded.back(), 1e-15);
    }
    for (std::size_t a = 0; a < parts.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        CHECK_EQUAL(sign(counted[a] - counted[b]), sign(recorded[a] - recorded[b]));
  });
}

TEST(forest_kernels_of_small_nodes_are_within_their_bound_of_the_record) {
  const Evaluator gini(criterion_of<Gini>, 2);
  for_small_nodes(24, [&](int all, int second, const std::vector<Part>& parts) {
    const int n = static_cast<int>(parts.size());
    std::vector<std::uint32_t> left(n + kLanes, 0);
    std::vector<float> value(n + kLanes);
    for (int i = 0; i < n; ++i)
      left[i] = static_cast<std::uint32_t>(parts[i].left) | static_cast<std::uint32_t>(parts[i].left_second)
                                                                << 16;
    for (const CountKernels* kernels : runnable_kernels()) {
      kernels->values(left.data(), n, {all, second, 1}, value.data());
      for (int i = 0; i < n; ++i) {
        const double exact = record_value(gini, parts[i], all, second) * (static_cast<double>(all) * all / 2);
        CHECK(std::abs(value[i] - exact) <= kRough * exact);
      }
    }
  });
}

TEST(scans_of_two_classes_of_all_short_lists_are_those_of_the_record) {
  for (const Criterion criterion : {criterion_of<Gini>, criterion_of<Entropy>, criterion_of<Deviance>})
    for (int n = 2; n <= 8; ++n) {
      check_two_class_scans<std::uint32_t>(criterion, n);
      check_two_class_scans<std::uint64_t>(criterion, n);
    }
}

TEST(information_of_all_splits_of_small_nodes_is_within_its_bounds) {
  for (const Criterion criterion : {criterion_of<Entropy>, criterion_of<Deviance>}) {
    const Evaluator evaluator(criterion, 2);
    for_small_nodes(24, [&](int all, int second, const std::vector<Part>& parts) {
      const InformationOfTwo bound(all, second, all, evaluator);
      for (const Part& part : parts) {
        const double right = all - part.left, right_second = second - part.left_second,
                     d = part.left_second * right - right_second * part.left,
                     squares = d * d / (part.left * right),
                     value = record_value(evaluator, part, all, second);
        // Rounding may take a little from the bounds, which the slack covers.
        CHECK(bound.least_squares(value) <= squares * (1 + 1e-12) + 1e-300);
        CHECK(bound.may_exceed(value, part.left, part.left_second, right, right_second, d));
        CHECK(bound.least_squares(value) >= bound.squares_of_as_good(squares) * (1 - 1e-9) - 1e-9);
      }
    });
  }
}

// Lists of weighted rows, the scans of which are those of best_cut.
template <class E>
void check_weighted_scans(const CriterionRecord& record, int n, bool whole) {
  const bool classes = record.statistics == StatisticsKind::classes;
  const Evaluator evaluator(Criterion(&record), 2);
  std::vector<double> weight, grid(n);
  for (int i = 0; i < n; ++i) weight.push_back(whole ? 1 + i % 3 : 0.1 + 0.37 * (i % 4));
  for (unsigned labels = 0; labels < 1u << n; ++labels) {
    std::vector<std::int32_t> label;
    for (int i = 0; i < n; ++i) {
      label.push_back(static_cast<std::int32_t>(labels >> i & 1));
      grid[i] = weight[i] * (1 + label[i] * (1 + i % 2));
    }
    Rows rows;
    rows.label = label.data();
    rows.grid = grid.data();
    rows.weight = weight.data();
    const auto statistics = [&](int left) {
      std::vector<double> sums(2, 0.0);
      for (int i = 0; i < left; ++i) add_row(sums.data(), rows, static_cast<std::uint32_t>(i), classes);
      return sums;
    };
    for (unsigned steps = 1; steps < 1u << (n - 1); ++steps) {
      const std::vector<E> list = list_of<E>(n, 0, steps);
      std::vector<double> left(2, 0.0), right = statistics(n);
      const double all = evaluator.weight(right.data());
      const ScanTask task{
          rows, evaluator, {1, 0}, all, left.data(), right.data(), all, static_cast<double>(n), whole, whole};
      // Each cut on its own, with sums taken as the scan takes them.
      std::vector<double> low(2, 0.0), high = right;
      Cut plain{kNone, 0};
      for (int i = 0; i + 1 < n; ++i) {
        add_row(low.data(), rows, static_cast<std::uint32_t>(i), classes);
        subtract_row(high.data(), rows, static_cast<std::uint32_t>(i), classes);
        const double value = evaluator.value(low.data(), high.data(), all);
        if (cuttable(list.data(), i + 1) && value > plain.value) plain = {value, i + 1};
      }
      const Cut cut = best_cut(list.data(), n, task, kNone);
      CHECK_EQUAL(cut.left, plain.left);
      CHECK_EQUAL(cut.value, plain.value);
    }
  }
}

TEST(weighted_scans_of_all_short_lists_are_those_of_the_record) {
  for (const CriterionRecord& record : all_criteria()) {
    if (record.statistics == StatisticsKind::values) continue;
    for (const bool whole : {true, false}) {
      check_weighted_scans<std::uint32_t>(record, 7, whole);
      check_weighted_scans<std::uint64_t>(record, 7, whole);
    }
  }
}

TEST(squares_scans_of_all_short_lists_are_those_of_the_record) {
  for (int n = 2; n <= 6; ++n) {
    check_squares_scans<std::uint32_t>(n, 3);
    check_squares_scans<std::uint64_t>(n, 3);
  }
}

TEST(bounded_scans_of_all_short_lists_are_those_of_the_record) {
  constexpr int kRows = 6, kClasses = 3, kTargets = 729;
  for (const CriterionRecord& record : all_criteria()) {
    if (record.statistics == StatisticsKind::values) continue;
    const bool classes = record.statistics == StatisticsKind::classes;
    const Evaluator evaluator(Criterion(&record), classes ? kClasses : 2);
    for (int target = 0; target < kTargets; ++target) {
      std::vector<std::int32_t> label;
      std::vector<double> grid;
      for (int i = 0, rest = target; i < kRows; ++i, rest /= kClasses) {
        label.push_back(rest % kClasses);
        grid.push_back(rest % kClasses);
      }
      Rows rows;
      rows.label = label.data();
      rows.grid = grid.data();
      const auto statistics = [&](int left) {
        std::vector<double> sums(evaluator.width(), 0.0);
        for (int i = 0; i < left; ++i) add_row(sums.data(), rows, static_cast<std::uint32_t>(i), classes);
        return sums;
      };
      for (unsigned steps = 1; steps < 1u << (kRows - 1); ++steps) {
        const auto list = list_of<std::uint32_t>(kRows, 0, steps);
        const Cut plain = plain_cut(list, kRows, evaluator, statistics);
        std::vector<double> left(evaluator.width(), 0.0), right = statistics(kRows);
        const ScanTask task{rows, evaluator, {1, 0}, kRows, left.data(), right.data(), kRows, kRows};
        const Cut cut = best_cut(list.data(), kRows, task, kNone);
        CHECK_EQUAL(cut.left, plain.left);
        CHECK_EQUAL(cut.value, plain.value);
      }
    }
  }
}

}  // namespace bough::tests
