#include "bough/boost/ranking.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "bough/boost/exponential.hpp"

namespace bough {

namespace {

// Rows in the order of their groups; those of group g are rows[start[g]] to rows[start[g + 1] - 1].
struct GroupedRows {
  std::vector<std::uint32_t> rows;
  std::vector<std::size_t> start;

  int n_groups() const { return static_cast<int>(start.size()) - 1; }
  std::size_t most() const {
    std::size_t n = 0;
    for (std::size_t g = 1; g < start.size(); ++g) n = std::max(n, start[g] - start[g - 1]);
    return n;
  }
};

// Asks the watch whether to stop, but not more often than once in so many pairs of rows.
class PairCounter {
 public:
  explicit PairCounter(Watch* watch) : watch_(watch) {}
  bool stops_after(int n_pairs) {
    n_pairs_ += n_pairs;
    if (!watch_ || n_pairs_ < kPairs) return false;
    n_pairs_ = 0;
    return watch_->should_stop();
  }

 private:
  static constexpr std::int64_t kPairs = 1 << 20;
  Watch* watch_;
  std::int64_t n_pairs_ = 0;
};

GroupedRows grouped(std::vector<std::uint32_t> rows, const std::int32_t* group) {
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return group[a] < group[b]; });
  GroupedRows made{std::move(rows), {}};
  for (std::size_t i = 0; i < made.rows.size(); ++i)
    if (i == 0 || group[made.rows[i]] != group[made.rows[i - 1]]) made.start.push_back(i);
  made.start.push_back(made.rows.size());
  return made;
}

// The rows of a group from the highest score to the lowest, of equals the first row first.
struct Ranked {
  std::vector<std::uint32_t> row;
  std::vector<double> gain, score;

  Ranked(const std::uint32_t* rows, std::size_t n, const double* of_gain, const double* of_score)
      : row(rows, rows + n), gain(n), score(n) {
    std::stable_sort(row.begin(), row.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return of_score[a] > of_score[b]; });
    for (std::size_t i = 0; i < n; ++i) {
      gain[i] = of_gain[row[i]];
      score[i] = of_score[row[i]];
    }
  }
  int size() const { return static_cast<int>(row.size()); }
};

// What a position in the order counts, positions from 0; 0 beyond the truncation.
class PositionWeights {
 public:
  explicit PositionWeights(const LossSettings& settings)
      : truncation_(settings.truncation), given_(settings.position_weights) {}

  bool counts(int position) const { return truncation_ <= 0 || position < truncation_; }
  double discount(int position) const {
    if (!counts(position)) return 0;
    if (given_.empty()) return 0.69314718055994531 / log_of(position + 2.0);
    return position < static_cast<int>(given_.size()) ? given_[position] : 0;
  }
  double reciprocal(int position) const { return counts(position) ? 1.0 / (position + 1) : 0; }
  int most(int n) const { return truncation_ > 0 ? std::min(truncation_, n) : n; }

 private:
  int truncation_;
  std::vector<double> given_;
};

// The value of a measure in a group without a relevant row, or without a pair.
constexpr double kUnknown = -1;

// The value of a measure, and how much it changes if the rows at two positions are exchanged, first above
// second. Grades are the gains themselves, or whether they are above 0.
class Ndcg {
 public:
  static constexpr bool kOfGrades = true;
  Ndcg(const Ranked& ranked, const PositionWeights& weights) : ranked_(ranked), discount_(ranked.size()) {
    std::vector<double> best = ranked.gain;
    std::sort(best.begin(), best.end(), std::greater<>());
    double ideal = 0;
    for (int i = 0; i < ranked.size(); ++i) {
      discount_[i] = weights.discount(i);
      ideal += best[i] * discount_[i];
    }
    inverse_ = ideal > 0 ? 1 / ideal : 0;
  }
  double change(int a, int b) const {
    return std::abs((ranked_.gain[a] - ranked_.gain[b]) * (discount_[a] - discount_[b])) * inverse_;
  }
  // Rows of equal scores share the mean of their gains.
  double value(PairCounter&) const {
    double total = 0;
    for (int begin = 0, end = 0; begin < ranked_.size(); begin = end) {
      double gain = 0, discount = 0;
      for (; end < ranked_.size() && ranked_.score[end] == ranked_.score[begin]; ++end) {
        gain += ranked_.gain[end];
        discount += discount_[end];
      }
      total += gain / (end - begin) * discount;
    }
    return inverse_ > 0 ? total * inverse_ : kUnknown;
  }

