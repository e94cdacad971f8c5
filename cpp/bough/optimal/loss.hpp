// What leaves lose: the loss that a search minimizes, with its best stump and its sweeps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bough/optimal/frontier.hpp"
#include "bough/optimal/sweep.hpp"

namespace bough::optimal {

// The least loss of a single split of a node, and where it is; axis -1: no split is allowed.
struct Stump {
  double loss = kInfinity;
  std::int32_t axis = -1, position = 0;
};

// The losses of both sides of a cut: as a leaf, and with one more split.
struct LaneLosses {
  double leaf[2], stump[2], allowed_stump[2];
  double cases[2];
};

// The loss as searches see it. Each call passes over the rows of a node, beside which its dispatch costs
// nothing; the searches are compiled once for all losses.
class Loss {
 public:
  virtual ~Loss() = default;
  virtual std::unique_ptr<Loss> copy() const = 0;

  virtual double leaf(const NodeRows& node) const = 0;
  // The best split at which both sides have enough cases; the first of equals.
  virtual Stump stump(const Problem& problem, const NodeRows& node) const = 0;
  // The most cuts that can be examined at once, up to kMostLanes.
  virtual int lanes() const = 0;
  // The losses of both sides of each of n cuts, which are in the order of their axes and positions.
  virtual void examine(const Problem& problem, const NodeRows& node, const Cut* cuts, int n,
                       LaneLosses* out) = 0;
};

inline constexpr int kMostLanes = kSweepLanes<std::int16_t>;

// What every loss shares. Own has Totals, sums over rows: add(own, row), loss(), and the loss of the
// other rows of a node, rest_loss(all). T is the type
// of the sums of a sweep.
template <class Own, class T>
class LossOf : public Loss {
 public:
  static constexpr int kLanes = kSweepLanes<T>;

  std::unique_ptr<Loss> copy() const final { return std::make_unique<Own>(own()); }
  int lanes() const final { return kLanes; }

  double leaf(const NodeRows& node) const final { return totals(node).loss(); }

  Stump stump(const Problem& problem, const NodeRows& node) const final {
    Stump best;
    const auto all = totals(node);
    for (const std::int32_t a : node.axes()) {
      const std::uint32_t* order = node.order(a);
      auto left = own().none();
      for (int i = 1; i < node.n; ++i) {
        left.add(own(), order[i - 1]);
        if (!can_cut(problem.axes[a], order, i)) continue;
        if (left.cases < min_cases_ || all.cases - left.cases < min_cases_) continue;
        const double loss = left.loss() + left.rest_loss(all);
        if (loss < best.loss) best = {loss, a, i};
      }
    }
    return best;
  }

 protected:
  explicit LossOf(const Problem& problem) : mask_(problem.rows.n), given_cases_(problem.rows.cases) {
    if (problem.limits.min_cases <= 1) return;
    for (std::int64_t i = 0; i < problem.rows.n; ++i) cases_.push_back(static_cast<T>(cases_of(i)));
    min_cases_ = problem.limits.min_cases;
  }

  double cases_of(std::uint32_t row) const { return given_cases_.empty() ? 1.0 : given_cases_[row]; }

  auto totals(const NodeRows& node) const {
    auto all = own().none();
    const std::uint32_t* rows = node.order(0);
    for (int i = 0; i < node.n; ++i) all.add(own(), rows[i]);
    return all;
  }

  // Sets the masks of the node's rows. The cuts are in the order of their axes and positions.
  void mark(const NodeRows& node, const Cut* cuts, int n) {
    const std::uint32_t* rows = node.order(0);
    for (int i = 0; i < node.n; ++i) mask_[rows[i]] = 0;
    for (int begin = 0; begin < n;) {
      int end = begin;
      while (end < n && cuts[end].axis == cuts[begin].axis) ++end;
      const std::uint32_t* order = node.order(cuts[begin].axis);
      std::uint32_t bits = 0;
      for (int k = begin; k < end; ++k) bits |= 1U << k;
      for (int k = begin, i = 0; k < end; ++k) {
        for (; i < cuts[k].position; ++i) mask_[order[i]] |= bits;
        bits &= ~(1U << k);
      }
      begin = end;
    }
  }

  // Calls each(lane, left) with the totals left of every cut.
  template <class Each>
  void sum_left(const NodeRows& node, const Cut* cuts, int n, const Each& each) const {
    auto left = own().none();
    for (int k = 0, i = 0; k < n; ++k) {
      const std::uint32_t* order = node.order(cuts[k].axis);
      if (k > 0 && cuts[k].axis != cuts[k - 1].axis) {
        left = own().none();
        i = 0;
      }
      for (; i < cuts[k].position; ++i) left.add(own(), order[i]);
      each(k, left);
    }
  }

