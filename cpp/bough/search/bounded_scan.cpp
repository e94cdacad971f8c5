#include "bough/search/bounded_scan.hpp"

#include <array>

#include "bough/search/bar.hpp"
#include "bough/search/block_scan.hpp"
#include "bough/search/squares_of_targets.hpp"

namespace bough {

namespace {

template <class C>
concept HasBound = requires { typename C::Bound; };

// The bound of the criterion C along a list, and the bar that it must reach; every cut does where C has none.
template <class C>
class ScanBound {
 public:
  explicit ScanBound(const ScanTask&, int) {}
  void move(double, double, double) {}
  bool may_be_best(const ScanTask&, double, double) const { return true; }
  double value(const ScanTask& task, double, double) const {
    return task.evaluator.value(task.left, task.right, task.node_weight);
  }
  void raise(double) {}
};

// The bound of the classes of a target, or of n_targets.
template <class C>
class ClassBound {
 public:
  ClassBound(const ScanTask& task, int n, int n_targets = 1)
      : bound_(task.evaluator, task.right, n * n_targets),
        bar_(bound_.unsplit(task.right_weight), C::Bound::unit(task.node_weight) * n_targets) {}
  void move(double left, double right, double w) { bound_.move(left, right, w); }
  bool may_be_best(const ScanTask&, double wl, double wr) { return bar_.reached_by(bound_.of_sides(wl, wr)); }
  void raise(double value) { bar_.raise(value); }

 protected:
  typename C::Bound bound_;

 private:
  Bar bar_;
};

template <HasBound C>
  requires std::same_as<typename C::Statistics, ClassWeights>
class ScanBound<C> : public ClassBound<C> {
  using ClassBound<C>::bound_;

 public:
  using ClassBound<C>::ClassBound;
  // From the sums of the bound, where these are exact: then a cut costs the same however many classes there
  // are.
  double value(const ScanTask& task, double wl, double wr) const {
    if constexpr (requires { bound_.is_exact(wl); })
      if (task.whole && bound_.is_exact(wl + wr)) return bound_.value(wl, wr, task.node_weight);
    return task.evaluator.value(task.left, task.right, task.node_weight);
  }
};

// Of several targets: the bound of all their classes.
template <class C>
  requires C::kBoundAdds
class ScanBound<OfTargets<C>> : public ClassBound<C> {
 public:
  ScanBound(const ScanTask& task, int n) : ClassBound<C>(task, n, task.evaluator.n_targets()) {}
  double value(const ScanTask& task, double, double) const {
    return task.evaluator.value(task.left, task.right, task.node_weight);
  }
};

template <class C, class E>
Cut best_cut_under(const E* list, int n, const ScanTask& task, double floor) {
  constexpr bool kClasses = std::same_as<typename C::Statistics, ClassWeights>,
                 kSeveralClasses = std::same_as<typename C::Statistics, SeveralClassWeights>;
  const Rows& rows = task.rows;
  double *left = task.left, *right = task.right;
  ScanBound<C> bound(task, n);
  bound.raise(floor);
  Cut best{floor, 0};
  double wl = 0, wr = task.right_weight, left_cases = 0;
  for (int i = 0; i < n - 1; ++i) {
    const std::uint32_t row = index_of(list[i]);
    if constexpr (kClasses) {
      const int c = rows.label[row];
      const double w = rows.weight_at(row);
      bound.move(left[c], right[c], w);
      left[c] += w;
      right[c] -= w;
      wl += w;
      wr -= w;
    } else if constexpr (kSeveralClasses) {
      const double w = rows.weight_at(row);
      const std::int32_t* label = rows.labels_at(row);
      for (int t = 0; t < rows.n_targets; ++t) {
        const int c = label[t];
        bound.move(left[c], right[c], w);
        left[c] += w;
        right[c] -= w;
      }
      wl += w;
      wr -= w;
    } else {
      C::Statistics::move_row(left, right, rows, row);
      wl = left[0];
      wr = right[0];
    }
    left_cases += rows.cases_at(row);
    if (code_of(list[i]) == code_of(list[i + 1])) continue;
    if (!bound.may_be_best(task, wl, wr) || !task.allowed(left_cases, wl, wr)) continue;
    const double value = bound.value(task, wl, wr);
    if (!(value > best.value)) continue;
    best = {value, i + 1};
    bound.raise(value);
  }
  return best;
}

template <class E>
using Scan = Cut (*)(const E*, int, const ScanTask&, double);

// The scan of a criterion; null where medians are followed instead (see median.hpp).
template <class C, class E>
constexpr Scan<E> scan_of() {
  if constexpr (std::same_as<typename C::Statistics, ValueWeights>)
    return nullptr;
  else if constexpr (std::same_as<C, SquaredError> || std::same_as<C, Poisson>)
    return [](const E* list, int n, const ScanTask& task, double floor) {
      return task.exact ? best_cut_of_moments<E>(list, n, task, floor)
                        : best_cut_of_rounded_moments<E>(list, n, task, floor);
    };
  else if constexpr (std::same_as<C, Gini>)
    return [](const E* list, int n, const ScanTask& task, double floor) {
      return task.evaluator.width() == 2      ? best_cut_of_two_weighted<E>(list, n, task, floor)
             : scans_squares_of_classes(task) ? best_gini_of_classes<E>(list, n, task, floor)
                                              : best_cut_under<C>(list, n, task, floor);
    };
  else if constexpr (std::same_as<C, Entropy> || std::same_as<C, Deviance>)
    return [](const E* list, int n, const ScanTask& task, double floor) {
      return task.evaluator.width() == 2 ? best_cut_of_two_weighted<E>(list, n, task, floor)
                                         : best_cut_under<C>(list, n, task, floor);
    };
  else if constexpr (std::same_as<C, OfTargets<SquaredError>>)
    return &best_squares_of_targets<E>;
  else if constexpr (std::same_as<C, OfTargets<Gini>>)
    return [](const E* list, int n, const ScanTask& task, double floor) {
      return scans_gini_columns(task) ? best_gini_of_targets(list, n, task, floor)
                                      : best_cut_under<C>(list, n, task, floor);
    };
  else
    return &best_cut_under<C, E>;
}

template <class E, class... C>
constexpr std::array<Scan<E>, sizeof...(C)> scans_of(CriterionList<C...>) {
  return {scan_of<C, E>()...};
}

}  // namespace

template <class E>
Cut best_cut(const E* list, int n, const ScanTask& task, double floor) {
  static constexpr auto kScans = scans_of<E>(AllCriteria{}), kOfTargets = scans_of<E>(CriteriaOfTargets{});
  const Criterion criterion = task.evaluator.criterion();
  const Scan<E> scan =
      criterion.several() ? kOfTargets[position_of(criterion)] : kScans[position_of(criterion)];
  return scan(list, n, task, floor);
}

template Cut best_cut(const std::uint32_t*, int, const ScanTask&, double);
template Cut best_cut(const std::uint64_t*, int, const ScanTask&, double);

}  // namespace bough
