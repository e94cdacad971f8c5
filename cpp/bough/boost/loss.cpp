#include "bough/boost/loss.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "bough/boost/exponential.hpp"
#include "bough/boost/multinomial.hpp"
#include "bough/boost/ranking.hpp"
#include "bough/machine/processor.hpp"

namespace bough {

namespace {

// The weighted quantile of some numbers: the least one that at least this share of the weight does not
// exceed.
double weighted_quantile(std::vector<std::pair<double, double>> values, double share) {
  std::sort(values.begin(), values.end());
  double total = 0, reached = 0;
  for (const auto& value : values) total += value.second;
  for (const auto& value : values) {
    reached += value.second;
    if (reached >= share * total) return value.first;
  }
  return values.back().first;
}

// The logarithm of the weight of the second of two classes by that of the first.
double class_odds(const StartSums& sums) { return log_of(sums.of_class[1] / sums.of_class[0]); }

class Squared final : public Loss {
 public:
  using Loss::Loss;
  std::vector<double> start_of(const StartSums& sums) const override { return {sums.mean()}; }
  bool constant_hessian() const override { return true; }
  void gradients(const double* score, int, std::int64_t begin, std::int64_t end, double* gradient,
                 double* hessian) const override {
    for (std::int64_t i = begin; i < end; ++i) {
      gradient[i - begin] = score[i] - target_.y[i];
      hessian[i - begin] = 1;
    }
  }
  double loss(const std::vector<double*>& scores, std::int64_t row) const override {
    const double off = scores[0][row] - target_.y[row];
    return off * off / 2;
  }
};

// Absolute error and quantile loss, with a score for each quantile: leaves answer by a quantile of their
// residuals.
class Quantiles final : public Loss {
 public:
  Quantiles(const BoostTarget& target, const std::vector<double>& quantiles)
      : Loss(target), quantiles_(quantiles) {}
  int n_scores() const override { return static_cast<int>(quantiles_.size()); }
  std::vector<double> start(const std::vector<std::uint32_t>& rows) const override {
    std::vector<std::pair<double, double>> values;
    for (const std::uint32_t row : rows) values.emplace_back(target_.y[row], target_.weight_at(row));
    std::vector<double> starts;
    for (const double quantile : quantiles_) starts.push_back(weighted_quantile(values, quantile));
    return starts;
  }
  bool constant_hessian() const override { return true; }
  GradientBounds bounds() const override { return {1, 1}; }
  void gradients(const double* score, int which, std::int64_t begin, std::int64_t end, double* gradient,
                 double* hessian) const override {
    const double quantile = quantiles_[which];
    for (std::int64_t i = begin; i < end; ++i) {
      const double off = score[i] - target_.y[i];
      gradient[i - begin] = off > 0 ? 1 - quantile : off < 0 ? -quantile : 0;
      hessian[i - begin] = 1;
    }
  }
  // The mean over the quantiles.
  double loss(const std::vector<double*>& scores, std::int64_t row) const override {
    double sum = 0;
    for (std::size_t k = 0; k < quantiles_.size(); ++k) {
      const double off = target_.y[row] - scores[k][row];
      sum += off > 0 ? quantiles_[k] * off : (quantiles_[k] - 1) * off;
    }
    return sum / static_cast<double>(quantiles_.size());
  }
  double leaf_quantile(std::size_t which) const override { return quantiles_[which]; }

 private:
  std::vector<double> quantiles_;
};

// A loss whose gradients the caller computes.
class Given final : public Loss {
 public:
  Given(const BoostTarget& target, const LossSettings& settings)
      : Loss(target),
        own_(settings),
        gradient_(target.n_rows),
        hessian_(target.n_rows),
        loss_(target.n_rows) {}