 private:
  const Ranked& ranked_;
  std::vector<double> discount_;
  double inverse_ = 0;
};

class AveragePrecision {
 public:
  static constexpr bool kOfGrades = false;
  AveragePrecision(const Ranked& ranked, const PositionWeights& weights)
      : ranked_(ranked), above_(ranked.size()), sum_(ranked.size()), reciprocal_(ranked.size()) {
    int n_relevant = 0;
    double sum = 0, total = 0;
    for (int i = 0; i < ranked.size(); ++i) {
      reciprocal_[i] = weights.reciprocal(i);
      if (ranked.gain[i] > 0) {
        sum += reciprocal_[i];
        total += ++n_relevant * reciprocal_[i];
      }
      above_[i] = n_relevant;
      sum_[i] = sum;
    }
    inverse_ = n_relevant > 0 ? 1.0 / weights.most(n_relevant) : 0;
    value_ = n_relevant > 0 ? total * inverse_ : kUnknown;
  }
  double change(int a, int b) const {
    const double between = sum_[b - 1] - sum_[a];  // of relevant rows: what one more above them adds
    const double lower = above_[b] * reciprocal_[b];
    const double by = ranked_.gain[a] > 0 ? above_[a] * reciprocal_[a] + between - lower
                                          : (above_[a] + 1) * reciprocal_[a] + between - lower;
    return std::abs(by) * inverse_;
  }
  double value(PairCounter&) const { return value_; }

 private:
  const Ranked& ranked_;
  std::vector<int> above_;   // relevant rows up to each position
  std::vector<double> sum_;  // of reciprocals of their positions
  std::vector<double> reciprocal_;
  double inverse_ = 0, value_ = 0;
};

class ReciprocalRank {
 public:
  static constexpr bool kOfGrades = false;
  ReciprocalRank(const Ranked& ranked, const PositionWeights& weights)
      : ranked_(ranked), weights_(weights), first_(ranked.size()), second_(ranked.size()) {
    for (int i = ranked.size() - 1; i >= 0; --i)
      if (ranked.gain[i] > 0) {
        second_ = first_;
        first_ = i;
      }
  }
  double change(int a, int b) const {
    if (ranked_.gain[a] > 0)
      return a == first_ ? weights_.reciprocal(a) - weights_.reciprocal(std::min(second_, b)) : 0;
    return a < first_ ? weights_.reciprocal(a) - weights_.reciprocal(first_) : 0;
  }
  double value(PairCounter&) const {
    return first_ < ranked_.size() ? weights_.reciprocal(first_) : kUnknown;
  }

 private:
  const Ranked& ranked_;
  const PositionWeights& weights_;
  int first_, second_;  // positions of the first two relevant rows
};

// Every pair counts 1; the value is 1 less the mean logistic loss of the pairs that count.
class Pairs {
 public:
  static constexpr bool kOfGrades = true;
  Pairs(const Ranked& ranked, const PositionWeights& weights) : ranked_(ranked), weights_(weights) {}
  double change(int, int) const { return 1; }
  double value(PairCounter& counter) const {
    double sum = 0;
    std::int64_t n_pairs = 0;
    for (int a = 0; a < weights_.most(ranked_.size()) && !counter.stops_after(ranked_.size() - a); ++a)
      for (int b = a + 1; b < ranked_.size(); ++b) {
        const double off = ranked_.score[a] - ranked_.score[b];
        if (ranked_.gain[a] == ranked_.gain[b]) continue;
        sum += (ranked_.gain[a] < ranked_.gain[b] ? off : 0) + log_of(1 + exp_of(-off));
        ++n_pairs;
      }
    return n_pairs > 0 ? 1 - sum / static_cast<double>(n_pairs) : kUnknown;
  }

 private:
  const Ranked& ranked_;
  const PositionWeights& weights_;
};

template <class Measure>
class Ranking final : public Loss {
 public:
  Ranking(const LossSettings& settings, const BoostTarget& target)
      : Loss(target),
        group_(settings.group),
        weights_(settings),
        gradient_(target.n_rows, 0.0),
        hessian_(target.n_rows, 0.0),
        loss_(target.n_rows, 0.0) {}

