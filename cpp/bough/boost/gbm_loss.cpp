#include "bough/boost/gbm_loss.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "bough/boost/gbm_inverse.hpp"

namespace bough {

namespace {

using Scores = std::vector<double>;

// Exponentials and logarithms are those of the platform's library, as in gbm: their last bit decides between
// columns whose splits separate the same rows.

// What a row adds to the value of its leaf, the quotient of two sums.
struct Ratio {
  double numerator = 0, denominator = 0;
};

// Losses of a row: their gradient does not depend on other rows.
class RowLoss : public GbmLoss {
 public:
  using GbmLoss::GbmLoss;

  void respond(const Scores& score, int, const std::uint8_t*, Scores& response) const final {
    for (std::int64_t i = 0; i < target_.n_rows; ++i) response[i] = response_of(target_.y[i], score[i]);
  }
  double loss(const std::vector<Scores>& scores) const final {
    double sum = 0, weight = 0;
    for (std::int64_t i = 0; i < target_.n_rows; ++i) {
      sum += target_.weight[i] * loss_of(target_.y[i], scores[0][i]);
      weight += target_.weight[i];
    }
    return sum / weight;
  }

 protected:
  virtual double response_of(double y, double score) const = 0;
  virtual double loss_of(double y, double score) const = 0;

  // The sums of weights and of weights times y.
  Ratio totals() const {
    Ratio all;
    for (std::int64_t i = 0; i < target_.n_rows; ++i) {
      all.numerator += target_.weight[i] * target_.y[i];
      all.denominator += target_.weight[i];
    }
    return all;
  }
};

// Leaves keep the means of the response.
class Gaussian final : public RowLoss {
 public:
  using RowLoss::RowLoss;
  double start() const override { return totals().numerator / totals().denominator; }
  void fit_leaves(const Scores&, const Scores&, const GbmLeaves&) const override {}

 private:
  double response_of(double y, double score) const override { return y - score; }
  double loss_of(double y, double score) const override { return (y - score) * (y - score); }
};

// Losses of two classes, coded 0 and 1: the values of leaves are quotients of sums.
class RatioLoss : public RowLoss {
 public:
  using RowLoss::RowLoss;
  void fit_leaves(const Scores& score, const Scores& response, const GbmLeaves& leaves) const final {
    std::vector<Ratio> sums(leaves.leaves.size());
    for (std::int64_t i = 0; i < target_.n_rows; ++i) {
      if (!leaves.drawn[i]) continue;
      const Ratio terms = terms_of(target_.y[i], score[i], response[i], target_.weight[i]);
      sums[leaves.leaf_of_row[i]].numerator += terms.numerator;
      sums[leaves.leaf_of_row[i]].denominator += terms.denominator;
    }
    for (std::size_t k = 0; k < sums.size(); ++k)
      leaves.leaves[k].value = sums[k].denominator == 0 ? 0 : sums[k].numerator / sums[k].denominator;
  }

 protected:
  // Products are rounded from left to right, as gbm has them.
  virtual Ratio terms_of(double y, double score, double response, double weight) const = 0;
  static double sign_of(double y) { return 2 * y - 1; }

  // The weights of the second and of the first class.
  Ratio class_weights() const {
    Ratio all;
    for (std::int64_t i = 0; i < target_.n_rows; ++i)
      (target_.y[i] == 1 ? all.numerator : all.denominator) += target_.weight[i];
    return all;
  }
};

class Bernoulli final : public RatioLoss {
 public:
  using RatioLoss::RatioLoss;
  double start() const override {
    const Ratio all = totals();
    return std::log(all.numerator / (all.denominator - all.numerator));
  }

 private:
  double response_of(double y, double score) const override { return y - 1 / (1 + std::exp(-score)); }
  double loss_of(double y, double score) const override {
    return -2 * (y * score - (std::max(score, 0.0) + std::log(1 + std::exp(-std::abs(score)))));
  }
  Ratio terms_of(double y, double, double response, double weight) const override {
    return {weight * response, weight * (y - response) * (1 - y + response)};
  }
};

class AdaBoost final : public RatioLoss {
 public:
  using RatioLoss::RatioLoss;
  double start() const override {
    const Ratio all = class_weights();
    return 0.5 * std::log(all.numerator / all.denominator);
  }