  // The score of all rows that Newton steps from 0 reach, as long as they lower the sum of gradients.
  std::vector<double> start(const std::vector<std::uint32_t>& rows) const override {
    constexpr int kMostSteps = 50;
    double best = 0, least = HUGE_VAL, next = 0;
    std::vector<double> score(target_.n_rows), gradient(target_.n_rows), hessian(target_.n_rows);
    for (int i = 0; i < kMostSteps; ++i) {
      std::fill(score.begin(), score.end(), next);
      own_.gradients(score.data(), gradient.data(), hessian.data());
      double g = 0, h = 0;
      for (const std::uint32_t row : rows) {
        g += target_.weight_at(row) * gradient[row];
        h += target_.weight_at(row) * hessian[row];
      }
      if (!(std::abs(g) < least)) break;
      best = next;
      least = std::abs(g);
      if (!(h > 0) || !std::isfinite(next - g / h)) break;
      next -= g / h;
    }
    return {best};
  }
  void begin_round(const std::vector<double*>& scores, const std::vector<std::uint32_t>&, Team&) override {
    own_.gradients(scores[0], gradient_.data(), hessian_.data());
  }
  void gradients(const double*, int, std::int64_t begin, std::int64_t end, double* gradient,
                 double* hessian) const override {
    std::copy(gradient_.begin() + begin, gradient_.begin() + end, gradient);
    std::copy(hessian_.begin() + begin, hessian_.begin() + end, hessian);
  }
  void begin_validation(const std::vector<double*>& scores, const std::vector<std::uint32_t>&) override {
    own_.losses(scores[0], loss_.data());
  }
  double loss(const std::vector<double*>&, std::int64_t row) const override { return loss_[row]; }

 private:
  LossSettings own_;
  std::vector<double> gradient_, hessian_, loss_;
};

// Squared up to a quantile of the absolute residuals, linear beyond (Friedman 2001).
class Huber final : public Loss {
 public:
  Huber(const BoostTarget& target, double quantile) : Loss(target), quantile_(quantile) {}
  std::vector<double> start(const std::vector<std::uint32_t>& rows) const override {
    std::vector<std::pair<double, double>> values;
    for (const std::uint32_t row : rows) values.emplace_back(target_.y[row], target_.weight_at(row));
    return {weighted_quantile(std::move(values), 0.5)};
  }
  bool constant_hessian() const override { return true; }
  void begin_round(const std::vector<double*>& scores, const std::vector<std::uint32_t>& rows,
                   Team&) override {
    std::vector<std::pair<double, double>> values;
    for (const std::uint32_t row : rows)
      values.emplace_back(std::abs(target_.y[row] - scores[0][row]), target_.weight_at(row));
    delta_ = weighted_quantile(std::move(values), quantile_);
  }
  void gradients(const double* score, int, std::int64_t begin, std::int64_t end, double* gradient,
                 double* hessian) const override {
    for (std::int64_t i = begin; i < end; ++i) {
      gradient[i - begin] = std::clamp(score[i] - target_.y[i], -delta_, delta_);
      hessian[i - begin] = 1;
    }
  }
  double loss(const std::vector<double*>& scores, std::int64_t row) const override {
    const double off = std::abs(scores[0][row] - target_.y[row]);
    return off <= delta_ ? off * off / 2 : delta_ * (off - delta_ / 2);
  }

 private:
  double quantile_, delta_ = 0;
};

// Losses of positive means, whose score is the logarithm of the mean: Tweedie's of variance mean^power, with
// Poisson at power 1 and gamma at power 2.
class LogLink final : public Loss {
 public:
  LogLink(const BoostTarget& target, double power) : Loss(target), power_(power) {}
  std::vector<double> start_of(const StartSums& sums) const override { return {log_of(sums.mean())}; }
  double variance_per_hessian() const override { return power_ == 1 ? 1 : 0; }
  void gradients(const double* score, int, std::int64_t begin, std::int64_t end, double* gradient,
                 double* hessian) const override {
    // With r = 2 - p and q = 1 - p: loss = e^(r s) / r - y e^(q s) / q.
    const double q = 1 - power_, r = 2 - power_;
    for (std::int64_t i = begin; i < end; ++i) {
      const double of_mean = r == 0 ? 1.0 : exp_of(r * score[i]);
      const double of_y = target_.y[i] * (q == 0 ? 1.0 : exp_of(q * score[i]));
      gradient[i - begin] = of_mean - of_y;
      hessian[i - begin] = r * of_mean - q * of_y;
    }
  }
  double loss(const std::vector<double*>& scores, std::int64_t row) const override {
    const double s = scores[0][row], y = target_.y[row], q = 1 - power_, r = 2 - power_;
    return (r == 0 ? s : exp_of(r * s) / r) - (q == 0 ? y * s : y * exp_of(q * s) / q);
  }