  template <class Totals>
  static void write_leaves(const Totals& left, const Totals& all, LaneLosses& out) {
    out.leaf[0] = left.loss();
    out.leaf[1] = left.rest_loss(all);
    out.cases[0] = left.cases;
    out.cases[1] = all.cases - left.cases;
  }

  bool limited() const { return !cases_.empty(); }

  SweepRows<T> swept(const Problem& problem, const NodeRows& node, T unreachable) const {
    return {&problem,   &node, mask_.data(), limited() ? cases_.data() : nullptr, static_cast<T>(min_cases_),
            unreachable};
  }

 private:
  const Own& own() const { return static_cast<const Own&>(*this); }

  std::vector<std::uint32_t> mask_;
  std::vector<double> given_cases_;
  std::vector<T> cases_;
  double min_cases_ = 0;
};

// Losses of two classes, as whole numbers that T can sum.
template <class T>
class TwoClassLoss : public LossOf<TwoClassLoss<T>, T> {
 public:
  using Base = LossOf<TwoClassLoss<T>, T>;

  struct Totals {
    double first = 0, second = 0, cases = 0;
    void add(const TwoClassLoss& loss, std::uint32_t row) {
      first += loss.first_[row];
      second += loss.second_[row];
      cases += loss.cases_of(row);
    }
    double loss() const { return std::min(first, second); }
    double rest_loss(const Totals& all) const { return std::min(all.first - first, all.second - second); }
  };

  // loss: of predicting the first and the second class for each row.
  TwoClassLoss(const Problem& problem, const std::vector<double>& loss) : Base(problem) {
    double most = 1;
    for (std::int64_t i = 0; i < problem.rows.n; ++i) {
      first_.push_back(loss[2 * i]);
      second_.push_back(loss[2 * i + 1]);
      advantage_.push_back(static_cast<T>(first_[i] - second_[i]));
      losses_.push_back(static_cast<T>(second_[i]));
      most += std::abs(first_[i] - second_[i]);
    }
    unreachable_ = static_cast<T>(most);
  }

  Totals none() const { return {}; }

  void examine(const Problem& problem, const NodeRows& node, const Cut* cuts, int n, LaneLosses* out) final {
    this->mark(node, cuts, n);
    LaneSums<T> sums;
    sweep_two_classes<T>(this->swept(problem, node, unreachable_), advantage_.data(), losses_.data(), sums);
    for (int j = 0; j < n; ++j)
      for (int s = 0; s < 2; ++s) {
        const double second = sums.second[s][j], first = second + sums.advantage[s][j];
        out[j].leaf[s] = std::min(first, second);
        out[j].stump[s] = std::min(second + sums.low[s][j], first - sums.high[s][j]);
        out[j].allowed_stump[s] = out[j].stump[s];
        out[j].cases[s] = s == 0 ? cuts[j].position : node.n - cuts[j].position;
        if (!this->limited()) continue;
        const double low = sums.allowed_low[s][j], high = sums.allowed_high[s][j];
        out[j].allowed_stump[s] = low >= unreachable_ ? kInfinity : std::min(second + low, first - high);
        out[j].cases[s] = sums.cases[s][j];
      }
  }

 private:
  std::vector<double> first_, second_;
  std::vector<T> advantage_, losses_;  // losses of the second class
  T unreachable_ = 0;
};

// Losses of any number of classes, as whole numbers that T can sum.
template <class T>
class ClassLoss : public LossOf<ClassLoss<T>, T> {
 public:
  using Base = LossOf<ClassLoss<T>, T>;

  struct Totals {
    double most = 0, cases = 0;  // most: the loss if every row had the worst prediction
    std::vector<double> saved;   // of this by predicting each class
    void add(const ClassLoss& loss, std::uint32_t row) {
      most += loss.most_[row];
      cases += loss.cases_of(row);
      for (std::uint32_t e = loss.start_[row]; e < loss.start_[row + 1]; ++e)
        saved[loss.predicted_[e]] += loss.saving_[e];
    }
    double loss() const { return most - *std::max_element(saved.begin(), saved.end()); }
    double rest_loss(const Totals& all) const {
      double best = 0;
      for (std::size_t j = 0; j < saved.size(); ++j) best = std::max(best, all.saved[j] - saved[j]);
      return all.most - most - best;
    }
  };

