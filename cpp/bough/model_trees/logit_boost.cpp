#include "bough/model_trees/logit_boost.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "bough/machine/team.hpp"

namespace bough::model_trees {

namespace {

constexpr double kGreatestResponse = 3;   // as in Landwehr, Hall and Frank
constexpr double kLeastWeight = 1e-10;    // of a row, relative to its own
constexpr double kConstant = 1e-20;       // of the weight times the square of half the range: no variance
constexpr double kBetterLine = 1 + 1e-9;  // by which another column must explain more

// Sums in eight lanes, which compilers can keep in vectors; their order does not depend on the processor.
template <class Term>
double sum_of(std::size_t n, const Term& term) {
  constexpr std::size_t kLanes = 8;
  double lanes[kLanes] = {};
  const std::size_t whole = n - n % kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(i + lane);
  for (std::size_t i = whole; i < n; ++i) lanes[i - whole] += term(i);
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

}  // namespace

LogitBoost::LogitBoost(const ClassRows& data, std::span<const std::uint32_t> rows,
                       std::span<const std::uint32_t> held_out, const double* scores)
    : data_(data), fitted_(part_of(rows, scores)), held_out_(part_of(held_out, scores)) {
  if (rows.empty()) return;
  const std::size_t n = rows.size(), p = data.numbers.columns.size();
  scaled_.resize(n * p);
  for (std::size_t k = 0; k < p; ++k) {
    const double* values = data.numbers.columns[k];
    double low = values[rows[0]], high = low;
    for (const std::uint32_t row : rows) {
      low = std::min(low, values[row]);
      high = std::max(high, values[row]);
    }
    const double center = low / 2 + high / 2, unit = high / 2 - low / 2;
    center_.push_back(center);
    unit_.push_back(unit);
    for (std::size_t i = 0; i < n; ++i) scaled_[k * n + i] = unit > 0 ? (values[rows[i]] - center) / unit : 0;
  }
  weight_.resize(n);
  response_.resize(n);
  slope_.resize(p * data.n_scores());
  intercept_.resize(data.n_scores());
}

LogitBoost::Part LogitBoost::part_of(std::span<const std::uint32_t> rows, const double* scores) const {
  Part part{{rows.begin(), rows.end()}, {}};
  for (int which = 0; which < data_.n_scores(); ++which)
    for (const std::uint32_t row : rows) part.score.push_back(scores[which * data_.numbers.n_rows + row]);
  return part;
}

void LogitBoost::step() {
  const int n_scores = data_.n_scores();
  std::vector<Line> lines;
  for (int which = 0; which < n_scores; ++which) lines.push_back(line(which));
  const std::size_t p = unit_.size();
  const auto add_line = [&](int score, const Line& line, double factor) {
    intercept_[score] += factor * line.intercept;
    if (line.column >= 0) slope_[score * p + line.column] += factor * line.slope;
  };
  const double k = data_.n_classes;
  for (int score = 0; score < n_scores; ++score) {
    if (n_scores == 1) {
      add_line(score, lines[0], 1);
      continue;
    }
    // The scores of all classes sum to 0.
    for (int other = 0; other < n_scores; ++other)
      add_line(score, lines[other], (k - 1) / k * ((other == score) - 1 / k));
  }
  add(fitted_, lines);
  add(held_out_, lines);
}

// The line that fits the working response of a class best.
LogitBoost::Line LogitBoost::line(int which) {
  const std::size_t n = fitted_.rows.size();
  const int n_scores = data_.n_scores(), own = n_scores == 1 ? 1 : which;
  double total = 0, sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double score = fitted_.score[which * n + i];
    double others = 1;  // sum of exp(score of another class - score)
    if (n_scores == 1) {
      others = std::exp(-score);
    } else {
      others = 0;
      for (int other = 0; other < n_scores; ++other)
        if (other != which) others += std::exp(fitted_.score[other * n + i] - score);
    }
    const double share = 1 / (1 + others), rest = 1 / (1 + 1 / others);
    const bool is_own = data_.code[fitted_.rows[i]] == own;
    const double response =
        is_own ? std::min(1 / share, kGreatestResponse) : -std::min(1 / rest, kGreatestResponse);
    const double weight = std::max((is_own ? rest : -share) / response, kLeastWeight);
    weight_[i] = weight * data_.numbers.weight_of(fitted_.rows[i]);
    response_[i] = weight_[i] * response;
    total += weight_[i];
    sum += response_[i];
  }
  Line best{-1, 0, sum / total};
  double explained = 0;
  for (std::size_t k = 0; k < unit_.size(); ++k) {
    if (unit_[k] == 0) continue;
    const double *x = scaled_.data() + k * n, *weight = weight_.data(), *response = response_.data();
    const double mean = sum_of(n, [=](std::size_t i) { return weight[i] * x[i]; }) / total;
    // About the mean, since a few rows may have almost all of the weight.
    const double variance =
        sum_of(n, [=](std::size_t i) { return weight[i] * ((x[i] - mean) * (x[i] - mean)); });
    if (!(variance > kConstant * total)) continue;
    const double covariance = sum_of(n, [=](std::size_t i) { return response[i] * (x[i] - mean); });
    if (!(covariance * covariance / variance > explained * kBetterLine)) continue;
    const double slope = covariance / variance / unit_[k];
    const double intercept = sum / total - slope * unit_[k] * mean - slope * center_[k];
    if (!std::isfinite(slope) || !std::isfinite(intercept)) continue;
    explained = covariance * covariance / variance;
    best = {static_cast<int>(k), slope, intercept};
  }
  return best;
}

double LogitBoost::value(const Line& line, std::uint32_t row) const {
  if (line.column < 0) return line.intercept;
  return line.intercept + line.slope * data_.numbers.columns[line.column][row];
}

void LogitBoost::add(Part& part, std::span<const Line> lines) const {
  const std::size_t n = part.rows.size();
  const double k = data_.n_classes;
  for (std::size_t i = 0; i < n; ++i) {
    double mean = 0;
    if (lines.size() > 1) {
      for (const Line& line : lines) mean += value(line, part.rows[i]);
      mean /= k;
    }
    for (std::size_t which = 0; which < lines.size(); ++which) {
      const double factor = lines.size() > 1 ? (k - 1) / k : 1;
      part.score[which * n + i] += factor * (value(lines[which], part.rows[i]) - mean);
    }
  }
}

double LogitBoost::held_out_errors() const {
  const std::size_t n = held_out_.rows.size();
  double errors = 0;
  for (std::size_t i = 0; i < n; ++i) {
    int best = 0;
    if (data_.n_scores() == 1) {
      best = held_out_.score[i] > 0;
    } else {
      for (int which = 1; which < data_.n_scores(); ++which)
        if (held_out_.score[which * n + i] > held_out_.score[best * n + i]) best = which;
    }
    if (best != data_.code[held_out_.rows[i]]) errors += data_.numbers.weight_of(held_out_.rows[i]);
  }
  return errors;
}

void LogitBoost::put_scores(double* scores) const {
  const std::size_t n = fitted_.rows.size();
  for (int which = 0; which < data_.n_scores(); ++which)
    for (std::size_t i = 0; i < n; ++i)
      scores[which * data_.numbers.n_rows + fitted_.rows[i]] = fitted_.score[which * n + i];
}

int cross_validated_steps(const ClassRows& data, std::span<const std::uint32_t> rows,
                          std::span<const std::int32_t> fold, const double* scores,
                          const BoostingOptions& options, Watch& watch) {
  const int n_folds = *std::max_element(fold.begin(), fold.end()) + 1;
  std::vector<std::unique_ptr<LogitBoost>> of_fold;
  for (int each = 0; each < n_folds; ++each) {
    std::vector<std::uint32_t> inside, outside;
    for (std::size_t i = 0; i < rows.size(); ++i) (fold[i] == each ? outside : inside).push_back(rows[i]);
    if (!inside.empty() && !outside.empty())
      of_fold.push_back(std::make_unique<LogitBoost>(data, inside, outside, scores));
  }
  Team team(std::clamp<int>(static_cast<int>(of_fold.size()), 1, options.n_threads));
  const auto errors = [&] {
    double sum = 0;
    for (const auto& each : of_fold) sum += each->held_out_errors();
    return sum;
  };
  double least = errors();
  int best = 0;
  for (int step = 1; step <= options.max_steps && step <= best + options.patience; ++step) {
    team.run(static_cast<int>(of_fold.size()), [&](int each, int) { of_fold[each]->step(); });
    const double now = errors();
    if (now < least) {
      least = now;
      best = step;
    }
    watch.poll_or_throw();
  }
  return best;
}

}  // namespace bough::model_trees