 private:
  double power_;
};

// Of one class against the others; the score is the logarithm of its odds.
BOUGH_INLINE void logistic_rows(const double* score, const std::int32_t* label, std::int32_t of_class,
                                std::int64_t count, double* gradient, double* hessian) {
  for (std::int64_t i = 0; i < count; ++i) {
    const double p = 1 / (1 + exp_of(-score[i]));
    gradient[i] = p - static_cast<std::int32_t>(label[i] == of_class);
    hessian[i] = p * (1 - p);
  }
}

#if defined(BOUGH_AVX2)
BOUGH_AVX2 void logistic_avx2(const double* score, const std::int32_t* label, std::int32_t of_class,
                              std::int64_t count, double* gradient, double* hessian) {
  logistic_rows(score, label, of_class, count, gradient, hessian);
}
#endif

void logistic(const double* score, const std::int32_t* label, std::int32_t of_class, std::int64_t count,
              double* gradient, double* hessian) {
#if defined(BOUGH_AVX2)
  if (has_avx2()) return logistic_avx2(score, label, of_class, count, gradient, hessian);
#endif
  logistic_rows(score, label, of_class, count, gradient, hessian);
}

double logistic_loss(double score, bool is_class) {
  const double s = is_class ? -score : score;
  return std::max(s, 0.0) + log_of(1 + exp_of(-std::abs(s)));
}

// Two classes; the score is the logarithm of the odds of the second.
class Logistic final : public Loss {
 public:
  using Loss::Loss;
  std::vector<double> start_of(const StartSums& sums) const override { return {class_odds(sums)}; }
  GradientBounds bounds() const override { return {1, 0.25}; }
  double variance_per_hessian() const override { return 1; }
  void gradients(const double* score, int, std::int64_t begin, std::int64_t end, double* gradient,
                 double* hessian) const override {
    logistic(score + begin, target_.label + begin, 1, end - begin, gradient, hessian);
  }
  double loss(const std::vector<double*>& scores, std::int64_t row) const override {
    return logistic_loss(scores[0][row], target_.label[row] == 1);
  }
};

// Several classes; the score of each is the logarithm of its odds against all others.
class OneVsAll final : public Loss {
 public:
  using Loss::Loss;
  int n_scores() const override { return target_.n_classes; }
  std::vector<double> start_of(const StartSums& sums) const override {
    std::vector<double> weight = sums.of_class;
    const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
    for (double& w : weight) w = log_of(w / (total - w));
    return weight;
  }
  GradientBounds bounds() const override { return {1, 0.25}; }
  double variance_per_hessian() const override { return 1; }
  void gradients(const double* score, int which, std::int64_t begin, std::int64_t end, double* gradient,
                 double* hessian) const override {
    logistic(score + begin, target_.label + begin, which, end - begin, gradient, hessian);
  }
  double loss(const std::vector<double*>& scores, std::int64_t row) const override {
    double sum = 0;
    for (int k = 0; k < target_.n_classes; ++k) sum += logistic_loss(scores[k][row], target_.label[row] == k);
    return sum;
  }
};

// The loss of AdaBoost for two classes; the score is half of the logarithm of the odds of the second.
class Exponential final : public Loss {
 public:
  using Loss::Loss;
  std::vector<double> start_of(const StartSums& sums) const override { return {class_odds(sums) / 2}; }
  void gradients(const double* score, int, std::int64_t begin, std::int64_t end, double* gradient,
                 double* hessian) const override {
    for (std::int64_t i = begin; i < end; ++i) {
      const double sign = target_.label[i] ? 1 : -1, loss = exp_of(-sign * score[i]);
      gradient[i - begin] = -sign * loss;
      hessian[i - begin] = loss;
    }
  }
  double loss(const std::vector<double*>& scores, std::int64_t row) const override {
    return exp_of(target_.label[row] ? -scores[0][row] : scores[0][row]);
  }
};

// Cox's partial likelihood; rows whose events tie have the same rows at risk (Breslow 1974).
class Cox final : public Loss {
 public:
  explicit Cox(const BoostTarget& target)
      : Loss(target), hazard_(target.n_rows), squares_(target.n_rows), log_risk_(target.n_rows) {}