  // loss: of predicting each class for each row.
  ClassLoss(const Problem& problem, int n_classes, const std::vector<double>& loss)
      : Base(problem), n_classes_(n_classes), start_{0} {
    for (std::int64_t i = 0; i < problem.rows.n; ++i) {
      const double* own = loss.data() + i * n_classes;
      most_.push_back(*std::max_element(own, own + n_classes));
      for (int j = 0; j < n_classes; ++j)
        if (own[j] < most_.back()) {
          predicted_.push_back(j);
          saving_.push_back(static_cast<T>(most_.back() - own[j]));
        }
      start_.push_back(static_cast<std::uint32_t>(saving_.size()));
    }
  }

  Totals none() const { return {0, 0, std::vector<double>(n_classes_)}; }

  void examine(const Problem& problem, const NodeRows& node, const Cut* cuts, int n, LaneLosses* out) final {
    const Totals all = this->totals(node);
    double most[2][Base::kLanes];
    this->mark(node, cuts, n);
    this->sum_left(node, cuts, n, [&](int lane, const Totals& left) {
      most[0][lane] = left.most;
      most[1][lane] = all.most - left.most;
      this->write_leaves(left, all, out[lane]);
    });
    LaneSavings<T> savings;
    sweep_classes<T>(this->swept(problem, node, 0),
                     {n_classes_, start_.data(), predicted_.data(), saving_.data()}, savings);
    for (int j = 0; j < n; ++j)
      for (int s = 0; s < 2; ++s) {
        out[j].stump[s] = std::min(out[j].leaf[s], most[s][j] - savings.saved[s][j]);
        const double allowed = savings.allowed[s][j];
        out[j].allowed_stump[s] = !this->limited() ? out[j].stump[s]
                                  : allowed < 0    ? kInfinity
                                                   : most[s][j] - allowed;
      }
  }

 private:
  int n_classes_;
  std::vector<double> most_;
  std::vector<std::uint32_t> start_;
  std::vector<std::int32_t> predicted_;
  std::vector<T> saving_;
};

// The squared error of a number.
class SquaredLoss : public LossOf<SquaredLoss, double> {
 public:
  using Base = LossOf<SquaredLoss, double>;

  struct Totals {
    double weight = 0, sum = 0, squares = 0, cases = 0;
    void add(const SquaredLoss& loss, std::uint32_t row) {
      weight += loss.weight_[row];
      sum += loss.sum_[row];
      squares += loss.square_[row];
      cases += loss.cases_of(row);
    }
    double loss() const { return std::max(0.0, squares - sum * sum / weight); }
    double rest_loss(const Totals& all) const {
      return Totals{all.weight - weight, all.sum - sum, all.squares - squares, 0}.loss();
    }
  };

  // y: best with a mean near 0.
  SquaredLoss(const Problem& problem, std::vector<double> weight, const std::vector<double>& y)
      : Base(problem), weight_(std::move(weight)) {
    least_weight_ = *std::min_element(weight_.begin(), weight_.end()) / 2;
    for (std::size_t i = 0; i < y.size(); ++i) {
      sum_.push_back(weight_[i] * y[i]);
      square_.push_back(weight_[i] * y[i] * y[i]);
    }
  }

  Totals none() const { return {}; }

  void examine(const Problem& problem, const NodeRows& node, const Cut* cuts, int n, LaneLosses* out) final {
    const Totals all = this->totals(node);
    double squares[2][kLanes];
    this->mark(node, cuts, n);
    this->sum_left(node, cuts, n, [&](int lane, const Totals& left) {
      squares[0][lane] = left.squares;
      squares[1][lane] = all.squares - left.squares;
      this->write_leaves(left, all, out[lane]);
    });
    LaneSavings<double> savings;
    sweep_squares(this->swept(problem, node, 0), {weight_.data(), sum_.data(), least_weight_}, savings);
    for (int j = 0; j < n; ++j)
      for (int s = 0; s < 2; ++s) {
        const double left = std::max(0.0, squares[s][j] - savings.saved[s][j]),
                     allowed = savings.allowed[s][j];
        out[j].stump[s] = std::min(out[j].leaf[s], left);
        out[j].allowed_stump[s] = !this->limited() ? out[j].stump[s]
                                  : allowed < 0    ? kInfinity
                                                   : std::max(0.0, squares[s][j] - allowed);
      }
  }

 private:
  std::vector<double> weight_, sum_, square_;
  double least_weight_ = 0;
};

}  // namespace bough::optimal
