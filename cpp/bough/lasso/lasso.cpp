#include "bough/lasso/lasso.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bough/machine/team.hpp"

namespace bough::lasso {

namespace {

// Rows are as good as fitted beyond these shares of the loss without terms; of classes the coefficients would
// grow without bound.
constexpr double kFittedNumbers = 1e-6, kFittedClasses = 1e-3;
constexpr double kLeastShare = 1e-5;  // of a class in the curvature of the loss
constexpr int kMostSteps = 50;        // of Newton's method at one penalty

// A quadratic model of the loss in one score. Columns are centred by its curvature, so that the intercept
// needs no step of its own: the residual of row i is residual[i] + curvature[i] * shift.
class Quadratic {
 public:
  explicit Quadratic(const Design& design)
      : residual(design.n_rows),
        curvature(design.n_rows),
        design_(design),
        mean_(design.n_columns()),
        spread_(design.n_columns()),
        known_(design.n_columns(), 0) {}

  std::vector<double> residual, curvature;  // both times the weight

  // Takes residual and curvature as they are; returns the step of the intercept.
  double begin() {
    total_ = 0;
    double sum = 0;
    for (std::int64_t i = 0; i < design_.n_rows; ++i) {
      total_ += curvature[i];
      sum += residual[i];
    }
    shift_ = total_ > 0 ? -sum / total_ : 0;
    std::fill(known_.begin(), known_.end(), std::uint8_t{0});
    return -shift_;
  }

  // How fast the loss falls with the coefficient of a column.
  double slope(std::int64_t j) {
    learn(j);
    double sum = 0;
    if (j < design_.n_indicators) {
      for (const std::int32_t *i = first(j), *end = last(j); i != end; ++i) sum += residual[*i];
    } else {
      const double* x = numbers(j);
      for (std::int64_t i = 0; i < design_.n_rows; ++i) sum += x[i] * residual[i];
    }
    return sum + shift_ * total_ * mean_[j];
  }
  double spread(std::int64_t j) const { return spread_[j]; }

  void move(std::int64_t j, double by) {
    if (j < design_.n_indicators) {
      for (const std::int32_t *i = first(j), *end = last(j); i != end; ++i)
        residual[*i] -= curvature[*i] * by;
    } else {
      const double* x = numbers(j);
      for (std::int64_t i = 0; i < design_.n_rows; ++i) residual[i] -= curvature[i] * by * x[i];
    }
    shift_ += by * mean_[j];
    moved_mean_ += by * mean_[j];
  }

  // Adds what a column contributes to scores.
  void add(std::int64_t j, double coefficient, std::vector<double>& scores) const {
    if (j < design_.n_indicators) {
      for (const std::int32_t *i = first(j), *end = last(j); i != end; ++i) scores[*i] += coefficient;
    } else {
      const double* x = numbers(j);
      for (std::int64_t i = 0; i < design_.n_rows; ++i) scores[i] += coefficient * x[i];
    }
  }

  // The sum of the steps, each times the mean of its column, since this was asked for the last time.
  double take_moved_mean() { return std::exchange(moved_mean_, 0.0); }

 private:
  const std::int32_t* first(std::int64_t j) const { return design_.rows + design_.start[j]; }
  const std::int32_t* last(std::int64_t j) const { return design_.rows + design_.start[j + 1]; }
  const double* numbers(std::int64_t j) const {
    return design_.numbers + (j - design_.n_indicators) * design_.n_rows;
  }

  void learn(std::int64_t j) {
    if (known_[j]) return;
    known_[j] = 1;
    double sum = 0, squares = 0;
    if (j < design_.n_indicators) {
      for (const std::int32_t *i = first(j), *end = last(j); i != end; ++i) sum += curvature[*i];
      squares = sum;
    } else {
      const double* x = numbers(j);
      for (std::int64_t i = 0; i < design_.n_rows; ++i) {
        sum += curvature[i] * x[i];
        squares += curvature[i] * x[i] * x[i];
      }
    }
    mean_[j] = total_ > 0 ? sum / total_ : 0;
    const double spread = squares - sum * mean_[j];
    spread_[j] = spread > 1e-12 * squares ? spread : 0;
  }