  std::vector<double> start(const std::vector<std::uint32_t>&) const override { return {0.0}; }
  void begin_round(const std::vector<double*>& scores, const std::vector<std::uint32_t>& rows,
                   Team&) override {
    if (order_.empty()) order_ = by_falling_time(rows);
    const std::vector<double> risk = at_risk(scores[0], order_);
    // Sums over the events up to the time of a row, so that rows are visited with rising times.
    double hazard = 0, squares = 0;
    for (std::size_t end = order_.size(); end > 0;) {
      std::size_t begin = end;
      for (; begin > 0 && target_.time[order_[begin - 1]] == target_.time[order_[end - 1]]; --begin) {
        const std::uint32_t row = order_[begin - 1];
        const double events = target_.y[row] * target_.weight_at(row);
        hazard += events / risk[end - 1];
        squares += events / (risk[end - 1] * risk[end - 1]);
      }
      for (std::size_t i = begin; i < end; ++i) {
        hazard_[order_[i]] = hazard;
        squares_[order_[i]] = squares;
      }
      end = begin;
    }
  }
  void gradients(const double* score, int, std::int64_t begin, std::int64_t end, double* gradient,
                 double* hessian) const override {
    for (std::int64_t i = begin; i < end; ++i) {
      const double relative = exp_of(score[i]);
      gradient[i - begin] = relative * hazard_[i] - target_.y[i];
      // Of a row alone in its risk sets both terms are equal.
      hessian[i - begin] =
          std::max(0.0, relative * hazard_[i] - target_.weight_at(i) * relative * relative * squares_[i]);
    }
  }
  void begin_validation(const std::vector<double*>& scores, const std::vector<std::uint32_t>& rows) override {
    const std::vector<std::uint32_t> order = by_falling_time(rows);
    const std::vector<double> risk = at_risk(scores[0], order);
    for (std::size_t i = 0; i < order.size(); ++i) log_risk_[order[i]] = log_of(risk[i]);
  }
  double loss(const std::vector<double*>& scores, std::int64_t row) const override {
    return target_.y[row] * (log_risk_[row] - scores[0][row]);
  }

 private:
  std::vector<std::uint32_t> by_falling_time(std::vector<std::uint32_t> rows) const {
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return target_.time[a] > target_.time[b]; });
    return rows;
  }
  // The weights times hazards of the rows at risk at the time of each row.
  std::vector<double> at_risk(const double* score, const std::vector<std::uint32_t>& order) const {
    std::vector<double> risk(order.size());
    double total = 0;
    for (std::size_t begin = 0; begin < order.size();) {
      std::size_t end = begin;
      for (; end < order.size() && target_.time[order[end]] == target_.time[order[begin]]; ++end)
        total += target_.weight_at(order[end]) * exp_of(score[order[end]]);
      std::fill(risk.begin() + static_cast<std::ptrdiff_t>(begin),
                risk.begin() + static_cast<std::ptrdiff_t>(end), total);
      begin = end;
    }
    return risk;
  }

  std::vector<std::uint32_t> order_;  // of the rows to train on
  // Of each row: sums over events of the weight by the weight at risk, and by its square; its own risk set.
  std::vector<double> hazard_, squares_, log_risk_;
};

}  // namespace

std::unique_ptr<Loss> make_loss(const LossSettings& settings, const BoostTarget& target) {
  if (settings.group) return make_ranking_loss(settings, target);
  const std::string& name = settings.name;
  if (settings.gradients) return std::make_unique<Given>(target, settings);
  if (target.n_classes > 0) {
    if (name == "exponential") return std::make_unique<Exponential>(target);
    if (name == "one_vs_all") return std::make_unique<OneVsAll>(target);
    if (name != "log_loss") throw std::invalid_argument("unknown loss of classes '" + name + "'");
    if (target.n_classes == 2) return std::make_unique<Logistic>(target);
    return make_multinomial_loss(target);
  }
  if (name == "squared_error") return std::make_unique<Squared>(target);
  if (name == "absolute_error") return std::make_unique<Quantiles>(target, std::vector<double>{0.5});
  if (name == "quantile") return std::make_unique<Quantiles>(target, settings.quantiles);
  if (name == "huber") return std::make_unique<Huber>(target, settings.quantiles.at(0));
  if (name == "poisson") return std::make_unique<LogLink>(target, 1.0);
  if (name == "gamma") return std::make_unique<LogLink>(target, 2.0);
  if (name == "cox") return std::make_unique<Cox>(target);
  if (name == "tweedie") return std::make_unique<LogLink>(target, settings.power);
  throw std::invalid_argument("unknown loss '" + name + "'");
}

}  // namespace bough