  std::vector<double> start(const std::vector<std::uint32_t>&) const override { return {0.0}; }
  void begin_round(const std::vector<double*>& scores, const std::vector<std::uint32_t>& rows,
                   Team& team) override {
    if (trained_.rows.empty()) trained_ = grouped(rows, group_);
    const int n = trained_.n_groups();
    // Where a group keeps one thread for long, the thread that asks whether to stop must not wait for it.
    const bool any_large = watch_ && trained_.most() > kLargeGroup;
    std::vector<PairCounter> counter(team.size(), PairCounter(watch_));
    std::atomic<int> finished = 0;
    team.run(n + (any_large ? team.size() : 0), [&](int g, int member) {
      if (g < n) {
        const AtEnd counted{finished};
        push_apart(ranked(trained_, g, scores[0]), counter[member]);
      } else {
        while (finished.load() < n && !should_stop()) std::this_thread::sleep_for(kNap);
      }
    });
    if (watch_) watch_->throw_if_stopped();
  }
  void gradients(const double*, int, std::int64_t begin, std::int64_t end, double* gradient,
                 double* hessian) const override {
    std::copy(gradient_.begin() + begin, gradient_.begin() + end, gradient);
    std::copy(hessian_.begin() + begin, hessian_.begin() + end, hessian);
  }
  // The loss of a group, 1 less its measure, is that of its first row, such that the mean over rows by their
  // weights is the mean over the groups whose measure is known.
  void begin_validation(const std::vector<double*>& scores, const std::vector<std::uint32_t>& rows) override {
    const GroupedRows groups = grouped(rows, group_);
    double weight = 0;
    for (const std::uint32_t row : rows) {
      weight += target_.weight_at(row);
      loss_[row] = 0;
    }
    int n_known = 0;
    PairCounter counter(watch_);
    for (int g = 0; g < groups.n_groups(); ++g) {
      const std::uint32_t first = groups.rows[groups.start[g]];
      const double value = Measure(ranked(groups, g, scores[0]), weights_).value(counter);
      if (watch_) watch_->throw_if_stopped();
      n_known += value != kUnknown;
      if (value != kUnknown) loss_[first] = (1 - value) * weight / target_.weight_at(first);
    }
    for (const std::uint32_t row : rows) loss_[row] /= std::max(n_known, 1);
  }
  double loss(const std::vector<double*>&, std::int64_t row) const override { return loss_[row]; }

 private:
  Ranked ranked(const GroupedRows& groups, int g, const double* score) const {
    const std::size_t begin = groups.start[g];
    return Ranked(groups.rows.data() + begin, groups.start[g + 1] - begin, target_.y, score);
  }

  void push_apart(const Ranked& ranked, PairCounter& counter) {
    const int n = ranked.size();
    const Measure measure(ranked, weights_);
    std::vector<double> gradient(n, 0.0), hessian(n, 0.0);
    const auto grade = [&](int i) {
      return Measure::kOfGrades ? ranked.gain[i] : static_cast<double>(ranked.gain[i] > 0);
    };
    for (int a = 0; a < weights_.most(n) && !counter.stops_after(n - a); ++a)
      for (int b = a + 1; b < n; ++b) {
        if (grade(a) == grade(b)) continue;
        const int better = grade(a) > grade(b) ? a : b, worse = a + b - better;
        const double change = measure.change(a, b);
        const double p = 1 / (1 + exp_of(ranked.score[better] - ranked.score[worse]));
        gradient[better] -= p * change;
        gradient[worse] += p * change;
        hessian[better] += p * (1 - p) * change;
        hessian[worse] += p * (1 - p) * change;
      }
    for (int i = 0; i < n; ++i) {
      gradient_[ranked.row[i]] = gradient[i];
      hessian_[ranked.row[i]] = hessian[i];
    }
  }

  // Counts a group that is finished, or whose work has failed.
  struct AtEnd {
    std::atomic<int>& finished;
    ~AtEnd() { finished.fetch_add(1); }
  };

  static constexpr std::size_t kLargeGroup = 4096;
  static constexpr std::chrono::milliseconds kNap{1};

  const std::int32_t* group_;
  PositionWeights weights_;
  GroupedRows trained_;
  std::vector<double> gradient_, hessian_, loss_;
};

}  // namespace

std::unique_ptr<Loss> make_ranking_loss(const LossSettings& settings, const BoostTarget& target) {
  if (settings.name == "ndcg") return std::make_unique<Ranking<Ndcg>>(settings, target);
  if (settings.name == "map") return std::make_unique<Ranking<AveragePrecision>>(settings, target);
  if (settings.name == "mrr") return std::make_unique<Ranking<ReciprocalRank>>(settings, target);
  if (settings.name == "pairwise") return std::make_unique<Ranking<Pairs>>(settings, target);
  throw std::invalid_argument("unknown loss of rankings '" + settings.name + "'");
}

}  // namespace bough