 private:
  double response_of(double y, double score) const override {
    return -sign_of(y) * std::exp(-sign_of(y) * score);
  }
  double loss_of(double y, double score) const override { return std::exp(-sign_of(y) * score); }
  Ratio terms_of(double y, double, double response, double weight) const override {
    return {-weight * response, -weight * sign_of(y) * response};
  }
};

// The hinge loss squared near the margin and linear far from it.
class HuberizedHinge final : public RatioLoss {
 public:
  using RatioLoss::RatioLoss;
  double start() const override { return class_weights().numerator / class_weights().denominator; }

 private:
  double response_of(double y, double score) const override {
    const double sign = sign_of(y), margin = sign * score;
    if (margin < -1) return -4 * sign;
    return 1 - margin < 0 ? 0 : -2 * sign * (1 - margin);
  }
  double loss_of(double y, double score) const override {
    const double margin = sign_of(y) * score;
    if (margin < -1) return -4 * margin;
    return 1 - margin < 0 ? 0 : (1 - margin) * (1 - margin);
  }
  Ratio terms_of(double y, double score, double response, double weight) const override {
    const double margin = sign_of(y) * score, within = 1 - margin;
    if (margin < -1 || within < 0) return {-weight * response, weight * loss_of(y, score)};
    return {-weight * response, weight * within * within};
  }
};

class GbmPoisson final : public RowLoss {
 public:
  using RowLoss::RowLoss;
  double start() const override { return std::log(totals().numerator / totals().denominator); }
  void fit_leaves(const Scores& score, const Scores&, const GbmLeaves& leaves) const override {
    struct Sums {
      double events = 0, expected = 0, most = -HUGE_VAL, least = HUGE_VAL;
    };
    std::vector<Sums> sums(leaves.leaves.size());
    for (std::int64_t i = 0; i < target_.n_rows; ++i) {
      Sums& own = sums[leaves.leaf_of_row[i]];
      if (leaves.drawn[i]) {
        own.events += target_.weight[i] * target_.y[i];
        own.expected += target_.weight[i] * std::exp(score[i]);
      }
      own.most = std::max(own.most, score[i]);
      own.least = std::min(own.least, score[i]);
    }
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const Sums& own = sums[k];
      double step = 0;
      if (own.events == 0)
        step = -19;  // in place of minus infinity
      else if (own.expected != 0)
        step = std::log(own.events / own.expected);
      // Scores stay within 19 of 0.
      leaves.leaves[k].value = std::max(std::min(step, 19 - own.most), -19 - own.least);
    }
  }

 private:
  double response_of(double y, double score) const override { return y - std::exp(score); }
  double loss_of(double y, double score) const override { return -2 * (y * score - std::exp(score)); }
};

// Losses whose leaves of enough rows have a location of the residuals for a value.
class LocationLoss : public RowLoss {
 public:
  using RowLoss::RowLoss;
  double start() const final {
    return location({target_.y, target_.y + target_.n_rows},
                    {target_.weight, target_.weight + target_.n_rows});
  }
  void fit_leaves(const Scores& score, const Scores&, const GbmLeaves& leaves) const final {
    std::vector<Scores> residuals(leaves.leaves.size()), weights(leaves.leaves.size());
    for (std::int64_t i = 0; i < target_.n_rows; ++i) {
      if (!leaves.drawn[i]) continue;
      residuals[leaves.leaf_of_row[i]].push_back(target_.y[i] - score[i]);
      weights[leaves.leaf_of_row[i]].push_back(target_.weight[i]);
    }
    for (std::size_t k = 0; k < residuals.size(); ++k)
      if (leaves.leaves[k].has_cases) leaves.leaves[k].value = location(residuals[k], weights[k]);
  }

 protected:
  virtual double location(const Scores& values, const Scores& weights) const = 0;

  // The weighted median: the mean of two values of positive weight where half of the weight is below the
  // second.
  static double median(const Scores& values, const Scores& weights) {
    if (values.size() < 2) return values.empty() ? 0 : values[0];
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    const double half = 0.5 * std::accumulate(weights.begin(), weights.end(), 0.0);
    double reached = 0;
    std::size_t at = 0;
    for (; at < order.size(); ++at) {
      reached += weights[order[at]];
      if (reached >= half) break;
    }
    if (at == order.size()) return values[order.back()];
    std::size_t next = at + 1;
    while (next < order.size() && weights[order[next]] == 0) ++next;
    if (next == order.size() || reached > half) return values[order[at]];
    return 0.5 * (values[order[at]] + values[order[next]]);
  }
};

class Laplace final : public LocationLoss {
 public:
  using LocationLoss::LocationLoss;