  const Design& design_;
  std::vector<double> mean_, spread_;
  std::vector<std::uint8_t> known_;
  double total_ = 0, shift_ = 0, moved_mean_ = 0;
};

// The models of some rows along the path.
class Run {
 public:
  // without: the fold whose rows are held out; −1: none is.
  Run(const Design& design, const Target& target, const Settings& settings, int without, Watch& watch)
      : design_(design),
        target_(target),
        settings_(settings),
        watch_(watch),
        weight_(design.n_rows),
        held_out_(design.n_rows),
        scores_(target.n_scores, std::vector<double>(design.n_rows)),
        intercept_(target.n_scores),
        coefficient_(target.n_scores, std::vector<double>(design.n_columns())),
        slope_(target.n_scores, std::vector<double>(design.n_columns())),
        working_(target.n_scores),
        is_working_(target.n_scores, std::vector<std::uint8_t>(design.n_columns())),
        quadratic_(design) {
    for (std::int64_t i = 0; i < design.n_rows; ++i) {
      const bool is_out = without >= 0 && target.fold[i] == without;
      (is_out ? held_out_ : weight_)[i] = target.weight ? target.weight[i] : 1.0;
      total_ += weight_[i];
    }
    start();
    null_loss_ = mean_loss(weight_);
    for (int k = 0; k < target_.n_scores; ++k) find_slopes(k);
  }

  double first_penalty() const {
    double most = 0;
    for (const auto& slopes : slope_)
      for (const double slope : slopes) most = std::max(most, std::abs(slope));
    return most;
  }

  // Moves from the penalty before to this one.
  void solve(double penalty, double before) {
    for (int k = 0; k < target_.n_scores; ++k)
      for (std::int64_t j = 0; j < design_.n_columns(); ++j)
        if (design_.may_add(j, k) && std::abs(slope_[k][j]) >= 2 * penalty - before) admit(k, j);
    for (bool admitted = true; admitted;) {
      descend(penalty);
      admitted = false;
      for (int k = 0; k < target_.n_scores; ++k) {
        find_slopes(k);
        for (std::int64_t j = 0; j < design_.n_columns(); ++j)
          if (!is_working_[k][j] && std::abs(slope_[k][j]) > penalty * (1 + 1e-6)) {
            admit(k, j);
            admitted = true;
          }
      }
    }
  }

  bool is_fitted() const {
    const double least = target_.loss == Loss::squared ? kFittedNumbers : kFittedClasses;
    return mean_loss(weight_) <= least * null_loss_;
  }
  double training_loss() const { return mean_loss(weight_); }
  double held_out_loss() const { return mean_loss(held_out_); }
  std::int64_t n_terms() const {
    std::int64_t n = 0;
    for (int k = 0; k < target_.n_scores; ++k)
      for (const std::int64_t j : working_[k]) n += coefficient_[k][j] != 0;
    return n;
  }

  void append_to(Path& path) const {
    path.intercept.insert(path.intercept.end(), intercept_.begin(), intercept_.end());
    path.loss.push_back(training_loss());
    for (int k = 0; k < target_.n_scores; ++k) {
      std::vector<std::int64_t> columns = working_[k];
      std::sort(columns.begin(), columns.end());
      for (const std::int64_t j : columns) {
        if (coefficient_[k][j] == 0) continue;
        path.column.push_back(static_cast<std::int32_t>(j));
        path.score.push_back(k);
        path.coefficient.push_back(coefficient_[k][j]);
      }
    }
    path.start.push_back(static_cast<std::int64_t>(path.column.size()));
  }

 private:
  void admit(int k, std::int64_t j) {
    if (is_working_[k][j]) return;
    is_working_[k][j] = 1;
    working_[k].push_back(j);
  }

  // The intercepts of models without terms: the mean, or the logarithms of the class shares.
  void start() {
    std::vector<double> share(std::max(2, target_.n_scores), 0.0);
    double mean = 0;
    for (std::int64_t i = 0; i < design_.n_rows; ++i) {
      if (target_.loss == Loss::softmax)
        share[static_cast<std::size_t>(target_.y[i])] += weight_[i] / total_;
      else
        mean += weight_[i] * target_.y[i] / total_;
    }
    for (int k = 0; k < target_.n_scores; ++k) {
      const auto bounded = [](double p) { return std::clamp(p, kLeastShare, 1 - kLeastShare); };
      intercept_[k] = target_.loss == Loss::squared    ? mean
                      : target_.loss == Loss::logistic ? std::log(bounded(mean) / (1 - bounded(mean)))
                                                       : std::log(bounded(share[k]));
      std::fill(scores_[k].begin(), scores_[k].end(), intercept_[k]);
    }
  }