 private:
  double response_of(double y, double score) const override { return y - score > 0 ? 1 : -1; }
  double loss_of(double y, double score) const override { return std::abs(y - score); }
  double location(const Scores& values, const Scores& weights) const override {
    return median(values, weights);
  }
};

// gbm's quantiles do not count weights.
class GbmQuantile final : public LocationLoss {
 public:
  GbmQuantile(const GbmTarget& target, double quantile) : LocationLoss(target), quantile_(quantile) {}

 private:
  double response_of(double y, double score) const override { return y > score ? quantile_ : quantile_ - 1; }
  double loss_of(double y, double score) const override {
    return y > score ? quantile_ * (y - score) : (1 - quantile_) * (score - y);
  }
  double location(const Scores& values, const Scores&) const override {
    Scores sorted = values;
    const auto at = static_cast<std::ptrdiff_t>(static_cast<double>(sorted.size()) * quantile_);
    std::nth_element(sorted.begin(), sorted.begin() + at, sorted.end());
    return sorted[at];
  }

  double quantile_;
};

// Student's t; its location is found by iterated weights, from the median.
class Student final : public LocationLoss {
 public:
  Student(const GbmTarget& target, double degrees) : LocationLoss(target), degrees_(degrees) {}

 private:
  static constexpr double kLeast = 1e-8;

  double response_of(double y, double score) const override {
    const double off = y - score;
    return 2 * off / (degrees_ + off * off);
  }
  double loss_of(double y, double score) const override {
    return std::log(degrees_ + (y - score) * (y - score));
  }
  double location(const Scores& values, const Scores& weights) const override {
    double centre = median(values, weights);
    Scores distance(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) distance[i] = std::abs(values[i] - centre);
    const double scale = std::max(1.4826 * median(distance, weights), kLeast);
    for (int round = 0; round < 50; ++round) {
      double sum = 0, weight = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double t = std::max(std::abs(values[i] - centre) / scale, kLeast);
        const double w = weights[i] * (t / (degrees_ + t * t)) / t;
        sum += w * values[i];
        weight += w;
      }
      const double next = weight > 0 ? sum / weight : centre, change = std::abs(next - centre);
      const bool ends = (change > kLeast ? change / std::abs(centre) : change) < kLeast;
      centre = next;
      if (ends) break;
    }
    return centre;
  }

  double degrees_;
};

class GbmMultinomial final : public GbmLoss {
 public:
  explicit GbmMultinomial(const GbmTarget& target)
      : GbmLoss(target), share_(target.n_classes, Scores(target.n_rows)) {}

  int n_scores() const override { return target_.n_classes; }
  double start() const override { return 0; }
  void begin_round(const std::vector<Scores>& scores) override {
    for (std::int64_t i = 0; i < target_.n_rows; ++i) {
      double total = 0;
      // The weight has no effect but on rounding, as in gbm.
      for (int k = 0; k < target_.n_classes; ++k)
        total += share_[k][i] = target_.weight[i] * std::exp(scores[k][i]);
      // The least total is that of a row of weight 0.
      for (int k = 0; k < target_.n_classes; ++k) share_[k][i] /= total > 0 ? total : 1e-8;
    }
  }
  void respond(const Scores&, int which, const std::uint8_t*, Scores& response) const override {
    for (std::int64_t i = 0; i < target_.n_rows; ++i)
      response[i] = (target_.y[i] == which) - share_[which][i];
  }
  void fit_leaves(const Scores&, const Scores& response, const GbmLeaves& leaves) const override {
    std::vector<Ratio> sums(leaves.leaves.size());
    for (std::int64_t i = 0; i < target_.n_rows; ++i) {
      if (!leaves.drawn[i]) continue;
      Ratio& own = sums[leaves.leaf_of_row[i]];
      const double size = std::abs(response[i]);
      own.numerator += target_.weight[i] * response[i];
      own.denominator += target_.weight[i] * size * (1 - size);
    }
    for (std::size_t k = 0; k < sums.size(); ++k)
      if (leaves.leaves[k].has_cases)
        leaves.leaves[k].value = sums[k].numerator / (sums[k].denominator > 0 ? sums[k].denominator : 1e-8);
  }
  // At the scores before the round, as gbm reports it.
  double loss(const std::vector<Scores>&) const override {
    double sum = 0, weight = 0;
    for (std::int64_t i = 0; i < target_.n_rows; ++i) {
      if (target_.weight[i] == 0) continue;
      sum -= target_.weight[i] * std::log(share_[static_cast<int>(target_.y[i])][i]);
      weight += target_.weight[i];
    }
    return sum / weight;
  }

 private:
  std::vector<Scores> share_;  // of each class and row
};