  // The logarithm of the sum of the exponentials of all scores of a row, of two classes with a score of 0.
  double log_sum(std::int64_t i) const {
    double most = target_.loss == Loss::logistic ? 0.0 : scores_[0][i];
    for (const auto& scores : scores_) most = std::max(most, scores[i]);
    double sum = target_.loss == Loss::logistic ? std::exp(-most) : 0.0;
    for (const auto& scores : scores_) sum += std::exp(scores[i] - most);
    return most + std::log(sum);
  }
  double share(int k, std::int64_t i) const { return std::exp(scores_[k][i] - log_sum(i)); }

  double mean_loss(const std::vector<double>& weight) const {
    double sum = 0, total = 0;
    for (std::int64_t i = 0; i < design_.n_rows; ++i) {
      if (!(weight[i] > 0)) continue;
      const double y = target_.y[i];
      double loss = 0;
      if (target_.loss == Loss::squared)
        loss = 0.5 * (y - scores_[0][i]) * (y - scores_[0][i]);
      else if (target_.loss == Loss::logistic)
        loss = log_sum(i) - y * scores_[0][i];
      else
        loss = log_sum(i) - scores_[static_cast<std::size_t>(y)][i];
      sum += weight[i] * loss;
      total += weight[i];
    }
    return total > 0 ? sum / total : 0;
  }

  // Sets the quadratic model of the loss in score k.
  void approximate(int k) {
    for (std::int64_t i = 0; i < design_.n_rows; ++i) {
      const double w = weight_[i];
      if (target_.loss == Loss::squared) {
        quadratic_.residual[i] = w * (target_.y[i] - scores_[0][i]);
        quadratic_.curvature[i] = w;
        continue;
      }
      const double p = share(k, i);
      const double y = target_.loss == Loss::logistic ? target_.y[i] : target_.y[i] == k;
      quadratic_.residual[i] = w * (y - p);
      quadratic_.curvature[i] = w * std::max(p * (1 - p), kLeastShare * (1 - kLeastShare));
    }
  }

  void find_slopes(int k) {
    approximate(k);
    quadratic_.begin();
    watch_.throw_if_stopped();
    for (std::int64_t j = 0; j < design_.n_columns(); ++j)
      if (design_.may_add(j, k)) slope_[k][j] = quadratic_.slope(j) / total_;
  }

  // Newton's method: coordinate descent on the quadratic model of each score, until the models stay.
  void descend(double penalty) {
    const int steps = target_.loss == Loss::squared ? 1 : kMostSteps;
    for (int step = 0; step < steps; ++step) {
      double change = 0;
      for (int k = 0; k < target_.n_scores; ++k) change = std::max(change, newton_step(k, penalty));
      watch_.poll_or_throw();
      if (change < settings_.tolerance * std::max(null_loss_, 1e-300)) return;
    }
  }

  double newton_step(int k, double penalty) {
    approximate(k);
    const double step = quadratic_.begin();
    quadratic_.take_moved_mean();
    double most = change_of_intercept(step);
    const double least = settings_.tolerance * std::max(null_loss_, 1e-300);
    std::vector<double> before(working_[k].size());
    for (std::size_t n = 0; n < before.size(); ++n) before[n] = coefficient_[k][working_[k][n]];
    std::vector<std::int64_t> active;
    for (int sweep = 0; sweep < settings_.max_sweeps; ++sweep) {
      const double change = sweep_over(k, working_[k], penalty);
      most = std::max(most, change);
      if (change < least) break;
      active.clear();
      for (const std::int64_t j : working_[k])
        if (coefficient_[k][j] != 0) active.push_back(j);
      // Columns without a coefficient are looked at again once the others have settled.
      while (sweep < settings_.max_sweeps && sweep_over(k, active, penalty) >= least) ++sweep;
      watch_.poll_or_throw();
    }
    double moved = step - quadratic_.take_moved_mean();
    intercept_[k] += moved;
    for (double& score : scores_[k]) score += moved;
    for (std::size_t n = 0; n < before.size(); ++n) {
      const double by = coefficient_[k][working_[k][n]] - before[n];
      if (by != 0) quadratic_.add(working_[k][n], by, scores_[k]);
    }
    return most;
  }