// Cox's partial likelihood with Breslow's ties in the order of rows, which come with falling times.
class GbmCox final : public GbmLoss {
 public:
  using GbmLoss::GbmLoss;
  double start() const override { return 0; }

  void respond(const Scores& score, int, const std::uint8_t* drawn, Scores& response) const override {
    Scores at_risk(target_.n_rows);
    double total = 0;
    for (std::int64_t i = 0; i < target_.n_rows; ++i) {
      if (!drawn[i]) continue;
      at_risk[i] = total += target_.weight[i] * std::exp(score[i]);
    }
    double hazard = 0;
    for (std::int64_t i = target_.n_rows - 1; i >= 0; --i) {
      if (!drawn[i]) continue;
      if (is_event(i)) hazard += target_.weight[i] / at_risk[i];
      response[i] = target_.y[i] - std::exp(score[i]) * hazard;
    }
  }

  // A Newton step for all leaves together; the last one stays at 0.
  void fit_leaves(const Scores& score, const Scores&, const GbmLeaves& leaves) const override {
    std::vector<int> place(leaves.leaves.size(), -1), leaf_at;
    for (std::size_t k = 0; k < leaves.leaves.size(); ++k) {
      leaves.leaves[k].value = 0;
      if (!leaves.leaves[k].has_cases) continue;
      place[k] = static_cast<int>(leaf_at.size());
      leaf_at.push_back(static_cast<int>(k));
    }
    const int n = std::max(static_cast<int>(leaf_at.size()) - 1, 0);
    Scores risk(n + 1, 0.0), gradient(n, 0.0);
    GbmMatrix hessian(n);
    double total = 0;
    for (std::int64_t i = 0; i < target_.n_rows; ++i) {
      const int own = place[leaves.leaf_of_row[i]];
      if (!leaves.drawn[i] || own < 0) continue;
      const double weight = target_.weight[i], term = weight * std::exp(score[i]);
      risk[own] += term;
      total += term;
      if (!is_event(i)) continue;
      // Quotients and products are rounded from left to right, as gbm has them.
      for (int k = 0; k < n; ++k) {
        gradient[k] += weight * ((own == k) - risk[k] / total);
        hessian(k, k) -= weight * risk[k] / total * (1 - risk[k] / total);
        for (int m = 0; m < k; ++m)
          hessian(m, k) = hessian(k, m) += weight * risk[k] / total * risk[m] / total;
      }
    }
    const GbmMatrix inverse = hessian.inverse();
    for (int m = 0; m < n; ++m)
      for (int k = 0; k < n; ++k) {
        double& value = leaves.leaves[leaf_at[k]].value;
        if (!std::isfinite(inverse(k, m))) {
          value = 0;
          break;  // like gbm, which leaves the other terms of this column out
        }
        value -= inverse(k, m) * gradient[m];
      }
  }

  double loss(const std::vector<Scores>& scores) const override {
    double sum = 0, weight = 0, at_risk = 0;
    for (std::int64_t i = 0; i < target_.n_rows; ++i) {
      at_risk += target_.weight[i] * std::exp(scores[0][i]);
      if (!is_event(i)) continue;
      sum += target_.weight[i] * (scores[0][i] - std::log(at_risk));
      weight += target_.weight[i];
    }
    return -2 * sum / weight;
  }

 private:
  // Without those of weight 0, whose terms are 0 but may be divided by 0.
  bool is_event(std::int64_t row) const { return target_.y[row] == 1 && target_.weight[row] > 0; }
};

}  // namespace

std::unique_ptr<GbmLoss> make_gbm_loss(const GbmLossSettings& settings, const GbmTarget& target) {
  const std::string& name = settings.name;
  if (name == "squared_error") return std::make_unique<Gaussian>(target);
  if (name == "absolute_error") return std::make_unique<Laplace>(target);
  if (name == "quantile") return std::make_unique<GbmQuantile>(target, settings.quantile);
  if (name == "student") return std::make_unique<Student>(target, settings.degrees);
  if (name == "poisson") return std::make_unique<GbmPoisson>(target);
  if (name == "cox") return std::make_unique<GbmCox>(target);
  if (name == "exponential") return std::make_unique<AdaBoost>(target);
  if (name == "huberized_hinge") return std::make_unique<HuberizedHinge>(target);
  if (name == "log_loss" && target.n_classes > 2) return std::make_unique<GbmMultinomial>(target);
  if (name == "log_loss") return std::make_unique<Bernoulli>(target);
  if (name == "multinomial") return std::make_unique<GbmMultinomial>(target);
  throw std::invalid_argument("unknown loss '" + name + "'");
}

}  // namespace bough