  double change_of_intercept(double step) const {
    double sum = 0;
    for (const double curvature : quadratic_.curvature) sum += curvature;
    return sum * step * step / total_;
  }

  // Returns the greatest change of the loss by one column.
  double sweep_over(int k, const std::vector<std::int64_t>& columns, double penalty) {
    double most = 0;
    for (const std::int64_t j : columns) {
      const double slope = quadratic_.slope(j) / total_, spread = quadratic_.spread(j) / total_;
      if (!(spread > 0)) continue;
      const double target = slope + spread * coefficient_[k][j], size = std::abs(target) - penalty;
      const double found = size > 0 ? std::copysign(size, target) / spread : 0.0;
      const double by = found - coefficient_[k][j];
      if (by == 0) continue;
      coefficient_[k][j] = found;
      quadratic_.move(j, by);
      most = std::max(most, spread * by * by);
    }
    return most;
  }

  const Design& design_;
  const Target& target_;
  const Settings& settings_;
  Watch& watch_;
  std::vector<double> weight_, held_out_;
  double total_ = 0, null_loss_ = 0;
  std::vector<std::vector<double>> scores_;
  std::vector<double> intercept_;
  std::vector<std::vector<double>> coefficient_, slope_;
  std::vector<std::vector<std::int64_t>> working_;
  std::vector<std::vector<std::uint8_t>> is_working_;
  Quadratic quadratic_;
};

std::vector<double> falling_penalties(double first, const Settings& settings) {
  std::vector<double> penalties;
  const int n = first > 0 ? std::max(settings.n_penalties, 1) : 1;
  for (int step = 0; step < n; ++step)
    penalties.push_back(first * std::pow(settings.least_share, n > 1 ? step / (n - 1.0) : 0.0));
  return penalties;
}

// Follows the path; returns the number of penalties that it has models of.
template <class AtStep>
std::size_t follow(Run& run, const std::vector<double>& penalties, const AtStep& at_step) {
  double before = std::max(run.first_penalty(), penalties[0]);
  for (std::size_t step = 0; step < penalties.size(); ++step) {
    run.solve(penalties[step], before);
    before = penalties[step];
    if (!at_step(step)) return step;
    if (run.is_fitted()) return step + 1;
  }
  return penalties.size();
}

}  // namespace

Path lasso_path(const Design& design, const Target& target, const Settings& settings, int n_threads,
                Watch& watch) {
  Path path;
  path.start.push_back(0);
  std::vector<double> penalties = settings.penalties;
  if (penalties.empty())
    penalties = falling_penalties(Run(design, target, settings, -1, watch).first_penalty(), settings);
  const std::size_t n = penalties.size();
  path.held_out.assign(n * target.n_folds, 0.0);
  std::size_t n_kept = 0;
  Team team(std::min(n_threads, target.n_folds + 1));
  const int n_items = target.n_folds + 1;
  team.run(n_items + team.size(), [&](int item, int) {
    if (item >= n_items) {
      watch.wait(n_items);
      return;
    }
    const Watch::Piece piece(watch, 1);
    Run run(design, target, settings, item - 1, watch);
    if (item == 0) {
      n_kept = follow(run, penalties, [&](std::size_t step) {
        if (step > 0 && settings.max_terms > 0 && run.n_terms() > settings.max_terms) return false;
        run.append_to(path);
        return true;
      });
      return;
    }
    double* losses = path.held_out.data() + (item - 1) * n;
    const std::size_t n_done = follow(run, penalties, [&](std::size_t step) {
      losses[step] = run.held_out_loss();
      return true;
    });
    for (std::size_t step = n_done; step < n; ++step) losses[step] = losses[n_done - 1];
  });
  watch.throw_if_stopped();
  penalties.resize(n_kept);
  path.penalties = std::move(penalties);
  return path;
}

}  // namespace bough::lasso
